"""What a job with network needs of the host: its proxies, indexes and certificates."""

import re
from collections.abc import Mapping
from pathlib import Path

from bot.sandbox.job import Bind

_PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy")
_CERTIFICATES = (
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "DENO_CERT",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
)
_INDEXES = (
    *("GONOSUMDB", "GOPROXY", "GOSUMDB", "NPM_CONFIG_REGISTRY", "npm_config_registry"),
    *("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL", "PIP_TRUSTED_HOST", "UV_DEFAULT_INDEX"),
    *("UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_INDEX_URL", "UV_NATIVE_TLS"),
    *("UV_SYSTEM_CERTS", "YARN_NPM_REGISTRY_SERVER"),
)
_CREDENTIALS = re.compile(r"//[^/\s]*@")


def online_env(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the host that a job with network gets.

    A value with a user or password in an address is a secret and stays here.
    """
    names = [*_PROXIES, *(name.upper() for name in _PROXIES), *_CERTIFICATES, *_INDEXES]
    found = {name: environ[name] for name in names if environ.get(name)}
    return {n: v for n, v in found.items() if not _CREDENTIALS.search(v)}


def online_binds(environ: Mapping[str, str]) -> tuple[Bind, ...]:
    """Return the certificate files that those variables point to."""
    env = online_env(environ)
    paths = [Path(env[name]) for name in _CERTIFICATES if name in env]
    return tuple(
        Bind(path, str(path))
        for path in dict.fromkeys(paths)
        if path.is_absolute() and path.exists() and not path.is_relative_to("/usr")
    )

"""What looks like a secret: by the name of a file, or by what a text holds.

A file that holds one is never shown, not even with the secret taken out: a model that
gave it back whole would destroy it.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Iterator

MASK = "[secret removed]"

_NAMES = re.compile(
    r"(?:[^/]*\.env|\.env.*|env\.(?:local|prod|production)"
    r"|.*\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx?|ppk|asc|gpg|ovpn|tfstate|tfvars)"
    r"(?:\.[^.]{1,10})?"
    r"|id_(?:rsa|dsa|ecdsa|ed25519).*"
    r"|\.(?:netrc|pgpass|pypirc|npmrc|htpasswd|git-credentials|dockercfg|my\.cnf|s3cfg)"
    r"|_netrc|kubeconfig|.*service[-_]?account.*\.json|client_secret.*\.json"
    r"|\.?(?:secrets?|credentials?|passwords?)"
    r"(?:(?:[._-].*)?\.(?:ya?ml|json|toml|ini|cfg|conf|txt|xml|properties))?)",
    re.IGNORECASE,
)
_FOLDERS = re.compile(
    r"(?:^|/)\.(?:ssh|aws|gnupg|env[^/]*)/|(?:^|/)\.(?:kube/config|docker/config\.json)$",
    re.IGNORECASE,
)
_SHAPES = re.compile(
    r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\s\S]{0,8000}?-----END[ A-Z0-9]{0,40}-----|[\s\S]{0,8000})"
    r"|\bPuTTY-User-Key-File-\d"
    r"|\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,255}\b"
    r"|\bgithub_pat_[A-Za-z0-9_]{40,255}\b"
    r"|\bgl(?:pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{20,60}"
    r"|\bsk-(?:ant-|proj-|or-|live-|svcacct-)?[A-Za-z0-9_-]{20,250}"
    r"|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,200}\b"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,250}"
    r"|\bxapp-\d-[A-Za-z0-9-]{20,250}"
    r"|hooks\.slack\.com/services/T[A-Za-z0-9_/]{20,80}"
    r"|\bAIza[A-Za-z0-9_-]{35}"
    r"|\bya29\.[A-Za-z0-9_-]{20,250}"
    r"|\bnpm_[A-Za-z0-9]{36}\b"
    r"|\bpypi-[A-Za-z0-9_-]{50,250}"
    r"|\bhf_[A-Za-z0-9]{30,60}\b"
    r"|\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"
    r"|\bdop_v1_[a-f0-9]{64}\b"
    r"|\bAGE-SECRET-KEY-1[A-Z0-9]{50,60}"
    r"|\beyJ[A-Za-z0-9_-]{15,300}\.eyJ[A-Za-z0-9_-]{15,4000}\.[A-Za-z0-9_-]{10,2000}"
    r"|(?<=://)[^\s/:@\"'<>{}$%]{1,100}:(?!//)[^\s/:@\"'<>{}$*]{6,100}(?=@[\w.-])"
)
# One of them stands in every match: a look for each is far quicker than the expression.
_ANCHORS = (
    *("PRIVATE KEY", "PuTTY-User-Key", "AKIA", "ASIA", "ABIA", "ACCA", "ghp_", "gho_"),
    *("ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glptt-", "glrt-", "gldt-"),
    *("glcbt-", "sk-", "k_live_", "k_test_", "xox", "xapp-", "hooks.slack.com/"),
    *("AIza", "ya29.", "npm_", "pypi-", "hf_", "SG.", "dop_v1_", "AGE-SECRET-KEY-"),
    *("eyJ", "://"),
)
_KEYWORD = (
    r"(?:secret|token|passwd|password|passphrase|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|credential|auth[_-]?key|client[_-]?key|encryption[_-]?key)"
)
_ASSIGNED = re.compile(
    _KEYWORD + r"[\w-]{0,30}[\"']?[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8}[\"'`]?"
    r"([^\s\"'`,;]{16,250})"
)
_HINTS = ("secret", "token", "passw", "passphrase", "key", "credential")
_VALUE = re.compile(r"[A-Za-z0-9+/=_.~!@#$%^&*-]+")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_ENOUGH_BITS = 3.5  # of a character: words of a language have less


def is_secret_name(path: str) -> bool:
    """Say whether a file of this name usually holds secrets."""
    name = path.rpartition("/")[2]
    return bool(_NAMES.fullmatch(name) or ("." in path and _FOLDERS.search(path)))


def holds_secret(text: str) -> bool:
    """Say whether a text holds what looks like a secret."""
    return next(_spans(text), None) is not None


def masked(text: str) -> str:
    """Return a text with all that looks like a secret replaced by a note."""
    parts: list[str] = []
    end = 0
    for start, stop in sorted(_spans(text)):
        if start >= end:
            parts += (text[end:start], MASK)
        end = max(end, stop)
    return "".join((*parts, text[end:]))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    if any(anchor in text for anchor in _ANCHORS):
        yield from (match.span() for match in _SHAPES.finditer(text))
    # Only ASCII is lowered: some other letters get longer, and places would shift.
    lowered = text.translate(_LOWER)
    if any(hint in lowered for hint in _HINTS):
        for match in _ASSIGNED.finditer(lowered):
            if _is_random(text[slice(*match.span(1))]):
                yield match.span(1)


def _is_random(value: str) -> bool:
    """Say whether a value looks drawn, not written: digits, letters, few repeats."""
    if not _VALUE.fullmatch(value) or "(" in value:
        return False
    has_both = re.search(r"\d", value) and re.search(r"[A-Za-z]", value)
    return bool(has_both) and _bits(value) >= _ENOUGH_BITS


def _bits(value: str) -> float:
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)

"""What of the host's system every job sees: programs, libraries and little of /etc."""

from collections.abc import Mapping
from pathlib import Path

from bot.sandbox.job import HOME

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

_ROOT = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# What programs look up and anyone may know. Never the whole folder: keys lie there.
_ETC = (
    "alternatives",
    "ca-certificates",
    "debian_version",
    "fonts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "mime.types",
    "perl",
    "pki/ca-trust",
    "pki/tls/certs",
    "protocols",
    "redhat-release",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
)
_ETC_GLOBS = ("java-*", "python3*", "pki/tls/cert.pem", "pki/tls/openssl.cnf")
_ETC_ONLINE = ("resolv.conf", "hosts")


def system_args() -> tuple[str, ...]:
    """Return the arguments of bwrap that show the host's programs, read-only."""
    args = ["--ro-bind", "/usr", "/usr"]
    for name in _ROOT:
        folder = Path("/") / name
        if folder.is_symlink():
            args += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            args += ["--ro-bind", str(folder), str(folder)]
    return tuple(args)


def etc_args(*, network: bool) -> tuple[str, ...]:
    """Return the arguments of bwrap for what is shared of /etc, read-only."""
    etc = Path("/etc")
    names = [etc / name for name in _ETC + (_ETC_ONLINE if network else ())]
    names += [path for pattern in _ETC_GLOBS for path in sorted(etc.glob(pattern))]
    args = ["--symlink", "/proc/self/mounts", "/etc/mtab"]
    args += ["--symlink", "../usr/lib/os-release", "/etc/os-release"]
    args += ["--symlink", "/usr/share/zoneinfo/Etc/UTC", "/etc/localtime"]
    for path in names:
        if path.exists():
            args += ["--ro-bind", str(path.resolve()), str(path)]
    return tuple(args)


def made_up_files(uid: int, gid: int, *, network: bool) -> Mapping[str, str]:
    """Return files of /etc that speak of the sandbox instead of the host."""
    files = {
        "/etc/passwd": (
            f"bot:x:{uid}:{gid}:bot:{HOME}:/bin/sh\n"
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
        ),
        "/etc/group": f"bot:x:{gid}:\nnogroup:x:65534:\n",
        "/etc/nsswitch.conf": (
            "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n"
            "services: files\nprotocols: files\n"
        ),
    }
    if not network:
        files["/etc/hosts"] = "127.0.0.1 localhost sandbox\n::1 localhost\n"
    return files

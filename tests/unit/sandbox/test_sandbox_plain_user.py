"""The same walls hold when the bot is a plain user, as it should be in production."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

_UID = 64888
_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]

# A plain user can't walk into root's home, where interpreters may lie: in a mount
# namespace of their own they find what is needed, and nothing else, there.
_SCRIPT = """
set -e
mount -n -t tmpfs -o mode=0755 plain /mnt
number=0
for path in $NEEDED; do
  mkdir /mnt/$number
  mount -n --bind "$path" /mnt/$number
  number=$((number + 1))
done
for folder in $CLOSED; do mount -n -t tmpfs -o mode=0755 plain "$folder"; done
number=0
for path in $NEEDED; do
  mkdir -p "$path"
  mount -n --bind /mnt/$number "$path"
  number=$((number + 1))
done
exec "$@"
"""


def _closed(path: Path) -> Path | None:
    """Return the outermost folder on the way to a path that others can't enter."""
    way = [*reversed(path.parents), path]
    return next((f for f in way if not f.stat().st_mode & 0o001), None)


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as a plain user")
@pytest.mark.timeout(240)
def test_walls_hold_for_a_plain_user(sandbox):
    """What no job can do under root it can't do under a plain user either."""
    needed = [Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), _ROOT]
    lying = [path for path in needed if _closed(path)]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.chown(home, _UID, _UID)
        env = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "LANG": "C.UTF-8",
            "NEEDED": " ".join(map(str, lying)),
            "CLOSED": " ".join({str(_closed(path)) for path in lying}),
        }
        done = subprocess.run(
            [
                *("unshare", "--mount", "--propagation", "private"),
                *("sh", "-c", _SCRIPT, "sh"),
                *("setpriv", f"--reuid={_UID}", f"--regid={_UID}", "--clear-groups"),
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
                *("-p", "no:randomly", f"--basetemp={home / 'temp'}"),
                str(_HERE / "test_sandbox_confinement.py"),
                str(_HERE / "test_sandbox_survivors.py"),
                str(_HERE / "test_sandbox_bounds.py") + "::test_fork_bomb_is_bounded",
                str(_HERE / "test_sandbox_bounds.py") + "::test_memory_hog_is_killed",
            ],
            cwd=_ROOT,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "skipped" not in done.stdout, done.stdout[-2000:]

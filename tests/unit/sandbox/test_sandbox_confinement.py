"""What a job can't see, reach or change, and what it can."""

import os
import socket
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from bot.errors import SandboxUnavailable
from bot.sandbox.bwrap import BubblewrapSandbox, find_bwrap
from bot.sandbox.job import Bind, Finished, Job, Sandbox
from bot.sandbox.owner import Owner
from bot.settings.model import SandboxSettings


def test_command_runs_in_the_tree(run, tree: Path):
    """A job starts at /repo, and what it writes there is in the tree."""
    finished = run("pwd; echo hello > made; printf done")
    assert (finished.output, finished.exit_code) == ("/repo\ndone", 0)
    assert (tree / "made").read_text() == "hello\n"


def test_job_starts_in_its_folder(run, tree: Path):
    """A job's cwd counts from the tree."""
    (tree / "sub").mkdir()
    assert run("pwd", cwd="sub").output == "/repo/sub\n"


def test_missing_folder_is_the_jobs_fault(run):
    """A cwd that the proposal deleted makes the job red and the sandbox stays well."""
    finished = run("pwd", cwd="gone")
    assert (finished.exit_code, finished.is_green) == (1, False)
    assert "gone" in finished.output


def test_exit_codes_are_told_apart(run):
    """Not found, not executable, a signal and a plain failure keep their codes."""
    assert run("no-such-program").exit_code == 127
    assert run("/etc/passwd").exit_code == 126
    assert run("kill -9 $$").exit_code == 128 + 9
    assert run("exit 3").exit_code == 3


def test_listener_on_loopback_is_out_of_reach(run):
    """A server on the host's loopback can't be reached, and nor can any name."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
        assert run(f'/usr/bin/python3 -c "{script}"').exit_code == 1
    assert run("getent hosts example.org").exit_code != 0
    assert run("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' \\n'").output == "lo"


def test_abstract_socket_is_out_of_reach(run):
    """A server on an abstract socket of the host (D-Bus, X) can't be reached."""
    name = f"gapwright-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        script = (
            f"import socket; socket.socket(socket.AF_UNIX).connect(chr(0)+'{name}')"
        )
        assert run(f'/usr/bin/python3 -c "{script}"').exit_code == 1


def test_network_job_reaches_loopback(run):
    """A job with network shares the host's."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"import socket; socket.create_connection(('127.0.0.1', {port}), 9)"
        assert run(f'/usr/bin/python3 -c "{script}"', network=True).exit_code == 0


def test_environment_is_the_sandboxes_own(run, monkeypatch: pytest.MonkeyPatch):
    """Nothing of the bot's environment is there but what the job is given."""
    monkeypatch.setenv("GITHUB_TOKEN", "hunter2hunter2")
    finished = run("env; cat /proc/*/environ | tr '\\0' '\\n'", env={"GIVEN": "yes"})
    assert "hunter2" not in finished.output
    assert "GIVEN=yes" in finished.output.splitlines()
    assert "HOME=/home/bot" in finished.output.splitlines()


def test_secret_is_on_no_command_line(sandbox: Sandbox, tree: Path):
    """A value given to a job can't be read from the process list of the host."""
    seen: list[str] = []

    def look() -> bool:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                seen.append(path.read_bytes().decode(errors="replace"))
        return False

    job = Job("echo $TOKEN; sleep 0.3", tree, 30.0, env={"TOKEN": "swordfish-5711"})
    finished = sandbox.run(job, cancel=look)
    assert finished.output == "swordfish-5711\n"
    assert any("sleep 0.3" in line for line in seen)
    assert not any("swordfish" in line for line in seen)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/shadow",
        "/etc/ssh",
        "/sys",
        "/root/.ssh",
        "/var/log",
        "/boot",
        "/etc/ssl/private",
    ],
)
def test_place_is_not_there(run, path: str):
    """Places of the host that hold secrets or tell of it don't exist inside."""
    assert run(f"ls {path}").exit_code != 0


def test_home_and_data_folder_are_not_there(run, tmp_path: Path):
    """The bot's own folders, a sibling of the tree too, can't be seen."""
    (tmp_path / "secret").write_text("hunter2")
    (tmp_path / "secret").chmod(0o644)
    found = run(f"cat {tmp_path}/secret {Path.home()}/* ; ls -a /home/bot /tmp")
    assert "hunter2" not in found.output
    assert "secret" not in run("ls /repo/.. /tmp /run /var/tmp").output


def test_only_tree_and_private_folders_are_writable(run):
    """A job writes to the tree, its home and temporary folders, and nowhere else."""
    tried = "/ /etc /usr /dev /bin /var /home /proc /repo /tmp /var/tmp /home/bot /run"
    finished = run(
        f"for d in {tried} /dev/shm; do touch $d/x 2>/dev/null && echo $d; done"
    )
    wanted = ["/repo", "/tmp", "/var/tmp", "/home/bot", "/run", "/dev/shm"]
    assert wanted == finished.output.split()


@pytest.mark.parametrize("place", ["/run", "/tmp", "/dev/shm", "/home/bot"])
def test_private_folders_are_bounded(run, place: str):
    """No file system in memory takes more than its share of the configured memory."""
    finished = run(
        f"for n in $(seq 40); do head -c 7M /dev/zero > {place}/f$n || exit 9; done"
    )
    assert finished.exit_code == 9


def test_job_is_an_unprivileged_user_with_a_name(run):
    """Whoever the bot is, the job isn't root, has no capability and has a name."""
    finished = run(
        "id -un; id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status"
    )
    name, uid, *rest = finished.output.split()
    assert name == "bot"
    assert uid != "0"
    none = "0" * 16
    assert ["CapEff:", none, "CapBnd:", none, "NoNewPrivs:", "1"] == rest


def test_user_namespaces_are_off(run):
    """A job can't make a user namespace, through which kernels were broken out of."""
    assert run("unshare --user --map-root-user true").exit_code != 0


def test_nul_smuggles_no_option(run):
    """A value with a NUL, after which options could follow, is refused."""
    with pytest.raises(SandboxUnavailable, match="NUL"):
        run("true", env={"X": "x\0--share-net"})


def test_processes_of_the_host_are_out_of_sight(run):
    """A job sees no process but its own."""
    numbers = run("ls /proc | grep -c '^[0-9]'").output
    assert int(numbers) < 8


def test_git_history_is_readable_and_nothing_else(run, tmp_path: Path, owner):
    """Inside, git reads the clone; its files, hooks and the pointer can't be changed."""
    clone, tree = _worktree(tmp_path, owner)
    finished = run(
        "git log --format=%s; git describe --always --dirty >/dev/null && echo described;"
        f"for f in .git {clone}/HEAD {clone}/config {clone}/hooks/x; do"
        "  echo x >> $f && echo wrote $f; done;"
        "rm -f .git; mv .git gone; git config user.x y; git commit -qm no --allow-empty;"
        f"cat {clone}/config",
        tree=tree,
        git_dir=clone,
    )
    assert finished.output.startswith("first\ndescribed\n")
    assert "wrote" not in finished.output
    assert f"gitdir: {clone}/worktrees/tree\n" == (tree / ".git").read_text()
    assert "hunter2" in (clone / "config").read_text()
    assert "hunter2" not in finished.output


def _worktree(tmp_path: Path, owner: Owner | None) -> tuple[Path, Path]:
    source, clone = tmp_path / "source", tmp_path / "clone.git"
    tree = tmp_path / "trees" / "tree"

    def git(*args: str) -> None:
        subprocess.run(["git", *args], check=True, capture_output=True)

    git("init", "-q", str(source))
    (source / "a.txt").write_text("a\n")
    git("-C", str(source), "add", "-A")
    git("-C", str(source), "commit", "-qm", "first")
    git("clone", "-q", "--bare", str(source), str(clone))
    git("-C", str(clone), "config", "remote.origin.url", "https://me:hunter2@x.test/r")
    (clone / "hooks").mkdir(exist_ok=True)
    git("-C", str(clone), "worktree", "add", "-q", "--detach", str(tree))
    if owner:
        for path in (tree, *tree.rglob("*")):
            if path.name != ".git":
                os.chown(path, owner.uid, owner.gid)
    return clone, tree


def test_bind_is_readable_only(run, tmp_path: Path):
    """A result of set-up is seen at its place and can't be changed or moved away."""
    made = tmp_path / "setup" / "node_modules"
    made.mkdir(parents=True)
    (made / "index.js").write_text("ok")
    finished = run(
        "cat deps/node_modules/index.js; echo x > deps/node_modules/index.js;"
        "rm -rf deps/node_modules; mv deps/node_modules gone",
        binds=(Bind(made, "/repo/deps/node_modules"),),
    )
    assert finished.output.startswith("ok")
    assert (made / "index.js").read_text() == "ok"


def test_mount_points_do_not_stay_in_the_tree(run, tree: Path, tmp_path: Path):
    """After a job the tree holds nothing of the places that binds lay at."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    binds = (
        Bind(tmp_path / "folder", "/repo/a/b/venv"),
        Bind(tmp_path / "file", "/repo/src/_version.py"),
    )
    finished = run("touch src/kept; find . | sort", binds=binds)
    assert "./src/_version.py" in finished.output.split()
    assert [tree / "src", tree / "src/kept"] == sorted(tree.rglob("*"))


def test_symlink_in_the_tree_leads_no_bind_astray(run, tree: Path, tmp_path: Path):
    """A bind whose way through the tree is a symlink is left out."""
    (tmp_path / "folder").mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    outside.chmod(0o777)
    (tree / "deps").symlink_to(f"/oldroot{outside}")
    finished = run("ls deps/", binds=(Bind(tmp_path / "folder", "/repo/deps/x"),))
    assert list(outside.iterdir()) == []
    assert finished.exit_code != 0


def test_writable_bind_is_the_home(run, tmp_path: Path, owner: Owner | None):
    """A writable bind keeps what a job writes, as set-up's home does."""
    home = tmp_path / "home"
    home.mkdir()
    if owner:
        os.chown(home, owner.uid, owner.gid)
    run("echo x > ~/kept", binds=(Bind(home, "/home/bot", writable=True),))
    assert (home / "kept").read_text() == "x\n"


def test_hidden_folder_is_covered(tree: Path, tmp_path: Path, owner: Owner | None):
    """A folder of the bot inside a folder that is shown stays unseen."""
    found = find_bwrap()
    if found is None:
        pytest.skip("no bwrap here")
    tools = tmp_path / "tools"
    (tools / "data").mkdir(parents=True)
    (tools / "data/secret").write_text("hunter2")
    (tools / "hello").write_text("#!/bin/sh\necho hello\n")
    (tools / "hello").chmod(0o755)
    sandbox = BubblewrapSandbox(
        SandboxSettings(tools=(tools,)),
        owner,
        found.path,
        found.version,
        hidden=(tools / "data",),
    )
    finished = sandbox.run(Job(f"hello; ls {tools}/data; echo end", tree, 30.0))
    assert finished.output == "hello\nend\n"


def test_files_made_inside_have_usual_modes(run, tree: Path):
    """A job's umask doesn't depend on the bot's."""
    before = os.umask(0o077)
    try:
        run("touch made")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tree / "made").stat().st_mode) == 0o644


def test_sandbox_names_itself(run, sandbox: Sandbox):
    """What confines a job is told in a few words."""
    finished: Finished = run("true")
    assert sandbox.describe() == finished.sandbox
    assert finished.sandbox.startswith("bwrap ")

"""What every git command runs under, and what its failures become."""

import contextlib
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.errors import DataFolderUnusable, Deferred, GitFailed, Misconfigured
from bot.workspace.diagnose import diagnose, without_credentials
from bot.workspace.door import execute
from bot.workspace.git import Git, GitEnv, check_ref, git_version


def shell(git: Git, script: str, **options: object) -> bytes:
    """Run a shell script as git would run a helper program."""
    return git.run("-c", f"alias.x=!{script}", "x", **options)  # type: ignore[arg-type]  # passed on


def variables(out: bytes) -> dict[str, str]:
    """Read the output of `env`."""
    return dict(line.split("=", 1) for line in out.decode().splitlines() if "=" in line)


def test_inherited_variables_stay_outside(
    git_env: GitEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an inherited GIT_* nor a secret reaches a git process."""
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "/bin/false")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    seen = variables(shell(Git(None, git_env), "env"))
    assert {"GIT_DIR", "GIT_EXTERNAL_DIFF", "OPENAI_API_KEY"} & seen.keys() == set()
    assert seen["LC_ALL"] == "C.UTF-8"
    assert seen["GIT_TERMINAL_PROMPT"] == "0"


def test_command_has_no_terminal(git_env: GitEnv) -> None:
    """A helper program can't open a terminal to prompt on."""
    out = shell(Git(None, git_env), "(: < /dev/tty) 2>/dev/null && echo yes || echo no")
    assert out == b"no\n"


def test_folder_that_is_gone_fails(git_env: GitEnv, tmp_path: Path) -> None:
    """A command for a folder that isn't there never runs somewhere else instead."""
    with pytest.raises(GitFailed, match="cannot change to"):
        Git(None, git_env, tmp_path / "gone").run("rev-parse", "--git-dir")


def test_explicit_repository_wins_over_pointer(tree, clone) -> None:
    """The `.git` in a working tree is not even read."""
    (tree.path / ".git").write_text("gitdir: /nowhere\n")
    assert clone.base() == tree.git.text("rev-parse", "HEAD")


def test_a_slow_reader_gets_all_of_a_large_input(git_env: GitEnv) -> None:
    """A process that takes its time before it reads is fed to the end all the same."""
    slow = ("-c", "alias.slow=!sleep 0.8; wc -c", "slow")

    assert "1000000" == Git(None, git_env).text(
        *slow, input=b"x" * 1_000_000, timeout=20
    )


def test_large_input_and_output_do_not_block(git_env: GitEnv, clone) -> None:
    """Megabytes go in and come out of one command."""
    data = os.urandom(3_000_000)
    blob = clone.git.text("hash-object", "-w", "--stdin", input=data)
    assert data == clone.blob(blob)
    noisy = shell(Git(None, git_env), "head -c 300000 /dev/zero >&2; echo done")
    assert noisy == b"done\n"


def test_timeout_kills_the_whole_group(git_env: GitEnv, tmp_path: Path) -> None:
    """A command out of time is Deferred, and nothing that it started lives on."""
    mark = tmp_path / "mark"
    begun = time.monotonic()
    with pytest.raises(Deferred, match=r"stopped after 0\.2 seconds"):
        shell(Git(None, git_env), f"sh -c 'sleep 30; touch {mark}'", timeout=0.2)
    assert time.monotonic() - begun < 20
    # A killed process is listed until its new parent has taken note of it.
    while _is_running(str(mark)) and time.monotonic() - begun < 20:
        time.sleep(0.01)
    assert not _is_running(str(mark))


def _is_running(argument: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if argument.encode() in path.read_bytes():
                return True
    return False


def test_background_process_does_not_hold_the_answer(git_env: GitEnv) -> None:
    """A helper that stays in the background and keeps the pipes open is not waited for."""
    begun = time.monotonic()
    try:
        out = shell(Git(None, git_env), "sleep 20 & echo $!", timeout=19)
    finally:
        took = time.monotonic() - begun
    os.kill(int(out), 9)
    assert took < 15


def test_no_process_or_pipe_is_left(clone) -> None:
    """A hundred reads leave no child and no open file behind."""
    before = _open_files()
    for _ in range(100):
        clone.git.run("cat-file", "-e", clone.base())
    assert before == _open_files()


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_failure_carries_command_status_and_words(clone) -> None:
    """A failed command says what ran, how it ended and what git said."""
    with pytest.raises(GitFailed) as caught:
        clone.git.run("rev-parse", "--verify", "refs/heads/none")
    assert caught.value.argv == ("rev-parse", "--verify", "refs/heads/none")
    assert caught.value.code == 128
    assert "Needed a single revision" in caught.value.stderr


def test_accepted_status_and_code(clone) -> None:
    """A status that the caller accepts is no failure, and `code` accepts all."""
    none = clone.git.run("config", "--get", "no.such", ok=(0, 1))
    assert none == b""
    assert clone.git.code("config", "--get", "no.such") == 1


def test_extra_variables_are_for_one_command(clone) -> None:
    """A variable given to one command is not there in the next."""
    shown = clone.git.text("var", "GIT_AUTHOR_IDENT", env=_author("Somebody"))
    assert shown.startswith("Somebody <s@example.org>")
    assert clone.git.code("var", "GIT_AUTHOR_IDENT") in {0, 128}
    assert "Somebody" not in clone.git.call("var", "GIT_AUTHOR_IDENT").stdout.decode()


def _author(name: str) -> dict[str, str]:
    return {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": "s@example.org"}


def test_missing_git_is_told(tmp_path: Path) -> None:
    """Without a git program the message says to install it, whenever that is noticed."""
    code = (
        "import sys\n"
        "from bot.workspace.door import execute\n"
        "from bot.errors import Misconfigured\n"
        "try: execute(['version'], env={'PATH': sys.argv[1]}, timeout_s=5)\n"
        "except Misconfigured as error: print(error)\n"
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    env = {**os.environ, "PATH": str(empty)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(empty)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "git was not found on PATH: install git 2.38 or newer\n"


def test_git_that_vanishes_later_is_told(tmp_path: Path, git_env: GitEnv) -> None:
    """A PATH without git is noticed in each command, too."""
    empty = tmp_path / "empty"
    empty.mkdir()
    for _ in range(2):
        with pytest.raises(Misconfigured, match="install git"):
            execute(["version"], env={"PATH": str(empty)}, timeout_s=5)
        (empty / "env").unlink(missing_ok=True)
        (empty / "env").symlink_to("/usr/bin/env")


def test_importing_the_rooms_does_not_load_gitpython() -> None:
    """A paused tick pays nothing for GitPython."""
    code = "import sys, bot.workspace.trees; print('git' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_nothing_is_logged_about_commands(clone, caplog) -> None:
    """GitPython logs no command line above debug level."""
    caplog.set_level(logging.INFO)
    clone.git.run("version")
    assert caplog.records == []


def test_version_is_read(git_env: GitEnv) -> None:
    """The version of git is a tuple that compares."""
    assert git_version(git_env) >= (2, 38)


@pytest.mark.parametrize("name", ["main", "bot/a-b", "ünï", "v1.0", "a.b/c", "x@y"])
def test_good_branch_names_pass(name: str) -> None:
    """Names that git can hold are returned as they are."""
    assert name == check_ref(name)


@pytest.mark.parametrize(
    "name",
    [
        "", "-x", "--upload-pack=x", "a..b", "a b", "a~1", "a^", "a:b", "a?", "a*", "[a",
        "a\\b", "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "@", "a@{1}",
        "HEAD", "a\x00b", "a\nb", "a\x7f",
    ],
)  # fmt: skip
def test_bad_branch_names_are_refused(name: str, git_env: GitEnv) -> None:
    """Names that git refuses, or that read as options, are refused here as well."""
    if "\x00" not in name:
        said = Git(None, git_env).code("check-ref-format", "--branch", name)
        assert said != 0 or name in {"HEAD", "@"}
    with pytest.raises(Misconfigured, match="branch"):
        check_ref(name)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("fatal: unable to access 'https://h/r/': Could not resolve host: h", Deferred),
        ("fatal: unable to access 'https://h/r/': Failed to connect to h port 1", Deferred),
        ("ssh: connect to host h port 22: Connection refused", Deferred),
        ("ssh: connect to host h port 22: Connection timed out", Deferred),
        ("error: RPC failed; curl 92\nfatal: early EOF", Deferred),
        ("fatal: the remote end hung up unexpectedly", Deferred),
        ("fatal: unable to access 'u': The requested URL returned error: 503", Deferred),
        ("fatal: unable to access 'u': The requested URL returned error: 429", Deferred),
        ("remote: You have exceeded a secondary rate limit\nfatal: returned error: 403", Deferred),
        ("fatal: Could not read from remote repository.", Deferred),
        ("fatal: unable to access 'u': The requested URL returned error: 403", Misconfigured),
        ("fatal: Authentication failed for 'https://h/r/'", Misconfigured),
        ("fatal: could not read Username for 'https://h': terminal prompts disabled",
         Misconfigured),
        ("git@h: Permission denied (publickey).\nfatal: Could not read from remote",
         Misconfigured),
        ("Host key verification failed.\nfatal: Could not read from remote", Misconfigured),
        ("remote: Repository not found.\nfatal: repository 'u' not found", Misconfigured),
        ("fatal: '/x' does not appear to be a git repository", Misconfigured),
        ("fatal: repository '/x' does not exist", Misconfigured),
        ("fatal: Unable to create '/c/index.lock': File exists.", Deferred),
        ("error: cannot lock ref 'r': Unable to create '/c/r.lock': File exists.", Deferred),
        ("fatal: write error: No space left on device", DataFolderUnusable),
        ("error: unable to write file: Disk quota exceeded", DataFolderUnusable),
        ("remote: fatal: No space left on device\nfatal: something else", GitFailed),
        ("fatal: bad object 123", GitFailed),
    ],
)  # fmt: skip
def test_words_of_git_are_classified(said: str, kind: type[Exception]) -> None:
    """What git says about a fetch tells offline, refused, busy and full apart."""
    assert kind is type(diagnose(("fetch", "u"), 128, said))


def test_network_words_count_for_network_commands_only() -> None:
    """A local command that mentions a broken connection has just failed."""
    error = diagnose(("add", "x"), 1, "error: Connection refused.txt: odd file")
    assert GitFailed is type(error)


def test_credentials_in_urls_are_not_shown() -> None:
    """A password in a URL stands in no message."""
    error = diagnose(
        ("fetch", "https://me:hunter22@h/r"),
        128,
        "fatal: 'https://me:hunter22@h/r' bad",
    )
    assert "hunter22" not in str(error)
    assert without_credentials("ssh://git@h/r") == "ssh://***@h/r"

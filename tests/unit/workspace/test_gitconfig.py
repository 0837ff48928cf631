"""What of the person's git configuration counts."""

import os
import subprocess
from pathlib import Path

import pytest

from bot.errors import DataFolderUnusable, GitFailed
from bot.workspace.git import Git, GitEnv
from bot.workspace.gitconfig import render


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder of its own."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    return folder


def configured(file: Path) -> list[tuple[str, str | None]]:
    """Read a configuration file back with git itself."""
    out = subprocess.run(
        ["git", "config", "--file", str(file), "--list", "-z"],
        check=True,
        capture_output=True,
    ).stdout.decode()
    entries = [entry.partition("\n") for entry in out.split("\0") if entry]
    return [(key, value if newline else None) for key, newline, value in entries]


def test_only_access_is_kept(home: Path, data_dir: Path) -> None:
    """Credentials, proxies, rewrites and the ssh command are kept; programs are not."""
    (home / ".gitconfig").write_text(
        '[credential]\n\thelper =\n\thelper = store --file="a b"\n'
        '[credential "https://h"]\n\tusername = me\n'
        '[http "https://h/"]\n\tproxy = http://p:1\n\textraHeader = "A: \\"b\\" \\\\ #c"\n'
        '[url "git@h:"]\n\tinsteadOf = https://h/\n\tpushInsteadOf = x\n'
        "[core]\n\tsshCommand = ssh -i k\n\thooksPath = /evil\n\tfsmonitor = /evil\n"
        "\tpager = evil\n\teditor = evil\n\taskPass = evil\n\tgitProxy = evil\n"
        "[ssh]\n\tvariant = ssh\n"
        '[filter "x"]\n\tclean = evil\n[diff]\n\texternal = evil\n'
        "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = evil\n[alias]\n\tx = !evil\n"
        "[include]\n\tpath = more\n"
    )
    (home / "more").write_text("[http]\n\tsslCAInfo = /ca\n[user]\n\tname = n\n")
    GitEnv.make(data_dir, os.environ)
    assert configured(data_dir / "gitconfig") == [
        ("credential.helper", ""),
        ("credential.helper", "store --file=a b"),
        ("credential.https://h.username", "me"),
        ("http.https://h/.proxy", "http://p:1"),
        ("http.https://h/.extraheader", 'A: "b" \\ #c'),
        ("url.git@h:.insteadof", "https://h/"),
        ("url.git@h:.pushinsteadof", "x"),
        ("core.sshcommand", "ssh -i k"),
        ("ssh.variant", "ssh"),
        ("http.sslcainfo", "/ca"),
        ("safe.directory", "*"),
    ]


def test_values_can_not_break_out(tmp_path: Path) -> None:
    """New lines, quotes and backslashes in values and subsections stay in them."""
    entries = (
        ('http.x]"\\ [core.proxy', 'a\n[core]\n\tfsmonitor = evil\t"#;\\'),
        ("credential.usehttppath", None),
        ("credential.helper", " two  spaces "),
    )
    file = tmp_path / "config"
    file.write_bytes(render(entries))
    assert configured(file) == list(entries)


def test_configuration_of_a_repository_around_is_not_read(
    home: Path, data_dir: Path, new_person
) -> None:
    """A data folder inside a checkout takes nothing from that checkout's own config."""
    checkout = new_person()
    checkout.git("config", "http.proxy", "http://local")
    GitEnv.make(checkout.path / "data", os.environ)
    kept = configured(checkout.path / "data/gitconfig")
    assert kept == [("safe.directory", "*")]


def test_file_is_private_and_followed(home: Path, data_dir: Path) -> None:
    """The file has mode 0600 and is written anew when the person's changes."""
    file = data_dir / "gitconfig"
    GitEnv.make(data_dir, os.environ)
    first = file.stat()
    assert first.st_mode & 0o777 == 0o600
    GitEnv.make(data_dir, os.environ)
    assert file.stat().st_ino == first.st_ino
    (home / ".gitconfig").write_text("[http]\n\tproxy = http://p\n")
    GitEnv.make(data_dir, os.environ)
    assert ("http.proxy", "http://p") in configured(file)
    file.chmod(0o644)
    GitEnv.make(data_dir, os.environ)
    assert file.stat().st_mode & 0o777 == 0o600


def test_data_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    """A place that can't be written is a matter of the data folder."""
    (tmp_path / "data").write_text("")
    with pytest.raises(DataFolderUnusable, match="gitconfig"):
        GitEnv.make(tmp_path / "data", os.environ)


def test_broken_configuration_is_told(home: Path, data_dir: Path) -> None:
    """A person's configuration that git can't read is an error with git's words."""
    (home / ".gitconfig").write_text("[core\n")
    with pytest.raises(GitFailed, match="bad config line 1"):
        GitEnv.make(data_dir, os.environ)


def test_ssh_never_asks(home: Path, data_dir: Path) -> None:
    """Without a choice of the person's, ssh runs in batch mode; theirs is kept."""
    plain = GitEnv.make(data_dir, os.environ).own
    assert "BatchMode=yes" in plain["GIT_SSH_COMMAND"]
    chosen = GitEnv.make(data_dir, {**os.environ, "GIT_SSH_COMMAND": "ssh -i k"}).own
    assert chosen["GIT_SSH_COMMAND"] == "ssh -i k"
    (home / ".gitconfig").write_text("[core]\n\tsshCommand = ssh -i k\n")
    assert "GIT_SSH_COMMAND" not in GitEnv.make(data_dir, os.environ).own


def test_own_commands_run_nothing_of_the_persons(
    home: Path, data_dir: Path, person
) -> None:
    """Hooks, filters and the file monitor of the person's configuration do not run."""
    mark = home / "ran"
    program = home / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    hooks = home / "hooks"
    hooks.mkdir()
    for hook in ("post-checkout", "pre-commit", "reference-transaction", "pre-push"):
        (hooks / hook).symlink_to(program)
    (home / ".gitconfig").write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {program}\n"
        f'[filter "f"]\n\tclean = {program}\n\tsmudge = {program}\n'
    )
    own = Git(person.path / ".git", GitEnv.make(data_dir, os.environ), person.path)
    (person.path / ".gitattributes").write_text("* filter=f\n")
    own.run("add", "--all", "--", ".")
    own.run("commit", "-q", "-m", "m", env=_identity())
    own.run("checkout", "-q", "--detach", "HEAD~1")
    assert not mark.exists()


def _identity() -> dict[str, str]:
    names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
    return {f"GIT_{name}": "x" for name in names}


def test_global_ignores_do_not_hide_files(home: Path, data_dir: Path, tree) -> None:
    """What the person ignores everywhere is still seen in the bot's own tree."""
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.log\n")
    (tree.path / "a.log").write_text("x")
    assert [edit.path for edit in tree.changes(tree.git.text("rev-parse", "HEAD"))] == [
        "a.log"
    ]

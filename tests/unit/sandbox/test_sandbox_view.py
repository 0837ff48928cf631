"""What of the host a job is shown: tools, certificates, git; and where binds fit."""

import os
import sys
from pathlib import Path

import pytest

from bot.errors import SandboxUnavailable
from bot.sandbox.bwrap import open_sandbox
from bot.sandbox.gitdir import git_binds, git_files, shared_config
from bot.sandbox.job import HOME, Bind, Job
from bot.sandbox.mountpoints import fits, missing, remove_empty
from bot.sandbox.online import online_binds, online_env
from bot.sandbox.tools import find_tools
from bot.settings.model import SandboxSettings


@pytest.fixture
def interpreter(tmp_path: Path) -> Path:
    """Return an interpreter as uv keeps them: a version's folder behind a link."""
    real = tmp_path / "pythons/cpython-3.11.7/bin"
    real.mkdir(parents=True)
    (real / "python3.11").write_text("#!/bin/sh\necho interpreted $(basename $0)\n")
    (real / "python3.11").chmod(0o755)
    (tmp_path / "pythons/cpython-3.11").symlink_to("cpython-3.11.7")
    return tmp_path / "pythons/cpython-3.11/bin/python3.11"


@pytest.fixture
def venv(tmp_path: Path, interpreter: Path) -> Path:
    """Return an environment whose programs point to that interpreter."""
    bin_ = tmp_path / "venv/bin"
    bin_.mkdir(parents=True)
    (bin_ / "python").symlink_to(interpreter)
    (bin_ / "python3").symlink_to("python")
    (bin_ / "gone").symlink_to("/no/such/file")
    (bin_ / "loop").symlink_to("loop")
    (bin_ / "folder").symlink_to("/usr")
    (bin_ / "system").symlink_to("/usr/bin/env")
    return tmp_path / "venv"


def test_interpreter_of_a_tool_is_shown(venv: Path, interpreter: Path):
    """A tool's links are followed step by step, and each step's folder is shown."""
    tools = find_tools((venv,))
    real = interpreter.resolve().parents[1]
    assert tools.path == (str(venv / "bin"),)
    assert tools.binds == (
        Bind(venv, str(venv)),
        Bind(real, str(interpreter.parents[1])),
    )


def test_tool_runs_inside(sandbox, tree: Path, venv: Path):
    """A program of a tool folder is found before the system's and runs."""
    tooled = open_sandbox(SandboxSettings(tools=(venv,)))
    finished = tooled.run(Job("python3; touch $(which python3)x", tree, 30.0))
    assert finished.output.startswith("interpreted python")
    assert not (venv / "bin/python3x").exists()


def test_own_interpreter_runs_inside(sandbox, tree: Path):
    """The environment that the bot runs in can be a tool, wherever its Python is."""
    prefix = Path(sys.prefix)
    tooled = open_sandbox(SandboxSettings(tools=(prefix,), memory="512MB"))
    command = 'python3 -c "import ssl, sys; print(sys.prefix)"'
    finished = tooled.run(Job(command, tree, 60.0))
    assert finished.output == f"{prefix}\n"


def test_folder_of_programs_is_a_tool(tmp_path: Path):
    """A tool without a bin folder is itself put on PATH."""
    tools = find_tools((tmp_path,))
    assert ((str(tmp_path),), (Bind(tmp_path, str(tmp_path)),)) == (
        tools.path,
        tools.binds,
    )


def test_link_to_a_lone_program_shows_no_more_than_it(tmp_path: Path):
    """A link into somebody's home shows the one file and nothing around it."""
    home = tmp_path / "home/person"
    (home / "bin").mkdir(parents=True)
    (home / "bin/tool").write_text("x")
    (home / "tool2").write_text("x")
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "tool").symlink_to(home / "bin/tool")
    (folder / "tool2").symlink_to(home / "tool2")
    shown = find_tools((folder,)).binds[1:]
    assert shown == (
        Bind(home / "bin/tool", str(home / "bin/tool")),
        Bind(home / "tool2", str(home / "tool2")),
    )


def test_missing_tool_is_named(tmp_path: Path):
    """A tool folder that isn't there is named with what to do."""
    with pytest.raises(SandboxUnavailable, match=r"gone.*take it out"):
        find_tools((tmp_path / "gone",))


def test_proxy_without_password_is_passed_on(tmp_path: Path):
    """Proxies and certificates go to jobs with network, passwords stay."""
    bundle = tmp_path / "ca.pem"
    bundle.write_text("x")
    environ = {
        "https_proxy": "http://proxy.test:3128",
        "HTTP_PROXY": "http://me:hunter2@proxy.test:3128",
        "PIP_INDEX_URL": "https://token@index.test/simple",
        "UV_INDEX_URL": "https://index.test/simple",
        "SSL_CERT_FILE": str(bundle),
        "PIP_CERT": str(bundle),
        "CURL_CA_BUNDLE": "/no/such/file",
        "GIT_SSL_CAINFO": "relative.pem",
        "SSL_CERT_DIR": "/usr/share",
        "no_proxy": "",
        "GITHUB_TOKEN": "hunter2",
    }
    env = online_env(environ)
    assert not any("hunter2" in value for value in env.values())
    assert {"https_proxy", "UV_INDEX_URL", "SSL_CERT_FILE"} <= env.keys()
    assert {"HTTP_PROXY", "PIP_INDEX_URL", "GITHUB_TOKEN", "no_proxy"}.isdisjoint(env)
    assert online_binds(environ) == (Bind(bundle, str(bundle)),)


def test_where_packages_come_from_is_passed_on():
    """Who gets packages from a mirror of their own gets them there in set-up too."""
    environ = {
        "PIP_TRUSTED_HOST": "index.test",
        "npm_config_registry": "https://npm.test",
        "NPM_CONFIG_REGISTRY": "https://me:hunter2@npm.test",
        "GOPROXY": "https://go.test,direct",
        "NPM_CONFIG__AUTH": "hunter2",
    }
    expected = {"GOPROXY", "PIP_TRUSTED_HOST", "npm_config_registry"}
    assert expected == online_env(environ).keys()


@pytest.mark.parametrize(
    ("network", "home", "expected"),
    [(False, False, "1 1"), (True, False, "- -"), (False, True, "- -")],
)
def test_uv_takes_the_environment_as_set_up_left_it(
    sandbox, tree: Path, tmp_path: Path, network: bool, home: bool, expected: str
):
    """Recipes and checks can say `uv run`; set-up is what brings things up to date."""
    binds = (Bind(tmp_path, HOME, writable=True),) if home else ()
    command = "echo ${UV_NO_SYNC:--} ${UV_NO_CACHE:--}"
    job = Job(command, tree, 30.0, binds=binds, network=network)
    assert f"{expected}\n" == sandbox.run(job).output


def test_network_job_sees_the_certificates(
    sandbox, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A job with network finds the host's bundle at its path, one without doesn't."""
    bundle = tmp_path / "ca.pem"
    bundle.write_text("certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    command = 'cat "$SSL_CERT_FILE" && ls /etc/resolv.conf'
    online = sandbox.run(Job(command, tree, 30.0, network=True))
    assert online.output.startswith("certificate")
    assert sandbox.run(Job(command, tree, 30.0)).exit_code != 0


def test_git_configuration_loses_its_secrets():
    """Only what says how to read objects is left of a configuration."""
    text = (
        '[core]\n\tbare = true\n[remote "o"]\n\turl = https://me:hunter2@x.test\n'
        "[http]\n\textraheader = AUTHORIZATION: hunter2\n"
        "[Extensions]\n\tobjectFormat = sha256\n"
    )
    expected = "[core]\n\tbare = true\n[Extensions]\n\tobjectFormat = sha256\n"
    assert shared_config(text) == expected


def test_borrowed_objects_are_shown(tmp_path: Path):
    """A clone that borrows objects is readable with the store it borrows from."""
    clone, store = tmp_path / "clone.git", tmp_path / "store"
    (clone / "objects/info").mkdir(parents=True)
    store.mkdir()
    listed = clone / "objects/info/alternates"
    listed.write_text(f"{store}\n/no/such/store\n")
    binds = git_binds(tmp_path, clone)
    assert binds == (Bind(clone, str(clone)), Bind(store, str(store)))


def test_pointer_that_is_a_link_is_not_followed(tmp_path: Path):
    """A `.git` that became a symlink is not shown as what it points to."""
    (tmp_path / ".git").symlink_to("/etc/passwd")
    assert (git_binds(tmp_path, None), git_files(None)) == ((), {})


@pytest.mark.parametrize(
    ("target", "is_folder", "expected"),
    [
        ("/repo/new", True, True),
        ("/repo/new/deep", False, True),
        ("/repo/folder", True, True),
        ("/repo/folder", False, False),
        ("/repo/file", False, True),
        ("/repo/file", True, False),
        ("/repo/file/below", True, False),
        ("/repo/link", True, False),
        ("/repo/link/below", True, False),
        ("/repo/folder/../x", True, False),
        ("/repo", True, False),
        ("/home/bot/x", True, True),
    ],
)
def test_binds_fit_or_not(tmp_path: Path, target: str, is_folder: bool, expected: bool):
    """A bind fits where nothing of another kind and no link is in its way."""
    tree, source = tmp_path / "tree", tmp_path / "source"
    (tree / "folder").mkdir(parents=True)
    (tree / "file").write_text("x")
    (tree / "link").symlink_to("folder")
    source.mkdir() if is_folder else source.write_text("x")
    assert fits(tree, Bind(source, target)) is expected


def test_only_empty_places_are_removed(tmp_path: Path):
    """What was made for a bind goes, unless a job put something there."""
    binds = [
        Bind(tmp_path, f"/repo/{path}")
        for path in ("a/b", "c/d", "e/f", "g", "h", "i/j")
    ]
    (tmp_path / "there").mkdir()
    places = missing(tmp_path, [*binds, Bind(tmp_path, "/repo/there")])
    for path in ("a/b", "c/d", "elsewhere/f"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "c/kept").write_text("x")
    (tmp_path / "e").symlink_to("elsewhere")
    (tmp_path / "g").write_text("")
    (tmp_path / "h").write_text("x")
    remove_empty(tmp_path, places)
    names = ["c", "e", "elsewhere", "h", "there"]
    assert sorted(os.listdir(tmp_path)) == names  # noqa: PTH208 - names are wanted
    assert (tmp_path / "elsewhere/f").is_dir()

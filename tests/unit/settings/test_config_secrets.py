"""Where secrets are read from, and which texts are to be hidden."""

import pytest

from bot.errors import ConfigError
from bot.settings import Check, RepoSettings, Settings, Setup
from bot.settings.secrets import known_values, read_secret, secret_file


@pytest.fixture
def run_secrets(tmp_path):
    """Stand in for /run/secrets."""
    folder = tmp_path / "run-secrets"
    folder.mkdir()
    return folder


@pytest.fixture
def credentials(tmp_path):
    """Stand in for the folder that systemd makes."""
    folder = tmp_path / "credentials"
    folder.mkdir()
    return folder


def test_the_first_place_wins(run_secrets, credentials):
    """Environment, then systemd's folder, then /run/secrets; empty ones count as none."""
    env = {"A_KEY": "one", "CREDENTIALS_DIRECTORY": str(credentials)}
    found = [read_secret("A_KEY", env, run_secrets=run_secrets)]
    env["A_KEY"] = ""
    (run_secrets / "A_KEY").write_text("three\r\n")
    (credentials / "A_KEY").write_text("\n")
    found.append(read_secret("A_KEY", env, run_secrets=run_secrets))
    (credentials / "A_KEY").write_text("two\n")
    found.append(read_secret("A_KEY", env, run_secrets=run_secrets))
    assert found == ["one", "three", "two"]


def test_a_secret_that_is_nowhere(run_secrets):
    """Where no place has it, there is no secret; a folder of that name is none."""
    (run_secrets / "A_KEY").mkdir()
    assert read_secret("A_KEY", {}, run_secrets=run_secrets) is None


@pytest.mark.parametrize("name", ["../x", "", "A-B", "1A", "A\n"])
def test_a_name_is_no_path(name):
    """A name that could leave the folder is refused."""
    with pytest.raises(ConfigError, match="is no secret's name"):
        read_secret(name, {})


def test_a_secret_that_is_not_text(run_secrets):
    """A file that is not UTF-8 is an error that names it and not its content."""
    (run_secrets / "A_KEY").write_bytes(b"hunter2\xff")
    with pytest.raises(ConfigError, match=r"A_KEY can't be read.*not UTF-8") as caught:
        read_secret("A_KEY", {}, run_secrets=run_secrets)
    assert "hunter2" not in str(caught.value)


def test_a_secret_that_the_system_refuses(run_secrets):
    """What the system says of an unreadable file is passed on."""
    (run_secrets / "A_KEY").symlink_to("A_KEY")
    with pytest.raises(ConfigError, match=r"A_KEY can't be read.*symbolic links"):
        read_secret("A_KEY", {}, run_secrets=run_secrets)


def test_which_file_a_secret_comes_from(run_secrets, credentials):
    """`secret_file` names the file in use, and none where the environment has it."""
    (run_secrets / "A_KEY").write_text("x")
    env = {"CREDENTIALS_DIRECTORY": str(credentials)}
    files = [secret_file("A_KEY", env, run_secrets=run_secrets)]
    (credentials / "A_KEY").write_text("y")
    files.append(secret_file("A_KEY", env, run_secrets=run_secrets))
    files.append(secret_file("A_KEY", {**env, "A_KEY": "z"}, run_secrets=run_secrets))
    files.append(secret_file("B_KEY", env, run_secrets=run_secrets))
    assert [run_secrets / "A_KEY", credentials / "A_KEY", None, None] == files


def test_everything_that_could_slip_out_is_known(run_secrets):
    """The bot's own secrets, those of commands, long lines and passwords are hidden."""
    key = "-----BEGIN KEY-----\nabcdefghijklmnopqrst\nshort\n-----END KEY-----"
    env = {
        "GITHUB_APP_PRIVATE_KEY": key,
        "NPM_TOKEN": "npm-value",
        "DB_KEY": "db-value",
        "UNRELATED": "nobody-names-it",
    }
    repo = RepoSettings(
        name="a",
        path="/x",
        setup=(Setup(run="x", secrets=("NPM_TOKEN",)),),
        check=(Check(run="x", secrets=("DB_KEY", "NOT_THERE")),),
    )
    observer = {"url": "http://me:hunter2@127.0.0.1/x"}
    settings = Settings(repo=(repo,), observer=observer)
    assert known_values(settings, env, run_secrets=run_secrets) == (
        key,
        "abcdefghijklmnopqrst",
        "npm-value",
        "db-value",
        "hunter2",
    )


def test_an_address_without_password_hides_nothing(run_secrets):
    """An observer without a password adds nothing to hide."""
    settings = Settings(observer={"url": "http://me@127.0.0.1/x"})
    assert known_values(settings, {}, run_secrets=run_secrets) == ()


def test_an_unreadable_secret_does_not_stop_the_bot(run_secrets):
    """What can't be read can't slip out, so it is passed over."""
    (run_secrets / "GITHUB_TOKEN").write_bytes(b"\xff")
    env = {"OPENAI_API_KEY": "open-value"}
    assert known_values(Settings(), env, run_secrets=run_secrets) == ("open-value",)

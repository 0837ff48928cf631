"""The environment of a configured command: its own variables and the secrets it names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from bot.errors import Misconfigured

SecretReader = Callable[[str], str | None]


class Step(Protocol):
    """A configured command that may name secrets."""

    @property
    def run(self) -> str:
        """The command line."""
        ...

    @property
    def env(self) -> Mapping[str, str]:
        """Its variables."""
        ...

    @property
    def secrets(self) -> Sequence[str]:
        """Names of the secrets it gets."""
        ...


def no_secrets(name: str) -> str | None:
    """Answer that there is no such secret."""
    del name
    return None


def step_env(step: Step, secret: SecretReader) -> dict[str, str]:
    """Return what a command finds in its environment.

    Raises:
        Misconfigured: A secret that it names is not to be found.
    """
    env = dict(step.env)
    for name in step.secrets:
        value = secret(name)
        if value is None:
            raise Misconfigured(
                f"`{step.run}` asks for the secret {name}, which is not set. Set it in "
                f"the bot's environment, or as the file {name} in "
                "$CREDENTIALS_DIRECTORY or /run/secrets."
            )
        env[name] = value
    return env

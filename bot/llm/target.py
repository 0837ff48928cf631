"""Where a model is reached, put together from the config."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from bot.errors import Misconfigured
from bot.settings.models import PROVIDERS, Endpoint, Models, is_private

Dialect = Literal["openai", "anthropic", "google"]

_ADDRESSES: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
_OUTPUT = 16_384
_SMALL_CONTEXT = 8_192
_LARGE_CONTEXT = 128_000


@dataclass(frozen=True, slots=True)
class Target:
    """One model and its server.

    Attributes:
        name: As the config names it, `server:model`.
        server: The provider's or the endpoint's name.
        dialect: The protocol that it speaks.
        model: Its name at the server.
        base_url: The address of the API.
        key_name: The secret that holds its key; None needs none.
        context: Tokens of prompt and answer together, where the config says so.
        max_output: Most tokens of an answer.
        timeout_s: Longest time for an answer.
        in_flight: Most requests at a time; None is no limit.
        is_free: Whether the config says that it costs nothing.
    """

    name: str
    server: str
    dialect: Dialect
    model: str
    base_url: str
    key_name: str | None
    context: int | None
    max_output: int
    timeout_s: float
    in_flight: int | None
    is_free: bool

    @property
    def is_known_provider(self) -> bool:
        """Whether it is a provider of a name of its own, not a server of the config."""
        return self.server in PROVIDERS

    @property
    def is_private(self) -> bool:
        """Whether it is on this machine or its own network."""
        return is_private(self.base_url)

    @property
    def room(self) -> int:
        """Tokens of prompt and answer together where nothing better is known."""
        default = _LARGE_CONTEXT if self.is_known_provider else _SMALL_CONTEXT
        return self.context or default


def target_of(name: str, models: Models) -> Target:
    """Return where a model is reached.

    Raises:
        Misconfigured: Its server is neither a provider nor in the config.
    """
    server, _, model = name.partition(":")
    endpoint = models.endpoints.get(server)
    if server in PROVIDERS:
        return _target(name, server, model, endpoint or Endpoint())
    if endpoint is None or endpoint.base_url is None:
        raise Misconfigured(
            f"{name}: no server is named {server!r}; describe it under "
            f"[models.endpoints.{server}] with its base_url"
        )
    return _target(name, server, model, endpoint)


def _target(name: str, server: str, model: str, endpoint: Endpoint) -> Target:
    is_provider = server in PROVIDERS
    in_flight = endpoint.in_flight
    if in_flight is None and endpoint.is_private:
        in_flight = 1
    context = endpoint.context
    most = _OUTPUT if is_provider else (context or _SMALL_CONTEXT) // 2
    return Target(
        name=name,
        server=server,
        dialect=cast("Dialect", server) if is_provider else "openai",
        model=model,
        base_url=(endpoint.base_url or _ADDRESSES[server]).rstrip("/"),
        key_name=endpoint.api_key_name or PROVIDERS.get(server),
        context=context,
        max_output=endpoint.max_output or min(_OUTPUT, max(1, most)),
        timeout_s=endpoint.timeout,
        in_flight=in_flight,
        is_free=endpoint.free,
    )

"""`[models]`: which models are asked, where they are, and what they cost."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    WithJsonSchema,
)

from bot.settings.forms import ApiKeyName, HttpUrl
from bot.settings.leaks import shown
from bot.settings.units import Count, Money, Timeout

PROVIDERS: dict[str, str] = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GEMINI_API_KEY",
}
"""The providers that are known by name, each with the secret that holds its key."""

_MODEL = r"[a-z0-9][a-z0-9_-]{0,39}:\S{1,200}"
_ENDPOINT = r"[a-z0-9][a-z0-9_-]{0,39}"
_MODEL_FORM = 'write one like "openai:gpt-5-mini" or "NAME:model" of an endpoint'


def _model_name(text: str) -> str:
    if re.fullmatch(_MODEL, text) is None:
        raise ValueError(f"{shown(text)} is no model; {_MODEL_FORM}")
    return text


def _endpoint_name(text: str) -> str:
    if re.fullmatch(_ENDPOINT, text) is None:
        raise ValueError(
            f"{shown(text)} is no name; write at most 40 of a-z, 0-9, '_', '-', with a "
            "letter or digit first"
        )
    return text


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


ModelName = Annotated[str, AfterValidator(_model_name)]
EndpointName = Annotated[str, AfterValidator(_endpoint_name)]
Cascade = Annotated[
    tuple[ModelName, ...],
    BeforeValidator(_as_list),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}},
            ]
        }
    ),
]
"""Models in the order in which they are asked; a single one may stand without a list."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Price(_Frozen):
    """What a model costs, in US dollars per million tokens, or that it is free."""

    input: Money | None = Field(default=None, description="Of the prompt.")
    output: Money | None = Field(default=None, description="Of the answer.")
    cache_read: Money | None = Field(
        default=None,
        description="Of prompt tokens read from a cache; not set: as input.",
    )
    cache_write: Money | None = Field(
        default=None,
        description="Of prompt tokens written to a cache; not set: as input.",
    )
    reasoning: Money | None = Field(
        default=None, description="Of tokens spent on thinking; not set: as output."
    )
    free: StrictBool = Field(default=False, description="Whether it costs nothing.")


class Endpoint(_Frozen):
    """A server that models are asked at; one of a provider's name stands in for it."""

    base_url: HttpUrl | None = Field(
        default=None,
        description="Address of its API, as the OpenAI protocol has it.",
    )
    api_key_name: ApiKeyName | None = Field(
        default=None,
        description="Name of the secret that holds its key; not set: none.",
    )
    context: Annotated[Count, Field(ge=1)] | None = Field(
        default=None, description="Most tokens of prompt and answer together."
    )
    max_output: Annotated[Count, Field(ge=1)] | None = Field(
        default=None, description="Most tokens of an answer."
    )
    timeout: Timeout = Field(default=600.0, description="Longest time for an answer.")
    in_flight: Annotated[Count, Field(ge=1)] | None = Field(
        default=None,
        description="Most requests at a time; not set: 1 on a private address.",
    )
    free: StrictBool = Field(
        default=False, description="Whether all of its models cost nothing."
    )

    @property
    def is_private(self) -> bool:
        """Whether its address is of this machine or its own network."""
        return self.base_url is not None and is_private(self.base_url)


class Models(_Frozen):
    """Which models are asked; a list is a cascade, cheap first."""

    proposer: Cascade = Field(
        default=(), description="Models that propose changes, cheap first."
    )
    prices: dict[str, Price] = Field(
        default_factory=dict,
        description="Prices of models that are not known, or other than known.",
    )
    endpoints: dict[EndpointName, Endpoint] = Field(
        default_factory=dict, description="Servers that are asked."
    )

    def key_names(self) -> Iterator[str]:
        """Yield the names of the secrets that endpoints need."""
        for endpoint in self.endpoints.values():
            if endpoint.api_key_name is not None:
                yield endpoint.api_key_name


Role = Literal["proposer"]


def is_private(url: str) -> bool:
    """Tell whether an address is of this machine or its own network."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return ip_address(host).is_private
    except ValueError:
        own = ("localhost", ".localhost", ".local", ".internal", ".lan")
        return "." not in host or host.endswith(own)

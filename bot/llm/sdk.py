"""The only file that imports a model SDK, and only when a call is made.

The SDKs' own retries are off: waiting is the gateway's, bounded and logged.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from bot.errors import Misconfigured
from bot.llm.values import Message, TokenUsage
from bot.llm.wire import (
    NO_KEY,
    Answered,
    HttpFault,
    Lost,
    NotSent,
    WireAnswer,
    WireCall,
)

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model

_POLL_S = 0.05
_GRACE_S = 20.0  # for a reply that is paid already, after a signal
_CONNECT_S = 10.0
_ERROR_BODY = 16_384
_NEVER_TAGS = ("\0think", "\0/think")  # the SDK would cut such tags out of files


def send(call: WireCall, is_cancelled: Callable[[], bool], /) -> WireAnswer:
    """Send one request with the SDK of its dialect.

    Raises:
        Misconfigured: The packages for this provider are not installed.
    """
    try:
        return asyncio.run(_send(call, is_cancelled))
    except ImportError as error:
        extra = "llm" if call.target.dialect == "openai" else call.target.dialect
        raise Misconfigured(
            f"{call.target.name} needs more packages: install gapwright[{extra}] "
            f"({error})"
        ) from error


async def _send(call: WireCall, is_cancelled: Callable[[], bool]) -> WireAnswer:
    import httpx2  # noqa: PLC0415 - comes with the SDKs, see above

    seen = _Seen()
    target = call.target
    client = httpx2.AsyncClient(
        timeout=httpx2.Timeout(target.timeout_s, connect=_CONNECT_S),
        event_hooks={"response": [seen.note]},
        # A context for TLS costs more than a call to the same machine.
        verify=target.base_url.startswith("https:"),
        trust_env=not target.is_private,
        follow_redirects=False,
    )
    async with client:
        task = asyncio.ensure_future(_exchange(call, client, seen))
        return await _awaited(task, target.timeout_s, is_cancelled)


async def _awaited(
    task: "asyncio.Future[WireAnswer]",
    timeout_s: float,
    is_cancelled: Callable[[], bool],
) -> WireAnswer:
    clock = asyncio.get_running_loop().time
    end, why = clock() + timeout_s, f"no answer within {timeout_s:g} s"
    has_grace = False
    while not task.done() and clock() < end:
        await asyncio.wait((task,), timeout=min(_POLL_S, max(0.0, end - clock())))
        if not has_grace and is_cancelled():
            has_grace, why = True, "a signal came and no answer soon after"
            end = min(end, clock() + _GRACE_S)
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait((task,))
    return Lost(why)


class _Seen:
    """What came back over HTTP, whatever an SDK made of it."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: Mapping[str, str] = {}
        self.body = ""

    async def note(self, response: "httpx2.Response") -> None:
        self.status = response.status_code
        self.headers = {k.lower(): v for k, v in response.headers.items()}
        if not response.is_success:
            await response.aread()
            self.body = response.text[:_ERROR_BODY]


async def _exchange(
    call: WireCall, client: "httpx2.AsyncClient", seen: _Seen
) -> WireAnswer:
    from pydantic_ai.exceptions import (  # noqa: PLC0415 - see above
        ModelAPIError,
        UnexpectedModelBehavior,
    )
    from pydantic_ai.models import ModelRequestParameters  # noqa: PLC0415 - see above

    model = _model(call, client)
    try:
        response = await model.request(
            _conversation(call.messages),
            {
                "max_tokens": call.max_output,
                "timeout": call.target.timeout_s,
                "max_retries": 0,
            },
            ModelRequestParameters(),
        )
    except (
        ModelAPIError,
        UnexpectedModelBehavior,
        # An answer of an unforeseen shape ends as any of these inside an SDK.
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        OSError,
    ) as error:
        return _fault(error, seen)
    answered = _answered(response)
    if not answered.text and answered.usage is None and not answered.finish_reason:
        return Lost("the answer is empty")
    return answered


def _fault(error: Exception, seen: _Seen) -> WireAnswer:
    import httpx2  # noqa: PLC0415 - see above

    if seen.status is not None and not 200 <= seen.status < 300:  # noqa: PLR2004  HTTP
        return HttpFault(seen.status, seen.headers, seen.body)
    causes = tuple(_causes(error))
    unsent = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)
    first = next((c for c in causes if isinstance(c, unsent)), None)
    if seen.status is None and first is not None:
        return NotSent(_words(first))
    if seen.status is None:
        return Lost(_words(causes[-1]))
    return Lost(f"the answer can't be read: {_words(error)}")


def _causes(error: BaseException | None) -> "Sequence[BaseException]":
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ").splitlines()[0][:300]


def _model(call: WireCall, client: "httpx2.AsyncClient") -> "Model":
    make = {"openai": _openai, "anthropic": _anthropic, "google": _google}
    return make[call.target.dialect](call, client)


def _openai(call: WireCall, client: "httpx2.AsyncClient") -> "Model":
    from openai import AsyncOpenAI  # noqa: PLC0415 - see above
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - see above
    from pydantic_ai.profiles.openai import (  # noqa: PLC0415 - see above
        OpenAIModelProfile,
    )
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - see above

    target = call.target
    sdk = AsyncOpenAI(
        api_key=call.key or NO_KEY,
        base_url=target.base_url,
        max_retries=0,
        http_client=client,
    )
    profile = OpenAIModelProfile(
        thinking_tags=_NEVER_TAGS,
        # The older field is what every other server knows.
        openai_chat_supports_max_completion_tokens=target.is_known_provider,
    )
    provider = OpenAIProvider(openai_client=sdk)
    return OpenAIChatModel(target.model, provider=provider, profile=profile)


def _anthropic(call: WireCall, client: "httpx2.AsyncClient") -> "Model":
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - see above
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - see above
    from pydantic_ai.providers.anthropic import (  # noqa: PLC0415 - see above
        AnthropicProvider,
    )

    sdk = AsyncAnthropic(
        api_key=call.key or NO_KEY,
        base_url=call.target.base_url,
        max_retries=0,
        http_client=client,
    )
    provider = AnthropicProvider(anthropic_client=sdk)
    return AnthropicModel(call.target.model, provider=provider)


def _google(call: WireCall, client: "httpx2.AsyncClient") -> "Model":
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415 - see above
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415 - see above

    provider = GoogleProvider(
        api_key=call.key or NO_KEY,
        base_url=call.target.base_url,
        http_client=client,
    )
    return GoogleModel(call.target.model, provider=provider)


def _conversation(messages: Sequence[Message]) -> "list[ModelMessage]":
    from pydantic_ai.messages import (  # noqa: PLC0415 - see above
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        UserPromptPart,
    )

    found: list[ModelMessage] = []
    for message in messages:
        if message.role == "assistant":
            found.append(ModelResponse(parts=[TextPart(message.text)]))
        elif message.role == "system":
            found.append(ModelRequest(parts=[SystemPromptPart(message.text)]))
        else:
            found.append(ModelRequest(parts=[UserPromptPart(message.text)]))
    return found


def _answered(response: "ModelResponse") -> Answered:
    from pydantic_ai.messages import TextPart  # noqa: PLC0415 - see above

    texts = (part.content for part in response.parts if isinstance(part, TextPart))
    usage = response.usage
    details = usage.details
    counted = TokenUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=max(
            details.get("reasoning_tokens", 0), details.get("thoughts_tokens", 0)
        ),
    )
    return Answered(
        text="".join(texts),
        usage=counted if counted.total > 0 else None,
        finish_reason=response.finish_reason,
    )

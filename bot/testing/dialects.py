"""The answers of a scripted server in the wire formats of three providers."""

import json
from collections.abc import Iterator
from typing import Any

from bot.testing.script import Fails, Refuses, Says, Seen

Json = dict[str, Any]


def answered(seen: Seen, answer: Says | Refuses) -> Json:
    """Return the body of an answer in the protocol of the request."""
    make = {"openai": _openai, "anthropic": _anthropic, "google": _google}
    return make[seen.dialect](seen, answer)


def failed(seen: Seen, answer: Fails) -> Json:
    """Return the body of an error in the protocol of the request."""
    if seen.dialect == "google":
        error: Json = {"code": answer.status, "message": answer.message}
        return {"error": {**error, "status": answer.code or "UNKNOWN"}}
    error = {"message": answer.message, "type": answer.code or "server_error"}
    if seen.dialect == "anthropic":
        return {"type": "error", "error": error}
    return {"error": {**error, "code": answer.code, "param": None}}


def streamed(seen: Seen, answer: Says | Refuses) -> Iterator[bytes]:
    """Yield an answer as the events of a stream of OpenAI's chat completions."""
    whole = _openai(seen, answer)
    choice = whole["choices"][0]
    head = {key: whole[key] for key in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"
    text: str = choice["message"]["content"] or ""
    first: Json = {"role": "assistant", "content": ""}
    deltas = [first, *({"content": part} for part in _parts(text))]
    for delta in deltas:
        yield _event({**head, "choices": [_choice(delta, None)]})
    yield _event({**head, "choices": [_choice({}, choice["finish_reason"])]})
    if (seen.body.get("stream_options") or {}).get("include_usage"):
        yield _event({**head, "choices": [], "usage": whole.get("usage")})
    yield b"data: [DONE]\n\n"


def _parts(text: str) -> Iterator[str]:
    head, *rest = text.split(" ")
    yield head
    yield from (f" {word}" for word in rest)


def _choice(delta: Json, finish: str | None) -> Json:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _event(data: Json) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def _counted(seen: Seen, answer: Says) -> int:
    return seen.tokens if answer.input_tokens is None else answer.input_tokens


def _openai(seen: Seen, answer: Says | Refuses) -> Json:
    refuses = isinstance(answer, Refuses)
    says = answer if isinstance(answer, Says) else Says(answer.text)
    message: Json = {
        "role": "assistant",
        "content": None if refuses else answer.text,
        "refusal": answer.text if refuses else None,
    }
    body: Json = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": seen.body.get("model", "scripted"),
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "stop" if refuses else says.finish,
            }
        ],
    }
    if says.has_usage:
        prompt = _counted(seen, says)
        body["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": says.written,
            "total_tokens": prompt + says.written,
            "prompt_tokens_details": {"cached_tokens": says.cached},
            "completion_tokens_details": {"reasoning_tokens": says.reasoning},
        }
    return body


def _anthropic(seen: Seen, answer: Says | Refuses) -> Json:
    refuses = isinstance(answer, Refuses)
    says = answer if isinstance(answer, Says) else Says(answer.text)
    finish = {"stop": "end_turn", "length": "max_tokens"}.get(says.finish, says.finish)
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": seen.body.get("model", "scripted"),
        "content": [{"type": "text", "text": answer.text}],
        "stop_reason": "refusal" if refuses else finish,
        "stop_sequence": None,
        # Here the tokens of the prompt come without those from the cache.
        "usage": {
            "input_tokens": _counted(seen, says) - says.cached,
            "output_tokens": says.written,
            "cache_read_input_tokens": says.cached,
            "cache_creation_input_tokens": 0,
        },
    }


def _google(seen: Seen, answer: Says | Refuses) -> Json:
    refuses = isinstance(answer, Refuses)
    says = answer if isinstance(answer, Says) else Says(answer.text)
    finish = {"stop": "STOP", "length": "MAX_TOKENS"}.get(says.finish, says.finish)
    prompt = _counted(seen, says)
    return {
        "candidates": [
            {
                "index": 0,
                "content": {"role": "model", "parts": [{"text": answer.text}]},
                "finishReason": "SAFETY" if refuses else finish,
            }
        ],
        # Here the tokens of the answer come without those of thinking.
        "usageMetadata": {
            "promptTokenCount": prompt,
            "candidatesTokenCount": says.written - says.reasoning,
            "thoughtsTokenCount": says.reasoning,
            "cachedContentTokenCount": says.cached,
            "totalTokenCount": prompt + says.written,
        },
        "modelVersion": "scripted",
        "responseId": "scripted",
    }

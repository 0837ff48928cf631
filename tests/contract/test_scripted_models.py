"""The scripted model server as other tests use it: directly, over HTTP."""

import json

import httpx
import pytest

from bot.testing import Hangs, Refuses, Says, ScriptedModels

BODY = {"model": "m", "messages": [{"role": "user", "content": "12345678"}]}


def post(server: ScriptedModels, **more: object) -> httpx.Response:
    """Ask with a plain POST."""
    url = f"{server.base_url}/chat/completions"
    return httpx.post(url, json={**BODY, **more}, timeout=5)


def test_a_stream_has_the_same_text_and_usage():
    """Streamed, the parts add up to the answer; the usage comes last when asked for."""
    with ScriptedModels([Says("one two  three", cached=1), Refuses("no")]) as server:
        answer = post(server, stream=True, stream_options={"include_usage": True})
        plain = post(server, stream=True)

    lines = [line[6:] for line in answer.text.splitlines() if line]
    events = [json.loads(line) for line in lines[:-1]]
    deltas = [e["choices"][0]["delta"] for e in events if e["choices"]]
    assert "one two  three" == "".join(d.get("content", "") for d in deltas)
    assert ("[DONE]", 2) == (lines[-1], events[-1]["usage"]["prompt_tokens"])
    assert "usage" not in plain.text


def test_without_more_script_it_says_so():
    """A request too many is an error that names its reason."""
    with ScriptedModels() as server:
        answer = post(server)
    assert (500, "the script has no more answers") == (
        answer.status_code,
        answer.json()["error"]["message"],
    )


def test_a_step_may_be_a_function_of_the_request():
    """An answer can depend on what was asked."""
    with ScriptedModels([lambda seen: Says(seen.text[::-1])]) as server:
        answer = post(server)
    assert "87654321" == answer.json()["choices"][0]["message"]["content"]


def test_a_usage_can_be_left_out():
    """Some servers tell no usage."""
    with ScriptedModels([Says("x", has_usage=False)]) as server:
        assert "usage" not in post(server).json()


def test_a_hanging_answer_ends_with_its_time():
    """Nothing waits longer than it must."""
    with ScriptedModels([Hangs(0.01)]) as server, pytest.raises(httpx.TransportError):
        post(server)

"""The client of chat services: what it sends, what it makes of answers, and where its key goes."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from zkagent.executor.runtime import (
    Agent,
    AgentConfig,
    ChatClient,
    ChatMessage,
    Hooks,
    ModelResponse,
    TokenUsage,
)
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ModelFault, ModelTimeout
from zkagent.executor.runtime.core.models import CallOptions, TokenChunk

KEY = "sk-123456"
ANSWER = {
    "model": "m-2",
    "choices": [{"message": {"content": "fine"}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
}
ASKED = [ChatMessage("system", "s"), ChatMessage("tool", "t")]
Answers = Callable[[httpx.Request], httpx.Response]


def client(answers: Answers) -> ChatClient:
    transport = httpx.MockTransport(answers)
    return ChatClient("m", "https://models.example/v1", key=KEY, transport=transport)


def call(answers: Answers, **options: Any) -> ModelResponse:
    return asyncio.run(client(answers).call(ASKED, CallOptions(**options)))


def stream(answers: Answers) -> list[TokenChunk]:
    async def read() -> list[TokenChunk]:
        return [chunk async for chunk in client(answers).stream(ASKED, CallOptions())]

    return asyncio.run(read())


def said(content: Any, status: int = 200) -> Answers:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return lambda request: httpx.Response(status, content=body)


def test_a_call_sends_what_was_asked_for_and_reads_the_answer() -> None:
    sent: list[httpx.Request] = []

    def answers(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json=ANSWER)

    found = call(answers, max_tokens=9, seed=4, stop=("END",))
    assert found == ModelResponse("fine", TokenUsage(3, 1), "m-2")
    assert str(sent[0].url) == "https://models.example/v1/chat/completions"
    assert sent[0].headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(sent[0].content) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "t"}],
        "max_tokens": 9,
        "temperature": 0.0,
        "seed": 4,
        "stop": ["END"],
    }


def test_what_a_service_calls_its_model_is_one_short_line_without_the_key() -> None:
    found = call(said({**ANSWER, "model": f"m\n{KEY} " + "x" * 10**6}))
    assert KEY not in found.model
    assert "\n" not in found.model
    assert len(found.model) < 300
    assert call(said({**ANSWER, "model": "m-3"})).model == "m-3"


def test_a_stream_gives_chunks_and_at_last_what_was_used() -> None:
    lines = [
        {"choices": [{"delta": {"role": "assistant"}}]},
        {"choices": [{"delta": {"content": "fi"}}], "usage": None},
        {"choices": [{"delta": {"content": "ne"}}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}},
    ]
    text = "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"
    chunks = stream(said(text.encode()))
    assert "".join(chunk.text for chunk in chunks) == "fine"
    assert chunks[-1].usage == TokenUsage(3, 1)


JSON = "application/json"


def whole(content: Any, kind: str = JSON) -> Answers:
    """A service that does not stream, whatever it is asked for."""
    body = content if isinstance(content, bytes) else json.dumps(content, indent=2).encode()
    return lambda request: httpx.Response(200, headers={"content-type": kind}, content=body)


@pytest.mark.parametrize("kind", [JSON, "Application/JSON; charset=utf-8"])
@pytest.mark.parametrize("before", [b"", b" \r\n"])
def test_a_service_that_does_not_stream_is_heard_as_one_chunk(kind: str, before: bytes) -> None:
    answer = before + json.dumps(ANSWER, indent=1).encode()
    assert stream(whole(answer, kind)) == [TokenChunk("fine", TokenUsage(3, 1))]
    parted = Parts(b"\n" * 1000 + answer, 7)
    headers = {"content-type": kind}
    found = stream(lambda request: httpx.Response(200, headers=headers, stream=parted))
    assert found == [TokenChunk("fine", TokenUsage(3, 1))]


def test_events_under_the_type_of_json_are_a_stream_nevertheless() -> None:
    text = 'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: [DONE]\n'
    assert stream(whole(text.encode())) == [TokenChunk("x")]


@pytest.mark.parametrize("kind", ["text/event-stream", "text/html", "application/json-seq", ""])
def test_a_whole_answer_that_is_not_called_json_is_no_stream(kind: str) -> None:
    with pytest.raises(ModelFault, match="the stream ended before"):
        stream(whole(ANSWER, kind))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"choices": [{"message": {"content": "fi', "no JSON"),
        (b'{"choices": [], "choices": []}', "no JSON"),
        (json.dumps(ANSWER).encode() + b"data: [DONE]\n", "no JSON"),
        ([], "no chat completion"),
        ({"error": {"message": KEY}}, "no chat completion"),
        ({"choices": [{"delta": {"content": "x"}}]}, "no chat completion"),
        (ANSWER | {"choices": [{"message": {"content": 3}}]}, "no text"),
        (ANSWER | {"usage": "much"}, "no chat completion"),
        (b"", "the stream ended before"),
        (b'"fine"', "the stream ended before"),
    ],
)
def test_a_whole_answer_that_is_no_completion_is_a_fault(content: Any, why: str) -> None:
    with pytest.raises(ModelFault, match=why) as found:
        stream(whole(content))
    assert KEY not in str(found.value)


def test_a_key_is_left_out_of_a_whole_answer() -> None:
    answer = ANSWER | {"choices": [{"message": {"content": f"you are {KEY}"}}]}
    assert stream(whole(answer))[0].text == "you are [key]"


def test_an_agent_that_is_listened_to_runs_by_a_service_that_does_not_stream() -> None:
    heard: list[str] = []
    hooks = Hooks(on_model_tokens=heard.append)
    config = AgentConfig("clerk", "Greet.", model_providers=[client(whole(ANSWER))])
    result = Agent(config, hooks=hooks).run()
    assert (result.success, result.result) == (True, "fine")
    assert "".join(heard) == "fine"


def test_a_stream_that_ends_early_is_a_fault() -> None:
    with pytest.raises(ModelFault, match="the stream ended before"):
        stream(said(b'data: {"choices": [{"delta": {"content": "x"}}]}\n\n'))


@pytest.mark.parametrize(
    "content",
    [b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 3}}]}'],
)
def test_what_is_no_completion_is_a_fault(content: bytes) -> None:
    with pytest.raises(ModelFault, match="m"):
        call(said(content))


@pytest.mark.parametrize("line", [b"data: {", b"data: []", b'data: {"choices": [{}]}'])
def test_a_stream_of_something_else_is_a_fault(line: bytes) -> None:
    with pytest.raises(ModelFault, match="no chat completion"):
        stream(said(line + b"\n"))


@pytest.mark.parametrize(("status", "retriable"), [(429, True), (503, True), (400, False)])
def test_a_refusal_says_why_without_the_key_and_whether_to_try_again(
    status: int, retriable: bool
) -> None:
    error = {"error": {"message": f"Incorrect API key {KEY}"}}
    with pytest.raises(ModelFault) as found:
        call(said(error, status))
    assert str(found.value) == f"m answered {status}: Incorrect API key [key]"
    assert found.value.info["retriable"] is retriable


@pytest.mark.parametrize("before", ["", "x" * 295])
def test_a_key_is_left_out_before_a_refusal_is_cut(before: str) -> None:
    refusal = said({"error": {"message": f"{before}{KEY} is no key"}}, 401)
    with pytest.raises(ModelFault) as found:
        call(refusal)
    assert KEY[:4] not in str(found.value)
    assert "[key" in str(found.value)


def test_a_key_is_left_out_of_answers() -> None:
    answer = ANSWER | {"choices": [{"message": {"content": f"you are {KEY}, fine"}}]}
    assert call(said(answer)).text == "you are [key], fine"


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (["you are ", KEY, ", fine"], ["you are ", "[key]", ", fine"]),
        (["you are sk-", "123", "456, fine"], ["you are ", "", "[key], fine"]),
        (["sk-", "12, or sk-1"], ["", "sk-12, or ", "sk-1"]),
    ],
)
def test_a_key_is_left_out_of_a_stream_wherever_it_is_parted(
    parts: list[str], told: list[str]
) -> None:
    lines = [json.dumps({"choices": [{"delta": {"content": part}}]}) for part in parts]
    text = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    assert [chunk.text for chunk in stream(said(text.encode()))] == told


class Parts(httpx.AsyncByteStream):
    """A body in very many parts."""

    def __init__(self, content: bytes, size: int) -> None:
        self.content, self.size = content, size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self.content), self.size):
            yield self.content[at : at + self.size]


@pytest.mark.parametrize("is_stream", [False, True])
def test_an_answer_in_very_many_parts_is_read_in_the_time_that_it_takes(is_stream: bool) -> None:
    long = "word " * 1_000_000
    line = json.dumps({"choices": [{"delta": {"content": long}}]})
    body = json.dumps(ANSWER | {"choices": [{"message": {"content": long}}]})
    content = f"data: {line}\n\ndata: [DONE]\n" if is_stream else body
    parted = Parts(content.encode(), 50)
    began = time.monotonic()
    if is_stream:
        found = stream(lambda request: httpx.Response(200, stream=parted))[0].text
    else:
        found = call(lambda request: httpx.Response(200, stream=parted)).text
    assert (found == long, time.monotonic() - began < 100) == (True, True)


def test_a_redirect_is_not_followed() -> None:
    with pytest.raises(ModelFault, match="answered 302"):
        call(lambda request: httpx.Response(302, headers={"location": "http://evil.example"}))


def test_an_endless_answer_is_read_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.providers.chat_api.MOST_BYTES", 1000)
    assert call(said(ANSWER)).text == "fine"
    with pytest.raises(ModelFault, match="more than 1,000 bytes"):
        call(said(b" " * 2000))
    with pytest.raises(ModelFault, match="more than 1,000 bytes"):
        stream(said(b"data: " * 2000))
    assert stream(whole(ANSWER))[0].text == "fine"
    for endless in (b" " * 2000, b'{"choices": "' + b"x" * 2000):
        with pytest.raises(ModelFault, match="more than 1,000 bytes"):
            stream(whole(endless))


def test_a_time_out_and_a_lost_connection_are_faults_of_their_kind() -> None:
    def late(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout(KEY)

    def lost(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(KEY)

    with pytest.raises(ModelTimeout, match="did not answer within 2 s"):
        call(late, timeout_s=2)
    with pytest.raises(ModelFault, match="cannot be asked: ConnectError"):
        call(lost)


@pytest.mark.parametrize(
    ("passes", "refused"),
    [
        ("https://models.example", "http://models.example"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.2.example/v1"),
        ("http://localhost:1", "http://localhost.example:1"),
        ("http://[::1]:1", "ftp://[::1]:1"),
        ("https://models.example", "https://user:pass@models.example"),
        ("https://models.example", ""),
    ],
)
def test_a_key_goes_over_https_or_to_this_machine(passes: str, refused: str) -> None:
    ChatClient("m", passes)
    with pytest.raises(AgentConfigRefused) as found:
        ChatClient("m", refused)
    assert "pass@" not in str(found.value)


def test_nobody_is_asked_unless_an_address_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ZKAGENT_MODEL_URL", raising=False)
    with pytest.raises(AgentConfigRefused, match="set ZKAGENT_MODEL_URL"):
        ChatClient.configured("m")
    monkeypatch.setenv("ZKAGENT_MODEL_URL", "https://models.example")
    (tmp_path / "key").write_text(f"{KEY}\n")
    found = ChatClient.configured("m", key_file=tmp_path / "key")
    assert KEY not in repr(found)
    with pytest.raises(AgentConfigRefused, match="cannot be read"):
        ChatClient.configured("m", key_file=tmp_path / "none")


def test_a_key_of_more_than_one_line_is_refused_without_being_told() -> None:
    with pytest.raises(AgentConfigRefused) as found:
        ChatClient("m", "https://models.example", key=f"{KEY}\nx")
    assert KEY not in str(found.value)

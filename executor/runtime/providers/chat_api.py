"""Models behind the chat interface that OpenAI's service has, and most local servers copy.

POST {base}/chat/completions. Off unless configured: nobody is asked unless a base URL is given. The
key comes from a file or the environment, and stands in no error, event or record; it goes over
https only, or to this machine.

Source: https://platform.openai.com/docs/api-reference/chat
"""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ModelFault, ModelTimeout
from zkagent.executor.runtime.core.models import (
    NOTHING_USED,
    CallOptions,
    ModelInfo,
    ModelResponse,
    TokenChunk,
    TokenUsage,
)
from zkagent.executor.runtime.core.steps import ChatMessage
from zkagent.models.strict_json import load_json

BASE_VARIABLE, KEY_VARIABLE = "ZKAGENT_MODEL_URL", "ZKAGENT_MODEL_KEY"
MOST_NAME = 200  # characters of what a service calls its model
MOST_BYTES = 1 << 24
WHITE = b" \t\r\n"
TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
#: Without the calls that go before it, a service refuses role tool: outputs go as the user's.
ROLES = {"tool": "user"}


class ChatClient:
    """One model of one service. about: what it is, for the router; its name is the model's.

    Raises AgentConfigRefused: no address, or one to which a key would go in the clear.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        *,
        key: str | None = None,
        about: ModelInfo | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.name = model
        self._about = about or ModelInfo(model, supports_streaming=True)
        self._key = key
        self._http = httpx.AsyncClient(
            base_url=_checked(base_url),
            headers={"authorization": f"Bearer {_header(key)}"} if key else {},
            transport=transport,
            trust_env=False,
            follow_redirects=False,
        )

    @classmethod
    def configured(
        cls, model: str, *, key_file: Path | None = None, about: ModelInfo | None = None
    ) -> "ChatClient":
        """Of $ZKAGENT_MODEL_URL, with the key of a file or of $ZKAGENT_MODEL_KEY. Raises
        AgentConfigRefused: the address is not set."""
        base = os.environ.get(BASE_VARIABLE)
        if not base:
            raise AgentConfigRefused(f"no model service is configured: set {BASE_VARIABLE}")
        key = _read(key_file) if key_file else os.environ.get(KEY_VARIABLE)
        return cls(model, base, key=key or None, about=about)

    def __repr__(self) -> str:
        return f"ChatClient({self.name!r}, {str(self._http.base_url)!r})"

    async def call(self, messages: Sequence[ChatMessage], options: CallOptions) -> ModelResponse:
        async with self._asked(messages, options, stream=False) as answer:
            return self._completion(await self._json(_parts(answer, self.name)))

    def _completion(self, found: Any) -> ModelResponse:
        try:
            text = found["choices"][0]["message"]["content"]
            usage = _usage(found.get("usage"))
            model = found.get("model") or self.name
        except (KeyError, IndexError, TypeError, AttributeError) as exc:
            raise ModelFault(f"{self.name}: the answer is no chat completion") from exc
        if not isinstance(text, str) or not isinstance(model, str):
            raise ModelFault(f"{self.name} answered with no text")
        named = in_line(self._without_key(model), MOST_NAME)
        return ModelResponse(self._without_key(text), usage, named)

    async def stream(
        self, messages: Sequence[ChatMessage], options: CallOptions
    ) -> AsyncIterator[TokenChunk]:
        """A service that does not stream answers with JSON as a whole, which is one chunk."""
        async with self._asked(messages, options, stream=True) as answer:
            begun, parts = await _begun(_parts(answer, self.name))
            if _is_json(answer) and begun.lstrip(WHITE).startswith((b"{", b"[")):
                whole = self._completion(await self._json(parts))
                yield TokenChunk(whole.text, whole.usage)
                return
            held = ""  # what may be the key's beginning
            async for line in _lines(parts):
                if line == "[DONE]":
                    if held:
                        yield TokenChunk(held)
                    return
                chunk = _chunk(line, self.name)
                text = self._without_key(held + chunk.text)
                held = self._key_begun(text)
                yield TokenChunk(text.removesuffix(held), chunk.usage)
        raise ModelFault(f"{self.name}: the stream ended before the answer did", retriable=True)

    async def info(self) -> ModelInfo:
        return self._about

    async def close(self) -> None:
        await self._http.aclose()

    @asynccontextmanager
    async def _asked(
        self, messages: Sequence[ChatMessage], options: CallOptions, *, stream: bool
    ) -> AsyncIterator[httpx.Response]:
        body = _body(self.name, messages, options, stream=stream)
        try:
            async with self._http.stream(
                "POST", "chat/completions", json=body, timeout=options.timeout_s
            ) as answer:
                if answer.status_code != httpx.codes.OK:
                    raise await self._refusal(answer)
                yield answer
        except httpx.TimeoutException as exc:
            raise ModelTimeout(
                f"{self.name} did not answer within {options.timeout_s:g} s"
            ) from exc
        except httpx.HTTPError as exc:
            raise ModelFault(
                f"{self.name} cannot be asked: {type(exc).__name__}", retriable=True
            ) from exc

    async def _refusal(self, answer: httpx.Response) -> ModelFault:
        status = answer.status_code
        found = await self._json(_parts(answer, self.name), strict=False)
        error = found.get("error") if isinstance(found, dict) else None
        said = error.get("message") if isinstance(error, dict) else None
        why = f": {in_line(self._without_key(said), 300)}" if isinstance(said, str) else ""
        return ModelFault(
            f"{self.name} answered {status}{why}", status=status, retriable=status in TRY_AGAIN
        )

    async def _json(self, parts: AsyncIterator[bytes], *, strict: bool = True) -> Any:
        content = bytearray()
        async for part in parts:
            content += part
        try:
            return load_json(bytes(content))
        except ValueError as exc:
            if strict:
                raise ModelFault(f"{self.name} answered with no JSON") from exc
            return None

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text

    def _key_begun(self, text: str) -> str:
        """So much of the key as the text ends with."""
        key = self._key or ""
        sizes = range(min(len(key) - 1, len(text)), 0, -1)
        return next((key[:size] for size in sizes if text.endswith(key[:size])), "")


def _body(
    model: str, messages: Sequence[ChatMessage], options: CallOptions, *, stream: bool
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": ROLES.get(m.role, m.role), "content": m.content} for m in messages],
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
    }
    if options.seed is not None:
        body["seed"] = options.seed
    if options.stop:
        body["stop"] = list(options.stop)
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return body


async def _parts(answer: httpx.Response, name: str) -> AsyncIterator[bytes]:
    """Of an answer, as they come. Raises ModelFault: they become too many."""
    size = 0
    async for part in answer.aiter_bytes():
        size += len(part)
        if size > MOST_BYTES:
            raise ModelFault(f"{name} answered with more than {MOST_BYTES:,} bytes")
        yield part


async def _begun(parts: AsyncIterator[bytes]) -> tuple[bytes, AsyncIterator[bytes]]:
    """What an answer begins with, to its first character that is not white; and all of it."""
    seen: list[bytes] = []
    async for part in parts:
        seen.append(part)
        if part.strip(WHITE):
            break

    async def whole() -> AsyncIterator[bytes]:
        for part in seen:
            yield part
        async for part in parts:
            yield part

    return b"".join(seen), whole()


def _is_json(answer: httpx.Response) -> bool:
    kind = str(answer.headers.get("content-type", ""))
    return kind.partition(";")[0].strip().lower() == "application/json"


async def _lines(parts: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of server-sent events, a line each."""
    begun: list[bytes] = []  # of a line that goes on
    async for part in parts:
        *ended, rest = part.split(b"\n")
        if ended:
            ended[0] = b"".join((*begun, ended[0]))
            begun = []
        begun.append(rest)
        for line in ended:
            if line.startswith(b"data:"):
                yield line.removeprefix(b"data:").strip().decode(errors="replace")


def _chunk(line: str, name: str) -> TokenChunk:
    try:
        found = load_json(line)
        choices = found["choices"]
        text = choices[0]["delta"].get("content") if choices else ""
        usage = _usage(found["usage"]) if found.get("usage") else None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as exc:
        raise ModelFault(f"{name}: a part of the stream is no chat completion") from exc
    if not isinstance(text or "", str):
        raise ModelFault(f"{name} answered with no text")
    return TokenChunk(text or "", usage)


def _usage(found: Any) -> TokenUsage:
    if found is None:
        return NOTHING_USED
    return TokenUsage(found.get("prompt_tokens", 0), found.get("completion_tokens", 0))


def _checked(base_url: str) -> str:
    """With a slash at its end."""
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError) as exc:
        raise AgentConfigRefused("the model service's address is no URL") from exc
    if url.userinfo:
        raise AgentConfigRefused("the model service's address holds a password: give a key instead")
    if not url.host or not (url.scheme == "https" or (url.scheme == "http" and _is_here(url.host))):
        raise AgentConfigRefused(
            f"the model service is asked over https, or http on this machine, not {base_url!r:.200}"
        )
    return base_url.rstrip("/") + "/"


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _header(key: str) -> str:
    if not key.isascii() or not key.isprintable():
        raise AgentConfigRefused("the model service's key is printable ASCII on one line")
    return key


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise AgentConfigRefused(f"key file {path} cannot be read: {type(exc).__name__}") from exc


__all__ = ["BASE_VARIABLE", "KEY_VARIABLE", "ChatClient"]

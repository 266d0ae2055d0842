"""One request to an address that was checked, of whose answer so much is read and no more.

However much comes: interim answers (1xx) without end would keep everybody busy who sends by the
same loop, and so would what TLS keeps for itself (session tickets, new keys, padding). So what
comes is counted twice: the answer, and beneath TLS whatever arrives. Redirects, cookies and proxies
mean nothing here.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio.abc
import httpcore
import httpx

from zkagent.prover.outbound.hosts import split_url

TROUBLE = (
    OSError,  # so is what is wrong with TLS once its handshake is over
    httpx.InvalidURL,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)
TIMEOUTS = (TimeoutError, httpcore.TimeoutException)
#: The request did not reach anybody.
UNSENT = (httpcore.ConnectError, httpcore.ConnectTimeout)


class AnswerTooLong(httpcore.ReadError):
    """More came than anybody needs."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """answer_bytes: with its head; raw_bytes: of all that arrives, the handshake and its
    certificates included. timeout_s: for each step."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    timeout_s: float
    answer_bytes: int
    raw_bytes: int

    @asynccontextmanager
    async def at(self, address: str) -> AsyncIterator[httpcore.Response]:
        """The answer, of which nothing but the head is read yet, from this very address. Raises
        TROUBLE, as does reading on."""
        parts, port = split_url(self.url)
        length = {} if self.content is None else {"content-length": str(len(self.content))}
        named = {"host": parts.netloc, "user-agent": "zkagent", **length, **self.headers}
        steps = dict.fromkeys(("connect", "read", "write", "pool"), self.timeout_s)
        extensions = {"timeout": steps, "sni_hostname": parts.hostname}
        target = httpx.URL(self.url).copy_with(host=address, port=port)
        fields: dict[str, Any] = {
            "headers": named,
            "content": self.content,
            "extensions": extensions,
        }
        backend = ShortBackend(self.answer_bytes, self.raw_bytes)
        async with (
            httpcore.AsyncConnectionPool(network_backend=backend) as pool,
            pool.stream(self.method, _core_url(target), **fields) as answer,
        ):
            yield answer


def _core_url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


class ShortBackend(httpcore.AsyncNetworkBackend):
    """Connections of which so much is read and no more."""

    def __init__(self, answer_bytes: int, raw_bytes: int) -> None:
        self._backend = httpcore.AnyIOBackend()
        self._answer_bytes, self._raw_bytes = answer_bytes, raw_bytes

    async def connect_tcp(self, *where: Any, **how: Any) -> httpcore.AsyncNetworkStream:
        stream: Any = await self._backend.connect_tcp(*where, **how)
        # Beneath TLS, where httpcore has no place for us.
        stream._stream = RawStream(stream._stream, self._raw_bytes)
        return ShortStream(stream, self._answer_bytes)

    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)


class ShortStream(httpcore.AsyncNetworkStream):
    """One of them."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, most_bytes: int) -> None:
        self._stream = stream
        self._left = self._most = most_bytes

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._left == 0:
            raise AnswerTooLong
        data = await self._stream.read(min(max_bytes, self._left), timeout)
        self._left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(self, *how: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return ShortStream(await self._stream.start_tls(*how, **named), self._most)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class RawStream(anyio.abc.ByteStream):
    """What one of them is made on: bytes as they arrive."""

    def __init__(self, stream: anyio.abc.ByteStream, most_bytes: int) -> None:
        self._stream = stream
        self._left = most_bytes

    async def receive(self, max_bytes: int = 1 << 16) -> bytes:
        if self._left == 0:
            raise AnswerTooLong
        data = await self._stream.receive(min(max_bytes, self._left))
        self._left -= len(data)
        return data

    async def send(self, item: bytes) -> None:
        await self._stream.send(item)

    async def send_eof(self) -> None:
        await self._stream.send_eof()

    async def aclose(self) -> None:
        await self._stream.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        return self._stream.extra_attributes


__all__ = ["TIMEOUTS", "TROUBLE", "UNSENT", "AnswerTooLong", "Exchange"]

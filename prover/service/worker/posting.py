"""One request to an address that was checked, of whose answer nothing but the status is wanted.

So little of it is read, however much comes: interim answers (1xx) without end would keep everybody
busy who sends by the same loop, and so would what TLS keeps for itself (session tickets, new keys,
padding). So what comes is counted twice: the answer, and beneath TLS whatever arrives. Redirects,
cookies and proxies mean nothing here.
"""

from collections.abc import Callable, Mapping
from typing import Any

import anyio.abc
import httpcore
import httpx

from zkagent.prover.service.errors import CallbackFailed
from zkagent.prover.service.worker.callback_rules import split_url

MOST_BYTES = 1 << 14  # of the answer
MOST_RAW_BYTES = 1 << 16  # of all that arrives: the handshake, its certificates, and the answer
TROUBLE = (
    OSError,  # so is what is wrong with TLS once its handshake is over
    httpx.InvalidURL,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)


class AnswerTooLong(httpcore.ReadError):
    """More came than anybody needs to say one number."""


async def post(url: str, address: str, body: str, headers: dict[str, str], timeout_s: float) -> int:
    """Post to this very address; the status. timeout_s: for each step. Raises CallbackFailed."""
    content = body.encode()
    parts, port = split_url(url)
    named = {
        "host": parts.netloc,
        "user-agent": "zkagent",
        "content-length": str(len(content)),
        **headers,
    }
    steps = dict.fromkeys(("connect", "read", "write", "pool"), timeout_s)
    extensions = {"timeout": steps, "sni_hostname": parts.hostname}
    try:
        target = httpx.URL(url).copy_with(host=address, port=port)
        fields: dict[str, Any] = {"headers": named, "content": content, "extensions": extensions}
        async with (
            httpcore.AsyncConnectionPool(network_backend=ShortBackend()) as pool,
            pool.stream("POST", _core_url(target), **fields) as answer,
        ):
            return answer.status
    except TROUBLE as exc:
        raise CallbackFailed(url, type(exc).__name__) from exc


def _core_url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


class ShortBackend(httpcore.AsyncNetworkBackend):
    """Connections of which so much is read and no more."""

    def __init__(self) -> None:
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(self, *where: Any, **how: Any) -> httpcore.AsyncNetworkStream:
        stream: Any = await self._backend.connect_tcp(*where, **how)
        # Beneath TLS, where httpcore has no place for us.
        stream._stream = RawStream(stream._stream)
        return ShortStream(stream)

    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)


class ShortStream(httpcore.AsyncNetworkStream):
    """One of them."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._left = MOST_BYTES

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
        return ShortStream(await self._stream.start_tls(*how, **named))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class RawStream(anyio.abc.ByteStream):
    """What one of them is made on: bytes as they arrive."""

    def __init__(self, stream: anyio.abc.ByteStream) -> None:
        self._stream = stream
        self._left = MOST_RAW_BYTES

    async def receive(self, max_bytes: int = MOST_RAW_BYTES) -> bytes:
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


__all__ = ["MOST_BYTES", "MOST_RAW_BYTES", "AnswerTooLong", "post"]

"""The clients' one way to ask a service over HTTP, which may be anyone's and may lie.

A request ends within its time, however slowly the answer comes; an answer is read up to a length,
taken as it is sent (nothing is unpacked), nobody is followed to another address, and no cookie is
looked at.
"""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any

import httpx

from zkagent.circuits.support.deadline import within
from zkagent.errors import in_line
from zkagent.models.strict_json import load_json
from zkagent.prover.service.errors import KeyMalformed, ServiceGarbled

REQUEST_S = 30.0
MOST_ANSWER_BYTES = 1 << 25  # a proof of 100,000 inputs has a fifth of it
KEY_VARIABLE = "ZKAGENT_KEY"
MOST_KEY = 1000


@dataclass(frozen=True)
class Answer:
    """What the service at `url` said, as it was sent."""

    url: str
    status: int
    phrase: str
    retry_after: str
    content: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def value(self) -> Any:
        """Its JSON. Raises ServiceGarbled."""
        try:
            return load_json(self.content, most_bytes=MOST_ANSWER_BYTES)
        except ValueError as exc:
            raise ServiceGarbled(self.url, f"it is not JSON: {exc}") from exc


def settings(url: str, key: str | None) -> dict[str, Any]:
    """Of an httpx client for the service at `url`. key: by default from $ZKAGENT_KEY; blanks around
    it do not count. Raises KeyMalformed, which does not show it."""
    key = _checked_key("key", key) or _checked_key(f"${KEY_VARIABLE}", os.environ.get(KEY_VARIABLE))
    authorized = {"authorization": f"Bearer {key}"} if key else {}
    return {
        "base_url": url,
        "headers": {"accept-encoding": "identity", **authorized},
        "timeout": httpx.Timeout(REQUEST_S, connect=5.0, pool=5.0),
        "follow_redirects": False,
        "cookies": _NoCookies(),
    }


class _NoCookies(CookieJar):
    """The standard one warns of what it cannot read, with a traceback."""

    def extract_cookies(self, response: Any, request: Any) -> None:
        """None."""


def _checked_key(source: str, given: str | None) -> str:
    """Without blanks around it; empty for none."""
    if not isinstance(given, str | None):
        raise KeyMalformed(source, "it is no text")
    key = (given or "").strip()
    wrong = next((at for at, letter in enumerate(key, 1) if not "!" <= letter <= "~"), None)
    if wrong:
        raise KeyMalformed(source, f"character {wrong} of {len(key)} is no letter, digit or sign")
    if len(key) > MOST_KEY:
        raise KeyMalformed(source, f"it has {len(key)} characters, expected at most {MOST_KEY}")
    return key


def ask(http: httpx.Client, timeout_s: float, method: str, path: str, **fields: Any) -> Answer:
    """Raises ServiceGarbled, httpx.TransportError, also when the time is up."""
    end = time.monotonic() + timeout_s

    def whole() -> Answer:
        with http.stream(method, path, **fields) as response:
            body = _Body(response, str(http.base_url))
            for part in response.iter_raw():
                body.add(part)
                if time.monotonic() > end:
                    raise TimeoutError
            return body.answer()

    with _in_time(timeout_s), _not_elsewhere(http.base_url):
        return within(timeout_s, whole)


async def ask_async(
    http: httpx.AsyncClient, timeout_s: float, method: str, path: str, **fields: Any
) -> Answer:
    """Like `ask`."""
    with _in_time(timeout_s), _not_elsewhere(http.base_url):
        async with asyncio.timeout(timeout_s), http.stream(method, path, **fields) as response:
            body = _Body(response, str(http.base_url))
            async for part in response.aiter_raw():
                body.add(part)
            return body.answer()


class _Body:
    """What came of an answer so far. Raises ServiceGarbled when it becomes too long."""

    def __init__(self, response: httpx.Response, url: str) -> None:
        self._response, self._url = response, url.rstrip("/")
        self._parts: list[bytes] = []
        self._length = 0
        if (packed := response.headers.get("content-encoding", "identity")) != "identity":
            raise ServiceGarbled(
                self._url, f"it is packed as {in_line(packed, 40)}, which nobody asked for"
            )

    def add(self, part: bytes) -> None:
        self._parts.append(part)
        self._length += len(part)
        if self._length > MOST_ANSWER_BYTES:
            raise ServiceGarbled(self._url, f"it is longer than {MOST_ANSWER_BYTES:,} bytes")

    def answer(self) -> Answer:
        response = self._response
        asked = response.headers.get("retry-after", "")
        phrase, content = response.reason_phrase, b"".join(self._parts)
        return Answer(self._url, response.status_code, phrase, asked, content)


@contextmanager
def _in_time(timeout_s: float) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise httpx.ReadTimeout(f"no whole answer within {timeout_s:.3g} s") from None


@contextmanager
def _not_elsewhere(url: httpx.URL) -> Iterator[None]:
    """httpx reads where an answer refers to, though it is not to go there."""
    try:
        yield
    except httpx.InvalidURL as exc:
        raise ServiceGarbled(str(url).rstrip("/"), f"it refers to no address: {exc}") from exc


__all__ = ["KEY_VARIABLE", "Answer", "ask", "ask_async", "settings"]

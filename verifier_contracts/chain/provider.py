"""HTTP to a node that may be slow, silent or endless: each request has an end.

requests' own time-out counts from byte to byte, so that a node which sends one now and then holds a
caller for ever; here the whole request has a deadline, retries included. Called by `connect`.
"""

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import requests
from web3 import HTTPProvider
from web3.providers.rpc.utils import ExceptionRetryConfiguration
from web3.types import RPCEndpoint

from zkagent.verifier_contracts.errors import ChainTimedOut

REQUEST_TIMEOUT_S = 30.0
MOST_ANSWER_BYTES = 1 << 29  # traces are the longest answers that are asked for
CHUNK_BYTES = 1 << 16
HERE = ("http://127.0.0.1", "http://localhost", "http://[::1]")


class BoundedProvider(HTTPProvider):
    """A provider whose requests raise ChainTimedOut after `timeout_s`."""

    def __init__(self, rpc_url: str, timeout_s: float = REQUEST_TIMEOUT_S) -> None:
        retried = ExceptionRetryConfiguration(errors=(requests.ConnectionError, requests.HTTPError))
        super().__init__(
            rpc_url,
            {"timeout": timeout_s},
            _session(rpc_url),
            exception_retry_configuration=retried,
        )
        self.timeout_s = timeout_s
        self.global_ccip_read_enabled = False  # a contract must not make us fetch addresses

    def _make_request(self, method: RPCEndpoint, request_data: bytes) -> bytes:
        ask = super()._make_request
        with contextlib.suppress(requests.Timeout):
            done, answer = _within(self.timeout_s, lambda: ask(method, request_data))
            if done:
                return answer
        raise ChainTimedOut(str(self.endpoint_uri), str(method), self.timeout_s)


class LimitedSession(requests.Session):
    """Reads answers up to a length, and does not follow a node to other addresses."""

    def post(self, *arguments: Any, **fields: Any) -> requests.Response:
        limits = {"stream": True, "allow_redirects": False}
        response = super().post(*arguments, **(fields | limits))
        with response:
            response._content = _limited(response)
        return response


def _session(rpc_url: str) -> requests.Session:
    session = LimitedSession()
    session.trust_env = not rpc_url.startswith(HERE)  # no proxy between us and our own machine
    return session


def _limited(response: requests.Response) -> bytes:
    parts, length = [], 0
    for part in response.iter_content(CHUNK_BYTES):
        parts.append(part)
        length += len(part)
        if length > MOST_ANSWER_BYTES:
            raise requests.exceptions.ContentDecodingError(
                f"the answer is longer than {MOST_ANSWER_BYTES} bytes"
            )
    return b"".join(parts)


def _within(timeout_s: float, work: Callable[[], bytes]) -> tuple[bool, bytes]:
    """What `work` returned or raised, if it did so in time. A thread that is still at it ends with
    its connection, or with the process."""
    outcome: list[bytes | BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as exc:  # raised again below, by the caller's thread
            outcome.append(exc)

    thread = threading.Thread(target=run, name="zkagent-rpc", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if not outcome:
        return False, b""
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return True, outcome[0]


__all__ = ["REQUEST_TIMEOUT_S", "BoundedProvider"]

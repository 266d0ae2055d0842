"""HTTP to a node that may be slow, silent or endless: each request has an end.

requests' own time-out counts from byte to byte, so that a node which sends one now and then holds a
caller for ever; here the whole request has a deadline, retries included. Called by `connect` and
forwarder.py.
"""

import contextlib
import re
from typing import Any, cast

import requests
from web3 import HTTPProvider
from web3.exceptions import BadResponseFormat
from web3.providers.rpc.utils import ExceptionRetryConfiguration
from web3.types import RPCEndpoint, RPCResponse

from zkagent.circuits.support.deadline import within
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.chain.forms import checked
from zkagent.verifier_contracts.errors import ChainTimedOut

REQUEST_TIMEOUT_S = 30.0
#: Before a node that does not answer is asked again; twice as long before each later time.
BACKOFF_S = 0.125
#: Traces are the longest answers that are asked for; a block's transactions come next.
MOST_TRACE_BYTES = 1 << 29
MOST_ANSWER_BYTES = 1 << 26
MOST_ANSWER_PARTS = 1 << 23
MOST_ANSWER_LEVELS = 256  # two for each call within a call
TRACING = re.compile(rb'"method"\s*:\s*"debug_trace')
CHUNK_BYTES = 1 << 16
#: OffchainLookup (EIP-3668) and Solidity's Panic, which web3 decodes before anybody asks for that,
#: and stumbles over what no compiler writes.
DECODED = ("0x556f1830", "0x4e487b71")
HERE = ("http://127.0.0.1", "http://localhost", "http://[::1]")


class BoundedProvider(HTTPProvider):
    """A provider whose requests raise ChainTimedOut after `timeout_s`."""

    def __init__(self, rpc_url: str, timeout_s: float = REQUEST_TIMEOUT_S) -> None:
        retried = ExceptionRetryConfiguration(
            errors=(requests.ConnectionError, requests.HTTPError), backoff_factor=BACKOFF_S
        )
        super().__init__(
            rpc_url,
            {"timeout": timeout_s},
            node_session(rpc_url),
            exception_retry_configuration=retried,
        )
        self.timeout_s = timeout_s
        self.global_ccip_read_enabled = False  # a contract must not make us fetch addresses

    def _make_request(self, method: RPCEndpoint, request_data: bytes) -> bytes:
        ask = super()._make_request
        with contextlib.suppress(requests.Timeout, TimeoutError):
            return within(self.timeout_s, lambda: ask(method, request_data))
        raise ChainTimedOut(str(self.endpoint_uri), str(method), self.timeout_s)

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
        """Raises AnswerRefused for what is no answer of this method."""
        found: RPCResponse = checked(str(method), super().make_request(method, params))
        return _undecoded(found)

    @staticmethod
    def decode_rpc_response(raw_response: bytes) -> RPCResponse:
        short = len(raw_response) <= MOST_ANSWER_BYTES
        try:
            answer = load_json(
                raw_response,
                most_bytes=MOST_TRACE_BYTES,
                most_levels=MOST_ANSWER_LEVELS,
                most_parts=MOST_ANSWER_PARTS if short else MOST_TRACE_BYTES,
            )
        except ValueError as exc:
            raise BadResponseFormat(str(exc)) from exc
        return cast(RPCResponse, answer)


class LimitedSession(requests.Session):
    """Reads answers up to a length, and does not follow a node to other addresses."""

    def post(self, *arguments: Any, **fields: Any) -> requests.Response:
        limits = {"stream": True, "allow_redirects": False}
        asked = fields.get("data") or b""
        most = MOST_TRACE_BYTES if TRACING.search(asked[:200]) else MOST_ANSWER_BYTES
        response = super().post(*arguments, **(fields | limits))
        with response:
            response._content = _limited(response, most)
        return response


def _undecoded(answer: RPCResponse) -> RPCResponse:
    """With such data in the other form that nodes give reverts: web3 leaves that alone. Nobody here
    follows a lookup elsewhere, and `reverts.py` reads panics."""
    error: Any = answer.get("error")
    if isinstance(error, dict) and str(error.get("data")).lower().startswith(DECODED):
        error["data"] = {"data": error["data"]}
    return answer


def node_session(rpc_url: str) -> requests.Session:
    """For requests to this node, within the limits above."""
    session = LimitedSession()
    session.trust_env = not rpc_url.startswith(HERE)  # no proxy between us and our own machine
    return session


def _limited(response: requests.Response, most: int) -> bytes:
    parts, length = [], 0
    for part in response.iter_content(CHUNK_BYTES):
        parts.append(part)
        length += len(part)
        if length > most:
            raise requests.exceptions.ContentDecodingError(
                f"the answer is longer than {most} bytes"
            )
    return b"".join(parts)


__all__ = ["REQUEST_TIMEOUT_S", "BoundedProvider", "node_session"]

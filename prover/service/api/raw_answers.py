"""Answers below HTTP's level, as they are sent: to who is too slow, too many or not understood, and
to who asks whether we live."""

import json
from typing import Any

from zkagent.prover.service.api.problems import MEDIA_TYPE

HEAD_S = 10.0  # in which a request's head has to arrive


def response(status: str, document: dict[str, Any], media_type: str = MEDIA_TYPE) -> bytes:
    """The whole answer, after which the connection is closed."""
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncache-control: no-store\r\n"
    return f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body


TOO_SLOW = response(
    "408 Request Timeout",
    {
        "type": "urn:zkagent:problem:too-slow",
        "title": "Request Timeout",
        "status": 408,
        "detail": f"the request's head did not arrive within {HEAD_S:g} s",
    },
)


NO_LENGTH = response(
    "411 Length Required",
    {
        "type": "urn:zkagent:problem:length-required",
        "title": "Length Required",
        "status": 411,
        "detail": "send the body whole, with a Content-Length: chunks are not taken",
    },
)


TOO_MANY = response(
    "503 Service Unavailable",
    {
        "type": "urn:zkagent:problem:too-many-connections",
        "title": "Service Unavailable",
        "status": 503,
        "detail": "too many connections at once: try again later",
    },
)


ALIVE = {"status": "ok", "detail": "the process answers", "workers": 0, "troubles": []}
LIVES = response("200 OK", ALIVE, "application/json")

__all__ = ["ALIVE", "HEAD_S", "LIVES", "NO_LENGTH", "TOO_MANY", "TOO_SLOW", "response"]

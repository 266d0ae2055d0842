"""Reads the bodies of requests in threads, so that none of them stops whatever else is answered.

What would take long is refused before it is read: how many fields and entries there are is counted
in the bytes. What can be read in two ways is refused, too: the same field twice, or another
encoding than UTF-8.
"""

import contextlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError

from zkagent.prover.service.api.deps import Deps
from zkagent.prover.service.api.guard import CALLER
from zkagent.prover.service.errors import BodyRefused
from zkagent.prover.service.wire.schemas import MOST_FEATURES, ProofDocument, ProofRequest

READ_AT_ONCE = 2
MOST_FIELDS = 4096  # a context with a full symbol book has 3,300
DEEPEST = 32
BRACKET = re.compile(rb"[\[{\]}]")


class ReadingRoute(APIRoute):
    """A route whose body is read by us. Its parameter `body` is declared with SkipValidation."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()
        reader = READERS.get(self.path_format)
        if reader is None:
            return answer

        async def read_and_answer(request: Request) -> Response:
            with reader.place(request):
                if body := await request.body():
                    request._json = await reader.read_aside(body, request.app.state.deps)
                return await answer(request)

        return read_and_answer


class Reader:
    """Reads the bodies of one form. is_proof: whether it is a proof, with lists for each."""

    def __init__(self, form: Any, *, is_proof: bool) -> None:
        self._form: TypeAdapter[Any] = TypeAdapter(form)
        self._is_proof = is_proof
        self._threads: anyio.CapacityLimiter | None = None

    def place(self, request: Request) -> contextlib.AbstractContextManager[None]:
        """Where a key may have so many requests at once. Raises QuotaExceeded."""
        if not self._is_proof:
            return contextlib.nullcontext()
        deps: Deps = request.app.state.deps
        return deps.verifications.place(request.scope[CALLER].key_id)

    async def read_aside(self, body: bytes, deps: Deps) -> Any:
        self._threads = self._threads or anyio.CapacityLimiter(READ_AT_ONCE)
        return await anyio.to_thread.run_sync(self.read, body, deps, limiter=self._threads)

    def read(self, body: bytes, deps: Deps) -> Any:
        """What the body says. Raises BodyRefused, RequestValidationError."""
        check_size(body, self._most_entries(deps))
        try:
            return self._form.validate_python(read_json(body))
        except ValidationError as exc:
            found = exc.errors(include_url=False, include_context=False, include_input=False)
            errors = [{**error, "loc": ("body", *error["loc"])} for error in found]
        raise RequestValidationError(errors)

    def _most_entries(self, deps: Deps) -> int:
        """Nobody here takes more features than the widest circuit."""
        if self._is_proof:
            return MOST_FIELDS + 4 * MOST_FEATURES
        return MOST_FIELDS + max((card.input_count for card in deps.catalogue.cards()), default=0)


def check_size(body: bytes, most_entries: int) -> None:
    """Refuse what has too many fields, entries or levels, without reading it. Raises
    BodyRefused."""
    if body.count(b":") > MOST_FIELDS or body.count(b",") > most_entries or _opened(body) > DEEPEST:
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
        if body.count(b'"') > 2 * (2 * MOST_FIELDS + most_entries):  # names, values, entries
            raise BodyRefused(f"the body has more than {most_entries} entries")
        body = b"".join(body.split(b'"')[::2])  # what stands in texts does not count
    if body.count(b":") > MOST_FIELDS:
        raise BodyRefused(f"the body has more than {MOST_FIELDS} fields")
    if body.count(b",") > most_entries:
        raise BodyRefused(f"the body has more than {most_entries} entries")
    if _opened(body) > MOST_FIELDS:
        raise BodyRefused(f"the body has more than {MOST_FIELDS} lists and objects")
    if _opened(body) > DEEPEST and _depth(body) > DEEPEST:
        raise BodyRefused(f"the body is nested more than {DEEPEST} levels deep")


def _opened(body: bytes) -> int:
    return body.count(b"[") + body.count(b"{")


def _depth(body: bytes) -> int:
    steps = (1 if bracket in b"[{" else -1 for bracket in BRACKET.findall(body))
    return max(itertools.accumulate(steps), default=0)


def read_json(body: bytes) -> Any:
    """Raises BodyRefused."""
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=_unique)
    except UnicodeDecodeError as exc:
        raise BodyRefused("the body is not UTF-8") from exc
    except (ValueError, RecursionError) as exc:
        raise BodyRefused("the body is not JSON") from exc


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise BodyRefused(f"the body says {twice[:80]!r} twice")
    return fields


#: By the path of the route.
READERS = {
    "/v1/proofs": Reader(ProofRequest, is_proof=False),
    "/v1/verify": Reader(ProofDocument, is_proof=True),
}

__all__ = ["MOST_FIELDS", "Reader", "ReadingRoute", "check_size", "read_json"]

"""What both clients share: the request, when to try again, how answers are read."""

import math
import numbers
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from zkagent.circuits.support.plain_text import plain
from zkagent.circuits.support.progress import Told, silent
from zkagent.circuits.support.urls import url_problem
from zkagent.prover.service.errors import (
    ProofNotMade,
    RequestRefused,
    ServiceAnswered,
    ServiceGarbled,
    ServiceUnreachable,
)
from zkagent.prover.service.wire.asking import REQUEST_S, Answer
from zkagent.prover.service.wire.schemas import ProofView
from zkagent.prover.service.wire.states import FINISHED, State

PATIENCE_S = 60.0
RETRIED = frozenset((408, 429, 503))  # statuses of a service in trouble
SHORTEST_S = 5.0  # for one request, where there is less patience
MOST_WORDS = 300  # of a service in an error

Kind = TypeVar("Kind", bound=BaseModel)


@dataclass(frozen=True)
class Wanted:
    """A request as the client sends it; `fields` are the API's."""

    fields: dict[str, Any]

    @classmethod
    def of_features(cls, circuit: str, features: Sequence[int], **wishes: Any) -> Self:
        """wishes: priority, deadline_s, callback_url, batch. circuit: a digest or a model. Raises
        RequestRefused for anything but integers."""
        is_digest = len(circuit) == 64 and set(circuit) <= set("0123456789abcdef")
        what = {"circuit" if is_digest else "model": circuit}
        if not (integers := list(map(_integer, features))):
            raise RequestRefused("there are no features, expected at least one integer")
        return cls({**what, "features": integers, **wishes})

    @classmethod
    def of_context(cls, model: str, context: dict[str, Any], **wishes: Any) -> Self:
        """context: prompt, reasoning and book, as in the API."""
        return cls({"model": model, "context": context, **wishes})


class Attempts:
    """When to try again what a service in trouble did not take, and when to give up. trouble: told
    in words each time that it will be tried again. end: when the caller's time is up. retried:
    statuses that it will be tried again after."""

    def __init__(
        self,
        url: str,
        patience_s: float,
        trouble: Told = silent,
        end: float | None = None,
        retried: frozenset[int] = RETRIED,
    ) -> None:
        self._url, self._trouble, self._retried = url, trouble, retried
        self._end = math.inf if end is None else end
        self._deadline = min(time.monotonic() + patience_s, self._end)
        self._most_s = min(REQUEST_S, max(patience_s, SHORTEST_S))
        self._wait_s = 0.1

    @property
    def request_s(self) -> float:
        """How long the next request may take."""
        return max(0.0, min(self._most_s, self._end - time.monotonic()))

    def refused(self, answer: Answer) -> float:
        """Seconds to wait. Raises ServiceAnswered when there is no point."""
        error = _answered(answer)
        if answer.status not in self._retried:
            raise error
        return self._next(error, error.retry_after_s)

    def unreachable(self, exc: httpx.TransportError) -> float:
        """Seconds to wait. Raises ServiceUnreachable when it has been too long."""
        reason = plain(str(exc), MOST_WORDS) or type(exc).__name__
        return self._next(ServiceUnreachable(self._url, reason), 0.0)

    def _next(self, error: Exception, at_least_s: float) -> float:
        wait_s = max(self._wait_s, at_least_s)
        if time.monotonic() + wait_s > self._deadline:
            raise error
        self._wait_s = min(2 * self._wait_s, 2.0)
        self._trouble(str(error))
        return wait_s


def _integer(value: object) -> int:
    """Nothing is rounded on the way: that would prove something else than what was asked."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise RequestRefused(f"{value!r} among the features, expected integers")
    return int(value)


def checked(url: str) -> str:
    """The service's address without a slash at its end. Raises ServiceUnreachable for what is no
    address."""
    if not isinstance(url, str):
        raise ServiceUnreachable(repr(url), "expected an address, and it is no text")
    if problem := url_problem(url):
        raise ServiceUnreachable(url, problem)
    return url.rstrip("/")


def read(answer: Answer, kind: type[Kind]) -> Kind:
    """Raises ServiceGarbled for what is no such answer, and names the first thing wrong."""
    try:
        _ = answer.value
        return kind.model_validate_json(answer.content)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise ServiceGarbled(answer.url, plain(f"{where}: {first['msg']}", MOST_WORDS)) from exc


def read_view(answer: Answer, proof_id: str | None = None) -> ProofView:
    """A proof's state; of which one, if we asked for one by its id. Raises ServiceGarbled."""
    view = read(answer, ProofView)
    if proof_id not in (None, view.id):
        raise ServiceGarbled(answer.url, "it is about another proof than the one asked for")
    if view.state is State.DONE and view.result is None:
        raise ServiceGarbled(answer.url, "a proof that is done has no result")
    return view


def is_made(view: ProofView) -> bool:
    if view.state in FINISHED and view.state is not State.DONE:
        failure = view.failure
        kind, reason = (failure.kind, failure.reason) if failure else (None, None)
        raise ProofNotMade(view.id, view.state, kind, reason and plain(reason, MOST_WORDS))
    return view.state is State.DONE


def _answered(answer: Answer) -> ServiceAnswered:
    try:
        problem = answer.value
        title, detail = str(problem["title"]), str(problem["detail"])
        wrong = "; ".join(f"{e['where']}: {e['detail']}" for e in problem.get("errors") or [])
    except (ServiceGarbled, KeyError, TypeError, AttributeError):
        title, wrong = answer.phrase, ""
        detail = answer.content[:MOST_WORDS].decode(errors="replace")
    said = f"{plain(detail, MOST_WORDS)} {plain(wrong, MOST_WORDS)}".strip()
    asked = answer.retry_after
    retry_after_s = float(asked) if asked.isascii() and asked.isdigit() else 0.0
    return ServiceAnswered(
        answer.url, answer.status, plain(title, MOST_WORDS), said, retry_after_s=retry_after_s
    )


__all__ = ["PATIENCE_S", "RETRIED", "Attempts", "Wanted", "checked", "is_made", "read", "read_view"]

"""What both clients share: the request, when to try again, how answers are read."""

import numbers
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import httpx

from zkagent.circuits.support.progress import Told, silent
from zkagent.circuits.support.urls import url_problem
from zkagent.prover.service.errors import (
    NoProofYet,
    ProofNotMade,
    RequestRefused,
    ServiceAnswered,
    ServiceUnreachable,
)
from zkagent.prover.service.wire.schemas import ProofView
from zkagent.prover.service.wire.states import FINISHED, State

POLL_S = 1.0
PATIENCE_S = 60.0
RETRIED_STATUSES = (408, 429, 503)
KEY_VARIABLE = "ZKAGENT_KEY"


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
        return cls({**what, "features": list(map(_integer, features)), **wishes})

    @classmethod
    def of_context(cls, model: str, context: dict[str, Any], **wishes: Any) -> Self:
        """context: prompt, reasoning and book, as in the API."""
        return cls({"model": model, "context": context, **wishes})


class Attempts:
    """When to try again what a service in trouble did not take, and when to give up. trouble: told
    in words each time that it will be tried again."""

    def __init__(self, url: str, patience_s: float, trouble: Told = silent) -> None:
        self._url, self._trouble = url, trouble
        self._deadline = time.monotonic() + patience_s
        self._wait_s = 0.1

    def refused(self, answer: httpx.Response) -> float:
        """Seconds to wait. Raises ServiceAnswered when there is no point."""
        error = _answered(answer)
        if answer.status_code not in RETRIED_STATUSES:
            raise error
        asked = answer.headers.get("retry-after", "")
        return self._next(error, float(asked) if asked.isdigit() else 0.0)

    def unreachable(self, exc: httpx.TransportError) -> float:
        """Seconds to wait. Raises ServiceUnreachable when it has been too long."""
        reason = str(exc) or type(exc).__name__
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
    if problem := url_problem(url):
        raise ServiceUnreachable(url, problem)
    return url.rstrip("/")


def headers(key: str | None) -> dict[str, str]:
    key = key or os.environ.get(KEY_VARIABLE)
    return {"authorization": f"Bearer {key}"} if key else {}


def read_view(answer: httpx.Response) -> ProofView:
    return ProofView.model_validate_json(answer.content)


def is_made(view: ProofView) -> bool:
    if view.state in FINISHED and view.state is not State.DONE:
        failure = view.failure
        kind, reason = (failure.kind, failure.reason) if failure else (None, None)
        raise ProofNotMade(view.id, view.state, kind, reason)
    return view.state is State.DONE


def poll_s(end: float | None) -> float:
    return POLL_S if end is None else max(0.0, min(POLL_S, end - time.monotonic()))


def check_time(proof_id: str, end: float | None, timeout_s: float | None) -> None:
    """Raise NoProofYet when the time is up."""
    if end is not None and timeout_s is not None and time.monotonic() >= end:
        raise NoProofYet(proof_id, timeout_s)


def _answered(answer: httpx.Response) -> ServiceAnswered:
    try:
        problem = answer.json()
        title, detail = str(problem["title"]), str(problem["detail"])
        wrong = "; ".join(f"{e['where']}: {e['detail']}" for e in problem.get("errors") or [])
    except (ValueError, KeyError, TypeError):
        title, detail, wrong = answer.reason_phrase, answer.text[:200], ""
    return ServiceAnswered(answer.status_code, title, f"{detail} {wrong}".strip())


__all__ = ["PATIENCE_S", "Attempts", "Wanted", "check_time", "checked", "headers", "is_made"]
__all__ += ["poll_s", "read_view"]

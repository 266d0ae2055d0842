"""What a package above this one answers at the same address: routes that come with keys, limits,
problem documents, metrics and a description like those of the service's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from prometheus_client import CollectorRegistry


def _nothing(path: str) -> bool:
    return False


def _done() -> None:
    """There is nothing to close."""


@dataclass(frozen=True)
class Beside:
    """routers: with `route_class` of their own for bodies; state: theirs, in `app.state.beside`.

    kinds: their errors to (status, name of the problem), subclasses before their roots; reads:
    whether the body of a POST to this path is read; metrics: what `/metrics` has beside the
    service's; close: called when no request is answered any more.
    """

    routers: Sequence[APIRouter] = ()
    state: Any = None
    kinds: Sequence[tuple[type[Exception], int, str]] = ()
    reads: Callable[[str], bool] = _nothing
    metrics: Sequence[CollectorRegistry] = ()
    close: Callable[[], None] = _done


NOTHING_BESIDE = Beside()

__all__ = ["NOTHING_BESIDE", "Beside"]

"""Tells a run's events: numbered, to the store that is waited for, and to whoever else listens."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from zkagent.executor.runtime.core.config import name_of
from zkagent.executor.runtime.core.events import PASSING, Event, EventKind, Sink
from zkagent.executor.runtime.core.foreign import contained

log = logging.getLogger(__name__)


class Sinks:
    """Those of an agent. One that raises is left out from then on, and that is said once: where
    it stands, in the log and in the run's diagnostics, by the kind of its error alone."""

    def __init__(self, sinks: Sequence[Sink] = ()) -> None:
        self.sinks = list(sinks)

    def add(self, sink: Sink) -> None:
        self.sinks.append(sink)

    def remove(self, sink: Sink) -> None:
        self.sinks = [kept for kept in self.sinks if kept is not sink]

    async def take(self, event: Event) -> list[str]:
        """Warnings: of sinks that are left out from now on."""
        warnings = []
        for sink in tuple(self.sinks):
            try:
                with contained():
                    await sink.take(event)
            except Exception as exc:
                self.remove(sink)
                warning = f"sink {name_of(sink)} is left out: it raised {type(exc).__name__}"
                log.warning(warning)
                warnings.append(warning)
        return warnings


@dataclass
class Telling:
    """store: an error of it ends the run; events: what was told so far, without passing ones."""

    run_id: str
    clock: Callable[[], datetime]
    sinks: Sequence[Sinks] = ()
    store: Sink | None = None
    events: list[Event] = field(default_factory=list, init=False)
    warnings: list[str] = field(default_factory=list, init=False)

    @property
    def is_heard(self) -> bool:
        """Whether anybody would be told of tokens."""
        return any(sinks.sinks for sinks in self.sinks)

    async def tell(self, kind: EventKind, **data: Any) -> None:
        number = None if kind in PASSING else len(self.events)
        event = Event(self.run_id, number, self.clock(), kind, data)
        if number is not None:
            self.events.append(event)
            if self.store:
                await self.store.take(event)
        for sinks in self.sinks:
            if sinks.sinks:
                self.warnings += await sinks.take(event)


__all__ = ["Sinks", "Telling"]

"""A sink that logs, one line an event, by Python's logging."""

import json
import logging

from zkagent.errors import in_line
from zkagent.executor.runtime.core.events import Event, EventKind
from zkagent.executor.runtime.events.contents import NOTHING, Include, shown

#: Where the events of runs are logged.
LOGGER = "zkagent.runs"
MOST = 2_000  # characters of a line
WARNINGS: frozenset[EventKind] = frozenset({"blocked", "error", "tool_failed"})
#: What tells the same again at greater length, and what comes in pieces.
DETAILS: frozenset[EventKind] = frozenset(
    {"model_tokens", "step_started", "planned", "tool_called"}
)


class Logged:
    """Blocked steps, failed calls and errors are warnings; beginnings are for debugging.

    Each record has the event as its attribute `event`, with the same withheld.
    """

    def __init__(self, include: Include = NOTHING, logger: str = LOGGER) -> None:
        self._include = include
        self._log = logging.getLogger(logger)

    async def take(self, event: Event) -> None:
        level = _level(event)
        if self._log.isEnabledFor(level):
            told = shown(event, self._include)
            self._log.log(level, "%s", line(told), extra={"event": told.to_json()})


def _level(event: Event) -> int:
    if event.kind in WARNINGS:
        return logging.WARNING
    return logging.DEBUG if event.kind in DETAILS else logging.INFO


def line(event: Event) -> str:
    """The event in one line that no content can break out of."""
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    number = "-" if event.number is None else event.number
    return in_line(f"run {event.run_id} {number} {event.kind} {data}", MOST)


__all__ = ["LOGGER", "Logged", "line"]

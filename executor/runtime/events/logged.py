"""A sink that logs, one line an event, by Python's logging."""

import json
import logging
from collections.abc import Mapping
from dataclasses import replace

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
#: What an end tells, whose steps were told one by one.
OF_RESULT = frozenset(
    {"agent_id", "session_id", "success", "aborted", "steps", "error", "result", "started_at"}
    | {"finished_at", "token_usage", "cost_estimate", "proof_cost"}
)


class Logged:
    """Blocked steps, failed calls and errors are warnings; beginnings are for debugging.

    Each record has the event as its attribute `event`, with the same withheld, and `brief`, its
    line without data, for handlers that show `event`. An end is told without what its steps were.
    """

    def __init__(self, include: Include = NOTHING, logger: str = LOGGER) -> None:
        self._include = include
        self._log = logging.getLogger(logger)

    async def take(self, event: Event) -> None:
        level = _level(event)
        if self._log.isEnabledFor(level):
            told = _shortened(shown(event, self._include))
            extra = {"event": told.to_json(), "brief": in_line(_head(told), MOST)}
            self._log.log(level, "%s", line(told), extra=extra)


def _level(event: Event) -> int:
    if event.kind in WARNINGS:
        return logging.WARNING
    return logging.DEBUG if event.kind in DETAILS else logging.INFO


def line(event: Event) -> str:
    """The event in one line that no content can break out of."""
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    return in_line(f"{_head(event)} {data}", MOST)


def _head(event: Event) -> str:
    number = "-" if event.number is None else event.number
    return f"run {event.run_id} {number} {event.kind}"


def _shortened(event: Event) -> Event:
    result = event.data.get("result")
    if event.kind != "run_finished" or not isinstance(result, Mapping):
        return event
    short = {name: one for name, one in result.items() if name in OF_RESULT}
    return replace(event, data={"result": short})


__all__ = ["LOGGER", "Logged", "line"]

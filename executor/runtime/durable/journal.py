"""The journal and the event store of one attempt at a run.

Events are kept with the next record, or a moment later where none comes, in one transaction: what
a run that was killed had told and not kept, it tells again. An event that was kept is not kept
again; if a run that goes on tells another one in its place, its agent has changed, and it halts.
"""

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from zkagent.executor.runtime.core.errors import JournalFault, RunChanged
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.json_values import canonical
from zkagent.executor.runtime.durable.kept import Whole, ending
from zkagent.executor.runtime.durable.store import Attempt, RunStore, Written

KEEP_WITHIN_S = 0.05
PLAN = re.compile(r"(\d+)\.plan")
WAITS = re.compile(r"\d+\.(approval|again\.\d+)")


class DurableJournal:
    """Implements Journal and Sink. found: what is kept of the run already.

    Raises JournalFault, and RunTakenOver as soon as another attempt has begun.
    """

    def __init__(self, store: RunStore, attempt: Attempt, found: Whole | None = None) -> None:
        self._store, self._attempt = store, attempt
        self._begun = found is not None
        self._records = dict(found.records) if found else {}
        self._told = [_content(event) for event in found.events] if found else []
        self._events: list[str] = []  # to be kept
        self._lock = threading.Lock()
        self._later: asyncio.TimerHandle | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._fault: JournalFault | None = None
        self._is_new = found is None
        self._abort: Callable[[], None] | None = None

    @property
    def incarnation(self) -> str:
        return self._attempt.incarnation

    @property
    def was_aborted(self) -> bool:
        """Whether its end is on record, and is that, and the process ended before the run had."""
        return bool(json.loads(self._records.get("finish", "{}")).get("aborted"))

    @property
    def kept_events(self) -> int:
        return len(self._told)

    async def record(self, name: str, do: Callable[[], Awaitable[Any]]) -> Any:
        if name not in self._records:
            self._refuse()
            await self._go_on()
            if waits := WAITS.fullmatch(name):
                await self._recorded(self._store.mark, self._attempt, "waiting")
            text = json.dumps(await do())
            changes: dict[str, Any] = {"state": "running"} if waits else {}
            if step := PLAN.fullmatch(name):
                changes["steps"] = int(step[1]) + 1
            await self._recorded(self._write, name, text, changes)
        return json.loads(self._records[name])

    async def take(self, event: Event) -> None:
        """As a run's event store."""
        if event.number is None:
            return
        self._refuse()
        if event.number < len(self._told):
            await self._compare(event, event.number)
            return
        text = canonical(event.to_json())
        if event.kind == "run_finished":
            result: Any = event.data["result"]
            await self._recorded(self._write, None, "", ending(result), text)
            return
        self._events.append(text)
        if self._later is None and self._begun:
            self._later = asyncio.get_running_loop().call_later(KEEP_WITHIN_S, self._keep_soon)

    def abort(self, abort: Callable[[], None]) -> None:
        """Calls it as soon as the run is where it was before: what it told until then, it has to
        tell again."""
        if self._is_new:
            abort()
        else:
            self._abort = abort

    async def _go_on(self) -> None:
        self._is_new = True
        if self._abort:
            self._abort()
            self._abort = None
            await asyncio.sleep(0)  # where the cancellation arrives

    def _refuse(self) -> None:
        if self._fault:
            raise self._fault

    async def _compare(self, event: Event, number: int) -> None:
        """Raises RunChanged."""
        if self._told[number] == _content(event):
            return
        why = f"event {number} ({event.kind}) is not the one that was told before"
        await self._recorded(self._store.mark, self._attempt, "halted", why)
        raise RunChanged(
            f"run {event.run_id} halts: {why}: go on with the agent that began it, or begin anew"
        )

    def _keep_soon(self) -> None:
        """An error of it is raised where the run comes by next."""

        async def keep() -> None:
            try:
                await self._recorded(self._write)
            except JournalFault as fault:
                self._fault = fault

        self._later = None
        self._keeping = asyncio.ensure_future(keep())

    async def _recorded(self, do: Callable[..., None], *given: Any) -> None:
        await self._store.in_thread(do, *given)

    def _write(
        self,
        name: str | None = None,
        text: str = "",
        changes: Mapping[str, Any] | None = None,
        last: str | None = None,
    ) -> None:
        """In a thread of its own; the run itself waits, and a moment's keeping may come between: so
        what belongs together, as the last event and the end, comes here together."""
        with self._lock:
            waiting = list(self._events)
            told = waiting if last is None else [*waiting, last]
            written = Written(events=told, changes=dict(changes or {}))
            if name is not None:
                written.records.append((name, text))
            if not (written.records or written.events):
                return
            if self._begun:
                self._store.write(self._attempt, written)
            else:
                self._store.begin(self._attempt, _task(text), written)
                self._begun = True
            del self._events[: len(waiting)]
            if name is not None:
                self._records[name] = text


def _content(event: Event) -> str:
    """What has to be the same when it is told again: all but when. Of the agent that began the run
    its name counts; whether it is another by now shows in what it does."""
    data: Mapping[str, Any] = event.data
    if event.kind == "run_started":
        data = {name: value for name, value in data.items() if name != "config"}
    return canonical([event.kind, data])


def _task(start: str) -> str:
    """As it is on record."""
    found = json.loads(start)
    return str(found.get("task", "")) if isinstance(found, dict) else ""


__all__ = ["DurableJournal"]

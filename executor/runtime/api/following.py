"""A run's events as server-sent events: those that are kept, then those that come."""

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from zkagent.executor.runtime.api.desk import RunsDesk
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.runs import ENDED
from zkagent.executor.runtime.events.contents import Include, shown
from zkagent.prover.service.api.deps import Deps
from zkagent.prover.service.api.watchers import wait
from zkagent.prover.service.errors import KeyRefused

KEEP_ALIVE_S = 15.0
AT_ONCE = 200  # events read at a time


@dataclass
class Following:
    """since: the number of the first event that is wanted. caller: by the key's id."""

    desk: RunsDesk
    deps: Deps
    caller: str
    run_id: str
    since: int
    include: Include

    async def __aiter__(self) -> AsyncIterator[str]:
        """Ends when the run has, when the key is revoked, and when the service stops."""
        with (
            self.deps.watchers.watch(self.run_id) as changed,
            self.desk.live.line(self.run_id) as line,
        ):
            said = time.monotonic()
            while True:
                async for event in self._kept():
                    said = time.monotonic()
                    yield sse(event, self.include)
                if await self._is_over():
                    return
                while (event_ := line.next()) is not None:
                    if event_.number is None:
                        said = time.monotonic()
                        yield sse(event_, self.include)
                    elif event_.number > self.since:
                        break  # some are missing: they are kept
                    elif event_.number == self.since:
                        self.since, said = self.since + 1, time.monotonic()
                        yield sse(event_, self.include)
                if event_ is None:
                    await wait(changed, KEEP_ALIVE_S)
                if time.monotonic() - said > KEEP_ALIVE_S:
                    said = time.monotonic()
                    yield ": still here\n\n"

    async def _kept(self) -> AsyncIterator[Event]:
        while found := await self.desk.ask(self.desk.runs.events(self.run_id, self.since, AT_ONCE)):
            for event in found:
                assert event.number is not None
                self.since = event.number + 1
                yield event

    async def _is_over(self) -> bool:
        if self.deps.watchers.closing or not await self._may_stay():
            return True
        run = await self.desk.ask(self.desk.runs.find(self.run_id))
        if run.state not in ENDED:
            return False
        return not await self.desk.ask(self.desk.runs.events(self.run_id, self.since, 1))

    async def _may_stay(self) -> bool:
        try:
            return await self.deps.watchers.look(self.deps.keys.is_valid, self.caller)
        except KeyRefused:
            return False


def sse(event: Event, include: Include) -> str:
    """A passing event has no id: whoever comes back goes on after the last one that has."""
    told = shown(event, include).to_json()
    number = "" if event.number is None else f"id: {event.number}\n"
    return f"{number}event: {event.kind}\ndata: {json.dumps(told)}\n\n"


__all__ = ["Following", "sse"]

"""What the routes of runs work with: kept in `app.state.beside`."""

import asyncio
import hashlib
import json
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from zkagent.executor.runtime.api.access import Access
from zkagent.executor.runtime.api.live import Live
from zkagent.executor.runtime.api.schemas import RunRequest
from zkagent.executor.runtime.core.runs import RunRecord, Runs
from zkagent.executor.runtime.core.world import World
from zkagent.executor.runtime.permissions.roles import Principal
from zkagent.executor.runtime.running.background import background

T = TypeVar("T")
ID_DIGITS = 32


@dataclass(frozen=True)
class RunsDesk:
    runs: Runs
    access: Access
    live: Live
    world: World = field(default_factory=World)

    async def ask(self, work: Coroutine[Any, Any, T]) -> T:
        """Agents run on a loop of their own, so that none of them keeps requests waiting."""
        future = asyncio.run_coroutine_threadsafe(work, background.loop)
        return await asyncio.wrap_future(future)

    async def seen(self, principal: Principal, run_id: str) -> RunRecord:
        """Raises RunUnknown: there is none, or none that this principal may see."""
        run = await self.ask(self.runs.find(run_id))
        self.access.check_read(principal, run)
        return run

    def run_id(self, principal: Principal, request: RunRequest) -> str:
        """Named by content where the caller gave a key, so that it can ask again."""
        if request.key is None:
            return self.world.new_id()
        content = [principal.name, request.model_dump(mode="json")]
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]


async def _desk(request: Request) -> RunsDesk:
    desk = request.app.state.beside
    assert isinstance(desk, RunsDesk)
    return desk


At = Annotated[RunsDesk, Depends(_desk)]

__all__ = ["At", "RunsDesk"]

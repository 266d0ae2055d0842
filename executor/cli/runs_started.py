"""A run of an agent off chain that a command begins, or goes on with, and waits for."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zkagent.executor.cli import output
from zkagent.executor.cli.runs_options import Given
from zkagent.executor.cli.runs_shown import event_line
from zkagent.executor.runtime.core.config import RunOptions
from zkagent.executor.runtime.core.errors import JournalFault, RunUnknown
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.permissions import Approvals, Asked, Verdict
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.durable.approvals import KeptApprovals
from zkagent.executor.runtime.durable.database import RunsDatabase
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.events.contents import shown
from zkagent.executor.runtime.permissions.approvals import ApprovalDesk
from zkagent.executor.runtime.running.background import background
from zkagent.executor.runtime.running.session import AgentSession

if TYPE_CHECKING:
    from zkagent.executor.runtime.running.agent import Agent

LOOK_EVERY_S = 0.5
#: What is worth a line while it happens.
TOLD = ("step_started", "tool_returned", "tool_failed", "blocked", "run_resumed", "error")


@dataclass(frozen=True)
class Started:
    task: str | None
    params: dict[str, str]
    session: str | None
    seed: int

    @property
    def says_anything(self) -> bool:
        return bool(self.task or self.params or self.session or self.seed)

    @property
    def options(self) -> RunOptions:
        return RunOptions(self.task, dict(self.params), self.session, self.seed)


class Narrating:
    """A sink that tells on stderr what a run does, without contents."""

    name = "command"

    async def take(self, event: Event) -> None:
        if event.kind in TOLD:
            output.show(event_line(shown(event)), err=True)


@dataclass(frozen=True)
class Saying:
    """Says which command answers, then waits. Implements Approvals."""

    desk: Approvals
    given: Given

    async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
        approve, decline = (
            self.given.command("runs", word, asked.run_id, asked.step)
            for word in ("approve", "decline")
        )
        output.show(
            f"step {asked.step} waits for approval: {approve}, or {decline}; Ctrl-C leaves it "
            "waiting, and the run is kept",
            err=True,
        )
        return await self.desk.wait(asked, step, reason)


def carried_out(agent: "Agent", started: Started) -> AgentResult:
    """In memory."""
    agent.add_sink(Narrating())
    return agent.run(started.options)


def kept_run(
    database: RunsDatabase,
    agent: "Agent",
    started: Started,
    run_id: str | None,
    *,
    again: Callable[[str], str],
    given: Given,
) -> AgentResult:
    """run_id: of one that goes on. Whoever interrupts is told how to go on: again makes the command
    of a run's id."""
    agent.add_sink(Narrating())
    agent.wait_for(Saying(ApprovalDesk(KeptApprovals(database)), given))
    with DurableRuntime(database, [agent]) as runtime:
        session = (
            runtime.session(agent, started.options) if run_id is None else runtime.resume(run_id)
        )
        output.show(f"run {session.id}", err=True)
        try:
            return background.run(_heeded(runtime, session))
        except KeyboardInterrupt:
            going_on = again(session.id)
            output.show(f"run {session.id} is kept: {going_on} goes on with it", err=True)
            raise


async def _heeded(runtime: DurableRuntime, session: AgentSession) -> AgentResult:
    """The run, which others may ask to end."""
    heeding = asyncio.ensure_future(_heed(runtime, session.id))
    try:
        return await session.arun()
    finally:
        heeding.cancel()


async def _heed(runtime: DurableRuntime, run_id: str) -> None:
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        with suppress(RunUnknown, JournalFault):  # not begun yet; the run itself hears of the other
            if (await asyncio.to_thread(runtime.store.find, run_id)).aborts:
                await asyncio.to_thread(runtime.abort, run_id)
                return


__all__ = ["Narrating", "Saying", "Started", "carried_out", "kept_run"]

"""Agents whose runs outlive this process, and the runs of processes that ended.

A run belongs to the process that holds its lease. One whose process has ended is taken up by the
next process that has the agent of that id: by `watch`, or when it is asked for by its id.
"""

import asyncio
import contextlib
import logging
import threading
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from zkagent.errors import in_line
from zkagent.executor.runtime.core.config import RunOptions
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    JournalFault,
    RecordsBroken,
    RunTakenOver,
    RuntimeFault,
    RunUnknown,
)
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.threads import apart
from zkagent.executor.runtime.core.world import World
from zkagent.executor.runtime.durable.database import RunsDatabase, open_runs
from zkagent.executor.runtime.durable.journal import DurableJournal
from zkagent.executor.runtime.durable.kept import KeptRun
from zkagent.executor.runtime.durable.store import LOCAL, Attempt, RunStore
from zkagent.executor.runtime.running.agent import Agent
from zkagent.executor.runtime.running.service import AgentService, say_left
from zkagent.executor.runtime.running.session import AgentSession
from zkagent.prover.durable.errors import LeaseLost
from zkagent.prover.durable.leases import Leases, open_leases

log = logging.getLogger(__name__)
LOOK_EVERY_S = 1.0
POLL_S = 0.1


class DurableRuntime:
    """database: as `open_runs` takes it, or one that is open, which stays so. world: gives ids.

    `session` is what AgentService(sessions=...) wants. Raises what `open_runs` raises.
    """

    def __init__(
        self,
        database: RunsDatabase | Path | str | None = None,
        agents: Iterable[Agent] = (),
        *,
        key_file: Path | None = None,
        world: World | None = None,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._is_ours = not isinstance(database, RunsDatabase)
        self.database = (
            database
            if isinstance(database, RunsDatabase)
            else open_runs(database, key_file=key_file)
        )
        self.store = RunStore(self.database)
        self._new_id = (world or World()).new_id
        self._look_every_s = look_every_s
        self._agents: dict[str, Agent] = {}
        self._live: dict[str, tuple[AgentSession, DurableJournal]] = {}
        self._lock = threading.Lock()
        self._lease = _Lease(self.database)
        for agent in agents:
            self.register(agent)

    def register(self, agent: Agent) -> None:
        """Raises AgentConfigRefused: another agent has its id."""
        if self._agents.setdefault(agent.config.id, agent) is not agent:
            raise AgentConfigRefused(f"two agents have the id {agent.config.id}: rename one")

    def session(
        self,
        agent: Agent,
        options: RunOptions | None = None,
        run_id: str | None = None,
        *,
        principal: str = LOCAL,
    ) -> AgentSession:
        """Of a new run, which is kept from its first record on; or of the run of that id, if there
        is one, which goes on where it was: its task and parameters are those on record.
        principal: who begins it, for whoever asks whose it is.

        Raises RunUnknown: it has ended, or is another agent's; RunTakenOver: another process is at
        it; JournalFault.
        """
        self.register(agent)
        if run_id is not None and self._is_kept(run_id):
            return self._resumed(agent, run_id)
        run_id, wanted = run_id or self._new_id(), options or RunOptions()
        attempt = Attempt(
            run_id=run_id,
            agent=agent.config.id,
            session=wanted.session or run_id,
            seed=wanted.seed,
            owner=self._lease.owner(),
            incarnation=uuid.uuid4().hex,
            principal=principal,
        )
        return self._made(agent, wanted, attempt, DurableJournal(self.store, attempt))

    async def arun(self, agent: Agent, options: RunOptions | str | None = None) -> AgentResult:
        """One run from its beginning to its end. options: a text is the run's task."""
        session = await apart(self.session, agent, _options(options))
        return await session.arun()

    def run(self, agent: Agent, options: RunOptions | str | None = None) -> AgentResult:
        """The same, for callers that are not asynchronous."""
        return self.session(agent, _options(options)).run()

    def take_up(self) -> list[AgentSession]:
        """Sessions of all runs that nobody is at, of the agents that are registered; they run when
        their `run` or `arun` is called."""
        return self._taken(self._left(self.store.open_runs(list(self._agents))))

    async def watch(self, service: AgentService | None = None) -> None:
        """Until it is cancelled: takes up what nobody is at, and aborts what somebody else asked to
        abort. service: whose runs they are from then on; its sessions have to be ours."""
        tasks: set[asyncio.Task[AgentResult]] = set()
        said = ""
        while True:
            try:
                await self._look(service, tasks)
                said = ""
            except Exception as exc:
                if (why := _said(exc)) != said:
                    log.error("runs are not looked after, trying again: %s", why)
                said = why
            await asyncio.sleep(self._look_every_s)

    def abort(self, run_id: str) -> bool:
        """Whether it has not ended yet: whoever runs it ends it soon. Raises RunUnknown."""
        is_open = self.store.ask_to_abort(run_id)
        if is_open:
            self._abort_here(run_id)
        return is_open

    def resume(self, run_id: str) -> AgentSession:
        """Of a run that is halted, or that nobody is at. Raises RunUnknown, RunTakenOver."""
        kept = self.store.find(run_id)
        if kept.state == "halted":
            self.store.go_on(run_id)
        if kept.agent not in self._agents:
            raise RunUnknown(f"run {run_id} is of agent {kept.agent}, which is not here")
        return self._resumed(self._agents[kept.agent], run_id)

    def result(self, run_id: str) -> AgentResult | None:
        """None: it has not ended. Raises RunUnknown, RecordsBroken."""
        return self.store.whole(run_id).result

    async def wait(self, run_id: str) -> AgentResult:
        """Until it has ended, wherever it runs. Raises RunUnknown, JournalFault: it halts."""
        while True:
            kept = await apart(self.store.find, run_id)
            if kept.state == "finished":
                return (await apart(self.store.whole, run_id)).result  # type: ignore[return-value]
            if kept.state == "halted":
                raise JournalFault(f"run {run_id} halts: {kept.reason}")
            await asyncio.sleep(POLL_S)

    def close(self) -> None:
        """Leaves the runs that have not ended to others. Whoever runs one here still, stops with
        RunTakenOver at its next record."""
        owner = self._lease.held
        try:
            if owner is not None:
                self.store.release(owner)
        finally:
            self._lease.close()
            if self._is_ours:
                self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _is_kept(self, run_id: str) -> bool:
        try:
            self.store.find(run_id)
        except RunUnknown:
            return False
        return True

    def _resumed(self, agent: Agent, run_id: str) -> AgentSession:
        """Raises RunUnknown, RunTakenOver, RecordsBroken."""
        kept = self.store.find(run_id)
        if kept.agent != agent.config.id:
            raise RunUnknown(f"run {run_id} is of agent {kept.agent}, not of {agent.config.id}")
        if kept.state in ("finished", "halted"):
            raise RunUnknown(f"run {run_id} is {kept.state}: {kept.reason or 'see its result'}")
        owner, incarnation = self._lease.owner(), uuid.uuid4().hex
        if kept.owner == owner and self._is_live(kept):
            raise RunTakenOver(f"run {run_id} is on its way in this process")
        found = self.store.claim(run_id, owner, incarnation, self._lease.is_dead)
        if found is None:
            raise RunTakenOver(self._why_not(run_id))
        attempt = Attempt(
            run_id, kept.agent, kept.session, kept.seed, owner, incarnation, kept.principal
        )
        named = None if kept.session == run_id else kept.session
        options = RunOptions(session=named, seed=kept.seed)
        journal = DurableJournal(self.store, attempt, found)
        session = self._made(agent, options, attempt, journal)
        if kept.aborts or journal.was_aborted:
            journal.abort(session.abort)
        return session

    def _why_not(self, run_id: str) -> str:
        """What has come of a run that cannot be taken up. Raises RunUnknown."""
        kept = self.store.find(run_id)
        if kept.state == "halted":
            return f"run {run_id} halts: {kept.reason}; resume it to go on all the same"
        if kept.state == "finished":
            return f"run {run_id} has ended meanwhile: see its result"
        return f"run {run_id} is on its way in another process: wait for it, or abort it"

    def _made(
        self, agent: Agent, options: RunOptions, attempt: Attempt, journal: DurableJournal
    ) -> AgentSession:
        session = agent.create_session(
            options,
            run_id=attempt.run_id,
            principal=attempt.principal,
            journal=journal,
            store=journal,
        )
        with self._lock:
            self._live = {key: kept for key, kept in self._live.items() if not _ended(kept[0])}
            self._live[attempt.run_id] = (session, journal)
        return session

    def _is_live(self, kept: KeptRun) -> bool:
        """Whether its process is, and still has it."""
        if kept.owner == self._lease.held:
            with self._lock:
                found = self._live.get(kept.id)
            return found is not None and not _ended(found[0])
        return kept.owner is not None and not self._lease.is_dead(kept.owner)

    def _abort_here(self, run_id: str) -> None:
        with self._lock:
            found = self._live.get(run_id)
        if found is not None:
            session, journal = found
            journal.abort(session.abort)

    async def _look(
        self, service: AgentService | None, tasks: set[asyncio.Task[AgentResult]]
    ) -> None:
        await apart(self._lease.check)
        listed = await apart(self.store.open_runs, list(self._agents))
        for kept in listed:
            if kept.aborts:
                self._abort_here(kept.id)
        left = await apart(self._left, listed)
        if service is not None:
            await self._hand_over(service, left)
            return
        for session in await apart(self._taken, left):
            task = asyncio.ensure_future(session.arun())
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            task.add_done_callback(say_left)

    def _left(self, listed: Sequence[KeptRun]) -> list[KeptRun]:
        """Those of them that nobody is at. Of each process it is asked once."""
        others = {kept.owner for kept in listed} - {None, self._lease.held}
        dead = {owner for owner in others if owner and self._lease.is_dead(owner)}
        return [
            kept
            for kept in listed
            if kept.owner in dead or (kept.owner not in others and not self._is_live(kept))
        ]

    def _taken(self, left: Iterable[KeptRun]) -> list[AgentSession]:
        sessions = []
        for kept in left:
            try:
                sessions.append(self._resumed(self._agents[kept.agent], kept.id))
            except Exception as exc:
                self._not_taken(kept, exc)
        return sessions

    async def _hand_over(self, service: AgentService, left: Iterable[KeptRun]) -> None:
        for kept in left:
            try:
                await service.start(kept.agent, run_id=kept.id)
            except Exception as exc:
                await apart(self._not_taken, kept, exc)

    def _not_taken(self, kept: KeptRun, why: Exception) -> None:
        """The others are taken up all the same."""
        if isinstance(why, RunTakenOver | RuntimeFault):
            return  # another was first, it has ended or halts, or the service takes no more
        log.error("run %s is not taken up: %s", kept.id, _said(why))
        if isinstance(why, RecordsBroken):
            with contextlib.suppress(JournalFault):  # it is seen again
                self.store.halt(kept.id, str(why))


class _Lease:
    """This process's: taken when its first run begins. Raises JournalFault."""

    def __init__(self, database: RunsDatabase) -> None:
        self._database, self._lock = database, threading.Lock()
        self._leases: Leases | None = None
        self.held: str | None = None

    def owner(self) -> str:
        with self._lock:
            if self.held is None:
                held = uuid.uuid4().hex
                with self._database.translated():
                    self._open().take(held)
                self.held = held
            return self.held

    def is_dead(self, owner: str) -> bool:
        with self._lock, self._database.translated():
            return owner != self.held and self._open().is_free(owner)

    def check(self) -> None:
        """Raises LeaseLost: others may take this process's runs, and it takes another lease."""
        with self._lock:
            if self._leases is None or self.held is None:
                return
            try:
                self._leases.check()
            except LeaseLost:
                self._leases.close()
                self._leases = self.held = None
                raise

    def close(self) -> None:
        with self._lock:
            if self._leases is not None:
                self._leases.close()
            self._leases = self.held = None

    def _open(self) -> Leases:
        if self._leases is None:
            self._leases = open_leases(self._database)
        return self._leases


def _ended(session: AgentSession) -> bool:
    return session.state == "finished"


def _said(fault: Exception) -> str:
    """Texts of others may quote anything."""
    is_ours = isinstance(fault, JournalFault | LeaseLost)
    return in_line(str(fault), 500) if is_ours else type(fault).__name__


def _options(given: RunOptions | str | None) -> RunOptions:
    return RunOptions(task=given) if isinstance(given, str) else given or RunOptions()


__all__ = ["DurableRuntime"]

"""The service of agents, where sessions take long to make, and where runs end without a result."""

import asyncio
import threading

import pytest

from tests.executor.runtime.scripts import DONE, agent
from zkagent.executor.runtime import Agent, AgentService, Event, RunOptions
from zkagent.executor.runtime.core.errors import JournalFault, RuntimeFault
from zkagent.executor.runtime.running.background import background
from zkagent.executor.runtime.running.session import AgentSession


def test_a_session_that_takes_long_to_make_holds_up_nobody_and_is_made_once() -> None:
    """As one does that is in a database."""

    async def run() -> None:
        made, free = [], threading.Event()

        def slowly(one: Agent, options: RunOptions, run_id: str | None) -> AgentSession:
            made.append(run_id)
            assert free.wait(600)
            return one.create_session(options, run_id=run_id)

        service = AgentService(slowly)
        service.register(agent(DONE))
        starting = asyncio.ensure_future(service.start("clerk", run_id="one"))
        while not made:
            await asyncio.sleep(0.01)
        with pytest.raises(RuntimeFault, match="run one is on its way already"):
            await service.start("clerk", run_id="one")
        free.set()
        await starting
        assert (await service.result("one")).success
        assert made == ["one"]
        await service.start("clerk", run_id="one")
        await service.shutdown()
        assert made == ["one", "one"]

    background.run(asyncio.wait_for(run(), 600))


def test_a_session_that_is_made_while_its_service_shuts_down_does_not_run() -> None:
    async def run() -> None:
        made, free = threading.Event(), threading.Event()

        def slowly(one: Agent, options: RunOptions, run_id: str | None) -> AgentSession:
            session = one.create_session(options, run_id=run_id)
            made.set()
            assert free.wait(600)
            return session

        service = AgentService(slowly)
        service.register(agent(DONE))
        starting = asyncio.ensure_future(service.start("clerk", run_id="one"))
        assert await asyncio.to_thread(made.wait, 120)
        await service.shutdown()
        free.set()
        with pytest.raises(RuntimeFault, match="shuts down"):
            await starting
        assert service.session("one") is None

    background.run(asyncio.wait_for(run(), 600))


def test_a_run_whose_records_fail_is_said_though_nobody_waits_for_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken:
        async def take(self, event: Event) -> None:
            raise JournalFault("the disk is full")

    async def run() -> None:
        service = AgentService(
            lambda one, options, run_id: one.create_session(options, run_id=run_id, store=Broken())
        )
        service.register(agent(DONE))
        session = await service.start("clerk")
        while session.id in service.running:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)

    background.run(asyncio.wait_for(run(), 600))
    said = [record.getMessage() for record in caplog.records]
    assert said == ["a run was left: JournalFault: the disk is full"]

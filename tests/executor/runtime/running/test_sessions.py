"""Sessions: aborting, streaming, cancelling; agents that stop; the service of many."""

import asyncio
import signal
import threading
import time
from typing import Any

import pytest

from tests.executor.runtime.running.test_permissions import SECRET, Rules
from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from zkagent.executor.runtime import (
    AgentService,
    Event,
    Hooks,
    RunOptions,
    ScriptedClient,
    ToolOutput,
)
from zkagent.executor.runtime.core.errors import AgentConfigRefused, RuntimeFault
from zkagent.executor.runtime.core.permissions import Asked, Verdict
from zkagent.executor.runtime.core.tools import CallContext
from zkagent.executor.runtime.permissions.audit.recorder import MemoryAudit
from zkagent.executor.runtime.permissions.engine import PermissionEngine
from zkagent.executor.runtime.permissions.redactions import Redaction


class Stuck:
    """A tool that waits until it is cancelled."""

    def __init__(self) -> None:
        self.began, self.ended = threading.Event(), threading.Event()
        self.calls = 0

    async def __call__(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        self.calls += 1
        self.began.set()
        try:
            await asyncio.sleep(600)
        finally:
            self.ended.set()
        return ToolOutput(True)


async def begun(stuck: Stuck) -> None:
    async with asyncio.timeout(120):
        while not stuck.began.is_set():
            await asyncio.sleep(0.001)


def test_an_aborted_run_says_so_and_the_call_within_it_is_unknown() -> None:
    async def run() -> None:
        stuck = Stuck()
        session = agent(use(), DONE, tools=[tool(stuck)]).create_session()
        running = asyncio.ensure_future(session.arun())
        await begun(stuck)
        session.abort()
        result = await running
        assert (result.aborted, result.success, stuck.ended.is_set()) == (True, False, True)
        assert result.error
        assert result.error.code == "aborted"
        assert [action.state for action in result.actions] == ["unknown"]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(run())


def test_a_run_that_is_aborted_again_while_it_ends_has_a_result_all_the_same() -> None:
    class Slow:
        def __init__(self) -> None:
            self.ending = asyncio.Event()

        async def take(self, event: Event) -> None:
            if event.kind == "step_finished":
                self.ending.set()
                await asyncio.sleep(0.1)

    async def run(*, again: bool) -> None:
        stuck, slow = Stuck(), Slow()
        session = agent(use(), DONE, tools=[tool(stuck)], sinks=[slow]).create_session()
        running = asyncio.ensure_future(session.arun())
        await begun(stuck)
        session.abort()
        await slow.ending.wait()
        if again:
            session.abort()
        result = await running
        assert (result.aborted, [action.state for action in result.actions]) == (True, ["unknown"])

    asyncio.run(run(again=False))
    asyncio.run(run(again=True))


def test_a_session_is_aborted_from_another_thread_while_it_runs_synchronously() -> None:
    stuck = Stuck()
    session = agent(use(), DONE, tools=[tool(stuck)]).create_session()

    def abort() -> None:
        stuck.began.wait(120)
        session.abort()

    thread = threading.Thread(target=abort)
    thread.start()
    assert session.run().aborted
    thread.join()


def test_a_session_that_is_aborted_before_it_runs_does_nothing() -> None:
    calls = Calls()
    session = agent(use(), DONE, tools=[tool(calls)]).create_session()
    session.abort()
    assert session.run().aborted
    assert calls.given == []


def test_aborting_what_has_ended_changes_nothing() -> None:
    session = agent(DONE).create_session()
    result = session.run()
    session.abort()
    assert (result.success, result.aborted, session.state) == (True, False, "finished")


def test_a_session_runs_once() -> None:
    session = agent(DONE).create_session()
    session.run()
    with pytest.raises(RuntimeFault, match="runs once"):
        session.run()


def test_a_cancelled_run_leaves_nothing_running() -> None:
    async def run() -> None:
        stuck = Stuck()
        running = asyncio.ensure_future(agent(use(), DONE, tools=[tool(stuck)]).arun())
        await begun(stuck)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert stuck.ended.is_set()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(run())


def test_a_stream_gives_all_events_in_order_to_either_kind_of_loop() -> None:
    clerk = agent(use(), DONE, tools=[tool(Calls())])

    async def read() -> list[Event]:
        return [event async for event in clerk.create_session().stream()]

    for events in (asyncio.run(read()), list(clerk.create_session().stream())):
        assert [event.number for event in events] == list(range(10))
        assert events[-1].kind == "run_finished"


def test_a_stream_has_the_result_when_it_is_over() -> None:
    stream = agent(DONE).create_session().stream()
    assert [event.kind for event in stream][-1] == "run_finished"
    assert stream.result
    assert stream.result.success


def test_who_leaves_a_stream_early_aborts_the_run() -> None:
    stuck = Stuck()
    stream = agent(use(), DONE, tools=[tool(stuck)]).create_session().stream()
    events = iter(stream)
    while next(events).kind != "tool_called":
        pass
    assert stuck.began.wait(120)
    events.close()
    assert stuck.ended.is_set()
    assert stream.result
    assert stream.result.aborted


def test_tokens_are_streamed_to_whoever_listens_and_are_not_kept() -> None:
    text = "word " * 200
    client = ScriptedClient([text], repeats=True)
    clerk = agent(model_providers=[client])
    chunks = [e.data["text"] for e in clerk.create_session().stream() if e.kind == "model_tokens"]
    assert len(chunks) > 2
    assert "".join(map(str, chunks)) == text
    kept = clerk.run().event_stream
    assert "model_tokens" not in [event.kind for event in kept]


def streamed(text: str, permissions: Any) -> list[str]:
    clerk = agent(model_providers=[ScriptedClient([text])], permissions=permissions)
    events = list(clerk.create_session().stream())
    return [str(event.data["text"]) for event in events if event.kind == "model_tokens"]


@pytest.mark.parametrize("words", [20, 60, 200])
def test_nothing_of_a_long_secret_is_streamed_before_it_is_known_for_one(words: int) -> None:
    secret = " ".join(f"word{number}" for number in range(words))
    engine = PermissionEngine([Redaction(known=[secret])])
    before, after = "plain " * 150, "harmless " * 150
    told = streamed(f"{before}{secret} {after}", engine)
    assert "word1" not in "".join(told)
    assert "".join(told).startswith(before)
    assert "".join(told).endswith(after)
    assert len(told) > 1


def test_a_stream_that_is_redacted_stands_in_the_audit_log_as_one_answer() -> None:
    audit = MemoryAudit()
    key = "my-own-secret-of-old"
    streamed(f"{key} {'harmless ' * 300}", PermissionEngine([Redaction(known=[key])], audit))
    assert [record["place"] for record in audit.records].count("model") == 1
    assert {record["kind"] for record in audit.records} == {"changed"}


def test_an_answer_is_judged_the_more_rarely_the_longer_it_is() -> None:
    class Counting(Rules):
        looked = 0

        async def judge_value(self, asked: Asked, value: Any) -> Verdict:
            self.looked += len(value) if asked.partial else 0
            return await super().judge_value(asked, value)

    for secret in ("", f"{SECRET} "):
        rules, text = Counting(), secret + "word " * 10_000
        assert len("".join(streamed(text, rules))) > 40_000
        assert len(text) < rules.looked < 12 * len(text)


def test_hooks_and_handlers_are_told_and_may_be_asynchronous() -> None:
    told: list[Any] = []

    async def called(name: str, given: Any) -> None:
        told.append((name, given))

    hooks = Hooks(on_step_start=told.append, on_tool_call=called, on_error=told.append)
    clerk = agent(use(a=1), tools=[tool(Calls())], hooks=hooks)
    clerk.on("metrics", lambda event: told.append(event.kind))
    clerk.run()
    assert told[:3] == [0, ("look", {"a": 1}), 1]
    assert told[3]["code"] == "plan_refused"
    assert told[4] == "run_finished"
    with pytest.raises(AgentConfigRefused, match="no event 'steps'"):
        clerk.on("steps", print)


def test_the_hook_for_tokens_is_told_all_of_an_answer() -> None:
    told: list[str] = []
    text = "word " * 300  # more than what is held back at its end
    clerk = agent(
        model_providers=[ScriptedClient([text])], hooks=Hooks(on_model_tokens=told.append)
    )
    assert clerk.run().success
    assert len(told) > 2
    assert "".join(told) == text


def test_a_handler_that_raises_is_left_out_and_the_run_goes_on() -> None:
    told: list[str] = []

    def fails(event: Event) -> None:
        told.append(event.kind)
        raise ValueError("secret")

    clerk = agent(DONE)
    clerk.on("*", fails)
    result = clerk.run()
    assert (result.success, told) == (True, ["run_started"])
    assert result.diagnostics["warnings"] == ["sink fails is left out: it raised ValueError"]


def test_an_event_store_that_fails_ends_the_run_without_a_result() -> None:
    class Full:
        async def take(self, event: Event) -> None:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        agent(DONE).create_session(store=Full()).run()


def test_a_stopped_agent_takes_no_runs_and_aborts_those_that_do_not_end() -> None:
    async def run() -> None:
        stuck = Stuck()
        clerk = agent(use(), DONE, tools=[tool(stuck)])
        running = asyncio.ensure_future(clerk.arun())
        await begun(stuck)
        assert clerk.health() == {"agent": "clerk", "accepts_runs": True, "running": 1}
        await clerk.stop(grace_s=0.01)
        assert (await running).aborted
        assert clerk.health() == {"agent": "clerk", "accepts_runs": False, "running": 0}
        with pytest.raises(RuntimeFault, match="has stopped"):
            clerk.create_session()

    asyncio.run(run())


def test_leaving_an_agents_block_closes_its_clients() -> None:
    client = ScriptedClient(["hi"])
    with agent(model_providers=[client]) as clerk:
        assert clerk.run().result == "hi"
    assert client.closed


class Closes:
    """A planner that holds something open. how: its close() is plain or asynchronous, or raises."""

    def __init__(self, how: str = "plain") -> None:
        self.how, self.times = how, 0

    async def plan(self, state: Any, models: Any) -> Any:
        return DONE

    def close(self) -> Any:
        self.times += 1
        if self.how == "raises":
            raise OSError("no such process")
        return asyncio.sleep(0) if self.how == "asynchronous" else None


@pytest.mark.parametrize("how", ["plain", "asynchronous", "raises"])
def test_planners_are_closed_with_their_agent_or_service_once_and_keep_nothing_else_open(
    how: str,
) -> None:
    async def run() -> None:
        client, planner = ScriptedClient(["hi"]), Closes(how)
        service = AgentService()
        for name in ("a", "b"):
            service.register(agent(id=name, planner=planner, model_providers=[client]))
        for number, closing in enumerate((service.shutdown, service.agents[0].close), start=1):
            client.closed = False
            if how == "raises":
                with pytest.raises(OSError, match="no such process"):
                    await closing(0.0)
            else:
                await closing(0.0)
            assert (planner.times, client.closed) == (number, True)

    asyncio.run(run())


def test_a_synchronous_run_works_within_a_running_loop() -> None:
    async def notebook() -> bool:
        return agent(DONE).run().success

    assert asyncio.run(notebook())


@pytest.mark.parametrize("main", [True, False], ids=["waiting thread", "another thread"])
def test_an_interrupted_synchronous_run_is_cancelled(main: bool) -> None:
    """Also where another thread takes the signal, which so interrupts no wait."""
    stuck = Stuck()
    clerk = agent(use(), DONE, tools=[tool(stuck)])

    def interrupt() -> None:
        stuck.began.wait(120)
        taking = threading.main_thread() if main else threading.current_thread()
        signal.pthread_kill(taking.ident or 0, signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored aside of a shell
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            clerk.run()
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert stuck.ended.is_set()
    assert clerk.running == ()
    assert stuck.calls == 1, "the call's time ran out, and it was tried again"


def test_a_service_runs_many_agents_at_once_and_shuts_down() -> None:
    async def run() -> None:
        service, calls = AgentService(), Calls()
        for name in ("a", "b"):
            service.register(agent(use(), DONE, id=name, tools=[tool(calls)]))
        ids = [f"{name}-{number}" for number in range(10) for name in ("a", "b")]
        for run_id in ids:
            await service.start(run_id[0], RunOptions(), run_id=run_id)
        results = await asyncio.gather(*map(service.result, ids))
        assert [result.id for result in results] == ids
        assert all(result.success for result in results)
        assert len({context.key for context in calls.contexts}) == 20
        await service.shutdown()
        with pytest.raises(RuntimeFault, match="shuts down"):
            await service.start("a")

    asyncio.run(run())


def test_a_service_refuses_what_is_not_there_or_there_already() -> None:
    async def run() -> None:
        service, stuck = AgentService(), Stuck()
        service.register(agent(use(), DONE, tools=[tool(stuck)]))
        with pytest.raises(AgentConfigRefused, match="already"):
            service.register(agent(DONE))
        with pytest.raises(AgentConfigRefused, match="no agent 'b'"):
            await service.start("b")
        with pytest.raises(RuntimeFault, match="no run"):
            await service.result("x")
        await service.start("clerk", run_id="r")
        with pytest.raises(RuntimeFault, match="on its way already"):
            await service.start("clerk", run_id="r")
        assert not service.abort("x")
        assert service.abort("r")
        assert (await service.result("r")).aborted

    asyncio.run(run())


def test_a_service_that_shuts_down_aborts_or_leaves_what_does_not_end() -> None:
    async def run(*, leave: bool) -> None:
        service, stuck = AgentService(), Stuck()
        service.register(agent(use(), DONE, tools=[tool(stuck)]))
        await service.start("clerk", run_id="r")
        await begun(stuck)
        began = time.monotonic()
        await service.shutdown(0.01, leave=leave)
        assert time.monotonic() - began < 60
        if leave:
            with pytest.raises(asyncio.CancelledError):
                await service.result("r")
        else:
            assert (await service.result("r")).aborted

    asyncio.run(run(leave=False))
    asyncio.run(run(leave=True))

"""Code of the host's that tries to end the process ends its own step, and nothing else."""

import argparse
import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from tests.support.processes import environment
from zkagent.executor.runtime import AgentResult
from zkagent.executor.runtime import tool as made_tool
from zkagent.executor.runtime.core.foreign import ExitRaised, contained
from zkagent.executor.runtime.core.threads import apart
from zkagent.executor.runtime.permissions.engine import Opinion, PermissionEngine, Rule
from zkagent.executor.runtime.running.background import Background, background

PATIENCE_S = 60.0  # only a hang reaches it
ENDINGS: list[BaseException] = [SystemExit(3), KeyboardInterrupt()]
GROUP = BaseExceptionGroup("two", [ValueError("a"), SystemExit(3)])


def in_time(do: Callable[[], Any]) -> Any:
    """What it returns or raises; a hang fails instead of holding up all tests."""
    found: list[Any] = []

    def doing() -> None:
        try:
            found.append(do())
        except BaseException as exc:
            found.append(exc)

    thread = threading.Thread(target=doing, daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert found, "it hangs"
    return found[0]


def alive() -> bool:
    return bool(in_time(agent(DONE).run).success)


@made_tool(safe_by_default=True)
def parses(x: str) -> str:
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=int)
    return str(parser.parse_args([x]).n)


def exiting(ending: BaseException, *, is_async: bool) -> Any:
    async def asynchronous(x: str) -> str:
        raise ending

    def synchronous(x: str) -> str:
        raise ending

    made = made_tool(id="look", safe_by_default=True)
    return made(asynchronous if is_async else synchronous)


@pytest.mark.parametrize("is_async", [False, True], ids=["thread", "coroutine"])
@pytest.mark.parametrize("ending", [*ENDINGS, GROUP], ids=["exit", "interrupt", "group"])
def test_a_tool_that_exits_fails_and_later_runs_go_on(
    ending: BaseException, is_async: bool
) -> None:
    clerk = agent(use(x="1"), DONE, tools=[exiting(ending, is_async=is_async)])
    result: AgentResult = in_time(clerk.run)
    assert result.success
    assert result.actions[0].state == "failed"
    error = result.actions[0].error
    assert error is not None
    assert error["code"] == "tool_failed"
    assert "it raised " in str(error["message"])
    assert alive()


def test_a_tool_whose_arguments_argparse_refuses_fails() -> None:
    result = in_time(agent(use("parses", x="seven"), DONE, tools=[parses]).run)
    error = result.actions[0].error
    assert (error["code"], "SystemExit: 2" in error["message"]) == ("tool_failed", True)
    result = in_time(agent(use("parses", x="7"), DONE, tools=[parses]).run)
    assert result.actions[0].output == "7"


@pytest.mark.parametrize("ending", ENDINGS, ids=["exit", "interrupt"])
def test_a_definition_whose_run_exits_fails(ending: BaseException) -> None:
    result = in_time(agent(use(), DONE, tools=[tool(Calls([ending]))]).run)
    assert result.actions[0].error["code"] == "tool_failed"
    assert alive()


class Exits:
    """A planner, a reflector, a sink, an approver: whichever is asked."""

    def __init__(self, ending: BaseException) -> None:
        self.ending = ending

    async def plan(self, state: Any, models: Any) -> Any:
        raise self.ending

    async def reflect(self, state: Any, done: Any) -> Any:
        raise self.ending

    async def take(self, event: Any) -> None:
        raise self.ending

    async def info(self) -> Any:
        raise self.ending

    async def close(self) -> None:
        raise self.ending


class PlansAtOnce(Exits):
    def plan(self, state: Any, models: Any) -> Any:
        raise self.ending


@pytest.mark.parametrize("kind", [Exits, PlansAtOnce])
@pytest.mark.parametrize("ending", ENDINGS, ids=["exit", "interrupt"])
def test_a_planner_that_exits_is_refused(ending: BaseException, kind: type[Exits]) -> None:
    result = in_time(agent(planner=kind(ending)).run)
    assert not result.success
    assert result.error.code == "plan_refused"
    assert "ExitRaised" in result.error.message
    assert alive()


@pytest.mark.parametrize("ending", ENDINGS, ids=["exit", "interrupt"])
def test_a_reflector_that_exits_fails_its_run(ending: BaseException) -> None:
    steps = use(), DONE
    result = in_time(agent(*steps, tools=[tool(Calls())], reflector=Exits(ending)).run)
    assert (result.success, result.error.code) == (False, "failed")
    assert alive()


@pytest.mark.parametrize("ending", ENDINGS, ids=["exit", "interrupt"])
def test_sinks_and_listeners_that_exit_are_left_out(ending: BaseException) -> None:
    def listener(event: Any) -> None:
        raise ending

    clerk = agent(DONE, sinks=[Exits(ending)])
    clerk.on("*", listener)
    assert in_time(clerk.run).success
    assert in_time(clerk.run).success
    assert alive()


@pytest.mark.parametrize("ending", ENDINGS, ids=["exit", "interrupt"])
def test_a_rule_that_exits_refuses(ending: BaseException) -> None:
    class Leaves(Rule):
        name = "leaves"

        async def step(self, asked: Any, step: Any) -> Opinion | None:
            raise ending

    result = in_time(agent(DONE, permissions=PermissionEngine([Leaves()])).run)
    assert result.actions[0].state == "refused"
    assert "leaves failed (ExitRaised)" in result.actions[0].error["message"]
    assert alive()


@pytest.mark.parametrize("ending", ENDINGS, ids=["exit", "interrupt"])
def test_a_model_client_that_exits_fits_nothing(ending: BaseException) -> None:
    result = in_time(agent(model_providers=[Exits(ending)]).run)
    assert (result.success, result.error.code) == (False, "no_model")
    assert alive()


def test_other_errors_of_tools_are_told_as_before() -> None:
    result = in_time(agent(use(), DONE, tools=[tool(Calls([ValueError("no")]))]).run)
    assert result.actions[0].error["message"] == "look failed: ValueError: no"


def test_cancellations_and_a_main_threads_interrupt_pass() -> None:
    for passing in (asyncio.CancelledError(), GeneratorExit(), KeyboardInterrupt()):
        with pytest.raises(type(passing)), contained():
            raise passing
    with pytest.raises(ExitRaised, match="it raised SystemExit: 3"), contained():
        raise SystemExit(3)


def test_a_store_that_exits_in_its_thread_is_an_error() -> None:
    with pytest.raises(ExitRaised):
        asyncio.run(apart(sys.exit, 3))


ARUN = """
import asyncio, sys
from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
result = asyncio.run(agent(use(), DONE, tools=[tool(Calls([SystemExit(3)]))]).arun())
print(result.success, result.actions[0].error["code"])
"""


def test_the_callers_own_loop_and_process_go_on() -> None:
    words = [sys.executable, "-c", ARUN]
    done = subprocess.run(
        words, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, "True tool_failed\n"), done.stderr


async def leaves_task(ending: BaseException) -> None:
    async def beside() -> None:
        raise ending

    task = asyncio.create_task(beside())
    await asyncio.wait({task})
    task.exception()


async def stops() -> str:
    asyncio.get_running_loop().stop()
    await asyncio.sleep(0)
    return "on"


@pytest.mark.parametrize("ending", ENDINGS, ids=["exit", "interrupt"])
def test_the_loop_survives_tasks_that_others_left_on_it(ending: BaseException) -> None:
    assert in_time(lambda: background.run(leaves_task(ending))) is None
    assert in_time(lambda: background.run(stops())) == "on"
    assert alive()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_who_waits_for_a_loop_that_breaks_is_told_and_the_next_gets_another() -> None:
    own, broken = Background(), threading.Event()
    loop = own.loop

    async def breaks() -> None:
        def fail(*_: Any) -> Any:
            raise OSError("bad file descriptor")

        loop._selector.select = fail  # type: ignore[attr-defined]
        broken.set()
        await asyncio.sleep(3600)

    found = in_time(lambda: own.run(breaks()))
    assert isinstance(found, RuntimeError)
    assert "the loop of the runs ended: it raised OSError" in str(found)
    assert in_time(lambda: own.run(asyncio.sleep(0, "another"))) == "another"
    assert own.loop is not loop

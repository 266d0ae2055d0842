"""Events of runs that nobody ran, for tests of sinks."""

import asyncio
import functools
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from zkagent.executor.runtime import ScriptedClient, ToolOutput
from zkagent.executor.runtime.core.events import Event, EventKind

AT = datetime(2026, 1, 1, tzinfo=UTC)
#: One for each content, to be looked for.
TASK, GIVEN, FOUND, SAID, RESULT = "task-51", "input-52", "output-53", "error-54", "result-55"


def event(kind: EventKind, number: int | None, run_id: str = "run", **data: Any) -> Event:
    return Event(run_id, number, AT + timedelta(seconds=number or 0), kind, data)


def told(*script: Any, **others: Any) -> list[Event]:
    """Everything that a run tells: of a tool that fails once, answers, and a finish."""
    calls = Calls([RuntimeError(SAID), ToolOutput(True, FOUND, {"note": FOUND})])
    looking = tool(calls, retriable=(RuntimeError,))
    finish = DONE if not script else script[-1]
    steps = [use(word=GIVEN), *script[:-1], finish]
    done = agent(*steps, tools=[looking], task_prompt=TASK, **others).run()
    assert isinstance(done.event_stream, tuple)
    return list(done.event_stream)


def asked() -> list[Event]:
    """A run in which a language model answers."""
    client = ScriptedClient([RESULT])
    done = agent(task_prompt=TASK, model_providers=[client]).run()
    assert isinstance(done.event_stream, tuple)
    return list(done.event_stream)


def in_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """A test that is a coroutine, run in an event loop of its own."""

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        async def whole() -> None:
            await test(*arguments, **named)

        asyncio.run(whole())

    return run

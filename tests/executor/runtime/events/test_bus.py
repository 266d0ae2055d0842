"""The bus: sinks that are slow, hang or fail, and a run that does not notice."""

import asyncio
import threading
from dataclasses import dataclass, field

import pytest

from tests.executor.runtime.events.stories import AT, event, in_loop
from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.events.bus import EventBus
from zkagent.executor.runtime.events.collected import Collected


@dataclass
class Stuck:
    """Takes nothing until it is let go."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    taken: list[int | None] = field(default_factory=list)

    async def take(self, event: Event) -> None:
        await self.go.wait()
        self.taken.append(event.number)


@dataclass
class Failing:
    name: str = "failing"
    asked: int = 0

    async def take(self, event: Event) -> None:
        self.asked += 1
        raise OSError("disk full of secret-1")


def test_each_sink_gets_all_events_in_order() -> None:
    first, second = Collected(), Collected()
    result = agent(use(), DONE, tools=[tool(Calls())], sinks=[EventBus([first, second])]).run()
    assert first.events == second.events == list(result.event_stream)
    assert [one.number for one in first.events] == list(range(len(first.events)))


def test_a_run_ends_while_a_sink_hangs_and_the_others_have_all_of_it() -> None:
    kept, ended = Collected(), threading.Event()

    class Other:
        async def take(self, event: Event) -> None:
            await kept.take(event)
            if event.kind == "run_finished":
                ended.set()

    bus = EventBus([Stuck(), Other()], patience_s=0.01)
    assert agent(DONE, sinks=[bus]).run().success
    assert ended.wait(120)
    assert kept.kinds[-1] == "run_finished"


@in_loop
async def test_what_others_tell_meanwhile_is_not_waited_for() -> None:
    """A sink to which another run tells something with each event that it takes."""
    taken: list[str] = []
    flushed = asyncio.Event()

    class Busy:
        async def take(self, told: Event) -> None:
            taken.append(told.run_id)
            if not flushed.is_set():
                await bus.take(event("step_started", len(taken), "other", step=0))
            await asyncio.sleep(0)

    bus = EventBus([Busy()])
    await bus.take(event("step_started", 0, "one", step=0))
    assert await bus.flush(120)
    flushed.set()
    assert taken[0] == "one"
    assert await bus.flush(120)
    assert bus.troubles == ()


@in_loop
async def test_a_sink_that_was_stuck_takes_what_is_numbered_and_what_it_missed_is_counted() -> None:
    slow = Stuck()
    bus = EventBus([slow], waiting=3)
    for number in range(5):
        await bus.take(event("step_started", number, step=number))
        await bus.take(event("model_tokens", None, step=number, text="word"))
    assert not await bus.flush(0.01)
    slow.go.set()
    assert await bus.flush(5)
    assert [number for number in slow.taken if number is not None] == [0, 1, 2, 3, 4]
    assert bus.dropped == 10 - len(slow.taken) > 0


@in_loop
async def test_a_sink_that_fails_is_left_out_once_and_its_words_are_not_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    failing, kept = Failing(), Collected()
    bus = EventBus([failing, kept])
    for number in range(3):
        await bus.take(event("step_started", number, step=number))
        await bus.flush(5)
    assert failing.asked == 1
    assert len(kept.events) == 3
    assert bus.troubles == ("sink failing is left out: it raised OSError",)
    assert caplog.text.count("left out") == 1
    assert "secret-1" not in caplog.text


@in_loop
async def test_a_sink_for_which_too_many_wait_is_left_out() -> None:
    bus = EventBus([Stuck()], most=4)
    for number in range(6):
        await bus.take(event("step_started", number, step=number))
    assert bus.troubles == ("sink Stuck is left out: 4 events wait for it",)
    assert not bus.dropped


def test_events_that_a_loop_left_behind_are_taken_in_the_next_one() -> None:
    kept, begun = Collected(), asyncio.Event()

    async def slowly(told: Event) -> None:
        if not begun.is_set():
            begun.set()
            await asyncio.Event().wait()
        await kept.take(told)

    class Slow:
        take = staticmethod(slowly)

    bus = EventBus([Slow()])

    async def begin() -> None:
        await bus.take(event("step_started", 0, step=0))
        await begun.wait()  # the line is being emptied, and is cancelled with the loop

    async def go_on() -> None:
        await bus.take(event("step_started", 1, step=1))
        assert await bus.flush(5)

    asyncio.run(begin())
    assert kept.events == []
    asyncio.run(go_on())
    assert [one.number for one in kept.events] == [0, 1]


@in_loop
async def test_closing_waits_for_what_is_on_its_way_and_closes_what_can_be() -> None:
    closed: list[int] = []

    class Closing(Collected):
        def close(self) -> None:
            closed.append(len(self.events))

    bus = EventBus([Closing()])
    bus.add(Collected())
    await bus.take(Event("run", 0, AT, "step_started", {"step": 0}))
    await bus.close()
    assert closed == [1]

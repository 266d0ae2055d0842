"""How often tools may be called, in memory and in a file alike."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.executor.runtime.permissions.asking import asked, step_verdict, tool
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.permissions.defaults import default_permissions
from zkagent.executor.runtime.permissions.engine import PermissionEngine
from zkagent.executor.runtime.permissions.ledger import Ledger
from zkagent.executor.runtime.permissions.rates import (
    DEFAULT_LIMITS,
    LONGEST_WINDOW_S,
    Claim,
    Limit,
    MemoryRates,
    Rates,
    RateStore,
)

LOOK, PEEK = tool("look"), tool("peek")


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> RateStore:
    return MemoryRates() if request.param == "memory" else Ledger(tmp_path / "ledger")


Calls = Callable[..., bool]


def calling(store: RateStore, *limits: Limit) -> Calls:
    """Whether a call is allowed: of `look`, a new step each time."""
    engine = PermissionEngine([Rates(limits, store)])
    steps = iter(range(10_000))

    def call(now_s: float = 0.0, of: Any = LOOK, **others: Any) -> bool:
        others.setdefault("step", next(steps))
        return step_verdict(engine, of, now_s=now_s, **others).allowed

    return call


def test_a_store_that_takes_its_time_keeps_nothing_else_waiting() -> None:
    threads: list[int] = []

    class Slow(MemoryRates):
        def take(self, claims: Sequence[Claim], call: str, now_s: float) -> int | None:
            threads.append(threading.get_ident())
            return super().take(claims, call, now_s)

    call = calling(Slow(), Limit("one", 1, 60))
    assert [call(), call()] == [True, False]
    assert threads
    assert threading.get_ident() not in threads


def test_so_many_calls_fit_into_a_window_and_no_more(store: RateStore) -> None:
    call = calling(store, Limit("two", 2, 60))
    assert [call(0), call(10), call(20)] == [True, True, False]
    assert [call(59.9), call(60), call(60), call(70)] == [False, True, False, True]


def test_each_tool_has_its_own_budget_unless_the_limit_is_the_agents(store: RateStore) -> None:
    call = calling(store, Limit("each", 1, 60))
    assert [call(), call(of=PEEK), call()] == [True, True, False]
    call = calling(store, Limit("all", 1, 60, "agent"))
    assert [call(), call(of=PEEK), call(of=PEEK, agent="chief")] == [True, False, True]


def test_a_run_has_a_budget_of_its_own(store: RateStore) -> None:
    call = calling(store, Limit("run", 1, 60, "run"))
    assert [call(run="a"), call(run="a"), call(run="b")] == [True, False, True]


def test_a_pause_is_kept(store: RateStore) -> None:
    call = calling(store, Limit("slow", 9, 60, cooldown_s=10))
    assert [call(0), call(9.9), call(10)] == [True, False, True]


def test_a_clock_that_goes_back_frees_nothing(store: RateStore) -> None:
    call = calling(store, Limit("two", 2, 60, cooldown_s=10))
    assert [call(1000), call(1010)] == [True, True]
    assert [call(0), call(5), call(939), call(1011)] == [False] * 4
    assert call(1070)


def test_a_step_that_is_judged_again_counts_once(store: RateStore) -> None:
    call = calling(store, Limit("one", 1, 60))
    assert [call(0, step=4), call(1, step=4), call(2, step=5)] == [True, True, False]


def test_a_call_that_one_limit_refuses_spends_nothing_of_another(store: RateStore) -> None:
    small, large = Limit("small", 1, 10), Limit("large", 2, 1000, "agent")
    call = calling(store, large, small)
    assert [call(0), call(1), call(2), call(20), call(40)] == [True, False, False, True, False]


def test_limits_hold_for_the_tools_they_name(store: RateStore) -> None:
    call = calling(store, Limit("one", 1, 60, tools=["look"]))
    assert [call(), call(), call(of=PEEK), call(of=PEEK)] == [True, False, True, True]


def test_what_another_rule_refuses_spends_nothing() -> None:
    engine = default_permissions(limits=[Limit("one", 1, 60, "agent")])
    assert not step_verdict(engine, tool("wipe", destructive=True), step=1).allowed
    assert step_verdict(engine, LOOK, step=2).allowed
    assert step_verdict(engine, LOOK, step=3).rules == ("rates.one",)


def test_calls_that_count_by_no_limit_any_more_are_gone_whatever_their_scope(
    tmp_path: Path,
) -> None:
    ledger, month_s = Ledger(tmp_path / "ledger"), LONGEST_WINDOW_S
    for number in range(5):
        assert ledger.take([Claim(f"run {number}", 1, 60, 0)], "a", number) is None
    assert ledger.take([Claim("run 5", 1, month_s, 0)], "a", 4) is None
    assert ledger.take([Claim("run 6", 1, 60, 0)], "a", month_s + 3.5) is None
    with closing(sqlite3.connect(tmp_path / "ledger")) as base:
        found = [scope for (scope,) in base.execute("select scope from calls order by scope")]
    assert found == ["run 4", "run 5", "run 6"]
    assert ledger.take([Claim("run 5", 1, month_s, 0)], "b", month_s + 3.5) == 0


def test_tools_that_hold_all_threads_keep_no_step_from_being_judged(store: RateStore) -> None:
    free = threading.Event()

    async def judged() -> bool:
        held = [asyncio.ensure_future(asyncio.to_thread(free.wait, 600)) for _ in range(40)]
        await asyncio.sleep(0.05)
        engine = PermissionEngine([Rates([Limit("one", 1, 60)], store)])
        step = PlanStep("tool", "look", {})
        found = await asyncio.wait_for(engine.judge_step(asked("plan", LOOK), step), 120)
        free.set()
        await asyncio.gather(*held)
        return found.allowed

    assert asyncio.run(judged())


def test_a_budget_is_the_same_in_another_process(tmp_path: Path) -> None:
    claim = Claim("scope", 1, 60, 0)
    assert Ledger(tmp_path / "ledger").take([claim], "a", 0) is None
    assert Ledger(tmp_path / "ledger").take([claim], "b", 0) == 0
    assert Ledger(tmp_path / "ledger").take([claim], "a", 0) is None


def test_calls_at_once_do_not_share_the_last_place(store: RateStore) -> None:
    claim, taken = Claim("scope", 5, 60, 0), []
    threads = [
        threading.Thread(target=lambda n=n: taken.append(store.take([claim], str(n), 0)))
        for n in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken.count(None) == 5


def test_the_default_limits_are_what_the_documents_say() -> None:
    assert [(x.calls, x.window_s, x.per) for x in DEFAULT_LIMITS] == [
        (60, 60, "tool"),
        (1000, 3600, "agent"),
        (1000, 86400, "run"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"calls": 0},
        {"calls": 10_001},
        {"window_s": 0.5},
        {"window_s": float("nan")},
        {"window_s": 2_678_401.0},
        {"cooldown_s": -1},
        {"cooldown_s": 61},
        {"per": "week"},
        {"calls": True},
        {"calls": 1.5},
        {"calls": "2"},
        {"window_s": True},
        {"cooldown_s": False},
        {"window_s": "60"},
    ],
)
def test_limits_have_bounds(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {"name": "x", "calls": 1, "window_s": 60.0}
    assert Limit(**right)
    with pytest.raises(AgentConfigRefused, match="limit x"):
        Limit(**{**right, **wrong})

"""Which provider is asked, in which order, how often, and what its answer may be."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from tests.executor.runtime.scripts import AT_ONCE
from tests.support.hasty_loop import hastily
from zkagent.executor.runtime import (
    ChatMessage,
    ModelInfo,
    ModelResponse,
    ScriptedClient,
    TokenUsage,
)
from zkagent.executor.runtime.core.errors import ModelFault, ModelTimeout, NoModelFits
from zkagent.executor.runtime.core.models import CallOptions, TokenChunk
from zkagent.executor.runtime.providers.router import Answered, Router

ASKED = [ChatMessage("user", "how are you")]


def client(name: str, *answers: Any, **about: Any) -> ScriptedClient:
    info = ModelInfo(name, **{"supports_streaming": True, **about})
    return ScriptedClient(answers or [name], name, repeats=True, about=info)


def ask(*clients: Any, strategy: Any = None, **options: Any) -> Answered:
    router = Router(clients, strategy, AT_ONCE)
    return hastily(router.ask(ASKED, CallOptions(**options)))


class Slow(ScriptedClient):
    async def call(self, messages: Sequence[ChatMessage], options: CallOptions) -> ModelResponse:
        await asyncio.sleep(600)
        return await super().call(messages, options)


def test_the_first_provider_that_fits_answers() -> None:
    assert ask(client("a"), client("b")).provider == "a"


@pytest.mark.parametrize(
    ("has", "lacks", "options"),
    [
        ({}, {}, {"model": "fits"}),
        ({"modalities": frozenset({"text", "image"})}, {}, {"modality": "image"}),
        ({"max_tokens": 100}, {"max_tokens": 99}, {"max_tokens": 100}),
        ({"capabilities": frozenset({"json"})}, {}, {"needs": frozenset({"json"})}),
        ({"cost": (1, 10)}, {"cost": (1, 11)}, {"max_tokens": 1000, "max_cost": 0.0101}),
        ({"cost": (0, 0)}, {}, {"max_cost": 0.0}),
    ],
)
def test_a_provider_that_lacks_something_is_passed_over(
    has: dict[str, Any], lacks: dict[str, Any], options: dict[str, Any]
) -> None:
    assert ask(client("lacks", **lacks), client("fits", **has), **options).provider == "fits"
    with pytest.raises(NoModelFits, match="no model provider fits: lacks "):
        ask(client("lacks", **lacks), **options)


def test_the_hosts_strategy_orders_those_that_fit() -> None:
    def cheapest(fits: Any, options: CallOptions) -> list[Any]:
        return [one for one, info in sorted(fits, key=lambda fit: fit[1].cost)]

    dear, cheap = client("dear", cost=(9, 9)), client("cheap", cost=(1, 1))
    assert ask(dear, cheap, strategy=cheapest).provider == "cheap"
    with pytest.raises(NoModelFits, match="the strategy chose none"):
        ask(dear, strategy=lambda fits, options: [])


def test_a_strategy_cannot_bring_in_what_does_not_fit() -> None:
    outside = client("outside")
    found = ask(client("a"), strategy=lambda fits, options: [outside, *(f[0] for f in fits)])
    assert (found.provider, outside.asked) == ("a", [])


def test_a_fault_is_retried_where_it_says_so_and_then_the_next_one_is_asked() -> None:
    busy = client("busy", ModelFault("busy", retriable=True))
    found = ask(busy, client("b"))
    assert (found.provider, found.attempts, found.last_error) == ("b", 4, "busy")
    broken = client("broken", ModelFault("broken"))
    assert ask(broken, client("b")).attempts == 2


def test_a_provider_that_recovers_answers_itself() -> None:
    found = ask(client("a", ModelFault("busy", retriable=True), "fine"), client("b"))
    assert (found.provider, found.attempts, found.response.text) == ("a", 2, "fine")


def test_a_provider_that_times_out_is_asked_once_and_the_next_one_answers() -> None:
    slow = Slow(["late"], "slow")
    assert ask(slow, client("b"), timeout_s=0.01).attempts == 2
    with pytest.raises(ModelTimeout, match="slow did not answer within"):
        ask(slow, timeout_s=0.01)


def test_the_last_fault_is_raised_when_all_fail() -> None:
    with pytest.raises(ModelFault, match="second"):
        ask(client("a", ModelFault("first")), client("b", ModelFault("second")))


def test_what_a_client_raises_besides_is_a_fault_by_its_type_alone() -> None:
    with pytest.raises(ModelFault) as found:
        ask(client("a", ValueError("sk-secret")))
    assert str(found.value) == "a failed: ValueError"


@pytest.mark.parametrize(
    "lie",
    [
        ModelResponse(3),
        ModelResponse("x", TokenUsage(-1, 0)),
        ModelResponse("x", TokenUsage(True, 0)),
        ModelResponse("x", TokenUsage(1, 1, float("nan"))),
        ModelResponse("x", TokenUsage(1, 1, -0.1)),
        ModelResponse("x" * ((1 << 22) + 1)),
    ],
)
def test_what_is_no_answer_is_a_fault(lie: ModelResponse) -> None:
    assert ask(client("a", ModelResponse("x", TokenUsage(1, 1, 0.1)))).response.text == "x"
    assert ask(client("a", lie), client("b")).provider == "b"


def test_costs_are_by_the_providers_prices_or_its_word() -> None:
    used = ModelResponse("x", TokenUsage(1_000_000, 500_000))
    assert ask(client("a", used, cost=(2, 4))).response.usage.cost == pytest.approx(4.0)
    assert ask(client("a", used)).response.usage.cost is None
    said = ModelResponse("x", TokenUsage(1, 1, 0.5))
    assert ask(client("a", said, cost=(2, 4))).response.usage.cost == 0.5


def test_a_stream_that_breaks_off_begins_anew_with_the_next_provider() -> None:
    class Breaks(ScriptedClient):
        async def stream(
            self, messages: Sequence[ChatMessage], options: CallOptions
        ) -> AsyncIterator[TokenChunk]:
            yield TokenChunk("half")
            raise ModelFault("broke off")

    told: list[str | None] = []

    async def listen(text: str | None) -> None:
        told.append(text)

    router = Router([Breaks([]), client("b", "whole answer")], None, AT_ONCE)
    found = asyncio.run(router.ask(ASKED, CallOptions(), listen))
    assert (found.response.text, told) == ("whole answer", ["half", None, "whole ", "answer"])
    assert found.response.usage == TokenUsage(3, 2)


def test_a_provider_that_does_not_say_what_it_is_is_passed_over() -> None:
    class Silent(ScriptedClient):
        async def info(self) -> ModelInfo:
            raise ModelFault("is not there")

    assert ask(Silent([]), client("b")).provider == "b"


@pytest.mark.parametrize("how", ["raises", "lies", "hangs"])
def test_a_provider_that_does_anything_else_instead_is_passed_over_and_named(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.providers.router.INFO_S", 0.01)

    class Odd(ScriptedClient):
        async def info(self) -> Any:
            if how == "raises":
                raise OSError("sk-secret")
            if how == "hangs":
                await asyncio.sleep(600)

    says = {"raises": "failed: OSError", "lies": "says that it is NoneType", "hangs": "within 0.01"}
    assert ask(Odd([]), client("b")).provider == "b"
    with pytest.raises(NoModelFits, match=says[how]) as found:
        ask(Odd([]))
    assert "sk-secret" not in str(found.value)


class Clings(ScriptedClient):
    """Goes on whatever it is told, until it is free."""

    free = False

    async def _wait(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.02)

    async def call(self, messages: Sequence[ChatMessage], options: CallOptions) -> ModelResponse:
        for _ in range(1_000):
            if not self.free:
                await self._wait()
        return ModelResponse("late")

    async def stream(
        self, messages: Sequence[ChatMessage], options: CallOptions
    ) -> AsyncIterator[TokenChunk]:
        for number in range(1_000):
            if not self.free:
                await self._wait()
                yield TokenChunk(f"{number} ")


def test_a_provider_that_does_not_end_when_it_is_cancelled_holds_up_nobody_and_is_not_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.core.patience.GRACE_S", 0.01)
    told: list[str | None] = []

    async def listen(text: str | None) -> None:
        told.append(text)

    async def whole() -> None:
        for listener in (None, listen):
            clings = Clings([])
            router = Router([clings, client("b", "an answer")], None, AT_ONCE)
            clock = asyncio.get_running_loop().time
            began = clock()
            found = await router.ask(ASKED, CallOptions(timeout_s=0.05), listener)
            assert (found.provider, clock() - began < 0.2) == ("b", True)
            await asyncio.sleep(0.1)
            clings.free = True
            await asyncio.sleep(0.1)

    hastily(whole())
    assert told[told.index(None) :] == [None, "an ", "answer"]


def test_a_provider_that_answers_with_nothing_at_all_is_passed_over() -> None:
    class Nothing(ScriptedClient):
        async def call(self, messages: Any, options: Any) -> Any:
            return None

    assert ask(Nothing([]), client("b")).provider == "b"

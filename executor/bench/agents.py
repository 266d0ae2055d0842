"""What the runtime's loop costs by itself: a three-step agent with a scripted model and tools that
do nothing, here in memory, here kept in an encrypted file, and in smolagents' loop, in turns.

The model's answers are the same for both: look up a price, multiply it, say the product. What is
left is each loop's own work: prompts, parsing, checks of inputs, permissions, events, records. Each
run has a task of its own, so nothing of it is known from the one before.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from zkagent.executor.errors import BenchError
from zkagent.executor.runtime import (
    Agent,
    AgentConfig,
    CallContext,
    DurableRuntime,
    RunOptions,
    ScriptedClient,
    ToolDefinition,
    ToolOutput,
)

STEPS = 3
PRICE, COUNT, PRODUCT = 6, 7, 42
#: What the model answers, a tool's name and its arguments; the last one finishes.
ANSWERS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("price", {"item": "apple"}),
    ("multiply", {"a": PRICE, "b": COUNT}),
    ("final_answer", {"answer": PRODUCT}),
)
WARM = 3  # runs that are not measured
TASK = "What do 7 apples cost, in order {number}?"

#: One whole run; returns its answer.
Loop = Callable[[], Any]


@dataclass(frozen=True)
class Measured:
    """Of one loop, in seconds a run, in the order in which they were measured."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median_s(self) -> float:
        return median(self.seconds)

    @property
    def runs_a_second(self) -> float:
        return 1 / self.median_s

    @property
    def step_ms(self) -> float:
        return self.median_s / STEPS * 1000

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "runs": len(self.seconds),
            "median_ms": self.median_s * 1000,
            "least_ms": min(self.seconds) * 1000,
            "runs_a_second": self.runs_a_second,
            "step_ms": self.step_ms,
        }


def measured(loops: Mapping[str, Loop], runs: int) -> list[Measured]:
    """Each loop once in each turn, so that whatever else the machine does meets all of them.

    Raises BenchError: a loop answers something else.
    """
    seconds: dict[str, list[float]] = {name: [] for name in loops}
    for turn in range(-WARM, runs):
        for name, loop in loops.items():
            began = time.perf_counter()
            answer = loop()
            took = time.perf_counter() - began
            if answer != PRODUCT:
                raise BenchError(f"{name} answered {answer!r:.80}, not {PRODUCT}")
            if turn >= 0:
                seconds[name].append(took)
    return [Measured(name, tuple(found)) for name, found in seconds.items()]


def ours(**others: Any) -> Loop:
    """In memory, with the default permissions. others: of AgentConfig."""
    agent, options = _agent(others), _options()
    return lambda: agent.run(next(options)).result


@contextmanager
def ours_kept(folder: Path, **others: Any) -> Iterator[Loop]:
    """The same, each run kept in an encrypted file of the folder. others: of AgentConfig."""
    agent, options, key_file = _agent(others), _options(), folder / "runs.key"
    key_file.touch(mode=0o600)
    key_file.write_text("5a" * 32)
    with DurableRuntime(folder / "runs.sqlite", [agent], key_file=key_file) as runtime:
        yield lambda: runtime.run(agent, next(options)).result


def _agent(others: Mapping[str, Any]) -> Agent:
    client = ScriptedClient([_turn] * STEPS, repeats=True)
    return Agent(AgentConfig("buyer", TASK, tools=_tools(), model_providers=[client], **others))


def _options() -> Iterator[RunOptions]:
    return (RunOptions(task=TASK.format(number=number)) for number in count(1))


def _turn(messages: Sequence[Any]) -> str:
    """By how many outputs it was told: what the model says next."""
    name, arguments = ANSWERS[sum(message.role == "tool" for message in messages)]
    if name == "final_answer":
        return json.dumps({"kind": "finish", "result": arguments["answer"]})
    return json.dumps({"kind": "tool", "tool_id": name, "input": arguments})


def _tools() -> list[ToolDefinition]:
    async def price(given: dict[str, Any], context: CallContext) -> ToolOutput:
        return ToolOutput(True, PRICE)

    async def multiply(given: dict[str, Any], context: CallContext) -> ToolOutput:
        return ToolOutput(True, given["a"] * given["b"])

    return [
        ToolDefinition("price", "The price of an item.", _schema(item="string"), price, True),
        ToolDefinition("multiply", "a times b.", _schema(a="integer", b="integer"), multiply, True),
    ]


def _schema(**types: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    return {"type": "object", "properties": properties, "required": [*types]}


def smolagents() -> Loop:
    """Its ToolCallingAgent, which says nothing on the terminal. Raises BenchError: it is not
    installed."""
    try:
        import smolagents as other
    except ImportError as exc:
        raise BenchError(
            "smolagents is not installed: pip install smolagents, or leave it out with --alone"
        ) from exc
    price, multiply = _their_tools()
    agent = other.ToolCallingAgent(
        tools=[price, multiply],
        model=_their_model(other),
        verbosity_level=other.LogLevel.OFF,
        max_steps=STEPS + 1,
    )
    numbers = count(1)
    return lambda: agent.run(TASK.format(number=next(numbers)))


def _their_model(other: Any) -> Any:
    from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

    class Scripted(other.Model):  # type: ignore[misc]
        """The same answers, as its interface wants them."""

        def generate(self, messages: Any, **options: Any) -> Any:
            told = sum(
                message.role == other.models.MessageRole.TOOL_RESPONSE for message in messages
            )
            name, arguments = ANSWERS[told]
            function = ChatMessageToolCallFunction(arguments=dict(arguments), name=name)
            call = ChatMessageToolCall(function=function, id=f"call-{told}", type="function")
            usage = other.TokenUsage(input_tokens=10, output_tokens=10)
            role = other.models.MessageRole.ASSISTANT
            return other.ChatMessage(role=role, tool_calls=[call], token_usage=usage)

    return Scripted()


def _their_tools() -> tuple[Any, Any]:
    """smolagents reads their source: it has to be plain."""
    from smolagents import tool

    @tool  # type: ignore[untyped-decorator]
    def price(item: str) -> int:
        """The price of an item.

        Args:
            item: its name
        """
        return 6

    @tool  # type: ignore[untyped-decorator]
    def multiply(a: int, b: int) -> int:
        """a times b.

        Args:
            a: one factor
            b: the other
        """
        return a * b

    return price, multiply


def table(found: Sequence[Measured]) -> str:
    """For people: a line each, and how they compare with the first."""
    first = found[0]
    lines = [f"{'loop':<12}{'runs/s':>9}{'ms a run':>11}{'ms a step':>11}{'ratio':>8}"]
    for one in found:
        ratio = one.median_s / first.median_s
        lines.append(
            f"{one.name:<12}{one.runs_a_second:>9.0f}{one.median_s * 1000:>11.2f}"
            f"{one.step_ms:>11.2f}{ratio:>8.2f}"
        )
    return "\n".join(lines)


__all__ = ["ANSWERS", "PRODUCT", "STEPS", "Loop", "Measured", "measured", "ours", "ours_kept"]
__all__ += ["smolagents", "table"]

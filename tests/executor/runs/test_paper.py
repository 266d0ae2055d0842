"""A run that was on paper says so, one that was not does not, and what shows neither is unknown."""

import json
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.drain import AGENT
from tests.support.fakes.memory_agent import made_up_address
from zkagent.executor.chain import guards
from zkagent.executor.chain.abi import Method
from zkagent.executor.chain.agent import Block
from zkagent.executor.cli.run_output import completed_json, print_run
from zkagent.executor.errors import CannotVerify, NoAgentThere
from zkagent.executor.runs.paper import OnPaper, calls_on_paper, planned_on_paper, rest_on_paper
from zkagent.executor.runs.runner import CompletedRun
from zkagent.verifier_contracts.errors import ChainUnreachable

AUTONOMOUS, PAPER = 0, 2
GUARD, OTHER = made_up_address(0x6A), made_up_address(0x6B)
NOT_SHOWN = (None, None, False)
ROLLED_BACK = (True, True, False)
MADE = (False, False, False)


@dataclass
class Reader:
    """A chain with guards. guards: by whose they are; modes: before the run's block and after it;
    logged: guard and tool of each event; stands_before: tools that stand before others."""

    block: Block
    guards: dict[str, str] = field(default_factory=lambda: {AGENT: GUARD})
    modes: tuple[int, int] = (PAPER, PAPER)
    logged: list[tuple[str, str]] = field(default_factory=list)
    stands_before: tuple[str, ...] = ()
    fails: Exception | None = None

    def view(self, address: str, method: Method, block: Block) -> tuple[Any, ...]:
        if method == guards.MODE and address in self.guards.values():
            return (self.modes[block.number - self.block.number + 1],)
        if method == guards.GUARD and address in self.guards:
            return (self.guards[address],)
        if method.name == "guardedTool" and address in self.stands_before:
            return (made_up_address(0x77),)
        raise NoAgentThere(address, f"it has no {method.name}")

    def receipt(self, transaction: str) -> dict[str, Any]:
        if self.fails:
            raise self.fails
        topic = guards.CALL_MADE.topic
        words = [(guard, bytes(12) + bytes.fromhex(tool[2:])) for guard, tool in self.logged]
        return {"logs": [{"address": guard, "topics": [topic, word]} for guard, word in words]}


@pytest.fixture
def still(completed: CompletedRun) -> CompletedRun:
    """Two calls and an answer; no token moved."""
    result = replace(completed.inclusion.result, transfers=())
    return replace(completed, inclusion=replace(completed.inclusion, result=result))


@pytest.fixture
def reader(still: CompletedRun) -> Reader:
    return Reader(still.inclusion.result.block)


def called(run: CompletedRun) -> list[str]:
    return [tool for each in run.proven.plan.decisions if (tool := each.called)]


def found(reader: Reader, run: CompletedRun) -> tuple[OnPaper, ...]:
    return calls_on_paper(reader, run.proven.plan.decisions, run.inclusion)  # type: ignore[arg-type]


def test_calls_that_a_guard_on_paper_did_not_log_were_rolled_back(
    reader: Reader, still: CompletedRun
) -> None:
    assert found(reader, still) == ROLLED_BACK


@pytest.mark.parametrize("modes", [(AUTONOMOUS, AUTONOMOUS), (AUTONOMOUS, PAPER), (PAPER, PAPER)])
def test_calls_that_the_guard_logged_were_made_whatever_it_became_in_the_block(
    modes: tuple[int, int], reader: Reader, still: CompletedRun
) -> None:
    reader.modes, reader.logged = modes, [(GUARD, tool) for tool in called(still)]
    assert found(reader, still) == MADE


@pytest.mark.parametrize("modes", [(AUTONOMOUS, AUTONOMOUS), (AUTONOMOUS, PAPER), (PAPER, 1)])
def test_calls_that_are_not_logged_by_a_guard_that_was_not_on_paper_are_unknown(
    modes: tuple[int, int], reader: Reader, still: CompletedRun
) -> None:
    reader.modes = modes
    assert found(reader, still) == NOT_SHOWN


def test_an_agent_without_a_guard_makes_its_calls(reader: Reader, still: CompletedRun) -> None:
    reader.guards = {}
    assert found(reader, still) == MADE
    reader.guards = {AGENT: "0x" + "00" * 20}
    assert found(reader, still) == MADE


def test_the_log_of_another_contract_or_of_another_tool_says_nothing(
    reader: Reader, still: CompletedRun
) -> None:
    looks, withdraws = called(still)
    reader.logged = [(OTHER, looks), (OTHER, withdraws), (GUARD, made_up_address(0x78))]
    assert found(reader, still) == ROLLED_BACK
    reader.logged = [(GUARD, looks)]
    assert found(reader, still) == (False, True, False)


def test_a_guard_that_says_paper_where_tokens_moved_is_not_believed(
    reader: Reader, completed: CompletedRun
) -> None:
    assert completed.inclusion.result.transfers
    assert found(reader, completed) == NOT_SHOWN


def test_the_guard_of_a_tool_that_stands_before_another_is_asked_too(
    reader: Reader, still: CompletedRun
) -> None:
    _, withdraws = called(still)
    reader.guards = {withdraws: GUARD}
    assert found(reader, still) == MADE  # it is an agent with a guard of its own
    reader.stands_before = (withdraws,)
    assert found(reader, still) == (False, True, False)
    reader.logged = [(GUARD, withdraws)]
    assert found(reader, still) == MADE


@pytest.mark.parametrize(
    "failure", [ChainUnreachable("http://node", "it is off"), CannotVerify("the state is gone")]
)
def test_what_a_node_does_not_tell_is_unknown(
    failure: Exception, reader: Reader, still: CompletedRun
) -> None:
    reader.fails = failure
    assert found(reader, still) == NOT_SHOWN
    assert rest(reader, still, 3) is None


@pytest.mark.parametrize(
    ("mode", "on_paper"), [(PAPER, ROLLED_BACK), (AUTONOMOUS, MADE), (1, MADE)]
)
def test_a_plan_is_judged_by_what_its_guard_is_now(
    mode: int, on_paper: tuple[OnPaper, ...], reader: Reader, still: CompletedRun
) -> None:
    reader.modes = (mode, mode)
    asked: Any = reader, still.proven.plan.decisions, reader.block
    assert planned_on_paper(*asked) == on_paper
    reader.guards = {}
    assert planned_on_paper(*asked) == MADE


def rest(reader: Reader, run: CompletedRun, decisions: int, tools: tuple[str, ...] = ()) -> OnPaper:
    verified = [SimpleNamespace(agent=AGENT)] * decisions + [SimpleNamespace(agent=OTHER)]
    chain: Any = SimpleNamespace(
        reader=reader,
        agent=AGENT,
        happened=lambda transaction: SimpleNamespace(verified=verified),
        names=lambda block: SimpleNamespace(tools=tools),
    )
    return rest_on_paper(chain, run.inclusion)


def test_the_rest_of_a_run_that_waited_is_judged_by_how_many_calls_it_has(
    reader: Reader, still: CompletedRun, completed: CompletedRun
) -> None:
    tools = tuple(called(still))
    assert rest(reader, still, 1) is False  # an answer alone
    assert rest(reader, still, 3) is True
    assert rest(reader, completed, 3) is None  # tokens moved
    reader.logged = [(GUARD, tools[0])]
    assert rest(reader, still, 3) is None
    reader.logged = [(GUARD, tool) for tool in tools]
    assert rest(reader, still, 3) is False
    reader.guards, reader.logged = {tools[0]: GUARD}, []
    assert rest(reader, still, 3, tools) is False
    reader.stands_before = tools[:1]
    assert rest(reader, still, 3, tools) is None
    reader.modes = (AUTONOMOUS, AUTONOMOUS)
    assert rest(reader, still, 3, tools) is False


@pytest.mark.parametrize(
    ("each", "whole", "words"),
    [
        (MADE, False, []),
        (ROLLED_BACK, True, ["on paper: made"] * 2 + ["on paper: a guard in paper mode"]),
        (NOT_SHOWN, None, ["on paper or not: cannot"] * 2 + ["on paper or not: neither"]),
        ((False, True, False), True, ["on paper: made", "on paper: a guard in paper mode"]),
    ],
)
def test_text_and_json_say_it_of_each_call_and_of_the_run(
    each: tuple[OnPaper, ...],
    whole: OnPaper,
    words: list[str],
    still: CompletedRun,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run: Any = SimpleNamespace(
        completed=still, path="receipt.json", calls_on_paper=each, on_paper=whole
    )
    shown = json.loads(json.dumps(completed_json(run)))
    assert shown["on_paper"] is whole
    assert [step.get("on_paper", "answer") for step in shown["iterations"]] == [*each[:2], "answer"]
    print_run(shown)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    said = [line for line in lines if line.startswith("on paper")]
    assert len(said) == len(words)
    assert all(line.startswith(word) for line, word in zip(said, words, strict=True))

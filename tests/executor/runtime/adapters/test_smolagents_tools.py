"""smolagents: their tools and ours in both directions, and receipts of their runs."""

import warnings
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import smolagents
    from smolagents.models import (
        ChatMessage,
        ChatMessageToolCall,
        ChatMessageToolCallFunction,
        MessageRole,
    )
from tests.support.tool_calls import call
from zkagent.executor.runtime.adapters.smolagents_tools import (
    from_smolagents,
    run_with_receipt,
    to_smolagents,
)
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    ToolFault,
    ToolInputRefused,
)
from zkagent.executor.runtime.receipts.signing import verify_tool_receipt
from zkagent.executor.runtime.tools.function import tool

ALICE: LocalAccount = Account.from_key("0x" + "11" * 32)


class Add(smolagents.Tool):
    name = "add"
    description = "Adds two numbers."
    inputs = {  # noqa: RUF012
        "a": {"type": "integer", "description": "the first"},
        "b": {"type": "integer", "description": "the second", "nullable": True},
    }
    output_type = "integer"

    def forward(self, a: int, b: int | None = None) -> int:
        return a + (1 if b is None else b)


@tool(safe_by_default=True)
def double(n: int) -> int:
    """Doubles a number."""
    if n > 100:
        raise ValueError("too large")
    return 2 * n


class Scripted(smolagents.Model):
    """A model whose answers stand beforehand: calls of tools, or code."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(model_id="scripted-1")
        self.answers = iter(answers)

    def generate(self, messages: Any, *more: Any, **named: Any) -> ChatMessage:
        answer = next(self.answers)
        if isinstance(answer, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=answer)
        calls = [
            ChatMessageToolCall(
                id=f"call-{place}",
                type="function",
                function=ChatMessageToolCallFunction(name=name, arguments=given),
            )
            for place, (name, given) in enumerate(answer)
        ]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=calls)


def agent_of(*answers: Any, kind: Any = smolagents.ToolCallingAgent) -> Any:
    tools = [Add(), to_smolagents(double)]
    return kind(tools=tools, model=Scripted(*answers), verbosity_level=0)


def test_their_tool_is_one_of_ours() -> None:
    ours = from_smolagents(Add())
    assert call(ours, {"a": 2, "b": 3}).output == 5
    assert call(ours, {"a": 2}).output == 3
    assert (ours.id, ours.safe_by_default) == ("add", False)
    for given in ({"a": "2"}, {"b": 2}, {"a": 2, "c": 3}):
        with pytest.raises(ToolInputRefused):
            call(ours, given)


def test_a_tool_that_takes_no_json_is_refused() -> None:
    class Look(smolagents.Tool):
        name, description, output_type = "look", "Looks.", "string"
        inputs = {"image": {"type": "image", "description": "what"}}  # noqa: RUF012

        def forward(self, image: Any) -> str:
            return "cat"

    with pytest.raises(AgentConfigRefused, match="image"):
        from_smolagents(Look())


def test_our_tool_is_one_of_theirs() -> None:
    theirs = to_smolagents(double)
    assert theirs(n=2) == 4
    assert theirs.inputs == {"n": {"type": "integer", "description": "n"}}
    with pytest.raises(ToolInputRefused):
        theirs(n="2")
    with pytest.raises(ToolFault, match="too large"):
        theirs(n=101)


def test_what_cannot_be_undone_is_not_offered_unless_that_is_said() -> None:
    @tool(destructive=True)
    def wipe() -> str:
        return "wiped"

    with pytest.raises(AgentConfigRefused, match="allow_destructive"):
        to_smolagents(wipe)
    assert to_smolagents(wipe, allow_destructive=True)() == "wiped"


def test_a_run_of_theirs_has_a_receipt_of_each_call() -> None:
    agent = agent_of(
        [("add", {"a": 2, "b": 3})], [("double", {"n": 5})], [("final_answer", {"answer": "10"})]
    )
    run = run_with_receipt(agent, "2 + 3, doubled", ALICE, name="adder")
    receipt = run.receipt
    assert run.output == "10"
    assert verify_tool_receipt(receipt.text, ALICE.address)
    assert (receipt.agent, receipt.success, receipt.models) == ("adder", True, ("scripted-1",))
    assert receipt.framework.startswith("smolagents ")
    calls = [(step.tool, step.input.value, step.output.value) for step in receipt.steps]
    assert calls == [("add", {"a": 2, "b": 3}, 5), ("double", {"n": 5}, 10)]


def test_calls_that_a_models_code_makes_are_in_the_receipt_too() -> None:
    code = "Thought: add.\n<code>\nfinal_answer(double(n=add(a=2, b=3)) + add(a=1))\n</code>"
    run = run_with_receipt(agent_of(code, kind=smolagents.CodeAgent), "count", ALICE)
    assert run.output == 12
    assert [step.tool for step in run.receipt.steps] == ["add", "double", "add"]
    assert verify_tool_receipt(run.receipt, ALICE.address)


def test_a_call_that_failed_is_in_the_receipt() -> None:
    agent = agent_of([("double", {"n": 101})], [("final_answer", {"answer": "no"})])
    receipt = run_with_receipt(agent, "double it", ALICE).receipt
    assert receipt.steps[0].state == "failed"
    assert "too large" in receipt.steps[0].output.value["error"]


def test_a_run_that_ends_with_an_error_has_a_receipt_that_says_so() -> None:
    run = run_with_receipt(agent_of([("add", {"a": 1})]), "and then?", ALICE)
    assert run.error is not None
    assert not run.receipt.success
    assert len(run.receipt.steps) == 1
    assert verify_tool_receipt(run.receipt, ALICE.address)


def test_an_agent_is_as_it_was_after_a_run() -> None:
    agent = agent_of([("final_answer", {"answer": "1"})], [("final_answer", {"answer": "2"})])
    run_with_receipt(agent, "one", ALICE)
    assert "forward" not in vars(agent.tools["add"])
    assert run_with_receipt(agent, "two", ALICE).receipt.steps == ()


def test_what_managed_agents_do_is_in_the_receipt_too() -> None:
    adder = smolagents.ToolCallingAgent(
        tools=[Add()],
        model=Scripted([("add", {"a": 2, "b": 3})], [("final_answer", {"answer": "5"})]),
        name="adder",
        description="Adds.",
        verbosity_level=0,
    )
    adder.model.model_id = "scripted-2"
    asks = [("adder", {"task": "2 + 3"})], [("double", {"n": 5})]
    manager = smolagents.ToolCallingAgent(
        tools=[to_smolagents(double)],
        managed_agents=[adder],
        model=Scripted(*asks, [("final_answer", {"answer": "10"})]),
        verbosity_level=0,
    )
    receipt = run_with_receipt(manager, "2 + 3, doubled", ALICE).receipt
    assert verify_tool_receipt(receipt.text, ALICE.address)
    told = [(step.tool, step.model) for step in receipt.steps]
    assert told == [("add", "scripted-2"), ("adder", "scripted-1"), ("double", "scripted-1")]
    assert receipt.steps[1].output.value == "5"
    assert receipt.models == ("scripted-1", "scripted-2")
    assert ("run" in vars(adder), "forward" in vars(adder.tools["add"])) == (False, False)


def test_a_run_that_is_streamed_is_refused() -> None:
    agent = agent_of([("final_answer", {"answer": "1"})])
    with pytest.raises(AgentConfigRefused, match="stream"):
        run_with_receipt(agent, "one", ALICE, stream=True)
    assert run_with_receipt(agent, "one", ALICE, stream=False).output == "1"


def test_what_is_withheld_stands_in_no_receipt() -> None:
    agent = agent_of([("double", {"n": 21})], [("final_answer", {"answer": "42"})])
    text = run_with_receipt(agent, "a secret task", ALICE, withhold=True).receipt.text
    assert verify_tool_receipt(text, ALICE.address)
    assert "secret task" not in text
    assert '"n"' not in text

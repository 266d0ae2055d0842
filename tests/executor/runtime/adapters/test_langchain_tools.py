"""LangChain: their tools and ours in both directions, and receipts of their runs."""

import asyncio
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import ToolException
from langchain_core.tools import tool as their_tool

from tests.support.tool_calls import call
from zkagent.executor.runtime.adapters.langchain_tools import (
    ReceiptHandler,
    from_langchain,
    to_langchain,
)
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolFault, ToolInputRefused
from zkagent.executor.runtime.receipts.signing import verify_tool_receipt
from zkagent.executor.runtime.tools.function import tool

ALICE: LocalAccount = Account.from_key("0x" + "11" * 32)


@their_tool
def add(a: int, b: int = 1) -> int:
    """Adds two numbers."""
    if a > 100:
        raise ValueError("too large")
    return a + b


@tool(safe_by_default=True)
def double(n: int) -> int:
    """Doubles a number.

    n: which one.
    """
    if n > 100:
        raise ValueError("too large")
    return 2 * n


def calling(name: str, **given: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": given, "id": "1"}])


def chain_of(*answers: AIMessage) -> Any:
    """A loop as anybody writes it: the model's calls are made until it answers."""
    model = GenericFakeChatModel(messages=iter(answers))
    tools = {each.name: each for each in (add, to_langchain(double))}

    def loop(task: str, config: Any) -> str:
        while (answer := model.invoke(task, config)).tool_calls:
            for each in answer.tool_calls:
                tools[each["name"]].invoke(each, config)
        return str(answer.content)

    return RunnableLambda(loop)


def test_their_tool_is_one_of_ours() -> None:
    ours = from_langchain(add)
    assert call(ours, {"a": 2, "b": 3}).output == 5
    assert call(ours, {"a": 2}).output == 3
    assert (ours.id, ours.description, ours.safe_by_default) == ("add", "Adds two numbers.", False)
    for given in ({"a": "x"}, {"b": 2}):
        with pytest.raises(ToolInputRefused):
            call(ours, given)


def test_our_tool_is_one_of_theirs() -> None:
    theirs = to_langchain(double)
    assert theirs.invoke({"n": 2}) == 4
    assert asyncio.run(theirs.ainvoke({"n": 3})) == 6
    assert theirs.args["n"]["description"] == "which one."
    for given in ({"n": "2"}, {"n": 101}, {}):
        with pytest.raises(ToolException):
            theirs.invoke(given)


def test_there_and_back_a_tool_is_the_same() -> None:
    back = from_langchain(to_langchain(double))
    assert call(back, {"n": 2}).output == 4
    assert back.schema["properties"] == double.schema["properties"]
    with pytest.raises((ToolFault, ToolException), match="too large"):
        call(back, {"n": 101})


def test_what_cannot_be_undone_is_not_offered_unless_that_is_said() -> None:
    @tool(destructive=True)
    def wipe() -> str:
        return "wiped"

    with pytest.raises(AgentConfigRefused, match="allow_destructive"):
        to_langchain(wipe)
    assert to_langchain(wipe, allow_destructive=True).invoke({}) == "wiped"


def test_a_run_of_theirs_has_a_receipt_of_each_call() -> None:
    handler = ReceiptHandler("adder", "2 + 3, doubled")
    chain = chain_of(calling("add", a=2, b=3), calling("double", n=5), AIMessage("10"))
    result = chain.invoke("2 + 3, doubled", config={"callbacks": [handler]})
    receipt = handler.receipt(ALICE, result=result)
    assert verify_tool_receipt(receipt.text, ALICE.address)
    calls = [(step.tool, step.input.value, step.output.value) for step in receipt.steps]
    assert calls == [("add", {"a": 2, "b": 3}, "5"), ("double", {"n": 5}, "10")]
    assert (receipt.result.value, receipt.success) == ("10", True)
    assert receipt.models == (receipt.steps[0].model,)
    assert receipt.framework.startswith("langchain-core ")


def test_a_call_that_failed_is_in_the_receipt() -> None:
    handler = ReceiptHandler("adder", "add it")
    chain = chain_of(calling("add", a=101))
    with pytest.raises(ValueError, match="too large") as failed:
        chain.invoke("add it", config={"callbacks": [handler]})
    receipt = handler.receipt(ALICE, error=failed.value)
    assert not receipt.success
    assert receipt.steps[0].state == "failed"
    assert "too large" in receipt.steps[0].output.value["error"]
    assert verify_tool_receipt(receipt, ALICE.address)


def test_a_receipt_that_leaves_a_call_out_does_not_hold() -> None:
    handler = ReceiptHandler("adder", "2 + 3, doubled")
    chain = chain_of(calling("add", a=2, b=3), calling("double", n=5), AIMessage("10"))
    chain.invoke("2 + 3, doubled", config={"callbacks": [handler]})
    found = handler.receipt(ALICE, result="10").to_json()
    assert verify_tool_receipt(found)
    for steps in (found["steps"][1:], found["steps"][:1], found["steps"][::-1]):
        assert not verify_tool_receipt({**found, "steps": steps})

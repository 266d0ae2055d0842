"""What a receipt says that was decided and what happened, in words and as JSON.

It repeats the receipt and checks nothing: `zkagent verify-run` prints it before its checks.
"""

from collections.abc import Iterator
from typing import Any

from zkagent.errors import in_line
from zkagent.executor.chain.agent import amount_in_words, payee_in_words
from zkagent.executor.receipts.format import IterationRecord, Receipt, RunRecord
from zkagent.executor.receipts.recording import recorded_decision
from zkagent.executor.runs.derivation import words_by_slot
from zkagent.models.encoding.book import Listing
from zkagent.models.encoding.decoder import READ, words


def told(receipt: Receipt) -> list[dict[str, Any]]:
    """One object for each run: who asked whom for what, each call, and where it was included."""
    return [
        {
            "requester": receipt.requester,
            "chain_id": receipt.chain_id,
            "agent": run.agent,
            "model": run.model.name,
            "prompt": run.prompt,
            "calls": [_call(step) for step in run.iterations if step.decision.kind == "call"],
            "answer": run.answer,
            "tokens": _tokens(run),
            "block": run.transaction.block.number,
            "transaction": run.transaction.hash,
        }
        for run in receipt.runs
    ]


def story(receipt: Receipt) -> Iterator[str]:
    """The same as lines; nothing in them acts on a terminal."""
    for run in told(receipt):
        yield f"{run['requester']} asked {run['agent']} on chain {run['chain_id']}:"
        yield f'  "{in_line(run["prompt"])}"'
        for number, call in enumerate(run["calls"], start=1):
            yield f"  {number}  {in_line(words(call['action'], call['arguments']))}"
            if amount := call.get("names"):
                yield f"     names {in_line(amount)}"
            yield f"     {in_line(call['observation'])}"
        yield f"  answer: {in_line(run['answer'])}"
        for symbol, token in run["tokens"].items():
            yield f"  {in_line(symbol)} is the token {token}"
        yield f"  decided by model {in_line(run['model'])}, in block {run['block']}, transaction"
        yield f"  {run['transaction']}"


def _call(step: IterationRecord) -> dict[str, Any]:
    told = {
        "action": step.decision.action,
        "arguments": {argument.slot: argument.text for argument in step.decision.arguments},
        "tool": step.decision.tool,
        "observation": step.observation or "",
    }
    amount = _amount(step)
    return told | {"names": amount} if amount else told


def _amount(step: IterationRecord) -> str:
    """As the preview of a run has it: ``3 USDC (3000000 units of 0x...)``. A book may say anything
    of how many decimals a token has; its units are what counts.
    Whether they move is for the tool to say, and for the chain's events."""
    decision = recorded_decision(step.decision)
    values = words_by_slot(decision)
    if not {"amount", "asset"} <= values.keys():
        return ""
    token, units = f"0x{values['asset']:040x}", values["amount"]
    book = tuple(Listing(x.symbol, x.token, x.decimals) for x in step.context.symbol_book)
    decimals = tuple((x.token, x.decimals) for x in step.context.token_decimals)
    payee = payee_in_words(decision.arguments, decision.values)
    return amount_in_words(units, token, book, decimals) + payee


def _tokens(run: RunRecord) -> dict[str, str]:
    """What the symbols of the calls stand for in the agent's book: anybody may name a token so."""
    named = {
        argument.text.upper()
        for step in run.iterations
        for argument in step.decision.arguments
        if argument.slot == "asset" and argument.source != READ
    }
    book = run.iterations[0].context.symbol_book
    return {x.symbol: x.token for x in book if x.symbol.upper() in named}


__all__ = ["story", "told"]

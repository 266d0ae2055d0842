"""What a receipt says that was decided and what happened, in words and as JSON.

It repeats the receipt and checks nothing: `zkagent verify-run` prints it before its checks.
"""

from collections.abc import Iterator
from typing import Any

from zkagent.errors import plain
from zkagent.executor.receipts.format import IterationRecord, Receipt, RunRecord
from zkagent.models.encoding.decoder import words


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
        yield f'  "{plain(run["prompt"])}"'
        for number, call in enumerate(run["calls"], start=1):
            yield f"  {number}  {plain(words(call['action'], call['arguments']))}"
            yield f"     {plain(call['observation'])}"
        yield f"  answer: {plain(run['answer'])}"
        for symbol, token in run["tokens"].items():
            yield f"  {plain(symbol)} is the token {token}"
        yield f"  decided by model {plain(run['model'])}, in block {run['block']}, transaction"
        yield f"  {run['transaction']}"


def _call(step: IterationRecord) -> dict[str, Any]:
    return {
        "action": step.decision.action,
        "arguments": {argument.slot: argument.text for argument in step.decision.arguments},
        "tool": step.decision.tool,
        "observation": step.observation or "",
    }


def _tokens(run: RunRecord) -> dict[str, str]:
    """What the symbols of the calls stand for in the agent's book: anybody may name a token so."""
    named = {
        argument.text.upper()
        for step in run.iterations
        for argument in step.decision.arguments
        if argument.slot == "asset"
    }
    book = run.iterations[0].context.symbol_book
    return {x.symbol: x.token for x in book if x.symbol.upper() in named}


__all__ = ["plain", "story", "told"]

"""What the owner knows of tokens, from a deployment record, against what a node tells.

The chain confirms what was read before a run happens (`derivation.facts_of`). This says sooner, and
without a transaction that reverts, that a node tells something else than the owner's own file.
"""

from collections.abc import Sequence

from zkagent.executor.chain.agent import AgentReads
from zkagent.executor.errors import TokenContradicted
from zkagent.executor.runs.plan import Plan
from zkagent.models.encoding.book import Listing, SymbolBook
from zkagent.models.encoding.decoder import READ, token_of


def check_known(plan: Plan, known: Sequence[Listing]) -> None:
    """Raises TokenContradicted for an asset of the plan's calls that is another one by `known`, or
    has other decimals."""
    for planned in plan.decisions:
        for argument in planned.decision.arguments:
            if argument.slot == "asset" and argument.source != READ:
                _check(argument.text, planned.context.reads, known)


def _check(asset: str, reads: AgentReads, known: Sequence[Listing]) -> None:
    token, decimals = token_of(asset, SymbolBook(reads.book), dict(reads.decimals))
    for ours in known:
        if asset.lower() != ours.symbol.lower() and token != ours.token.lower():
            continue
        told = ours.decimals if decimals is None else decimals
        if (token, told) != (ours.token.lower(), ours.decimals):
            raise TokenContradicted(
                ours.symbol, _shown(ours.token.lower(), ours.decimals), _shown(token, told)
            )


def _shown(token: str, decimals: int) -> str:
    return f"{token} with {decimals} decimals"


__all__ = ["check_known"]

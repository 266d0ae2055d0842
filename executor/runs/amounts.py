"""Amounts of tokens that calls name, and whether they moved: a call of an own agent's tool may name
an amount and move nothing."""

from collections import Counter
from collections.abc import Sequence

from zkagent.executor.chain.agent import TokenTransfer, amount_in_words, payee_in_words
from zkagent.executor.runs.derivation import words_by_slot
from zkagent.executor.runs.plan import PlannedDecision


def amount_of(planned: PlannedDecision) -> str:
    """What a call names: in words, in units, of which token, and whose account a name stands for.
    Empty for one that names nothing."""
    if (named := _named(planned)) is None:
        return ""
    token, units = named
    reads, decision = planned.context.reads, planned.decision
    payee = payee_in_words(decision.arguments, decision.values)
    return amount_in_words(units, token, reads.book, reads.decimals) + payee


def moved(
    decisions: Sequence[PlannedDecision], transfers: Sequence[TokenTransfer]
) -> tuple[bool, ...]:
    """For each decision, whether what it names was transferred from one account to another. Where
    several name the same and not all of it was, nobody can tell whose call did it: then no one's.
    """
    named = [_named(each) for each in decisions]
    happened = Counter((t.token, t.units) for t in transfers if t.sender != t.recipient)
    wanted = Counter(named)
    return tuple(each is not None and happened[each] >= wanted[each] for each in named)


def _named(planned: PlannedDecision) -> tuple[str, int] | None:
    """Token and units."""
    words = words_by_slot(planned.decision)
    if not {"amount", "asset"} <= words.keys():
        return None
    return f"0x{words['asset']:040x}", words["amount"]


__all__ = ["amount_of", "moved"]

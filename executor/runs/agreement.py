"""Whether two plans of an instruction come to the same: one that was agreed to, and one of now.

Nobody agrees to an instruction's words alone: what they stand for is on the chain and may be
another thing later. Called by `runner.py` when the state moved before anything was signed, and by
`carrier.py` when something was signed before.
"""

from fractions import Fraction

from zkagent.executor.chain.agent import AgreedCall, RunTerms
from zkagent.executor.runs.amounts import amount_of
from zkagent.executor.runs.plan import Plan, PlannedDecision
from zkagent.executor.runs.terms import terms_of


def planned_terms(plan: Plan) -> RunTerms:
    """What the plan comes to by itself: no tolerance, no deadline."""
    return terms_of(plan, Fraction(0), 0)


def same_call(one: AgreedCall, other: AgreedCall) -> bool:
    """Whether agent, tool and arguments are the same, but for amounts that tools told."""
    words = ([each.word for each in call.ranges] for call in (one, other))
    return one.call_hash == other.call_hash and next(words) == next(words)


def moved(outdated: Plan, fresh: Plan) -> bool:
    """Whether two plans differ in observed amounts and in nothing else."""
    old, new = planned_terms(outdated).calls, planned_terms(fresh).calls
    return old != new and len(old) == len(new) and all(map(same_call, old, new))


def listed_anew(outdated: Plan, fresh: Plan) -> bool:
    """Whether two plans were read from other lists and come to the same, in words and in units."""
    old, new = planned_terms(outdated).facts, planned_terms(fresh).facts
    same = [d.decision for d in outdated.decisions] == [d.decision for d in fresh.decisions]
    return old != new and same


def departures(signed: RunTerms, fresh: Plan) -> tuple[str, ...]:
    """What of a plan was not agreed to by who signed these terms, in words: other calls, and
    amounts outside of the signed ranges."""
    calls = planned_terms(fresh).calls
    if len(calls) != len(signed.calls):
        return (f"it takes {len(calls)} decisions now, and took {len(signed.calls)} then",)
    made = enumerate(zip(signed.calls, calls, fresh.decisions, strict=True), start=1)
    return tuple(
        f"decision {number} is now {_told(planned)}"
        for number, (old, new, planned) in made
        if not (same_call(old, new) and _inside(old, new))
    )


def _inside(signed: AgreedCall, planned: AgreedCall) -> bool:
    pairs = zip(signed.ranges, planned.ranges, strict=True)
    return all(old.least <= new.least and new.most <= old.most for old, new in pairs)


def _told(planned: PlannedDecision) -> str:
    amount = amount_of(planned)
    return f"{planned.decision.words}, which names {amount}" if amount else planned.decision.words


__all__ = ["departures", "listed_anew", "moved"]

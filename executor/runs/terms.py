"""The terms of a run: what its sender agrees to beyond what the claims show.

A signed run would otherwise bind the model's outputs alone, and leave to the state at inclusion
which token a symbol names and how much there is of it. So the transaction names each call that the
plan makes, argument by argument, and the last moment at which it may happen. What the plan took
from an observation, such as a balance, may differ a little when the run happens: it is bound by a
range. And it names what the plan was read from, which `derivation.py` derives. The contract's side
is `executor/AgreedCalls.sol`.
"""

import time
from dataclasses import dataclass
from fractions import Fraction

from zkagent.executor.chain.abi import NO_TOOL, call_hash, parameters
from zkagent.executor.chain.agent import (
    AgentChain,
    AgentReads,
    AgreedCall,
    Range,
    RunTerms,
)
from zkagent.executor.chain.deadlines import MOST_LIFETIME_S
from zkagent.executor.errors import ArgumentRefused, ClocksDisagree
from zkagent.executor.runs.derivation import facts_of, text
from zkagent.executor.runs.plan import Plan
from zkagent.models.encoding.decoder import Decision

LARGEST = (1 << 256) - 1

#: Interest of weeks and the rounding of a pool fit; a balance that moved further was not what the
#: owner looked at.
DEFAULT_TOLERANCE = Fraction(5, 1000)
#: Counted from when the proofs are there, since a transaction is signed right after. A few dozen
#: blocks are time enough to be included; what lies around longer must not surprise.
DEFAULT_LIFETIME_S = 600
#: How far a chain's clock may be ahead of ours. It says when a deadline is, so one that lies could
#: have us sign for any future.
MOST_AHEAD_S = 3600


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How far a run may stray from its plan, and for how long it is good once it is proven.

    tolerance: a part of the planned amount. Raises ArgumentRefused for what is neither.
    """

    tolerance: Fraction = DEFAULT_TOLERANCE
    lifetime_s: int = DEFAULT_LIFETIME_S

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance <= 1:
            raise ArgumentRefused(
                "tolerance", float(self.tolerance), "a part of the amount, from 0 to 1"
            )
        if not (_is_whole(self.lifetime_s) and 1 <= self.lifetime_s <= MOST_LIFETIME_S):
            raise ArgumentRefused(
                "lifetime_s", self.lifetime_s, f"whole seconds, from 1 to {MOST_LIFETIME_S:,}"
            )


def _is_whole(value: object) -> bool:
    return isinstance(value, int)


DEFAULT_LIMITS = RunLimits()


def terms_of(plan: Plan, tolerance: Fraction, deadline: int) -> RunTerms:
    """Terms under which exactly the plan's calls happen, observed amounts within `tolerance`.

    deadline: seconds since 1970, the last block time."""
    made = [(planned.context.reads, planned.decision) for planned in plan.decisions]
    calls = (agreed_call(reads, decision, tolerance) for reads, decision in made)
    return RunTerms(deadline, tuple(calls), facts_of(made))


def agreed_call(
    reads: AgentReads, decision: Decision, tolerance: Fraction = Fraction(0)
) -> AgreedCall:
    """What a decision of the agent in `reads` comes to: amounts that an observation says within
    `tolerance`, everything else exactly."""
    if decision.kind != "call":
        return AgreedCall(call_hash(reads.agent, NO_TOOL, b""), ())
    tool = next(t.address for t in reads.tools if text(t.name) == decision.action)
    observed = [
        word
        for word, argument in enumerate(decision.arguments)
        if argument.slot == "amount" and argument.source == "observation"
    ]
    ranges = tuple(_range(word, decision.values[word], tolerance) for word in observed)
    exact = [0 if word in observed else value for word, value in enumerate(decision.values)]
    return AgreedCall(call_hash(reads.agent, tool, parameters(exact)), ranges)


def deadline_on(chain: AgentChain, lifetime_s: int) -> int:
    """When a run that is signed now stops being good: by the later of the chain's clock and ours,
    as a chain that nobody used for a while shows an old time until its next block.

    Raises ClocksDisagree when the chain's is far ahead."""
    ours, theirs = int(time.time()), chain.time(chain.head())
    if theirs > ours + MOST_AHEAD_S:
        raise ClocksDisagree(theirs, ours)
    return max(ours, theirs) + lifetime_s


def _range(word: int, planned: int, tolerance: Fraction) -> Range:
    slack = int(planned * tolerance)
    return Range(word, planned - slack, min(planned + slack, LARGEST))

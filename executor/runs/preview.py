"""What a run would do and cost, in words, before anything is signed."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from zkagent.executor.chain.agent import TokenTransfer
from zkagent.executor.runs.amounts import amount_of
from zkagent.executor.runs.derivation import text
from zkagent.executor.runs.paper import OnPaper
from zkagent.executor.runs.runner import ProvenRun
from zkagent.models.encoding.decoder import Decision
from zkagent.verifier_contracts.chain.signing import Fees


@dataclass(frozen=True)
class Preview:
    """A run that was proven and not sent.

    gas: estimated for the whole transaction; gas_limit: what it may take. tolerance: for amounts
    that tools told, a part of them. transfers: of tokens, None when the node cannot simulate them.
    replaces: the hash of a transaction of the same instruction that it takes the place of, or "".
    departs: in what it is not what was signed for the instruction before. calls_on_paper: for each
    decision, whether a guard would have its call rolled back, None where that cannot be told.
    """

    proven: ProvenRun
    gas: int
    gas_limit: int
    fees: Fees
    tolerance: Fraction
    transfers: tuple[TokenTransfer, ...] | None
    replaces: str = ""
    departs: tuple[str, ...] = ()
    calls_on_paper: tuple[OnPaper, ...] = ()

    @property
    def answer(self) -> str:
        return text(self.proven.plan.answer)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return tuple(planned.decision for planned in self.proven.plan.decisions)

    @property
    def amounts(self) -> tuple[str, ...]:
        """For each decision what it names: ``100 USDC (100000000 units of 0x...)``; empty for
        nothing."""
        return tuple(map(amount_of, self.proven.plan.decisions))

    @property
    def block(self) -> int:
        """The one on whose state it was planned."""
        return self.proven.plan.block.number

    @property
    def effects(self) -> tuple[str, ...] | None:
        """The transfers in words, as the node simulates them: nothing but its word says so."""
        if self.transfers is None:
            return None
        reads = self.proven.plan.decisions[0].context.reads
        return tuple(each.describe(reads.book, reads.decimals) for each in self.transfers)

    @property
    def deadline(self) -> int:
        """Seconds since 1970: the last block time at which it can happen."""
        return self.proven.terms.deadline

    @property
    def observes(self) -> bool:
        """Whether an amount in it comes from a tool."""
        return any(call.ranges for call in self.proven.terms.calls)

    @property
    def likely_cost_wei(self) -> int:
        return self.fees.likely_cost_wei(self.gas)

    @property
    def most_wei(self) -> int:
        return self.fees.most_wei(self.gas_limit)


#: Whether what is shown shall happen.
Confirm = Callable[[Preview], bool]

__all__ = ["Confirm", "Preview"]

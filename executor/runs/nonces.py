"""Under which nonce an instruction is signed, so that it cannot happen beside an earlier try.

Transactions of one nonce exclude each other; that is the only certainty while a deadline is ahead,
since a node can keep a transaction to itself and say whatever it likes of its nonce. So an
instruction that was given up takes the nonce of its earlier transaction; where it cannot, nothing
is signed beside that before its deadline, unless it is accepted that both may happen.

Called by `carrier.py`.
"""

from dataclasses import dataclass
from itertools import count

from zkagent.executor.chain.deadlines import utc
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs.errors import StillPossible
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.records import GIVEN_UP, Intent, RunRecord
from zkagent.executor.runs.settlement import Settlement
from zkagent.verifier_contracts.errors import AnswerRefused

#: How many of the account's transactions may be on their way from elsewhere. Behind a nonce that a
#: node makes up, all would wait for ever.
MOST_FOREIGN = 16


@dataclass(frozen=True)
class Nonces:
    """Of one account on one chain."""

    sender: Web3Sender
    journal: Journal
    settlement: Settlement

    def choose(self, intent: Intent, *, accepted: bool) -> int:
        """accepted: that an earlier transaction of the intent may happen, too. Raises
        StillPossible, AnswerRefused."""
        nonce = self._nonce(intent, self._given_up(intent))
        possible = self.beside(intent, nonce)
        if possible and not accepted:
            raise still_possible(max(possible, key=lambda record: record.deadline))
        return nonce

    def beside(self, intent: Intent, nonce: int) -> list[RunRecord]:
        """What was given up and may happen beside a transaction of this nonce."""
        others = [record for record in self._given_up(intent) if record.nonce != nonce]
        return list(filter(self.settlement.may_happen, others))

    def _given_up(self, intent: Intent) -> list[RunRecord]:
        return [record for record in self.journal.of(intent) if record.state in GIVEN_UP]

    def _nonce(self, intent: Intent, given_up: list[RunRecord]) -> int:
        """That of a transaction that was given up, as long as it is free and nobody else's, and
        does not leave others to wait for; else the next."""
        held = self.journal.held_nonces(intent)
        used = self.sender.transactions_by(self.sender.height())
        pending, most = self.sender.next_nonce(), used + len(held) + MOST_FOREIGN
        if not used <= pending <= most:
            raise AnswerRefused("eth_getTransactionCount", pending, f"{used} to {most}")
        following = next(nonce for nonce in count(pending) if nonce not in held)
        mine = [record.nonce for record in given_up if used <= record.nonce <= following]
        return next((nonce for nonce in reversed(mine) if nonce not in held), following)


def still_possible(record: RunRecord) -> StillPossible:
    return StillPossible(record.id, record.hash, record.nonce, utc(record.deadline))


__all__ = ["Nonces", "still_possible"]

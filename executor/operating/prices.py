"""What an operator's transactions offer for gas: no more than is left of the request's fee, and
enough to take the place of what the node still has under their nonce."""

from dataclasses import dataclass, replace

from zkagent.executor.chain.desk import Posted
from zkagent.executor.chain.web3_desk import paid_wei
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.operating.errors import CallbackTooLarge, FeeTooLow
from zkagent.executor.operating.journal import AnswerJournal
from zkagent.executor.operating.policy import PARTS_OF_WAITING, Policy
from zkagent.executor.operating.records import AnswerRecord
from zkagent.verifier_contracts.chain.signing import LEAST_GAS, Fees


@dataclass(frozen=True, slots=True)
class Prices:
    """Of one account. Everything raises ChainError, and FeeRefused where gas costs more than may be
    paid."""

    sender: Web3Sender
    journal: AnswerJournal
    policy: Policy

    def spent_wei(self, record: AnswerRecord) -> int:
        """For all of its transactions that are in blocks."""
        found = (self.sender.mined(each) for each in record.hashes)
        return sum(paid_wei(mined.receipt) for mined in found if mined)

    def check(self, posted: Posted, record: AnswerRecord | None) -> None:
        """Before any work is done. Raises CallbackTooLarge where no block has the gas that its
        callback is to get; FeeTooLow where that alone costs more than is left."""
        callback, fees = posted.request.order.gas_for_callback, self.sender.fees()
        least, most = LEAST_GAS + callback, self.sender.most_gas()
        if least > most:
            raise CallbackTooLarge(callback, most)
        fee, spent = posted.request.order.fee, self.spent_wei(record) if record else 0
        needed = least * (fees.base_wei + fees.priority_wei)
        if not self.policy.at_a_loss and fee - spent < needed:
            raise FeeTooLow(fee, spent, needed)

    def offer(self, record: AnswerRecord, limit: int, nonce: int) -> Fees:
        """For a transaction of this limit of gas that answers, or begins to answer, what the record
        is of. Raises FeeTooLow where none would be taken now for what is left."""
        fees, standing = self.sender.fees(), self._standing(nonce)
        if standing:
            fees = fees.above(standing)
        least = max(fees.base_wei + fees.priority_wei, _above(standing).max_fee_wei)
        if self.policy.at_a_loss:
            return fees
        spent = self.spent_wei(record)
        part = PARTS_OF_WAITING if record.begins else 1
        most = max(record.fee - spent, 0) // part // limit
        if most < least:
            raise FeeTooLow(record.fee, spent, least * limit, part=part)
        return replace(fees, max_fee_wei=min(fees.max_fee_wei, most))

    def _standing(self, nonce: int) -> Fees | None:
        """The most that is offered under this nonce, of what the node has. What it forgot, as after
        a reorganisation, need not be exceeded: of one nonce at most one is mined."""
        found = [
            fees
            for record in self.journal.records()
            for name, fees in record.offers(nonce)
            if self.sender.is_known(name)
        ]
        if not found:
            return None
        most = max(fees.max_fee_wei for fees in found)
        return Fees(0, most, max(fees.priority_wei for fees in found))


def _above(standing: Fees | None) -> Fees:
    return Fees(0, 0, 0).above(standing) if standing else Fees(0, 0, 0)


__all__ = ["Prices"]

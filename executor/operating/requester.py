"""Makes requests at a desk, waits for their answers, takes fees back: the user's side.

A request is in the journal before it is sent. Whoever repeats one that was interrupted goes on with
it; a second one begins when the first is over.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256

from zkagent.executor.chain import desk as desk_abi
from zkagent.executor.chain.agent import ContractCall
from zkagent.executor.chain.desk import Order, Posted, Status
from zkagent.executor.chain.resumed_run import Awaited, ResumedRun
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.chain.web3_sender import Mined, Web3Sender
from zkagent.executor.operating.errors import NoSuchRequest, NotRefundable, RequestUnanswered
from zkagent.executor.operating.journal import AnswerJournal
from zkagent.executor.operating.records import AnswerRecord
from zkagent.executor.runs.runner import GAS_MARGIN_PERCENT
from zkagent.verifier_contracts.errors import ChainError, RevertError

REQUESTS = "requests"  # the journal's folder
FIRST_POLL_S, LAST_POLL_S = 0.1, 3.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How far a request is. answer: of one that was answered; transaction: which did it. waits_for:
    what its run waits for, if it does."""

    posted: Posted
    status: Status
    answer: bytes | None = None
    transaction: str = ""
    waits_for: Awaited | None = None

    @property
    def next(self) -> str:
        """What comes next, in words."""
        if self.waits_for is None:
            return "waits for an operator"
        if self.waits_for.answered:
            return f"goes on with an operator: {self.waits_for} has an answer"
        return f"waits for {self.waits_for}"


@dataclass
class Requester:
    """One account at one desk. told: what is waited for, in words."""

    desk: Web3Desk
    sender: Web3Sender
    journal: AnswerJournal
    confirmations: int = 1
    timeout_s: float = 180.0
    told: Callable[[str], None] = lambda text: None

    def post(self, order: Order) -> Posted:
        """Post it, or go on with the posting of an equal one that was interrupted: equal but for
        its deadline. Raises RevertError, InsufficientFunds, FeeRefused, RequestUnanswered when it
        is in no block yet."""
        with self.journal.held():
            record = self.journal.of(0, _key(order))
            if record and (found := self._posted_by(record)):
                if not self.desk.status(found.id, self.desk.head()).ended:
                    return found
                record = None
            elif record and self.sender.transactions_by(self.sender.height()) > record.nonce:
                record = None  # its nonce is another one's
            record = record or self._signed(order)
            return self._settled(record)

    def outcome(self, posted: Posted) -> Outcome:
        """As of now."""
        head = self.desk.head()
        status = self.desk.status(posted.id, head)
        if status in {Status.ANSWERED, Status.DELIVERED}:
            found = self.desk.result(posted.id, posted.block, head.number)
            return Outcome(posted, status, *(found or (None, "")))
        if status is Status.WAITING:
            run = ResumedRun(self.desk.web3, self.desk.agent(head), self.desk.address, posted.id)
            return Outcome(posted, status, waits_for=run.awaited(head))
        return Outcome(posted, status)

    def wait(self, posted: Posted, timeout_s: float) -> Outcome:
        """Until it is over. Raises RequestUnanswered."""
        until, pause = time.monotonic() + timeout_s, FIRST_POLL_S
        while True:
            found = self.outcome(posted)
            if found.status.ended:
                return found
            if time.monotonic() >= until:
                raise RequestUnanswered(posted.id, found.status.name.lower(), timeout_s)
            self.told(f"request {posted.id} {found.next}")
            time.sleep(pause)
            pause = min(pause * 1.3, LAST_POLL_S)

    def find(self, number: int, first: int = 0) -> Posted:
        """The request of this number. Raises NoSuchRequest."""
        found = self.desk.find(number, first, self.desk.head().number)
        if found is None:
            raise NoSuchRequest(number, self.desk.address)
        return found

    def refund(self, posted: Posted) -> int:
        """Have the fee credited, unless it is already, and take all that the desk owes the account.
        The wei that were taken. Raises NotRefundable."""
        status = self.desk.status(posted.id, self.desk.head())
        if posted.request.requester != self.sender.account:
            raise NotRefundable(posted.id, f"it is {posted.request.requester}'s")
        if status in {Status.PENDING, Status.WAITING}:
            try:
                self.send(ContractCall(desk_abi.REFUND.call(posted.id, posted.request.fields)))
            except RevertError as exc:
                raise NotRefundable(posted.id, str(exc)) from exc
        elif status not in {Status.REFUNDED, Status.FAILED}:
            raise NotRefundable(posted.id, f"it is {status.name.lower()}")
        owed = self.desk.balance(self.sender.account, self.desk.head())
        if owed:
            self.send(ContractCall(desk_abi.WITHDRAW.call(self.sender.account, owed)))
        return owed

    def send(self, call: ContractCall) -> Mined:
        """A call that does no harm when it comes twice, settled. Raises RevertError."""
        limit = self.sender.gas_limit(self.sender.estimate_gas(call), GAS_MARGIN_PERCENT)
        fees, nonce = self.sender.fees(), self.sender.next_nonce()
        raw = self.sender.sign(call, gas=limit, fees=fees, nonce=nonce)
        record = AnswerRecord(self.journal.place, 0, "", 0, ("0x" + raw.hex(),))
        return self._mined(record)

    def _signed(self, order: Order) -> AnswerRecord:
        call = ContractCall(desk_abi.PLACE.call(order.fields), order.fee)
        limit = self.sender.gas_limit(self.sender.estimate_gas(call), GAS_MARGIN_PERCENT)
        fees, nonce = self.sender.fees(), self.sender.next_nonce()
        raw = self.sender.sign(call, gas=limit, fees=fees, nonce=nonce)
        signed = ("0x" + raw.hex(),)
        return self.journal.write(
            AnswerRecord(self.journal.place, 0, _key(order), order.fee, signed)
        )

    def _settled(self, record: AnswerRecord) -> Posted:
        mined = self._mined(record)
        if not (found := self._in(mined)):
            raise ChainError(f"transaction {record.hashes[-1]} was included, and posted no request")
        self.journal.write(
            replace(record, state="included", transaction=record.hashes[-1], block=mined.block)
        )
        return found

    def _mined(self, record: AnswerRecord) -> Mined:
        """Raises RevertError, RequestUnanswered."""
        until, pause = time.monotonic() + self.timeout_s, FIRST_POLL_S
        name, sent = record.hashes[-1], False
        while True:
            mined = self.sender.mined(name)
            if mined and not mined.succeeded:
                raise RevertError(f"transaction {name} was included and failed", data=b"")
            if mined and self.sender.height() - mined.block + 1 >= self.confirmations:
                return mined
            if not mined and not sent:
                self.sender.broadcast(record.last)
                sent = True
            if time.monotonic() > until:
                raise RequestUnanswered(record.number, f"signed as {name}", self.timeout_s)
            self.told(f"transaction {name} waits for its block")
            time.sleep(pause)
            pause = min(pause * 1.3, LAST_POLL_S)

    def _posted_by(self, record: AnswerRecord) -> Posted | None:
        mined = self.sender.mined(record.hashes[-1])
        return self._in(mined) if mined and mined.succeeded else None

    def _in(self, mined: Mined) -> Posted | None:
        for log in mined.receipt["logs"]:
            if log["address"].lower() == self.desk.address:
                try:
                    return desk_abi.posted_in(log)
                except ValueError:
                    continue
        return None


def _key(order: Order) -> str:
    """Of all that was asked for but the deadline."""
    return sha256(repr(replace(order, deadline=0)).encode()).hexdigest()


__all__ = ["REQUESTS", "Outcome", "Requester"]

"""Answers a desk's requests, one transaction on its way at a time.

    look at what was signed -> carry it on -> plan, prove, price the next -> sign, journal, send

Nothing is remembered that is not in the journal or on the chain: whoever is killed begins again
with `turn`. A transaction that would fail now is not sent again, and its nonce goes to the next
one, so that of the two at most one is mined. What was spent on a request's failed transactions is
read from the chain and taken off what may still be paid for it.

A run that waits for a tool that answers later is begun by one transaction and gone on with by
another, whoever began it, once a settled block has the tool's answer. Only half of what may be paid
is spent on a beginning, so that something is left for going on.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from zkagent.executor.chain.agent import Block, ContractCall
from zkagent.executor.chain.desk import Posted, Status, fulfil_data, resume_data
from zkagent.executor.chain.web3_desk import Web3Desk, paid_wei
from zkagent.executor.chain.web3_sender import Mined, Web3Sender
from zkagent.executor.errors import ExecutorError, InsufficientFunds
from zkagent.executor.operating.errors import FeeTooLow
from zkagent.executor.operating.events import (
    Answered,
    Begun,
    Listener,
    Lost,
    Proven,
    PutOff,
    Reverted,
    Sent,
    Suspended,
    Trouble,
    Undone,
    Waits,
    ignore,
)
from zkagent.executor.operating.journal import AnswerJournal
from zkagent.executor.operating.policy import (
    FIRST_PAUSE_S,
    LEAST_LEFT_S,
    LONGEST_PAUSE_S,
    USUAL,
    Policy,
)
from zkagent.executor.operating.prices import Prices
from zkagent.executor.operating.records import AnswerRecord, fields_of, hash_of
from zkagent.executor.operating.waiting_runs import WaitingRuns
from zkagent.executor.operating.watch import Watch
from zkagent.executor.runs.runner import GAS_MARGIN_PERCENT, PLANS, AgentRunner, ProvenRun
from zkagent.models.errors import ModelError
from zkagent.prover.errors import ProverError
from zkagent.verifier_contracts.chain.signing import Fees
from zkagent.verifier_contracts.errors import ChainError, FeeRefused, RevertError

REBROADCAST_S = 5.0
NOBODY = "0x" + "00" * 20
LATER = "its run waits for a tool, and whoever goes on with it then is paid (--begin)"


@dataclass
class DeskOperator:
    """Of one account at one desk. runner: plans and proves runs that begin at the desk."""

    desk: Web3Desk
    sender: Web3Sender
    runner: AgentRunner
    journal: AnswerJournal
    watch: Watch
    policy: Policy = USUAL
    report: Listener = ignore
    clock: Callable[[], float] = time.monotonic
    _pauses: dict[tuple[int, str], tuple[float, float]] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)
    _sent_at: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.waiting = WaitingRuns(self.desk, self.runner, self.sender)
        self.prices = Prices(self.sender, self.journal, self.policy)

    def turn(self) -> bool:
        """Look, carry on, and begin at most one answer. Whether there was anything that another
        turn may go on with. Raises AnswerRecordDamaged, AnswerRecordsRefused; what the node does is
        told as Trouble."""
        try:
            head = self.desk.head()
            self.watch.refresh(head)
            for record in self.journal.records():
                if record.open:
                    self._look(record, head)
            if not self._carry_on():
                self._begin_next(head)
        except ChainError as exc:
            self.report(Trouble(str(exc)))
            return True
        return bool(self.watch.open) or any(r.open for r in self.journal.records())

    @property
    def rests(self) -> bool:
        """Whether nothing is on its way, and each open request was put off or waits for a tool."""
        if any(record.state in {"sent", "included"} for record in self.journal.records()):
            return False
        left = (posted for posted in self.watch.open if not self.waiting.for_what(posted))
        return all(_key(posted) in self._pauses for posted in left)

    # What was signed

    def _look(self, record: AnswerRecord, head: Block) -> None:
        """What the chain says of it now, in the journal."""
        used = self._used()  # before it is asked what became of them: a block may come between
        there: dict[int, tuple[str, Mined]] = {}  # by nonce, those that did not fail
        for nonce, each in zip(record.nonces, record.hashes, strict=True):
            if not (mined := self.sender.mined(each)):
                continue
            if mined.succeeded:
                there[nonce] = each, mined
            elif self._is_news(each):
                self.report(Reverted(record.number, each, paid_wei(mined.receipt)))
        if record.transaction and record.transaction not in {each for each, _ in there.values()}:
            self.report(Undone(record.number, record.transaction))
            self._sent_at.pop(record.transaction, None)
            record = self._keep(record, state="sent", transaction="", block=0)
        if record.state == "sent" and record.nonce not in there:
            if used <= record.nonce:
                return
            record = self._keep(record, state="idle")
        if there:
            record = self._included(record, *there[max(there)])
        self._give_up(record, head)

    def _included(self, record: AnswerRecord, transaction: str, mined: Mined) -> AnswerRecord:
        if (record.transaction, record.block) != (transaction, mined.block):
            record = self._keep(
                record, state="included", transaction=transaction, block=mined.block
            )
        if record.state == "included" and self.sender.height() - mined.block + 1 >= self._wanted:
            over = self.desk.is_over(record.number, mined.receipt)
            record = self._keep(record, state="answered" if over else "waiting")
            cost = self.prices.spent_wei(record)
            if over:
                self.report(Answered(record.number, transaction, record.fee, cost))
            elif self._is_news(transaction):
                self.report(Suspended(record.number, transaction, cost))
        return record

    def _is_news(self, transaction: str) -> bool:
        """Whether nothing was told of its end before."""
        new = transaction not in self._told
        self._told.add(transaction)
        return new

    def _give_up(self, record: AnswerRecord, head: Block) -> None:
        """Where nothing of it is on its way, and it ended otherwise or is gone, for good."""
        if record.state not in {"idle", "waiting"}:
            return
        settled = self._settled(head)
        there = self.watch.is_there(record.number, record.request)
        status = self.desk.status(record.number, settled)
        if (there and status.ended) or not (there or status is Status.NONE):
            self._keep(record, state="lost")
            self.report(Lost(record.number, status.name.lower(), self.prices.spent_wei(record)))

    def _settled(self, head: Block) -> Block:
        return Block(max(head.number - self._wanted + 1, 0), "")

    # What is on its way

    def _carry_on(self) -> bool:
        """Whether something is on its way that the next one has to wait for."""
        waiting = sorted(
            (r for r in self.journal.records() if r.state == "sent"), key=lambda r: r.nonce
        )
        if not waiting:
            return False
        first, used = waiting[0], self._used()
        if first.nonce > used:  # those before it are gone, and will not come back
            for record in waiting:
                self._keep(record, state="idle")
            return False
        if self._would_fail(first):
            self._keep(first, state="idle")
            return False
        if not self._made_dearer(first):
            for record in waiting:
                self._broadcast(record)
        return True

    def _would_fail(self, record: AnswerRecord) -> bool:
        """Whether the desk refuses it as things are."""
        if not self.watch.is_there(record.number, record.request):
            return True
        wanted = Status.WAITING if record.resumes else Status.PENDING
        if self.watch.status.get(record.number) is not wanted:
            return True
        try:
            self.sender.estimate_gas(_call_of(record))
        except RevertError:
            return True
        except (FeeRefused, InsufficientFunds):
            return False
        return False

    def _made_dearer(self, record: AnswerRecord) -> bool:
        """Whether it was replaced, since no block takes it for what it offers."""
        base = self.sender.base_fee_wei()
        if record.fees.max_fee_wei >= base + record.fees.priority_wei:
            return False
        try:
            fees = self.prices.offer(record, record.gas_limit, record.nonce)
        except (FeeRefused, FeeTooLow):
            return False
        self._sign(record, _call_of(record), record.gas_limit, fees, record.nonce)
        return True

    def _broadcast(self, record: AnswerRecord) -> None:
        """Now and again, whether or not the node has it."""
        name, now = hash_of(record.signed[-1]), self.clock()
        if now - self._sent_at.get(name, -REBROADCAST_S) < REBROADCAST_S:
            return
        self._sent_at[name] = now
        try:
            self.sender.broadcast(record.last)
        except ChainError as exc:
            self.report(Trouble(f"request {record.number}: {exc}"))

    # What comes next

    def _begin_next(self, head: Block) -> None:
        now = self.desk.time(head)
        self.waiting.keep(posted.id for posted in self.watch.waiting)
        for posted in self.watch.open:
            if self._is_in_hand(posted) or self._is_paused(posted):
                continue
            if why := self._unserved(posted, now):
                self._put_off(posted, why)
                continue
            if self._can_be_made(posted, head) and self._begin(posted):
                return

    def _can_be_made(self, posted: Posted, head: Block) -> bool:
        """Whether its run begins now, or goes on: once a settled block has what it waits for."""
        if self.watch.status[posted.id] is not Status.WAITING:
            return True
        before = self.waiting.for_what(posted)
        try:
            what = self.waiting.look(posted, self._settled(head), head)
        except (ExecutorError, RevertError) as exc:
            self._put_off(posted, str(exc))
            return False
        if what and what != before:
            self.report(Waits(posted.id, what))
        return not what

    def _is_in_hand(self, posted: Posted) -> bool:
        """Also where the watch has not seen yet what a transaction of ours began."""
        record = self._record_of(posted)
        begun = self.watch.status[posted.id] is Status.WAITING
        return record is not None and (
            record.state in {"sent", "included", "answered"}
            or (record.state == "waiting" and not begun)
        )

    def _unserved(self, posted: Posted, now: int) -> str:
        """Why a request is not for us; empty when it is."""
        order = posted.request.order
        if order.operator not in {NOBODY, self.sender.account}:
            return f"it is for operator {order.operator}"
        if order.deadline - now < LEAST_LEFT_S:
            return "its deadline is too near"
        begun = self.watch.status[posted.id] is Status.WAITING
        if order.facts and not begun and not self.policy.facts:
            return "it is bound to facts of its requester's choice (--facts)"
        if order.fee == 0 and not self.policy.at_a_loss:
            return "it pays nothing (--at-a-loss)"
        return ""

    def _begin(self, posted: Posted) -> bool:
        """Whether a transaction was signed for it."""
        self.report(Begun(posted.id, posted.request.order.fee))
        try:
            return self._answered(posted)
        except FeeRefused as exc:
            self._put_off(posted, str(exc))
        except (ExecutorError, ModelError, ProverError, RevertError) as exc:
            self._put_off(posted, str(exc))
        return False

    def _answered(self, posted: Posted) -> bool:
        for attempt in range(1, PLANS + 1):
            self.prices.check(posted, self._record_of(posted))
            made = self._made(posted)
            if made is None:
                self._put_off(posted, LATER)
                return False
            proven, call = made
            self.report(Proven(posted.id, len(proven.plan.decisions), sum(proven.seconds)))
            try:
                gas = self.sender.estimate_gas(call)
            except RevertError:
                if attempt == PLANS:
                    raise
                continue
            return self._priced(posted, call, gas, begins=proven.plan.waits)
        return False

    def _made(self, posted: Posted) -> tuple[ProvenRun, ContractCall] | None:
        """What there is to make of its run now, proven, and the call that makes it; None where that
        is a beginning which others may be paid for."""
        order = posted.request.order
        if self.watch.status[posted.id] is Status.WAITING:
            rest = self.waiting.rest_of(posted)
            return rest, ContractCall(resume_data(posted, rest.call))
        plan = self.runner.plan(order.prompt)
        if plan.waits and not self.policy.begin and order.operator != self.sender.account:
            return None
        proven = self.runner.prove(plan)
        return proven, ContractCall(fulfil_data(posted, proven.call))

    def _priced(self, posted: Posted, call: ContractCall, gas: int, *, begins: bool) -> bool:
        record, nonce = self._record_of(posted), self._nonce()
        limit = self.sender.gas_limit(gas, GAS_MARGIN_PERCENT)
        record = replace(record or _unsigned(posted, self.journal), begins=begins)
        fees = self.prices.offer(record, limit, nonce)
        self._pauses.pop(_key(posted), None)
        self._sign(record, call, limit, fees, nonce)
        return True

    def _sign(
        self, record: AnswerRecord, call: ContractCall, limit: int, fees: Fees, nonce: int
    ) -> None:
        replaces = self._is_signed_for(nonce)
        raw = self.sender.sign(call, gas=limit, fees=fees, nonce=nonce)
        record = self.journal.write(record.with_signed(raw))
        name = hash_of(record.signed[-1])
        self.report(Sent(record.number, name, nonce, fees.most_wei(limit), replaces))
        self._sent_at.pop(name, None)  # it may be the very one that the node forgot
        self._broadcast(record)

    def _nonce(self) -> int:
        """The next one, or that of a transaction of ours that was given up and may be waiting."""
        used, pending = self._used(), self.sender.next_nonce()
        return used if self._is_signed_for(used) else pending

    def _is_signed_for(self, nonce: int) -> bool:
        return any(nonce in record.nonces for record in self.journal.records())

    def _used(self) -> int:
        return self.sender.transactions_by(self.sender.height())

    @property
    def _wanted(self) -> int:
        return self.policy.wanted(local=self.sender.local)

    def _record_of(self, posted: Posted) -> AnswerRecord | None:
        return self.journal.of(posted.id, posted.request.hash.hex())

    def _keep(self, record: AnswerRecord, **changes: object) -> AnswerRecord:
        return self.journal.write(replace(record, **changes))  # type: ignore[arg-type]

    def _is_paused(self, posted: Posted) -> bool:
        return self.clock() < self._pauses.get(_key(posted), (0.0, 0.0))[0]

    def _put_off(self, posted: Posted, why: str) -> None:
        before = self._pauses.get(_key(posted), (0.0, 0.0))[1]
        pause = min(max(before * 2, FIRST_PAUSE_S), LONGEST_PAUSE_S)
        self._pauses[_key(posted)] = self.clock() + pause, pause
        self.report(PutOff(posted.id, why, pause))


def _key(posted: Posted) -> tuple[int, str]:
    return posted.id, posted.request.hash.hex()


def _unsigned(posted: Posted, journal: AnswerJournal) -> AnswerRecord:
    request = posted.request
    return AnswerRecord(journal.place, posted.id, request.hash.hex(), request.order.fee, ())


def _call_of(record: AnswerRecord) -> ContractCall:
    return ContractCall(fields_of(record.signed[-1])["data"])


__all__ = ["DeskOperator"]

"""Carries an instruction out once: shown before it is signed, in the journal before it is sent,
gone on with after an interruption.

    plan -> prove -> show -> sign -> journal -> broadcast -> wait -> receipt

A run that was interrupted behind `journal` is found there by whoever repeats it, and nothing is
signed for it but under the same nonce. Before an instruction is begun once more, whatever was
signed for it and given up is looked for on the chain.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from zkagent.errors import ZkagentError
from zkagent.executor.chain.agent import Inclusion, RunCall
from zkagent.executor.chain.calls import fees_of, run_of
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.commands import typed
from zkagent.executor.errors import (
    DecidedOtherwise,
    ExecutorError,
    HappenedUnreceipted,
    NotReproducible,
    TooLongForReceipt,
)
from zkagent.executor.runs.agreement import departures
from zkagent.executor.runs.derivation import raw_bytes, text
from zkagent.executor.runs.errors import (
    DoneBefore,
    NonceTaken,
    NotAgreed,
    NotAsSigned,
    NothingToDo,
    RunElsewhere,
    RunReverted,
    RunUnsettled,
    StateKeepsChanging,
)
from zkagent.executor.runs.events import (
    Included,
    MayStillHappen,
    Replacing,
    Resumed,
    Signed,
    StateChanged,
)
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.nonces import Nonces
from zkagent.executor.runs.paper import planned_on_paper
from zkagent.executor.runs.plan import Plan
from zkagent.executor.runs.preview import Confirm, Preview
from zkagent.executor.runs.records import GIVEN_UP, Intent, RunRecord, signed
from zkagent.executor.runs.recovery import recovered
from zkagent.executor.runs.runner import (
    GAS_MARGIN_PERCENT,
    PLANS,
    AgentRunner,
    CompletedRun,
    ProvenRun,
    run_reverted,
)
from zkagent.executor.runs.settlement import Settlement, unsettled
from zkagent.verifier_contracts.chain.signing import Fees
from zkagent.verifier_contracts.errors import ChainError, RevertError

#: Writes the receipt of a run that happened, and says where.
Keep = Callable[[CompletedRun], Path]
#: Whether an instruction that was carried out shall be carried out again.
Again = bool | Callable[[RunRecord], bool]


@dataclass(frozen=True)
class Wishes:
    """Of whoever gives an instruction. confirm: asked before anything is signed; None for yes.
    departing: asked, where `confirm` is None, before something is signed that is not what was
    signed for the instruction before; None for no. record_answer: send a run, too, whose answer
    calls no tool. may_still_happen: send also beside an earlier transaction of the instruction that
    may be mined, too."""

    confirm: Confirm | None = None
    departing: Confirm | None = None
    again: Again = False
    record_answer: bool = False
    may_still_happen: bool = False


NONE = Wishes()
MISSED = ("superseded", "expired")  # states that an instruction is not begun anew from unasked


class Carrier:
    """Carries out instructions of one account for one agent."""

    def __init__(
        self, runner: AgentRunner, sender: Web3Sender, journal: Journal, settlement: Settlement
    ) -> None:
        self.runner, self.sender, self.journal = runner, sender, journal
        self.settlement, self.report = settlement, runner.report
        self.nonces = Nonces(sender, journal, settlement)
        self._proven: dict[str, ProvenRun] = {}

    def run(self, prompt: bytes, keep: Keep, wishes: Wishes = NONE) -> CompletedRun:
        """Carry it out, or go on with it.

        Raises NothingToDo, NotAgreed, DoneBefore, StillPossible and what planning and proving
        raise when nothing was signed; RunReverted when it was mined and failed; RunWaits when it
        was begun and waits; RunUnsettled, NonceTaken, HappenedUnreceipted.
        """
        intent = self.intent(prompt)
        with self.journal.held(intent):
            last = self.journal.last(intent)
            if last and last.unfinished:
                return self._resume(last, keep, wishes, dearer=False)
            return self._begin_once(intent, keep, wishes)

    def resume(
        self, record: RunRecord, keep: Keep, wishes: Wishes = NONE, *, dearer: bool = False
    ) -> CompletedRun:
        """Go on with an unfinished run, or make the receipt that one could not get. dearer: with a
        higher fee. Raises RunElsewhere unless it is of this account, agent and chain, and like
        `run`."""
        here = self.intent(raw_bytes(record.intent.prompt))
        if here != record.intent:
            raise RunElsewhere(record.id, differences(record.intent, here))
        with self.journal.held(here):
            current = self.journal.find(record.id)
            if current.unreceipted:
                return self._receipted(current, keep)
            if not current.unfinished:
                raise done_before(self._that_says_most(current))
            return self._resume(current, keep, wishes, dearer=dearer)

    def intent(self, prompt: bytes) -> Intent:
        """Whoever repeats this account's instruction has the same."""
        genesis = self.sender.first_block() if self.sender.local else ""
        agent = str(self.sender.entry).lower()
        return Intent(self.sender.chain_id, genesis, agent, self.sender.account, text(prompt))

    def prove(self, plan: Plan) -> ProvenRun:
        """Fees that are above what may be paid now end it before any work is done. Raises
        FeeRefused, and what proving raises."""
        self.sender.fees()
        return self.runner.prove(plan)

    def preview(self, proven: ProvenRun, earlier: Fees | None = None, name: str = "") -> Preview:
        """What it would do and cost now. earlier: fees of the transaction `name` that it is to
        replace. Raises RevertError, InsufficientFunds, FeeRefused."""
        gas = self.runner.estimate(proven)
        limit, fees = self.sender.gas_limit(gas, GAS_MARGIN_PERCENT), self.sender.fees()
        if earlier:
            fees = fees.above(earlier)
        tolerance, transfers = self.runner.limits.tolerance, self.sender.transfers(proven.call)
        plan, reader = proven.plan, ContractReader(self.sender.web3)
        on_paper = planned_on_paper(reader, plan.decisions, plan.block)
        return Preview(
            proven, gas, limit, fees, tolerance, transfers, name, calls_on_paper=on_paper
        )

    def _that_says_most(self, ended: RunRecord) -> RunRecord:
        """It, or the one that did its instruction."""
        same = [r for r in self.journal.of(ended.intent) if r.state == "done"]
        return same[-1] if same and ended.state != "done" else ended

    def _look_for_what_was_given_up(self, intent: Intent, keep: Keep) -> None:
        """Raises DoneBefore when one of its transactions happened after all; it has a receipt
        then."""
        for record in self.journal.of(intent):
            if record.state in GIVEN_UP and (found := self.settlement.revived(record)):
                self._finish(*self.settlement.settle(found), keep)
                raise done_before(self.journal.find(record.id))

    def _refuse_unasked(self, intent: Intent, wishes: Wishes) -> RunRecord | None:
        """What was given up and is to be replaced, under its nonce. Raises DoneBefore,
        StillPossible."""
        records = self.journal.of(intent)
        done = [record for record in records if record.state == "done"]
        missed = [record for record in records if record.state in MISSED]
        if done and not _wanted(done[-1], wishes.again):
            raise done_before(done[-1])
        nonce = self.nonces.choose(intent, accepted=wishes.may_still_happen)
        if missed and not done and not _wanted(missed[-1], wishes.again):
            raise done_before(missed[-1])
        for record in self.nonces.beside(intent, nonce):
            self.report(MayStillHappen(record.id, record.hash, record.deadline))
        same = (r for r in reversed(records) if r.state in GIVEN_UP and r.nonce == nonce)
        return next(same, None)

    def _begin_once(self, intent: Intent, keep: Keep, wishes: Wishes) -> CompletedRun:
        """What has no unfinished record. Raises like `run`."""
        self._look_for_what_was_given_up(intent, keep)
        in_the_way = self._refuse_unasked(intent, wishes)
        return self._begin(intent, keep, wishes, in_the_way)

    def _begin(
        self, intent: Intent, keep: Keep, wishes: Wishes, in_the_way: RunRecord | None
    ) -> CompletedRun:
        """in_the_way: nodes that have its transaction want to be paid more for another one."""
        earlier = fees_of(_last_signed(in_the_way)) if in_the_way else None
        before = self.journal.last(intent)
        given_up = before if before and before.state in GIVEN_UP else None
        plan = self.runner.planned(raw_bytes(intent.prompt))
        preview = self._agreed(plan, wishes, given_up, earlier)
        call, limit, fees = preview.proven.call, preview.gas_limit, preview.fees
        self._look_for_what_was_given_up(intent, keep)  # proving takes time
        with self.journal.choosing_nonce(intent):
            nonce = self.nonces.choose(intent, accepted=wishes.may_still_happen)
            raw = self.sender.sign(call, gas=limit, fees=fees, nonce=nonce)
            record = self.journal.add(intent, nonce, signed(raw))
        self._remember(record, preview)
        return self._finish(*self._settled(record, keep), keep)

    def _resume(
        self, record: RunRecord, keep: Keep, wishes: Wishes, *, dearer: bool
    ) -> CompletedRun:
        self.report(Resumed(record.id, record.hash, record.nonce, record.state))
        try:
            record = self._renewed(record, wishes, dearer=dearer)
        except RunUnsettled:
            raise
        except (ZkagentError, OSError) as exc:
            raise unsettled(record, str(exc)) from exc
        return self._finish(*self._settled(record, keep), keep)

    def _receipted(self, record: RunRecord, keep: Keep) -> CompletedRun:
        """What one node's answers did not lead to, another's may."""
        self.report(Resumed(record.id, record.hash, record.nonce, record.state))
        if not (found := self.settlement.revived(record)):
            raise unsettled(record, "this node has it in no block, as another had: ask that one")
        try:
            return self._finish(*self._settled(found, keep), keep)
        except (RunReverted, NonceTaken) as exc:
            why = f"this node says otherwise now ({exc}), and had it in a block: ask another one"
            raise unsettled(record, why) from exc
        finally:  # what happened by one node's word is not undone by another word of it
            if (now := self.journal.find(record.id)).state != "done":
                self.settlement.keep(now, state="done", transaction=record.transaction)

    def _renewed(self, record: RunRecord, wishes: Wishes, *, dearer: bool) -> RunRecord:
        """The record with a transaction that can be included as things are: the last one, unless
        it would fail now or shall be dearer."""
        record, mined = self.settlement.look(record)
        if mined or not self._is_free(record.nonce):
            return record
        raw = _last_signed(record)
        outdated = self._outdated(run_of(raw))
        if not outdated and not dearer:
            return record
        if outdated:
            self.report(StateChanged(len(record.signed), str(outdated)))
        again = replace(wishes, record_answer=True)
        plan = self.runner.planned(raw_bytes(record.intent.prompt))
        preview = self._agreed(plan, again, record, fees_of(raw), record.hash)
        self.report(Replacing(record.hash))
        raw = self.sender.sign(
            preview.proven.call, gas=preview.gas_limit, fees=preview.fees, nonce=record.nonce
        )
        record = replace(record, signed=(*record.signed, signed(raw)), state="signed")
        self.journal.write(record)
        self._remember(record, preview)
        return record

    def _is_free(self, nonce: int) -> bool:
        return self.sender.transactions_by(self.sender.height()) <= nonce

    def _outdated(self, call: RunCall) -> RevertError | None:
        """Why it would fail now."""
        try:
            self.sender.estimate_gas(call)
        except RevertError as exc:
            return exc
        return None

    def _agreed(
        self,
        plan: Plan,
        wishes: Wishes,
        before: RunRecord | None,
        earlier: Fees | None = None,
        name: str = "",
    ) -> Preview:
        """A proven plan that can be sent and that nobody has anything against. before: what was
        signed for the instruction and did not happen. Raises NotAgreed, NotAsSigned."""
        for attempt in range(1, PLANS + 1):
            only_answers = len(plan.decisions) == 1 and not plan.steps and not plan.waits
            wanted = wishes.record_answer or self.runner.model.answers_act
            if only_answers and not wanted:
                first = plan.decisions[0]
                whole = first.context.reads.instructed is not None
                raise NothingToDo(text(plan.answer), "" if whole else first.decision.kind)
            proven = self.prove(plan)
            try:
                preview = self.preview(proven, earlier, name)
                if before:
                    signed_then = run_of(_last_signed(before)).terms
                    preview = replace(preview, departs=departures(signed_then, plan))
                if not (confirm := _who_is_asked(preview, wishes, before)):
                    return preview
                if not confirm(preview):
                    raise NotAgreed
                self.sender.estimate_gas(proven.call)  # reading takes time
                return preview
            except RevertError as exc:
                reason, plan = exc, self.runner.plan_anew(plan, exc)
                self.report(StateChanged(attempt, str(exc)))
        raise StateKeepsChanging(PLANS, str(reason)) from reason

    def _remember(self, record: RunRecord, preview: Preview) -> None:
        transaction = record.signed[-1].hash
        self._proven[transaction] = preview.proven
        self.report(Signed(record.id, transaction, record.nonce))

    def _settled(self, record: RunRecord, keep: Keep) -> tuple[RunRecord, Inclusion]:
        try:
            record, inclusion = self.settlement.settle(record)
        except RevertError as exc:
            raise run_reverted(exc) from exc
        except NonceTaken:  # perhaps by an earlier transaction of the same instruction
            self._look_for_what_was_given_up(record.intent, keep)
            raise
        result = inclusion.result
        self.report(Included(inclusion.hash, result.block.number, result.gas_used))
        return record, inclusion

    def _finish(self, record: RunRecord, inclusion: Inclusion, keep: Keep) -> CompletedRun:
        """The record is finished when the receipt is on disk, or cannot be made of what this node
        says."""
        result = inclusion.result
        happened = (inclusion.hash, result.block.number, text(result.answer))
        try:
            completed = self._completed(record, inclusion)
            path = keep(completed)
        except (NotReproducible, TooLongForReceipt) as exc:
            self.settlement.keep(record, state="done", note=str(exc))
            again = f"`{typed('runs', 'resume', record.id)}` tries again, by another node"
            why = str(exc) if isinstance(exc, DecidedOtherwise) else f"{exc}; {again}"
            raise HappenedUnreceipted(*happened, why) from exc
        except (ChainError, ExecutorError, OSError) as exc:
            why = f"{exc}; repeat the command to have it written, elsewhere if need be"
            raise HappenedUnreceipted(*happened, why) from exc
        self.settlement.keep(record, state="done", receipt=str(path), note="")
        return completed

    def _completed(self, record: RunRecord, inclusion: Inclusion) -> CompletedRun:
        plans = len(record.signed)
        if proven := self._proven.get(inclusion.hash):
            return CompletedRun(proven, inclusion, plans)
        return recovered(self.runner.chain, self.runner.model, inclusion, plans)


def _who_is_asked(preview: Preview, wishes: Wishes, before: RunRecord | None) -> Confirm | None:
    """None for nobody. Raises NotAsSigned where somebody would have to be, and nobody can be."""
    if wishes.confirm or not preview.departs:
        return wishes.confirm
    if not wishes.departing:
        assert before
        raise NotAsSigned(before.hash, preview.departs)
    return wishes.departing


def _last_signed(record: RunRecord) -> bytes:
    return bytes.fromhex(record.signed[-1].raw[2:])


def done_before(record: RunRecord) -> DoneBefore:
    receipt = f", receipt {record.receipt}" if record.receipt else ""
    if record.unreceipted:
        receipt = f", and `{typed('runs', 'resume', record.id)}` tries to make its receipt"
    taker = f"transaction {record.taken_by}" if record.taken_by else "another transaction"
    what = {
        "done": f"was carried out in block {record.block}{receipt}",
        "superseded": f"was sent, and {taker} took its nonce",
        "expired": "was sent, and not seen in a block until its deadline",
        "failed": "was sent, and failed",
    }
    remedy = (
        "`zkagent run --again` sends it once more"
        if record.state in {"done", *MISSED}
        else "`zkagent run` looks for it on the chain, and sends it if it did not happen"
    )
    return DoneBefore(record.id, record.hash, what.get(record.state, "was given up"), remedy)


def differences(theirs: Intent, here: Intent) -> list[tuple[str, str, str]]:
    """What, of a record, at hand."""
    names = {
        "chain_id": "chain",
        "genesis": "the chain with first block",
        "agent": "agent",
        "account": "account",
        "resumes": "what goes on with run",
    }
    pairs = ((told, getattr(theirs, name), getattr(here, name)) for name, told in names.items())
    return [(told, str(there), str(ours)) for told, there, ours in pairs if there != ours]


def _wanted(record: RunRecord, again: Again) -> bool:
    return again if isinstance(again, bool) else again(record)


__all__ = ["Carrier", "Keep", "Wishes"]

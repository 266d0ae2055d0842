"""What becomes of transactions that were signed: handed to the node until one of them is in a
block, and that block has others on it.

All transactions of a record have one nonce, so that one at most is ever mined. Whatever this module
learns is in the journal before anything is concluded from it. That a transaction will not happen is
never concluded before its deadline: a node can keep it, and say that its nonce is used. Called by
`carrier.py`.
"""

import time
from dataclasses import dataclass, field, replace

from zkagent.executor.chain.agent import Inclusion
from zkagent.executor.chain.deadlines import utc
from zkagent.executor.chain.web3_sender import Mined, Web3Sender
from zkagent.executor.errors import NoAnswerYet
from zkagent.executor.runs.errors import (
    NonceTaken,
    RunRecordRefused,
    RunsUnreadable,
    RunUnsettled,
    RunUnwritten,
    RunWaits,
)
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.records import RunRecord
from zkagent.verifier_contracts.errors import ChainError

LOCAL_CONFIRMATIONS, CONFIRMATIONS = 1, 3
TIMEOUT_S = 180.0
FIRST_POLL_S, LAST_POLL_S = 0.05, 2.0
REBROADCAST_S = 5.0
#: How long a nonce is looked at that is used up by nobody knows whom: nodes behind one address do
#: not all know the latest block.
TAKEN_S = 5.0


@dataclass
class Settlement:
    """confirmations: blocks from the run's own on; None for LOCAL_CONFIRMATIONS on local chains and
    CONFIRMATIONS on others. timeout_s: how long is waited for them."""

    sender: Web3Sender
    journal: Journal
    confirmations: int | None = None
    timeout_s: float = TIMEOUT_S
    _latest: dict[str, RunRecord] = field(default_factory=dict)  # by id, as known here

    def settle(self, record: RunRecord) -> tuple[RunRecord, Inclusion]:
        """Wait until the record's run is included. Raises RevertError when it was mined and
        failed, RunWaits, NonceTaken, RunUnsettled when there is no telling yet, RunUnwritten."""
        try:
            return self._settle(record)
        except NoAnswerYet as exc:
            last = self.keep(self._latest.get(record.id, record), state="waiting")
            raise RunWaits(last.id, last.hash, exc) from exc
        except (ChainError, RunsUnreadable) as exc:
            last = self._latest.get(record.id, record)
            if last.unfinished:
                raise unsettled(last, str(exc)) from exc
            raise

    def look(self, record: RunRecord) -> tuple[RunRecord, Mined | None]:
        """Which of its transactions is in a block now, if any."""
        for each in record.signed:
            if mined := self.sender.mined(each.hash):
                return self._included(record, each.hash, mined), mined
        if record.state in {"included", "waiting"}:  # there was a reorganisation
            record = self.keep(record, state="sent", transaction="", block=0)
        return record, None

    def revived(self, record: RunRecord) -> RunRecord | None:
        """A record that was given up, as included, when it happened after all."""
        for each in record.signed:
            mined = self.sender.mined(each.hash)
            if mined and mined.succeeded:
                return self._included(record, each.hash, mined)
        return None

    def may_happen(self, record: RunRecord) -> bool:
        """Whether its deadline has not passed by both clocks, the chain's as of a settled block."""
        return record.may_happen(self.sender.time_of(self._settled))

    def keep(self, record: RunRecord, **changes: object) -> RunRecord:
        """In the journal. Raises RunUnwritten."""
        changed = replace(record, **changes)  # type: ignore[arg-type]
        self._latest[record.id] = changed
        try:
            self.journal.write(changed)
        except (OSError, RunRecordRefused) as exc:
            raise RunUnwritten(changed.id, changed.hash, changed.nonce, changed.state, exc) from exc
        return changed

    def _settle(self, record: RunRecord) -> tuple[RunRecord, Inclusion]:
        started = sent_at = time.monotonic()
        taken_since: float | None = None
        record, pause = self._broadcast(record), FIRST_POLL_S
        while True:
            taken = self._nonce_is_taken(record)
            record, mined = self.look(record)
            now = time.monotonic()
            if mined and self._confirmed(mined):
                return self._concluded(record, mined)
            if mined or not taken:
                taken_since = None
            elif taken_since is None:
                taken_since = now
            elif now - taken_since > TAKEN_S:
                raise self._taken(record)
            if now - started > self.timeout_s:
                raise unsettled(record, self._why_waiting(record, mined))
            if not mined and now - sent_at > REBROADCAST_S:
                record, sent_at = self._broadcast(record), now
            time.sleep(pause)
            pause = min(pause * 1.3, LAST_POLL_S)

    def _broadcast(self, record: RunRecord) -> RunRecord:
        """The latest of its transactions, unless one is in a block. A refusal ends it, unless it is
        that the nonce is used up, which is looked into afterwards."""
        record, mined = self.look(record)
        if mined:
            return record
        try:
            self.sender.broadcast(bytes.fromhex(record.signed[-1].raw[2:]))
        except ChainError as exc:
            if "nonce too low" not in str(exc).lower():
                raise
            return record
        return self.keep(record, state="sent") if record.state == "signed" else record

    def _nonce_is_taken(self, record: RunRecord) -> bool:
        """In a block with as many others on it as are wanted."""
        return self.sender.transactions_by(self._settled) > record.nonce

    def _taken(self, record: RunRecord) -> NonceTaken | RunUnsettled:
        """What there is to say when the node shows none of the record's transactions and says that
        its nonce is used."""
        possible, shown = self.may_happen(record), self._taker(record)
        until = utc(record.deadline) if possible else ""
        if shown:
            taker, block, by = shown
            record = self.keep(record, state="superseded", taken_by=taker, block=block)
            named = (record.id, record.hash, record.nonce)
            return NonceTaken(*named, taker=taker, block=block, by=by, until=until)
        if not possible:
            record = self.keep(record, state="expired")
            return NonceTaken(record.id, record.hash, record.nonce)
        return unsettled(
            record, f"the node says that nonce {record.nonce} is used, and does not show by what"
        )

    def _taker(self, record: RunRecord) -> tuple[str, int, str] | None:
        """Hash and block of the transaction that has the record's nonce, and the run that it is
        of, "" for none."""
        others = {each: other.id for other in self.journal.rivals(record) for each in other.hashes}
        for each, run in others.items():
            if mined := self.sender.mined(each):
                return each, mined.block, run
        try:
            shown = self.sender.sent_with(record.nonce, self._settled)
        except ChainError:  # nodes drop the state of old blocks
            return None
        if shown is None or shown[0] in record.hashes:
            return None
        return *shown, others.get(shown[0], "")

    def _confirmed(self, mined: Mined) -> bool:
        return self.sender.height() - mined.block + 1 >= self._wanted

    @property
    def _settled(self) -> int:
        """The latest block with as many others on it as are wanted."""
        return max(self.sender.height() - self._wanted + 1, 0)

    @property
    def _wanted(self) -> int:
        if self.confirmations is not None:
            return self.confirmations
        return LOCAL_CONFIRMATIONS if self.sender.local else CONFIRMATIONS

    def _included(self, record: RunRecord, transaction: str, mined: Mined) -> RunRecord:
        if (record.state, record.transaction, record.block) == (
            "included",
            transaction,
            mined.block,
        ):
            return record
        return self.keep(record, state="included", transaction=transaction, block=mined.block)

    def _concluded(self, record: RunRecord, mined: Mined) -> tuple[RunRecord, Inclusion]:
        raw = next(each.raw for each in record.signed if each.hash == record.transaction)
        if not mined.succeeded:
            record = self.keep(record, state="failed")
        return record, self.sender.inclusion(bytes.fromhex(raw[2:]), mined)

    def _why_waiting(self, record: RunRecord, mined: Mined | None) -> str:
        waited = f"after {self.timeout_s:g} s"
        if mined:
            return f"{waited} block {mined.block} has fewer than {self._wanted - 1} others on it"
        used = self.sender.transactions_by(self.sender.height())
        if used < record.nonce:
            return (
                f"{waited} it still waits for the account's transactions of nonce {used} to "
                f"{record.nonce - 1}; if nobody will send those, give it up (`zkagent runs forget`)"
            )
        return f"{waited} it is in no block; `zkagent runs replace` sends it with a higher fee"


def unsettled(record: RunRecord, why: str) -> RunUnsettled:
    return RunUnsettled(record.id, record.hash, record.nonce, why)


__all__ = ["Settlement", "unsettled"]

"""What an audit log shows to whoever did not write it: each record follows from the one before, and
the heads that were signed or sent are in it.

Any edit, deletion, insertion or change of order within breaks the chain. A log that was written
anew as a whole, or cut off at its end, is whole in itself: only heads show it. So what comes after
the last head is as good as the one who has the file.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.permissions.audit.anchors import Head, SignedHead
from zkagent.executor.runtime.permissions.audit.chain import Chain, SentHead
from zkagent.executor.runtime.permissions.audit.records import (
    MOST_LINE,
    NOTHING,
    Record,
    log_id,
    read_line,
)

MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class AuditReport:
    """records: how many are in order, from the first; anchored: the number of the last record that
    a head is of, None without any; repaired: numbers of records that tell of a torn line; faults:
    what is wrong, one line each; notes: what was not checked."""

    records: int
    anchored: int | None
    repaired: tuple[int, ...]
    faults: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def intact(self) -> bool:
        return not self.faults

    @property
    def unanchored(self) -> int:
        """How many records at the end no head speaks for."""
        return self.records - (0 if self.anchored is None else self.anchored + 1)


def verify_log(
    path: Path,
    heads: Sequence[SignedHead | SentHead] = (),
    *,
    signers: Collection[str] = (),
    chain: Chain | None = None,
) -> AuditReport:
    """heads: all that were kept of this log, wherever; signers: addresses that may have made them;
    chain: asked whether those that were sent are in a block. Raises AuditBroken: the file cannot be
    read."""
    records, faults = _chained(path)
    found: list[Head] = []
    notes: list[str] = []
    for anchor in heads:
        try:
            found.append(_checked(anchor, {each.lower() for each in signers}, chain, notes))
        except ValueError as exc:
            faults.append(f"a head cannot be believed: {exc}")
    faults += [fault for head in found if (fault := _missing(records, head))]
    if not heads:
        notes.append(
            "no head was given: a log that was cut off or written anew looks like this one"
        )
    kept = [head.number for head in found if not _missing(records, head)]
    repaired = tuple(each.number for each in records if each.what.get("kind") == "repaired")
    anchored = max(kept, default=None)
    return AuditReport(len(records), anchored, repaired, tuple(faults[:MOST_FAULTS]), tuple(notes))


def _chained(path: Path) -> tuple[list[Record], list[str]]:
    """The records in order up to the first that is not."""
    records: list[Record] = []
    for number, line in enumerate(_lines(path)):
        try:
            records.append(_following(records, number, line))
        except ValueError as exc:
            return records, [f"record {number}: {exc}"]
    return records, [] if records else ["it has no record"]


def _following(before: Sequence[Record], number: int, line: bytes) -> Record:
    if not line.endswith(b"\n"):
        raise ValueError("its line does not end: a write was torn, or the log cut off")
    record = read_line(line[:-1])
    if record.number != number:
        raise ValueError(f"it says that it is record {record.number}")
    if record.previous != (before[-1].hash if before else NOTHING):
        raise ValueError("it does not follow the record before")
    if not before:
        log_id(record)
    return record


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while line := file.readline(MOST_LINE + 1):
                yield line
    except OSError as exc:
        raise AuditBroken(f"{path}: the audit log cannot be read: {exc}") from exc


def _checked(
    anchor: SignedHead | SentHead, signers: Collection[str], chain: Chain | None, notes: list[str]
) -> Head:
    """Raises ValueError."""
    if isinstance(anchor, SignedHead):
        _check_signer(anchor.signer, signers)
        return anchor.head
    signer, chain_id, head = anchor.read()
    _check_signer(signer, signers)
    if chain is None:
        notes.append(f"whether {anchor.transaction} is in a block was not checked")
    elif chain.chain_id != chain_id:
        raise ValueError(f"it was signed for chain {chain_id}, not for {chain.chain_id}")
    elif (mined := chain.mined(anchor.transaction)) is None or not mined.succeeded:
        raise ValueError(f"the transaction {anchor.transaction} is in no block")
    return head


def _check_signer(signer: str | None, signers: Collection[str]) -> None:
    if signer not in signers:
        raise ValueError(f"it was signed by {signer or 'nobody'}, who is not named as a signer")


def _missing(records: Sequence[Record], head: Head) -> str | None:
    if not records or head.log != records[0].what.get("log"):
        return f"head {head.number} is of another log: this one was written anew, or is not the one"
    if head.number >= len(records):
        return f"record {head.number} is missing that a head is of: the log was cut off"
    if records[head.number].hash != head.hash:
        return f"record {head.number} is not the one that a head is of: the log was written anew"
    return None


__all__ = ["AuditReport", "verify_log"]

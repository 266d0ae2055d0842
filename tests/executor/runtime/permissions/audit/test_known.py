"""A writer appends to no log that lost what it wrote, and signs over nothing."""

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.audit_logs import EVE, OWNER, Lines, opened, written
from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.permissions.audit.anchors import (
    Head,
    read_head,
    sign_head,
)
from zkagent.executor.runtime.permissions.audit.log import AuditLog
from zkagent.executor.runtime.permissions.audit.verify import verify_log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log"


def another(path: Path, records: int) -> bytes:
    """The log of the same account and as long or longer, as its owner wrote it elsewhere."""
    elsewhere = path.parent / "elsewhere"
    written(elsewhere / "log", records)
    return (elsewhere / "log").read_bytes()


def state(path: Path) -> tuple[bytes | None, bytes | None]:
    files = path, path.with_name("head")
    log, head = (file.read_bytes() if file.exists() else None for file in files)
    return log, head


CUTS: dict[str, Callable[[Lines], Lines]] = {
    "one": lambda lines: lines[:-1],
    "four": lambda lines: lines[:2],
    "all but the first": lambda lines: lines[:1],
    "all": lambda lines: [],
    "torn": lambda lines: [*lines[:-1], lines[-1][:-40]],
    "torn at the first": lambda lines: [lines[0][:30]],
    "last doubled": lambda lines: [*lines[:-1], lines[-2]],
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS.keys())
@pytest.mark.parametrize("how", ["same", "restarted", "same without a head"])
def test_nothing_is_appended_to_a_log_that_was_cut(
    path: Path, cut: Callable[[Lines], Lines], how: str
) -> None:
    log = written(path, account=None if "without" in how else OWNER)
    path.write_bytes(b"".join(cut(path.read_bytes().splitlines(keepends=True))))
    before = state(path)
    writer = opened(path) if how == "restarted" else log
    for use in (writer.head, lambda: writer.append({"kind": "refused"})):
        with pytest.raises(AuditBroken, match="not the one that was written up to record 5"):
            use()
    assert state(path) == before


@pytest.mark.parametrize("how", ["same", "restarted"])
def test_a_deleted_log_is_not_begun_anew(path: Path, how: str) -> None:
    log = written(path)
    path.unlink()
    writer = log if how == "same" else opened(path)
    with pytest.raises(AuditBroken, match="record 5 is missing: it was cut off"):
        writer.append({"kind": "refused"})
    assert not path.read_bytes()
    assert read_head(path.with_name("head")).head.number == 5


@pytest.mark.parametrize("records", [3, 6, 9])
@pytest.mark.parametrize("how", ["same", "restarted"])
def test_a_log_that_was_swapped_for_another_is_refused(path: Path, records: int, how: str) -> None:
    log = written(path)
    path.write_bytes(another(path, records))
    before = state(path)
    with pytest.raises(AuditBroken, match="it is another log"):
        (log if how == "same" else opened(path)).append({"kind": "refused"})
    assert state(path) == before


def test_a_log_that_was_cut_and_went_on_otherwise_is_refused(path: Path) -> None:
    """By somebody who has the key of no head: the chain is whole, and longer than before."""
    log = written(path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    for number in range(9):
        AuditLog(path).append({"kind": "refused", "forged": number})
    assert verify_log(path).intact
    for writer in (log, opened(path)):
        with pytest.raises(AuditBroken, match="record 5 is another one than was written"):
            writer.append({"kind": "refused"})


def test_what_another_process_signed_counts_also_where_it_is_newer(path: Path) -> None:
    first = written(path)
    second = opened(path)
    for _ in range(4):
        second.append({"kind": "changed"})
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:7]))
    with pytest.raises(AuditBroken, match="up to record 9"):
        first.append({"kind": "refused"})


def test_honest_records_of_others_are_followed(path: Path) -> None:
    first, second, bare = written(path), opened(path), opened(path, None)
    for _ in range(3):
        for log in (first, second, bare):
            log.append({"kind": "changed", "filler": "x" * 9_000})
    for _ in range(40):  # more than one block of the file
        bare.append({"kind": "changed", "filler": "x" * 9_000})
    first.append({"kind": "refused"})
    opened(path).append({"kind": "refused"})
    heads = [read_head(path.with_name("head"))]
    report = verify_log(path, heads, signers=[OWNER.address])
    assert (report.intact, report.records, report.unanchored) == (True, 57, 0)


def append_many(path: Path, count: int) -> None:
    log = opened(path)
    for number in range(count):
        log.append({"kind": "refused", "number": number})


def test_processes_that_share_log_and_head_go_on(path: Path) -> None:
    log = written(path)
    spawn = multiprocessing.get_context("fork")
    writers = [spawn.Process(target=append_many, args=(path, 5)) for _ in range(3)]
    for writer in writers:
        writer.start()
    for _ in range(5):
        log.append({"kind": "changed"})
    for writer in writers:
        writer.join(120)
        assert writer.exitcode == 0
    heads = [read_head(path.with_name("head"))]
    report = verify_log(path, heads, signers=[OWNER.address])
    assert (report.intact, report.records, report.unanchored) == (True, 26, 0)


def test_a_line_that_another_writer_left_torn_is_still_taken_off(path: Path) -> None:
    log = written(path)
    with path.open("ab") as file:
        file.write(b'{"hash":"ab')
    log.append({"kind": "refused"})
    report = verify_log(path, [read_head(path.with_name("head"))], signers=[OWNER.address])
    assert (report.intact, report.repaired) == (True, (6,))


def test_a_record_that_no_head_speaks_for_yet_is_no_cut(path: Path) -> None:
    """The process ended after the record and before the head."""
    written(path)
    kept = path.with_name("head").read_bytes()
    opened(path).append({"kind": "refused"})
    path.with_name("head").write_bytes(kept)
    opened(path).append({"kind": "refused"})
    assert read_head(path.with_name("head")).head.number == 7


def test_a_record_whose_head_could_not_be_written_counts(path: Path) -> None:
    def full(head: Head) -> None:
        raise AuditBroken("no space")

    log = AuditLog(path, anchor=full)
    with pytest.raises(AuditBroken, match="no space"):
        log.append({"kind": "refused"})
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(AuditBroken, match="up to record 1"):
        log.append({"kind": "refused"})


def damaged(path: Path) -> None:
    path.write_text("{}")


def forged(path: Path) -> None:
    path.write_text(sign_head(EVE, read_head(path).head).text())


@pytest.mark.parametrize(
    ("change", "said"), [(damaged, "no signed head"), (forged, "was signed by 0x")]
)
def test_a_head_that_the_account_did_not_sign_is_not_replaced(
    path: Path, change: Callable[[Path], None], said: str
) -> None:
    log = written(path)
    change(path.with_name("head"))
    before = state(path)
    for writer in (log, opened(path)):
        with pytest.raises(AuditBroken, match=said):
            writer.append({"kind": "refused"})
    assert state(path) == before


def test_a_log_without_a_head_that_is_opened_anew_is_believed(path: Path) -> None:
    """Nothing tells of what was cut off: docs/permissions.md says so."""
    written(path, account=None)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    found: Any = opened(path, None).append({"kind": "refused"})
    assert found.number == 3

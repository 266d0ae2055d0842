"""The log as its writers leave it, also where they end within a write."""

import asyncio
import json
import multiprocessing
from pathlib import Path

import pytest

from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.permissions.audit.log import AuditLog
from zkagent.executor.runtime.permissions.audit.verify import verify_log


def whats(path: Path) -> list[object]:
    return [json.loads(line)["what"]["kind"] for line in path.read_bytes().splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit" / "log"


def test_a_log_begins_with_its_name_and_goes_on(path: Path) -> None:
    asyncio.run(AuditLog(path).record({"kind": "refused"}))
    asyncio.run(AuditLog(path).record({"kind": "changed"}))
    assert whats(path) == ["begun", "refused", "changed"]
    assert verify_log(path).intact
    assert verify_log(path).records == 3


def test_log_and_key_are_for_their_owner_alone(path: Path) -> None:
    AuditLog(path).head()
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file


def test_digests_are_those_of_the_key_beside_the_log(path: Path) -> None:
    first = AuditLog(path).digest("hunter2")
    assert AuditLog(path).digest("hunter2") == first
    assert AuditLog(path.with_name("other")).digest("hunter2") != first
    assert AuditLog(path).digest("hunter3") != first


@pytest.mark.parametrize("lost", [1, 2, 40, 100])
def test_a_torn_last_line_is_taken_off_and_that_is_recorded(path: Path, lost: int) -> None:
    log = AuditLog(path)
    log.append({"kind": "first"})
    log.append({"kind": "second"})
    path.write_bytes(path.read_bytes()[:-lost])
    assert not verify_log(path).intact
    AuditLog(path).append({"kind": "third"})
    found = verify_log(path)
    assert found.intact
    if lost == 1:  # the record was whole, only its line had no end
        assert (whats(path), found.repaired) == (["begun", "first", "second", "third"], ())
    else:
        assert (whats(path), found.repaired) == (["begun", "first", "repaired", "third"], (2,))


def test_a_log_whose_first_line_is_torn_begins_anew(path: Path) -> None:
    AuditLog(path).head()
    path.write_bytes(path.read_bytes()[:30])
    AuditLog(path).append({"kind": "first"})
    assert whats(path) == ["begun", "repaired", "first"]
    assert verify_log(path).intact


FOREIGN = [b'{"name": "package"}', b"ab" * 32, b"\x80\x01" * 16, b'{"hash":"xy', b"x" * (1 << 26)]


@pytest.mark.parametrize("content", FOREIGN, ids=["json", "key", "bytes", "almost", "large"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nmore"])
def test_a_file_that_is_no_audit_log_stays_as_it_is(path: Path, content: bytes, end: bytes) -> None:
    log = AuditLog(path)
    path.write_bytes(content + end)
    for use in (log.head, lambda: log.append({"kind": "first"})):
        with pytest.raises(AuditBroken, match="first record of the audit log is damaged"):
            use()
    assert path.read_bytes() == content + end


def test_what_is_longer_than_a_record_is_no_torn_one(path: Path) -> None:
    AuditLog(path).append({"kind": "first"})
    good = path.read_bytes()
    path.write_bytes(good + b"x" * (3 << 20))
    with pytest.raises(AuditBroken, match="last record of the audit log is damaged"):
        AuditLog(path).append({"kind": "second"})
    path.write_bytes(good + b"x" * 1000)
    AuditLog(path).append({"kind": "second"})
    assert whats(path) == ["begun", "first", "repaired", "second"]


def test_nothing_is_appended_to_a_damaged_record(path: Path) -> None:
    AuditLog(path).append({"kind": "first"})
    good = path.read_bytes()
    path.write_bytes(good.replace(b"first", b"fIrst"))
    with pytest.raises(AuditBroken, match="last record of the audit log is damaged"):
        AuditLog(path).append({"kind": "second"})
    path.write_bytes(good.replace(b"begun", b"bEgun"))
    with pytest.raises(AuditBroken, match="first record of the audit log is damaged"):
        AuditLog(path).append({"kind": "second"})
    path.write_bytes(good)
    AuditLog(path).append({"kind": "second"})


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    log = AuditLog(path)
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AuditBroken, match="cannot be written"):
        log.append({"kind": "first"})
    assert not (tmp_path / "elsewhere").exists()


def test_a_record_that_nobody_would_read_again_is_refused(path: Path) -> None:
    log = AuditLog(path)
    with pytest.raises(AuditBroken, match="at most are read"):
        log.append({"kind": "x" * (1 << 16)})
    log.append({"kind": "small"})
    assert verify_log(path).intact


def test_a_key_of_another_length_is_none(path: Path) -> None:
    AuditLog(path)
    path.with_name("log.key").write_bytes(b"short")
    with pytest.raises(AuditBroken, match="5 bytes, not 32"):
        AuditLog(path)


def append_many(path: Path, count: int) -> None:
    log = AuditLog(path)
    for number in range(count):
        log.append({"kind": "refused", "number": number})


def test_writers_at_once_make_one_chain(path: Path) -> None:
    spawn = multiprocessing.get_context("fork")
    writers = [spawn.Process(target=append_many, args=(path, 15)) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert (verify_log(path).intact, verify_log(path).records) == (True, 61)

"""Whoever changes a log is found out: each way to do it beside the log as it was written."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.audit_logs import EVE, OWNER, Lines, written
from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.permissions.audit.anchors import (
    Head,
    SignedHead,
    read_head,
    sign_head,
)
from zkagent.executor.runtime.permissions.audit.log import AuditLog
from zkagent.executor.runtime.permissions.audit.verify import AuditReport, verify_log


def checked(path: Path, *more: SignedHead) -> AuditReport:
    heads = [read_head(path.with_name("head")), *more]
    return verify_log(path, heads, signers=[OWNER.address])


def rechained(lines: Lines) -> Lines:
    """By somebody who can do all but sign."""
    previous, made = "0" * 64, []
    for number, line in enumerate(lines):
        record: dict[str, Any] = json.loads(line)
        record |= {"number": number, "previous": previous}
        del record["hash"]
        text = json.dumps(record, sort_keys=True, separators=(",", ":"))
        previous = hashlib.sha256(text.encode()).hexdigest()
        record["hash"] = previous
        made.append(json.dumps(record, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return made


def edited(lines: Lines) -> Lines:
    return [line.replace(b"run2", b"run9") for line in lines]


CHANGES: dict[str, Callable[[Lines], Lines]] = {
    "edit": edited,
    "edit of the first": lambda x: [x[0].replace(b"begun", b"begin"), *x[1:]],
    "edit of the last": lambda x: [*x[:-1], x[-1].replace(b"refused", b"changed")],
    "deletion": lambda x: x[:2] + x[3:],
    "deletion of the first": lambda x: x[1:],
    "order": lambda x: [x[0], x[2], x[1], *x[3:]],
    "repetition": lambda x: [*x[:3], x[2], *x[3:]],
    "cut off": lambda x: x[:-1],
    "cut off but one": lambda x: x[:1],
    "cut off within a line": lambda x: [*x[:-1], x[-1][:-5]],
    "without the end of its last line": lambda x: [*x[:-1], x[-1][:-1]],
    "emptied": lambda x: [],
    "blanks": lambda x: [x[0].replace(b'":', b'": '), *x[1:]],
    "another order of fields": lambda x: [
        json.dumps(dict(reversed(json.loads(x[0]).items())), separators=(",", ":")).encode()
        + b"\n",
        *x[1:],
    ],
    "carriage returns": lambda x: [line[:-1] + b"\r\n" for line in x],
    "an empty line": lambda x: [*x[:2], b"\n", *x[2:]],
    "a field twice": lambda x: [x[0].replace(b"{", b'{"number":0,', 1), *x[1:]],
    "edit, and chained anew": lambda x: rechained(edited(x)),
    "deletion, and chained anew": lambda x: rechained(x[:2] + x[3:]),
    "order, and chained anew": lambda x: rechained([x[0], x[2], x[1], *x[3:]]),
    "cut off, and chained anew": lambda x: rechained(x[:3]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_shows(tmp_path: Path, change: str) -> None:
    path = tmp_path / "log"
    written(path)
    lines = path.read_bytes().splitlines(keepends=True)
    found = checked(path)
    assert (found.intact, found.records, found.anchored, found.unanchored) == (True, 6, 5, 0)
    path.write_bytes(b"".join(CHANGES[change](lines)))
    assert not checked(path).intact


def test_every_single_byte_counts(tmp_path: Path) -> None:
    path = tmp_path / "log"
    written(path, 3)
    content = path.read_bytes()
    for at in range(0, len(content), 3):
        changed = bytes([content[at] ^ 1])
        path.write_bytes(content[:at] + changed + content[at + 1 :])
        assert not verify_log(path).intact, at


def test_every_truncation_shows_by_the_head(tmp_path: Path) -> None:
    path = tmp_path / "log"
    written(path, 4)
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        assert not checked(path).intact, length


def test_what_comes_after_the_last_head_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "log"
    written(path, 4)
    AuditLog(path).append({"kind": "refused"})
    found = checked(path)
    assert (found.intact, found.records, found.anchored, found.unanchored) == (True, 5, 3, 1)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    assert checked(path).intact  # nobody can know, and the report does not say that it is


def test_without_a_head_a_report_says_what_that_means(tmp_path: Path) -> None:
    written(tmp_path / "log")
    found = verify_log(tmp_path / "log")
    assert (found.intact, found.anchored, found.unanchored) == (True, None, 6)
    assert "cut off or written anew" in found.notes[0]


def test_a_log_that_was_written_anew_is_not_the_one_of_the_head(tmp_path: Path) -> None:
    written(tmp_path / "log")
    head = (tmp_path / "head").read_bytes()
    for name in ("log", "head"):  # a writer that finds the head begins no other log
        (tmp_path / name).unlink()
    written(tmp_path / "log")
    assert checked(tmp_path / "log").intact
    (tmp_path / "head").write_bytes(head)
    assert "of another log" in checked(tmp_path / "log").faults[0]


def test_a_head_that_another_signed_is_not_believed(tmp_path: Path) -> None:
    written(tmp_path / "log", account=EVE)
    found = checked(tmp_path / "log")
    assert EVE.address.lower() in found.faults[0]
    assert found.anchored is None


def test_a_signature_is_of_one_head(tmp_path: Path) -> None:
    written(tmp_path / "log")
    good = read_head(tmp_path / "head")
    for other in (
        Head(good.head.log, good.head.number - 1, good.head.hash),
        Head("00" * 16, good.head.number, good.head.hash),
        Head(good.head.log, good.head.number, "00" * 32),
    ):
        assert good.signer == OWNER.address.lower()
        assert SignedHead(other, good.signature).signer != good.signer


def test_a_copy_of_an_earlier_head_holds_as_long_as_its_record_is_there(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = written(path, 3)
    early = sign_head(OWNER, log.head())
    log.append({"kind": "refused"})
    assert checked(path, early).intact
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    assert "missing" in verify_log(path, [early], signers=[OWNER.address]).faults[0]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"head":{},"signature":"0x"}', '{"head":{"log":1,"number":1,"hash":1}}', "x"],
)
def test_what_is_no_head_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "head").write_text(text)
    with pytest.raises(AuditBroken, match="signed head"):
        read_head(tmp_path / "head")


def test_a_missing_log_is_an_error_and_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(AuditBroken, match="cannot be read"):
        verify_log(tmp_path / "log")

"""`zkagent runs audit`: a log that is what was written, and one that is not."""

import json
from pathlib import Path

import pytest
from eth_account import Account

from tests.support.command_line import exit_code, one_line_error
from zkagent.executor.runtime.permissions.audit.anchors import head_file
from zkagent.executor.runtime.permissions.audit.log import AuditLog

OWNER, STRANGER = (Account.from_key(bytes([digit]) * 32) for digit in (1, 2))


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With three records after its first, and `head` signed by OWNER."""
    monkeypatch.chdir(tmp_path)
    written = AuditLog(Path("log"), anchor=head_file(Path("head"), OWNER))
    for step in range(3):
        written.append({"kind": "blocked", "step": step})
    return Path("log")


def test_a_log_that_is_what_was_written_is_intact(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("runs", "audit", log, "--head", "head", "--signer", OWNER.address) == 0
    assert "the log is intact: 4 records in order, a head of record 3" in capsys.readouterr().out
    assert exit_code("runs", "audit", log, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["intact"], report["anchored"], report["unanchored"]) == (True, None, 4)
    assert "no head was given" in report["notes"][0]


@pytest.mark.parametrize("change", ["edited", "cut off", "in another order"])
def test_a_log_that_was_changed_is_told(
    change: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = log.read_bytes().splitlines(keepends=True)
    changed = {
        "edited": [*lines[:2], lines[2].replace(b"blocked", b"allowed"), lines[3]],
        "cut off": lines[:3],
        "in another order": [lines[0], lines[2], lines[1], lines[3]],
    }[change]
    log.write_bytes(b"".join(changed))
    assert exit_code("runs", "audit", log, "--head", "head", "--signer", OWNER.address) == 1
    printed = capsys.readouterr().out
    assert "the log is not what was written" in printed
    assert "fault: " in printed


def test_a_head_counts_by_who_signed_it(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("runs", "audit", log, "--head", "head", "--signer", STRANGER.address) == 1
    assert "who is not named as a signer" in capsys.readouterr().out
    assert exit_code("runs", "audit", log, "--head", "head") == 2
    assert "--signer" in capsys.readouterr().err


def test_what_is_no_log_and_no_head_is_told_in_one_line(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("runs", "audit", "none") == 1
    assert "none: the audit log cannot be read" in one_line_error(capsys)
    words = ("--head", log, "--signer", OWNER.address)
    assert exit_code("runs", "audit", log, *words) == 1
    assert "the signed head of the audit log" in one_line_error(capsys)

"""`zkagent runs pending` on records that somebody else wrote: named in one line each, no crash."""

from pathlib import Path

import pytest

from tests.support.command_line import exit_code

NAME = f"{'0' * 16}-1.json"
CONTENTS = {
    "deep lists": b"[" * 200_000,
    "deep objects": b'{"format":' * 200_000,
    "a repeated key": b'{"format": "a", "format": "a"}',
    "a long number": b"9" * 10_000,
    "NaN": b'{"format": NaN}',
    "no text": b"\xff\xfe",
    "another value": b"[]",
    "nothing": b"",
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_a_record_of_a_run_is_named_in_one_line(
    content: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("zkagent.executor.runs.journal.runs_folder", lambda: tmp_path)
    (tmp_path / NAME).write_bytes(content)
    assert exit_code("runs", "pending") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert NAME in line

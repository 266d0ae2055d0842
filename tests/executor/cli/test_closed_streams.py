"""Commands whose standard streams are closed, as `2>&-` does: they do what they do otherwise."""

import subprocess
import sys
from pathlib import Path

import pytest

ZKAGENT = f"{sys.executable} -m zkagent"
DECIDE = f"{ZKAGENT} decide wallet 'withdraw 5 USDC' --json"


def run(command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command], check=False, input=given, capture_output=True, text=True
    )


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-"])
def test_a_closed_stream_changes_no_verdict(closed: str) -> None:
    ordinary, ran = run(DECIDE), run(f"{DECIDE} {closed}")
    assert (ran.returncode, ran.stdout) == (0, ordinary.stdout)
    assert ran.stderr == ""


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_what_is_read_from_a_closed_stream_is_empty(closed: str, tmp_path: Path) -> None:
    verified = run(f"{ZKAGENT} verify - {closed}")
    empty = run(f"{ZKAGENT} verify - </dev/null")
    assert verified.returncode == empty.returncode == 1
    assert verified.stderr == ("" if "2>" in closed else empty.stderr)


def test_no_file_takes_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """What the first one is would be written into by whatever a library says."""
    code = "import os; from zkagent.__main__ import _open_streams as o; o(); " + (
        "n = os.open('kept', os.O_RDWR | os.O_CREAT); print('loud', n); os.write(2, b'loud')"
    )
    ran = run(f'cd {tmp_path} && {sys.executable} -c "{code}" <&- >&- 2>&-')
    assert ran.returncode == 0
    assert (tmp_path / "kept").read_bytes() == b""

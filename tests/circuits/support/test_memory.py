"""A process that may take no more memory than there is ends by itself, with words that say why."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from zkagent.circuits.errors import EngineCrashed
from zkagent.circuits.support import child_process, memory

TAKES = """
import sys
from zkagent.circuits.support import memory
memory.available_memory = lambda: 200e6
memory.limit_memory()
kept = bytearray(int(sys.argv[1]))
print("taken")
"""


def taking(count: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", TAKES, str(count)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_what_is_available_can_be_taken_and_no_more() -> None:
    assert taking(150_000_000).stdout == "taken\n"
    refused = taking(250_000_000)
    assert refused.returncode != 0
    assert refused.stderr.strip().endswith("MemoryError")


def test_where_the_system_cannot_tell_nothing_is_limited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    monkeypatch.setattr(memory, "STATUS", tmp_path / "nowhere")
    memory.limit_memory()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.parametrize(
    "words", ["memory allocation of 9 bytes failed", "MemoryError", "bad_alloc"]
)
def test_who_runs_out_of_memory_is_told_what_helps(words: str) -> None:
    assert "free memory, or make the model smaller" in str(EngineCrashed("exit code 1", words))
    assert child_process.tells_of_no_memory(words)

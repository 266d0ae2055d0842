"""snarkjs in a process of ours: what it says comes back, and nothing of it stays."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from zkagent.circuits.errors import EngineCrashed, EngineError
from zkagent.circuits.snarkjs import process
from zkagent.circuits.snarkjs.process import Snarkjs

SILENT = """
import time
from zkagent.circuits.snarkjs.process import Snarkjs
snarkjs = Snarkjs()
try: snarkjs.call("prove", "prove", zkey="missing", wtns="missing")
except Exception: print(snarkjs._child.pid, flush=True)
time.sleep(600)
"""


SPEAKING = """
from zkagent.circuits.snarkjs.process import Snarkjs
with Snarkjs() as snarkjs:
    try: snarkjs.call("prove", "prove", zkey="/missing", wtns="/missing")
    except Exception as exc: print(exc)
"""


def is_there(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_what_it_says_is_the_error_and_it_goes_on(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with Snarkjs() as snarkjs:
        for _ in range(2):
            with pytest.raises(EngineError, match=r"^snarkjs failed to prove: ENOENT: .*missing"):
                snarkjs.call("prove", "prove", zkey=missing, wtns=missing)


@pytest.mark.parametrize("kind", ["module", "commonjs", "nonsense"])
def test_no_package_above_us_decides_how_our_adapter_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A Python environment may lie inside of a JavaScript project."""
    (tmp_path / "package.json").write_text(json.dumps({"name": "x", "type": kind}))
    (ours := tmp_path / ".venv" / "snarkjs").mkdir(parents=True)
    monkeypatch.setattr(process, "ADAPTER", Path(shutil.copy(process.ADAPTER, ours)))
    with Snarkjs() as snarkjs, pytest.raises(EngineError, match=r"failed to prove: ENOENT"):
        snarkjs.call("prove", "prove", zkey=str(tmp_path / "missing"), wtns="missing")


def test_it_works_where_the_folder_that_we_were_started_in_is_gone(tmp_path: Path) -> None:
    (gone := tmp_path / "release").mkdir()
    script = f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})\n" + SPEAKING
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "snarkjs failed to prove: ENOENT" in done.stdout


def test_a_file_of_another_kind_is_an_error(tmp_path: Path) -> None:
    (path := tmp_path / "file").write_bytes(b"something else" * 100)
    with Snarkjs() as snarkjs, pytest.raises(EngineError, match="Invalid File format"):
        snarkjs.call("initial", "begin", r1cs=str(path), ptau=str(path), zkey=str(tmp_path / "new"))


def test_it_is_ended_when_its_time_is_over() -> None:
    with Snarkjs(timeout_s=0.001) as snarkjs:
        pid = snarkjs._child.pid
        with pytest.raises(EngineError, match=r"failed to prove: no end within 0\.001 s"):
            snarkjs.call("prove", "prove", zkey="", wtns="")
        assert not is_there(pid)


def test_a_process_that_dies_is_told() -> None:
    with Snarkjs() as snarkjs:
        os.kill(snarkjs._child.pid, signal.SIGKILL)
        with pytest.raises(EngineCrashed, match=r"snarkjs failed to finish: .* signal SIGKILL"):
            snarkjs.call("prove", "prove", zkey="", wtns="")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends with its input")
def test_it_ends_with_whoever_started_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SILENT], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        assert is_there(pid)
        parent.kill()
    deadline = time.monotonic() + 120
    while is_there(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_there(pid)


def test_it_hears_of_no_ctrl_c() -> None:
    """Which a terminal sends to the whole group."""
    with Snarkjs() as snarkjs:
        with pytest.raises(EngineError):
            snarkjs.call("prove", "prove", zkey="missing", wtns="missing")
        assert os.getpgid(snarkjs._child.pid) != os.getpgid(0)

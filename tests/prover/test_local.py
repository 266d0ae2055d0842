"""The warm child: proofs, crashes, time-outs, interrupts, and no process left behind."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from tests.support.disks import fill, small_disk
from tests.support.processes import environment
from tests.support.small_networks import squares
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import InputRefused
from zkagent.circuits.systems import load_circuit
from zkagent.prover.errors import (
    ProofFalse,
    ProofTimedOut,
    ProverCrashed,
    ProverTroubled,
    TransientProverError,
)
from zkagent.prover.local import LocalProver
from zkagent.prover.verification import verify


def alive(pid: int) -> bool:
    """Whether the process runs (and is no zombie)."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def gone_soon(pid: int, timeout_s: float = 120) -> bool:
    deadline = time.monotonic() + timeout_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def test_proofs_come_verified_from_one_warm_child(circuit: Circuit) -> None:
    with LocalProver(circuit) as prover:
        first = prover.pid
        for x in ([3, -1, 4, 1], [0, 0, 0, 0]):
            proof = prover.prove(x)
            assert proof.outputs == squares(x)
            assert verify(proof, circuit)
        assert prover.pid == first
        assert prover.last
        assert 0 < prover.last.prove_s < 100
        assert 10e6 < prover.last.peak_rss_bytes < 500e6
    assert first
    assert not alive(first)


def test_wrong_inputs_are_refused_without_waking_the_child(circuit: Circuit) -> None:
    prover = LocalProver(circuit)
    with pytest.raises(InputRefused, match="x has 3 values"):
        prover.prove([1, 2, 3])
    assert prover.pid is None


def test_inputs_that_overflow_are_refused_by_two_children_and_the_second_lives_on(
    circuit: Circuit,
) -> None:
    with LocalProver(circuit) as prover:
        first = prover.pid
        with pytest.raises(InputRefused, match="drive an output to"):
            prover.prove([2**40, 0, 0, 0])
        second = prover.pid
        assert prover.prove([1, 1, 1, 1]).outputs == squares([1, 1, 1, 1])
        assert first != second == prover.pid


def test_a_crash_is_transient_and_the_next_proof_has_a_fresh_child(circuit: Circuit) -> None:
    with LocalProver(circuit) as prover:
        assert prover.pid
        first = prover.pid
        os.kill(first, signal.SIGKILL)
        with pytest.raises(ProverCrashed, match="ended with signal SIGKILL") as caught:
            prover.prove([1, 2, 3, 4])
        assert isinstance(caught.value, TransientProverError)
        assert prover.prove([1, 2, 3, 4]).outputs == squares([1, 2, 3, 4])
        assert prover.pid != first


def test_a_proof_that_takes_too_long_is_ended(circuit: Circuit) -> None:
    with LocalProver(circuit, timeout_s=0.3) as prover:
        assert prover.pid
        first = prover.pid
        os.kill(first, signal.SIGSTOP)
        with pytest.raises(ProofTimedOut, match=r"no proof after 0\.3 s"):
            prover.prove([1, 2, 3, 4])
        assert not alive(first)
        assert prover.pid is None


def test_a_proof_that_does_not_verify_is_never_returned(
    circuit: Circuit, other_circuit: Circuit, cache: Path
) -> None:
    """Another circuit's witness under this one's key; ezkl's `prove` returns normally."""
    script = (
        "import sys; from pathlib import Path; from zkagent.circuits.halo2 import ezkl_engine;"
        "from zkagent.circuits.systems import load_circuit;"
        "cache, ours, theirs = sys.argv[1:];"
        "ours, theirs = (load_circuit(d, Path(cache)) for d in (ours, theirs));"
        "from zkagent.prover.child import answer;"
        "ezkl_engine.evaluate = (lambda real: lambda _, *rest:"
        " real(theirs.compiled, *rest))(ezkl_engine.evaluate);"
        "print(answer(ours, [1, 2, 3, 4]))"
    )
    loaded = load_circuit(circuit.digest, cache)
    arguments = [str(cache), loaded.digest, other_circuit.digest]
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    assert result.stdout.startswith("{'false': ")


def test_a_false_proof_from_the_child_is_a_permanent_error(circuit: Circuit) -> None:
    with pytest.raises(ProofFalse, match=r"does not verify .* build the circuit again"):
        LocalProver(circuit)._result({"false": "the proof does not hold"})


def test_a_circuit_that_was_damaged_meanwhile_is_not_used(circuit: Circuit, cache: Path) -> None:
    loaded = load_circuit(circuit.digest, cache)
    loaded.pk.write_bytes(b"damaged")
    with LocalProver(loaded) as prover, pytest.raises(ProverTroubled, match="is damaged") as caught:
        prover.prove([1, 2, 3, 4])
    assert caught.value.cause == "keys"


@pytest.mark.parametrize("name", ["circuit.pk", "network.ezkl", "settings.json"])
@pytest.mark.parametrize("harm", ["missing", "cut", "changed"])
def test_files_that_are_harmed_under_a_warm_child_are_the_machines_trouble_until_mended(
    circuit: Circuit, cache: Path, name: str, harm: str
) -> None:
    loaded = load_circuit(circuit.digest, cache)
    path, good = loaded.directory / name, (loaded.directory / name).read_bytes()
    bad = {"missing": b"", "cut": good[:-100], "changed": bytes([good[0] ^ 1]) + good[1:]}[harm]
    with LocalProver(loaded) as prover:
        prover.prove([1, 2, 3, 4])
        if harm == "missing":
            path.unlink()
        else:
            path.write_bytes(bad)
        for x in ([1, 2, 3, 4], [2**40, 0, 0, 0]):
            with pytest.raises(ProverTroubled) as caught:
                prover.prove(x)
            assert caught.value.cause == "keys"
        path.write_bytes(good)
        assert prover.prove([1, 2, 3, 4]).outputs == squares([1, 2, 3, 4])


def test_a_disk_that_fills_up_under_a_warm_child_is_the_machines_trouble_until_mended(
    circuit: Circuit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with LocalProver(circuit) as prover:
            prover.prove([1, 2, 3, 4])
            empty = fill(disk)
            with pytest.raises(ProverTroubled) as caught:
                prover.prove([1, 2, 3, 4])
            assert caught.value.cause == "disk"
            with pytest.raises(InputRefused):  # which needs no disk to be told
                prover.prove([2**40, 0, 0, 0])
            empty()
            assert prover.prove([1, 2, 3, 4]).outputs == squares([1, 2, 3, 4])


def test_a_missing_folder_for_temporary_files_is_the_machines_trouble(
    circuit: Circuit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(ProverTroubled) as caught:
        LocalProver(circuit).prove([1, 2, 3, 4])
    assert caught.value.cause == "disk"


def test_threads_take_turns(circuit: Circuit) -> None:
    results: list[tuple[int, ...]] = []
    with LocalProver(circuit) as prover:
        threads = [
            threading.Thread(target=lambda i=i: results.append(prover.prove([i] * 4).outputs))
            for i in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(results) == sorted(squares([i] * 4) for i in range(4))


def test_the_child_outlives_the_thread_that_started_it(circuit: Circuit) -> None:
    prover = LocalProver(circuit)
    thread = threading.Thread(target=lambda: prover.prove([1, 2, 3, 4]))
    thread.start()
    thread.join()
    try:
        first = prover.pid
        prover.prove([1, 2, 3, 4])
        assert prover.pid == first
    finally:
        prover.close()


BUSY = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where pytest runs aside
from zkagent.circuits.systems import load_circuit
from zkagent.prover.local import LocalProver
prover = LocalProver(load_circuit(sys.argv[2], Path(sys.argv[1])))
prover.prove([1, 2, 3, 4])
print(prover.pid, flush=True)
with prover:
    while True:
        prover.prove([1, 2, 3, 4])
"""


@pytest.mark.parametrize("killer", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_child_dies_with_its_parent_in_the_middle_of_a_proof(
    circuit: Circuit, session_cache: Path, tmp_path: Path, killer: signal.Signals
) -> None:
    command = [sys.executable, "-c", BUSY, str(session_cache), circuit.digest]
    ours = environment(TMPDIR=tmp_path)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ours
    ) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        assert alive(child)
        time.sleep(0.1)
        parent.send_signal(killer)
        parent.wait(120)
        assert gone_soon(child)


def test_an_interrupt_ends_the_child_and_passes_on(
    circuit: Circuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    prover = LocalProver(circuit)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with prover:
        child = prover.pid
        assert child
        os.kill(child, signal.SIGSTOP)
        asked = prover._child
        assert asked
        send, timers = asked.send, []

        def interrupted_after(*message: object) -> None:
            send(*message)  # type: ignore[arg-type]
            timers.append(threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

        monkeypatch.setattr(asked, "send", interrupted_after)
        with pytest.raises(KeyboardInterrupt):
            prover.prove([1, 2, 3, 4])
        timers[0].join()
    signal.signal(signal.SIGINT, before)
    assert not alive(child)
    assert prover.pid is None


def test_a_folder_named_like_ours_does_not_shadow_the_packages(
    circuit: Circuit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("prover", "circuits", "json"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.chdir(tmp_path)
    with LocalProver(circuit) as prover:
        assert prover.prove([1, 2, 3, 4]).outputs == squares([1, 2, 3, 4])


def test_nothing_is_left_in_the_temporary_folder(
    circuit: Circuit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with LocalProver(circuit) as prover:
        prover.prove([1, 2, 3, 4])
        assert list(tmp_path.iterdir())
        os.kill(prover.pid or 0, signal.SIGKILL)
        with pytest.raises(ProverCrashed):
            prover.prove([1, 2, 3, 4])
    assert list(tmp_path.iterdir()) == []

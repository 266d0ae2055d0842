"""One witness, two provers: the proofs of both hold, and those of neither for anything else."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.integer_networks import infer, mlp
from zkagent.circuits import systems
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import ArtifactCorrupted, EngineError, EngineMissing
from zkagent.circuits.groth16.constraints.solver import Solver
from zkagent.circuits.groth16.proving import provers
from zkagent.circuits.groth16.proving.provers import SnarkjsKey
from zkagent.circuits.groth16.proving.verdicts import holds
from zkagent.circuits.groth16.system import Groth16, read_key
from zkagent.circuits.systems import PROVERS, prover_of
from zkagent.prover.errors import ProofTimedOut
from zkagent.prover.local import LocalProver
from zkagent.prover.verification import verify

X = [5, -3, 100, 0, -32768, 32767, 1, -1, 7]


@pytest.fixture(scope="module")
def circuit(tmp_path_factory: pytest.TempPathFactory) -> Circuit:
    folder = tmp_path_factory.mktemp("network")
    (onnx := folder / "mlp.onnx").write_bytes(mlp())
    return PROVERS["snarkjs"].build(onnx, cache=folder)


@pytest.mark.parametrize("prover", ["groth16py", "snarkjs"])
def test_a_proof_of_either_holds(circuit: Circuit, prover: str) -> None:
    if prover == "groth16py":
        pytest.importorskip("groth16py")
    with LocalProver(circuit, prover=prover) as local:
        proof = local.prove(X)
    assert list(proof.outputs) == infer(mlp(), X)
    assert verify(proof, circuit)
    y = (proof.outputs[0] + 1, *proof.outputs[1:])
    assert not verify(replace(proof, outputs=y), circuit)
    assert not verify(replace(proof, inputs=(*proof.inputs[:-1], 8)), circuit)


def test_the_same_witness_gives_both_a_proof(circuit: Circuit) -> None:
    engine = pytest.importorskip("zkagent.circuits.groth16.proving.engine")
    pytest.importorskip("groth16py")
    code, zkey = read_key(circuit), circuit.directory / "circuit.zkey"
    solver = Solver.read(circuit.directory / "solver.npz")
    witness = solver.witness(X, code.digest)
    words = code.public_words(X, solver.outputs_of(witness))
    one, other = engine.Key(zkey, code.key), SnarkjsKey(zkey, code.key)
    for proof in (one.prove(witness.elements()), other.prove(witness.elements())):
        assert len(proof) == 256
        for holding in (one.verify, other.verify, lambda p, w: holds(code.key, p, w)):
            assert holding(proof, words)
            assert not holding(proof, [words[0] ^ 1, *words[1:]])
            assert not holding(proof[:-1] + bytes([proof[-1] ^ 1]), words)


def test_a_false_witness_has_no_true_proof(circuit: Circuit) -> None:
    code = read_key(circuit)
    key = SnarkjsKey(circuit.directory / "circuit.zkey", code.key)
    elements = Solver.read(circuit.directory / "solver.npz").witness(X, code.digest).elements()
    elements[2] += 1
    try:
        proof = key.prove(elements)
    except EngineError:
        return
    assert not key.verify(proof, elements[1 : 1 + code.words])


@pytest.mark.parametrize("points", [None, [], [["1"], [["1", "2"], ["3", "4"]], ["5", "6"]]])
def test_a_proof_of_another_form_is_an_error(
    circuit: Circuit, monkeypatch: pytest.MonkeyPatch, points: object
) -> None:
    answers: Callable[..., object] = lambda *_, **__: points  # noqa: E731
    monkeypatch.setattr(provers.Snarkjs, "call", answers)
    with pytest.raises(EngineError, match="its proof has another form"):
        SnarkjsKey(circuit.directory / "circuit.zkey", read_key(circuit).key).prove([1])


def test_snarkjs_has_the_time_that_the_caller_has_and_no_limit_of_its_own(
    circuit: Circuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits, init = [], provers.Snarkjs.__init__

    def noted(self: provers.Snarkjs, *, timeout_s: float | None = None) -> None:
        init(self, timeout_s=timeout_s)
        limits.append(self._timeout_s)

    monkeypatch.setattr(provers.Snarkjs, "__init__", noted)
    systems.prove(circuit, X, "snarkjs")
    assert limits == [None]


def test_a_snarkjs_that_hangs_ends_with_the_callers_time(
    circuit: Circuit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Node.js that is well when it is asked for its version, and does nothing then."""
    for name, script in (
        ("node", f'#!/bin/sh\n[ "$1" = --version ] && echo v20.0.0 && exit\n'
                 f"echo $$ > {tmp_path}/pid; exec sleep 600\n"),
        ("npm", "#!/bin/sh\n"),
    ):  # fmt: skip
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for timeout_s in (15, 150):  # in which it has to be started
        with (
            LocalProver(circuit, prover="snarkjs", timeout_s=timeout_s) as local,
            pytest.raises(ProofTimedOut),
        ):
            local.prove(X)
        if (tmp_path / "pid").exists():
            break
    pid, deadline = int((tmp_path / "pid").read_text()), time.monotonic() + 120
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


def test_a_circuit_of_another_system_has_no_such_prover(circuit: Circuit) -> None:
    other = replace(circuit, origin=replace(circuit.origin, system="evm-int-v1"))
    with pytest.raises(EngineError, match="snarkjs failed to prove: this circuit's proofs are of"):
        prover_of(other, "snarkjs")


def test_without_groth16py_snarkjs_builds_and_proves(
    circuit: Circuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "groth16py", None)
    with pytest.raises(EngineMissing):
        systems.prove(circuit, X)
    proof = systems.prove(circuit, X, "snarkjs")
    assert Groth16("snarkjs").verify(circuit, proof)
    assert not Groth16("snarkjs").verify(circuit, replace(proof, proof=bytes(256)))


def test_a_changed_key_proves_nothing(circuit: Circuit, tmp_path: Path) -> None:
    (path := tmp_path / "circuit.zkey").write_bytes(b"zkey")
    with pytest.raises((ArtifactCorrupted, EngineError)):
        SnarkjsKey(path, read_key(circuit).key).prove([1, 2])


@pytest.mark.parametrize("prover", provers.Prover)
def test_a_proof_is_verified_by_the_circuits_key_whatever_the_proving_key_says(
    circuit: Circuit, tmp_path: Path, prover: provers.Prover
) -> None:
    if prover is provers.Prover.GROTH16PY:
        pytest.importorskip("groth16py")
    other = read_key(PROVERS["snarkjs"].build(circuit.onnx, cache=tmp_path))
    code, solver = read_key(circuit), Solver.read(circuit.directory / "solver.npz")
    witness = solver.witness(X, code.digest)
    words = code.public_words(X, solver.outputs_of(witness))
    zkey = circuit.directory / "circuit.zkey"
    proof = provers.load_key(zkey, code.key, prover).prove(witness.elements())
    assert provers.load_key(zkey, code.key, prover).verify(proof, words)
    assert not provers.load_key(zkey, other.key, prover).verify(proof, words)

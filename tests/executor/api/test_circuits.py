"""Circuits and proofs as `import zkagent` gives them: real ones, of small networks."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.small_networks import relu_network, square_network, squares
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import CircuitError, InputRefused, TuningFailed, TuningMissing
from zkagent.circuits.halo2.scales import read_outputs
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.executor.api.circuits import build_circuit, prove, tune
from zkagent.executor.errors import ArgumentRefused
from zkagent.models.errors import UnknownModel
from zkagent.prover.verification import verify

SAMPLES = np.random.default_rng(1).normal(size=(12, 4)).astype(np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """relu.onnx with relu.npz, and square.onnx."""
    folder = tmp_path_factory.mktemp("api")
    (folder / "relu.onnx").write_bytes(relu_network())
    (folder / "square.onnx").write_bytes(square_network())
    np.savez(folder / "relu.npz", x=SAMPLES)
    return folder


@pytest.fixture(autouse=True)
def cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for all of these tests."""
    monkeypatch.setenv("ZKAGENT_HOME", str(folder / "home"))


@pytest.fixture
def square(folder: Path) -> Circuit:
    return build_circuit(folder / "square.onnx")


@pytest.fixture
def relu(folder: Path) -> Circuit:
    return build_circuit(folder / "relu.onnx", data=SAMPLES, tolerance=0.05)


def test_a_proof_of_integers_is_made_verified_and_read(square: Circuit) -> None:
    proof = prove(square, [3, -1, 4, 1])
    assert proof.outputs == squares([3, -1, 4, 1])
    assert verify(proof, square)
    assert read_outputs(proof, square) == proof.outputs


def test_samples_are_an_array_or_a_file(relu: Circuit, folder: Path) -> None:
    from_file = build_circuit(str(folder / "relu.onnx"), data=folder / "relu.npz", tolerance=0.05)
    assert from_file.digest == relu.digest
    assert relu.notes["fidelity"]["samples"] == 12


@pytest.mark.parametrize(
    "x", [SAMPLES[0], SAMPLES[:1], list(SAMPLES[0]), SAMPLES[0].astype(float).tolist()]
)
def test_numbers_of_any_float_type_are_proven(relu: Circuit, folder: Path, x: object) -> None:
    (expected,) = Reference(read_network(folder / "relu.onnx")).outputs((SAMPLES[:1],))
    proof = prove(relu, x)  # type: ignore[arg-type]
    assert read_outputs(proof, relu) == pytest.approx(expected.reshape(-1).tolist(), abs=0.05)


@pytest.mark.parametrize(
    "x", [[1, 2, 3], [1, 2, 3, 4, 5], [[1, 2], [3]], [1, 2, 3, 0.5], [1, 2, 3, np.nan], "text"]
)
def test_other_inputs_are_refused(square: Circuit, x: object) -> None:
    with pytest.raises(InputRefused):
        prove(square, x)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_that_cannot_be_waited_is_refused(square: Circuit, seconds: float) -> None:
    with pytest.raises(ArgumentRefused, match="timeout_s"):
        prove(square, [1, 2, 3, 4], timeout_s=seconds)


@pytest.mark.parametrize(
    ("wishes", "name"),
    [
        ({"tolerance": 1.0}, "tolerance"),
        ({"tolerance": float("nan"), "data": SAMPLES}, "tolerance"),
        ({"fraction_bits": 7}, "fraction_bits"),
        ({"fraction_bits": 7, "tuned": True, "data": SAMPLES}, "fraction_bits"),
        ({"batch": 2, "data": SAMPLES}, "batch"),
    ],
)
def test_wishes_that_do_not_go_together_are_refused(
    folder: Path, wishes: dict[str, object], name: str
) -> None:
    with pytest.raises(ArgumentRefused) as caught:
        build_circuit(folder / "relu.onnx", **wishes)  # type: ignore[arg-type]
    assert caught.value.name == name


def test_what_is_no_model_network_or_set_up_is_refused(folder: Path) -> None:
    with pytest.raises(UnknownModel):
        build_circuit("nonsense")
    with pytest.raises(CircuitError, match="cannot be read"):
        build_circuit(folder / "nowhere.onnx")
    with pytest.raises(CircuitError, match="no usable set-up file"):
        build_circuit(folder / "square.onnx", srs=folder / "relu.npz")
    with pytest.raises(TuningMissing):
        build_circuit(folder / "square.onnx", tuned=True)


@pytest.mark.parametrize(
    ("wishes", "name"),
    [
        ({"objective": "beauty"}, "objective"),
        ({"min_agreement": 1.1}, "min_agreement"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"measure_for_s": float("inf")}, "measure_for_s"),
    ],
)
def test_a_tuning_that_cannot_be_meant_is_refused(
    folder: Path, wishes: dict[str, object], name: str
) -> None:
    with pytest.raises(ArgumentRefused) as caught:
        tune(folder / "square.onnx", **wishes)  # type: ignore[arg-type]
    assert caught.value.name == name


@pytest.mark.slow
def test_later_builds_use_what_a_tuning_found(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    with pytest.raises(TuningFailed, match="give samples"):
        tune(folder / "relu.onnx")
    tuned = tune(folder / "square.onnx", objective="latency", measure_for_s=5)
    assert tuned.notes["tuning"]["objective"] == "latency"
    assert build_circuit(folder / "square.onnx").digest == tuned.digest
    standard = build_circuit(folder / "square.onnx", tuned=False)
    won = tuned.notes["tuning"]["chosen"]  # on a busy machine the standard settings may
    assert (standard.digest == tuned.digest) == (won == "standard")

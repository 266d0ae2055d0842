"""Networks as users bring them, from file and samples to a checked proof.

Smaller forms of the example networks, which take the same operators and fewer rows.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import build_circuit, fidelity_of
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.fidelity import quantised
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.models.examples.networks import Example, cnn, mlp, transformer, trees

SAMPLES = 12
NETWORKS: dict[str, Callable[[], Example]] = {
    "mlp": mlp,
    "cnn": lambda: cnn(filters=1, stride=6),
    "transformer": lambda: transformer(steps=2, width=4, heads=1),
    "trees": lambda: trees(count=3, depth=2),
}


@pytest.fixture(scope="module", params=NETWORKS)
def example(request: pytest.FixtureRequest) -> Example:
    return NETWORKS[request.param]()


@pytest.fixture(scope="module")
def built(
    example: Example, session_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Circuit:
    folder = tmp_path_factory.mktemp(example.name)
    onnx, data = folder / "model.onnx", folder / "samples.npz"
    onnx.write_bytes(example.content)
    np.savez(data, example.samples[:SAMPLES])
    return build_circuit(onnx, cache=session_cache, data=Data(data, decisions=True))


@pytest.mark.slow
def test_a_user_s_network_decides_in_its_circuit_as_in_onnxruntime(built: Circuit) -> None:
    found = fidelity_of(built)
    assert found is not None
    assert (found.samples, found.agreement, found.outside) == (SAMPLES, 1.0, 0)
    assert 0 < found.largest_deviation < 0.5
    assert not built.facts.exact


@pytest.mark.slow
def test_a_proof_of_a_user_s_network_shows_what_onnxruntime_computes(
    built: Circuit, example: Example
) -> None:
    network = read_network(built.onnx)
    sample = example.samples[SAMPLES - 1].reshape(network.inputs[0].shape)
    proof = ezkl_engine.prove(built, quantised((sample,), [built.facts.input_scale_bits])[0])
    assert ezkl_engine.verify(built, proof)
    (expected,) = Reference(network).outputs((sample,))
    assert np.argmax(proof.outputs) == expected.argmax()
    best = int(expected.argmax())
    other = (*proof.outputs[:best], proof.outputs[best] - 1, *proof.outputs[best + 1 :])
    forged = type(proof)(proof.circuit, proof.inputs, other, proof.proof)
    assert not ezkl_engine.verify(built, forged)

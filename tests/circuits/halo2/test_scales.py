"""The integers of a proof as the numbers that the network computes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_networks import relu_network
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import ProofMalformed
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.scales import output_scale_bits, read_outputs
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.reference import Reference

X = [0.5, -1.25, 2.0, 0.25]  # exact at 4 bits of fraction


@pytest.fixture(scope="module")
def coarse(session_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Circuit:
    """Inputs of 4 bits and weights of 4; the second product adds to its outputs."""
    path = tmp_path_factory.mktemp("scales") / "relu.onnx"
    path.write_bytes(relu_network())
    arguments = RunArguments(4, 4, decomposition_legs=4, scale_rebase_multiplier=10)
    return build_circuit(path, arguments=arguments, cache=session_cache)


@pytest.fixture(scope="module")
def proven(coarse: Circuit) -> Proof:
    return ezkl_engine.prove(coarse, [round(16 * value) for value in X])


def test_outputs_have_a_scale_of_their_own(coarse: Circuit, proven: Proof) -> None:
    network = read_network(coarse.onnx)
    (expected,) = Reference(network).outputs((np.array([X], dtype=np.float32),))
    assert coarse.facts.input_scale_bits == 4
    assert output_scale_bits(coarse) == (12, 12)
    assert read_outputs(proven, coarse) == pytest.approx(expected.reshape(-1).tolist(), abs=1e-6)


def test_integers_of_an_exact_circuit_stay_as_they_are(circuit: Circuit, proof: Proof) -> None:
    found = read_outputs(proof, circuit)
    assert found == proof.outputs
    assert all(type(value) is int for value in found)


def test_outputs_of_another_circuit_are_not_read(
    coarse: Circuit, circuit: Circuit, proven: Proof, proof: Proof
) -> None:
    with pytest.raises(ProofMalformed, match="it was made for circuit"):
        read_outputs(proven, circuit)
    with pytest.raises(ProofMalformed, match="it was made for circuit"):
        read_outputs(proof, coarse)
    with pytest.raises(ProofMalformed):
        read_outputs(replace(proof, outputs=proof.outputs[:1]), circuit)

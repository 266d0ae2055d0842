"""Proofs that hide something: beside each accepted one, its rejected neighbours."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.circuits.halo2.hidden.conftest import X
from tests.support.small_networks import B1, W1, W2, node, squares
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.bn254.field import R, to_field
from zkagent.circuits.errors import InputRefused, ProofMalformed
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.scales import read_outputs
from zkagent.circuits.hashes import Hashes, read
from zkagent.circuits.visibility import OF_INPUTS, OF_OUTPUTS, OF_WEIGHTS, Visibility
from zkagent.prover.opening import inputs_match, outputs_match
from zkagent.prover.verification import verify

Y = squares(X)
OTHER_X = [3, -1, 4, 2]


@pytest.mark.parametrize("inputs", OF_INPUTS)
@pytest.mark.parametrize("outputs", OF_OUTPUTS)
def test_a_proof_shows_what_was_chosen_and_verifies(
    hiding: Callable[..., Circuit], inputs: str, outputs: str
) -> None:
    circuit = hiding(inputs=inputs, outputs=outputs)
    proof = ezkl_engine.prove(circuit, X)
    assert verify(proof, circuit)
    of_x, of_y = ezkl_engine.poseidon_hash(X), ezkl_engine.poseidon_hash(Y)
    given = {"public": list(map(to_field, X)), "hashed": [of_x], "private": []}[inputs]
    made = {"public": list(map(to_field, Y)), "hashed": [of_y]}[outputs]
    assert list(proof.instances) == [*given, *made]
    assert Proof.from_json(proof.to_json()) == proof


@pytest.mark.parametrize("weights", OF_WEIGHTS[1:])
def test_hidden_weights_change_no_output(hiding: Callable[..., Circuit], weights: str) -> None:
    circuit = hiding(weights=weights)
    proof = ezkl_engine.prove(circuit, X)
    assert (proof.inputs, proof.outputs) == (tuple(X), Y)
    assert verify(proof, circuit)
    assert (proof.hashes.weights is None) == (weights == "private")


def test_the_hash_of_weights_is_of_these_weights(hashed: Circuit, hashed_proof: Proof) -> None:
    """In the order in which the network uses them, and a zero."""
    numbers = [*np.ravel(W1), *np.ravel(B1), *np.ravel(W2), 0]
    expected = ezkl_engine.poseidon_hash([int(each) for each in numbers])
    assert hashed_proof.hashes.weights == expected
    assert read("weights_hash", hashed.facts.weights_hash) == expected


def test_hashes_stand_before_and_behind_shown_numbers() -> None:
    proof = Proof("ab" * 32, (5, -1), (7,), b"", hashes=Hashes(weights=3))
    assert proof.instances == (3, 5, R - 1, 7)
    proof = Proof("ab" * 32, (), (), b"", hashes=Hashes((1, 2), (9,), 3))
    assert proof.instances == (1, 2, 3, 9)


def changed(proof: Proof, **hashes: object) -> Proof:
    return replace(proof, hashes=replace(proof.hashes, **hashes))  # type: ignore[arg-type]


def test_a_changed_hash_is_rejected(hashed: Circuit, hashed_proof: Proof) -> None:
    assert verify(hashed_proof, hashed)
    of_x, of_y = hashed_proof.hashes.inputs[0], hashed_proof.hashes.outputs[0]
    for other in (
        changed(hashed_proof, inputs=(of_x + 1,)),
        changed(hashed_proof, inputs=(ezkl_engine.poseidon_hash(OTHER_X),)),
        changed(hashed_proof, outputs=((of_y + 1) % R,)),
        changed(hashed_proof, inputs=(of_y,), outputs=(of_x,)),
    ):
        verdict = verify(other, hashed)
        assert not verdict
        assert "does not hold for these public values" in verdict.reason


def test_another_inputs_proof_does_not_pass_for_a_known_hash(
    hashed: Circuit, hashed_proof: Proof
) -> None:
    """The right hash of x beside the proof of another x, and the other way round."""
    other = ezkl_engine.prove(hashed, OTHER_X)
    assert verify(other, hashed)
    assert not verify(replace(other, hashes=hashed_proof.hashes), hashed)
    assert not verify(replace(hashed_proof, hashes=other.hashes), hashed)


def test_a_proof_by_other_weights_is_rejected(
    hashed: Circuit, hashed_proof: Proof, other_weights: Circuit
) -> None:
    """Of the same architecture, so that its keys are the same."""
    other = other_weights
    assert other.files["circuit.vk"] == hashed.files["circuit.vk"]
    proof = ezkl_engine.prove(other, X)
    assert verify(proof, other)
    passed_off = replace(proof, circuit=hashed.digest)
    assert ezkl_engine.verify(hashed, passed_off)  # the key alone does not tell
    verdict = verify(passed_off, hashed)
    assert not verdict
    assert "other weights" in verdict.reason
    lying = changed(passed_off, weights=hashed_proof.hashes.weights)
    assert not verify(lying, hashed)


def test_a_proof_that_shows_more_or_less_is_rejected(
    hashed: Circuit, hashed_proof: Proof, private: Circuit, private_proof: Proof
) -> None:
    (of_x,) = hashed_proof.hashes.inputs
    for other in (
        changed(hashed_proof, inputs=()),
        changed(hashed_proof, inputs=(of_x, of_x)),
        changed(hashed_proof, outputs=()),
        changed(hashed_proof, weights=None),
        replace(hashed_proof, inputs=tuple(X)),
        replace(hashed_proof, outputs=Y),
    ):
        assert not verify(other, hashed)
    assert verify(private_proof, private)
    for other in (
        replace(private_proof, inputs=tuple(X)),
        replace(private_proof, outputs=(*Y[:-1], Y[-1] + 1)),
        changed(private_proof, inputs=(of_x,)),
        changed(private_proof, outputs=hashed_proof.hashes.outputs),
        changed(private_proof, weights=hashed_proof.hashes.weights),
    ):
        assert not verify(other, private)


def test_two_proofs_of_one_private_input_differ_and_show_nothing_of_it(
    private: Circuit, private_proof: Proof
) -> None:
    again = ezkl_engine.prove(private, X)
    assert again.proof != private_proof.proof
    assert again.instances == private_proof.instances == tuple(map(to_field, Y))
    assert verify(again, private)
    shared = sum(a == b for a, b in zip(again.proof, private_proof.proof, strict=True))
    assert shared < len(again.proof) / 8  # by chance about one in 256


def test_a_hash_is_opened_by_its_numbers_and_by_no_others(
    hashed: Circuit, hashed_proof: Proof
) -> None:
    assert inputs_match(hashed_proof, hashed, X)
    assert outputs_match(hashed_proof, hashed, Y)
    assert not inputs_match(hashed_proof, hashed, OTHER_X)
    assert not inputs_match(hashed_proof, hashed, [X[0] - R, *X[1:]])  # the same element
    assert not outputs_match(hashed_proof, hashed, Y[::-1])


def test_shown_numbers_are_compared_and_private_ones_cannot_be(
    circuit: Circuit, proof: Proof, private: Circuit, private_proof: Proof
) -> None:
    assert inputs_match(proof, circuit, X)
    assert not inputs_match(proof, circuit, OTHER_X)
    assert outputs_match(private_proof, private, Y)
    with pytest.raises(InputRefused, match="inputs are private"):
        inputs_match(private_proof, private, X)


def test_hidden_outputs_are_not_read(hashed: Circuit, hashed_proof: Proof) -> None:
    with pytest.raises(ProofMalformed, match="a hash of its outputs, and not the outputs"):
        read_outputs(hashed_proof, hashed)


def test_what_is_shown_is_part_of_a_circuits_name(hiding: Callable[..., Circuit]) -> None:
    names = {
        hiding(inputs=inputs, outputs=outputs).digest
        for inputs in OF_INPUTS
        for outputs in OF_OUTPUTS
    }
    assert len(names) == 6
    assert hiding(inputs="hashed").visibility == Visibility(inputs="hashed")


def test_integers_up_to_63_bits_can_be_hidden(private: Circuit) -> None:
    """Though this network's outputs overflow long before: the refusal tells no number."""
    large = [2**62, 0, 0, 0]
    with pytest.raises(InputRefused) as caught:
        ezkl_engine.prove(private, large)
    assert str(caught.value) == "these inputs drive an output beyond 64 bits"
    with pytest.raises(InputRefused) as caught:
        ezkl_engine.prove(private, [2**63 - 1 + 2**62, 0, 0, 0])
    assert str(2**63 - 1 + 2**62) not in str(caught.value)


def test_several_inputs_have_a_hash_each_in_the_networks_order(
    session_cache: Path, tmp_path: Path
) -> None:
    """y = a + 2 b, a and b of two numbers."""
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 2]) for name in ("a", "b", "y")
    ]
    two = numpy_helper.from_array(np.float32([[2, 2]]), "two")
    nodes = [node("Mul", ["b", "two"], "c"), node("Add", ["a", "c"], "y")]
    graph = helper.make_graph(nodes, "sum", values[:2], values[2:], [two])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (path := tmp_path / "sum.onnx").write_bytes(model.SerializeToString())
    seen = Visibility(inputs="hashed", outputs="hashed", weights="hashed")
    circuit = build_circuit(path, cache=session_cache, visibility=seen)
    proof = ezkl_engine.prove(circuit, [128, 256, 384, 512])
    of_a, of_b = (ezkl_engine.poseidon_hash(each) for each in ([128, 256], [384, 512]))
    assert proof.hashes.inputs == (of_a, of_b)
    assert verify(proof, circuit)
    assert not verify(changed(proof, inputs=(of_b, of_a)), circuit)
    assert inputs_match(proof, circuit, [128, 256, 384, 512])
    assert not inputs_match(proof, circuit, [384, 512, 128, 256])

"""Beside the true proof, its rejected neighbours: each a verdict with a reason."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.disks import unreadable
from zkagent.circuits import systems
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import ArtifactCorrupted
from zkagent.circuits.systems import describe_circuit
from zkagent.prover.verification import Verdict, verify


def test_a_true_proof_is_valid(circuit: Circuit, proof: Proof) -> None:
    assert verify(proof, circuit) == Verdict(True)


def test_a_proof_read_back_from_its_file_is_valid(circuit: Circuit, proof: Proof) -> None:
    assert verify(Proof.from_json(proof.to_json()), circuit)


@given(position=st.integers(0), bit=st.integers(0, 7))
def test_a_flipped_bit_anywhere_is_rejected(
    circuit: Circuit, proof: Proof, position: int, bit: int
) -> None:
    flipped = bytearray(proof.proof)
    flipped[position % len(flipped)] ^= 1 << bit
    assert not verify(replace(proof, proof=bytes(flipped)), circuit)


@pytest.mark.parametrize("index", range(4))
def test_another_input_is_rejected(circuit: Circuit, proof: Proof, index: int) -> None:
    inputs = list(proof.inputs)
    inputs[index] += 1
    verdict = verify(replace(proof, inputs=tuple(inputs)), circuit)
    assert verdict == Verdict(False, "the proof does not hold for these inputs and outputs")


@pytest.mark.parametrize("index", range(2))
def test_another_output_is_rejected(circuit: Circuit, proof: Proof, index: int) -> None:
    outputs = list(proof.outputs)
    outputs[index] -= 1
    assert not verify(replace(proof, outputs=tuple(outputs)), circuit)


def test_outputs_moved_by_the_field_s_order_are_rejected(circuit: Circuit, proof: Proof) -> None:
    """The same field element, and for the halo2 verifier the same statement."""
    first, second = proof.outputs
    for outputs in ((first + R, second), (first, second - R)):
        verdict = verify(replace(proof, outputs=outputs), circuit)
        assert verdict == Verdict(False, "a value needs more than 64 bits")


def test_values_moved_between_inputs_and_outputs_are_rejected(
    circuit: Circuit, proof: Proof
) -> None:
    """The instances stay the same; what they are said to mean does not."""
    moved = replace(proof, inputs=proof.inputs[:-1], outputs=proof.inputs[-1:] + proof.outputs)
    assert verify(moved, circuit).reason == "it has 3 inputs, expected 4"
    extra = replace(proof, outputs=(*proof.outputs, 0))
    assert verify(extra, circuit).reason == "it has 3 outputs, expected 2"


def test_trailing_and_missing_bytes_are_rejected(circuit: Circuit, proof: Proof) -> None:
    """ezkl's own verify accepts the trailing ones."""
    size = len(proof.proof)
    for wrong in (proof.proof + b"\0", proof.proof + bytes(32), proof.proof[:-1], b""):
        verdict = verify(replace(proof, proof=wrong), circuit)
        assert verdict.reason == f"the proof has {len(wrong)} bytes, expected {size}"


def test_a_proof_of_another_circuit_is_rejected(
    circuit: Circuit, other_circuit: Circuit, proof: Proof
) -> None:
    verdict = verify(proof, other_circuit)
    assert verdict.reason.startswith(f"it was made for circuit {circuit.digest[:16]}")
    relabelled = replace(proof, circuit=other_circuit.digest)
    assert not verify(relabelled, other_circuit)


def test_rubbish_of_the_right_length_is_rejected(circuit: Circuit, proof: Proof) -> None:
    for rubbish in (bytes(len(proof.proof)), b"\xff" * len(proof.proof)):
        assert not verify(replace(proof, proof=rubbish), circuit)


def test_a_missing_key_is_no_verdict(circuit: Circuit, proof: Proof) -> None:
    elsewhere = replace(circuit, directory=circuit.directory / "nowhere")
    with pytest.raises(ArtifactCorrupted):
        verify(proof, elsewhere)


@pytest.fixture
def copied(circuit: Circuit, cache: Path) -> Circuit:
    """The circuit, of which a test may damage anything."""
    return describe_circuit(circuit.digest, cache)


@pytest.mark.parametrize("name", ["vk", "settings", "srs"])
@pytest.mark.parametrize("holds", [True, False])
def test_nothing_is_said_of_any_proof_while_a_file_behind_the_verdict_is_another_one(
    copied: Circuit, other_circuit: Circuit, proof: Proof, name: str, holds: bool
) -> None:
    """Also when the file is replaced after a verdict was given."""
    asked = proof if holds else replace(proof, inputs=(4, *proof.inputs[1:]))
    assert bool(verify(asked, copied)) == holds
    path: Path = getattr(copied, name)
    good = path.read_bytes()
    other: bytes = getattr(other_circuit, name).read_bytes()
    changed = bytes([good[-1] ^ 1])
    for bad in (other, good[:-1] + changed, good[:200], b""):
        if bad != good:
            path.write_bytes(bad)
            with pytest.raises(ArtifactCorrupted, match=path.name):
                verify(asked, copied)
    with unreadable(path), pytest.raises(ArtifactCorrupted, match="Input/output error"):
        verify(asked, copied)
    path.write_bytes(good)
    assert bool(verify(asked, copied)) == holds


def test_a_key_that_is_replaced_and_put_back_while_it_is_read_leads_to_no_verdict(
    copied: Circuit, other_circuit: Circuit, proof: Proof, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, good = systems.verify, copied.vk.read_bytes()

    def between(circuit: Circuit, of: Proof) -> bool:
        copied.vk.write_bytes(other_circuit.vk.read_bytes())
        try:
            return whole(circuit, of)
        finally:
            copied.vk.write_bytes(good)

    monkeypatch.setattr(systems, "verify", between)
    with pytest.raises(ArtifactCorrupted, match="changed while it was read"):
        verify(proof, copied)

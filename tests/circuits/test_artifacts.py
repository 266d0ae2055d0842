"""Proof files: written one way, read strictly."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.schemas import accepted_neighbours, problems, shipped
from zkagent.circuits.artifacts import FIRST_SYSTEM, About, Origin, Proof, Scale
from zkagent.circuits.bn254.field import INT64_MAX, INT64_MIN, R
from zkagent.circuits.errors import ProofMalformed

DIGEST = "0123456789abcdef" * 4
integers = st.integers(INT64_MIN, INT64_MAX)
proofs = st.builds(
    Proof,
    st.just(DIGEST),
    st.lists(integers).map(tuple),
    st.lists(integers).map(tuple),
    st.binary(max_size=200),
)


@given(proofs)
def test_a_proof_comes_back_as_it_was_written(proof: Proof) -> None:
    assert Proof.from_json(proof.to_json()) == proof


def test_a_proof_file_fits_its_schema_and_its_neighbours_do_not() -> None:
    schema = shipped("zkagent.circuits", "proof.schema.json")
    first = Proof(DIGEST, (5, INT64_MIN), (INT64_MAX,), b"\1\2")
    documents = [json.loads(each.to_json()) for each in (first, meant(first))]
    # What is read needs values where there are fractions only, and about nowhere.
    optional = [[], [" without values", " without about"]]
    for document, free in zip(documents, optional, strict=True):
        assert problems(document, schema) == []
        assert accepted_neighbours(document, schema) == free
        for change in ({"inputs": [2**63]}, {"proof": "0xABCD"}, {"format": "zkagent-proof-4"}):
            assert problems(document | change, schema)
    assert problems(documents[0] | {"format": "zkagent-proof-2"}, schema)
    assert problems(documents[1] | {"format": "zkagent-proof-1"}, schema)


def test_what_a_proof_means_comes_back_with_it() -> None:
    proof = meant(Proof(DIGEST, (5,), (29020, -4096), b"\1"))
    read = Proof.from_json(proof.to_json())
    assert (read.scale, read.about) == (proof.scale, proof.about)
    document = json.loads(proof.to_json())
    assert document["values"] == [29020 / 4096, -1.0]
    assert (document["input_scale_bits"], document["output_scale_bits"]) == (4, [12])


def test_files_of_the_first_format_are_read() -> None:
    fields = {"format": "zkagent-proof-1", "circuit": DIGEST, "inputs": [1], "outputs": [-2]}
    read = Proof.from_json(json.dumps(fields | {"proof": "0x01"}))
    assert read == Proof(DIGEST, (1,), (-2,), b"\1")
    assert (read.scale, read.about) == (None, None)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"values": [7.0, -1.0]}, "values is [7.0, -1.0], expected [7.0849609375, -1.0]"),
        ({"values": None}, "values is None"),
        ({"output_scale_bits": [4]}, "values is [7.0849609375, -1.0], expected [1813.75, -256.0]"),
        ({"output_scale_bits": [1, 2, 3]}, "it has scales for 3 outputs, expected 2"),
        ({"output_scale_bits": []}, "it has scales for 0 outputs"),
        ({"output_scale_bits": [-1001]}, "a scale is not of at most 1000 bits"),
        ({"input_scale_bits": 10**6}, "a scale is not of at most 1000 bits"),
        ({"input_scale_bits": True}, "input_scale_bits holds True"),
        ({"about": "a wallet"}, "about is 'a wallet', expected model, prompt, decision"),
        ({"about": {"model": 1, "prompt": "", "decision": ""}}, "something else than texts"),
        ({"format": "zkagent-proof-1"}, "proof, as its format 'zkagent-proof-1' has it"),
        ({"format": "zkagent-proof-0"}, "its format is 'zkagent-proof-0', expected 'zkagent-pr"),
        ({"format": 2}, "its format is 2, expected 'zkagent-proof-2'"),
        ({"format": ["zkagent-proof-2"]}, "its format is ['zkagent-proof-2'], expected"),
    ],
)
def test_a_meaning_that_is_none_is_refused(change: dict[str, Any], reason: str) -> None:
    fields = json.loads(meant(Proof(DIGEST, (1,), (29020, -4096), b"\1")).to_json())
    with pytest.raises(ProofMalformed) as caught:
        Proof.from_json(json.dumps(fields | change))
    assert reason in str(caught.value)


def meant(proof: Proof) -> Proof:
    """With a scale of 2^12 of its outputs, and something said of it."""
    said = About("wallet", "deposit 5 USDC", "Deploy(asset=USDC, amount=5)")
    return replace(proof, scale=Scale((4,), (12,)), about=said)


def test_instances_are_inputs_then_outputs_as_field_elements() -> None:
    proof = Proof(DIGEST, (5, -1), (0, INT64_MIN), b"")
    assert proof.instances == (5, R - 1, 0, R - 2**63)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"circuit": DIGEST[:-1]}, "expected a digest of 64 hex digits"),
        ({"circuit": DIGEST.upper()}, "expected a digest"),
        ({"circuit": None}, "expected a digest"),
        ({"inputs": [1.0]}, "inputs holds 1.0, expected 64-bit integers"),
        ({"inputs": [True]}, "inputs holds True"),
        ({"outputs": [2**63]}, "outputs holds 9223372036854775808"),
        ({"outputs": [R + 5]}, "outputs holds"),
        ({"outputs": ["1"]}, "outputs holds '1'"),
        ({"outputs": "12"}, "outputs is '12', expected a list"),
        ({"outputs": 12}, "outputs is 12, expected a list"),
        ({"outputs": {}}, "outputs is {}, expected a list"),
        ({"outputs": [[1]]}, "outputs holds [1], expected 64-bit integers"),
        ({"proof": "abcd"}, "expected hexadecimal after 0x"),
        ({"proof": "0xabc"}, "not hexadecimal"),
        ({"proof": "0x" + "00" * 2**20 + "00"}, "longer than 1048576 bytes"),
        ({"format": "zkagent-proof-2"}, "proof, as its format 'zkagent-proof-2' has it"),
        ({"format": None}, "its format is None, expected 'zkagent-proof-2'"),
        ({"format": "zkagent-proof-4"}, "its format is 'zkagent-proof-4'"),
        ({"more": 1}, "expected an object with circuit, format, inputs, outputs, proof"),
    ],
)
def test_a_malformed_proof_file_is_refused(change: dict[str, Any], reason: str) -> None:
    fields = json.loads(Proof(DIGEST, (1,), (2,), b"\1").to_json())
    with pytest.raises(ProofMalformed) as caught:
        Proof.from_json(json.dumps(fields | change))
    assert reason in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "NaN", "\xff", "[" * 100_000, b"\xff\xfe"])
def test_what_is_no_proof_file_is_refused(text: str | bytes) -> None:
    with pytest.raises(ProofMalformed, match="not a proof file"):
        Proof.from_json(text)


def made_of(onnx: str, settings: str, srs: str, **versions: str) -> Origin:
    return Origin(FIRST_SYSTEM, onnx, settings, srs, tuple(sorted(versions.items())))


ORIGIN = made_of("a", "b", "c", ezkl="23.0.5", patch="p")


def test_a_circuit_s_name_depends_on_everything_that_made_it() -> None:
    others = [
        made_of("x", "b", "c", ezkl="23.0.5", patch="p"),
        made_of("a", "x", "c", ezkl="23.0.5", patch="p"),
        made_of("a", "b", "x", ezkl="23.0.5", patch="p"),
        made_of("a", "b", "c", ezkl="23.0.6", patch="p"),
        made_of("a", "b", "c", ezkl="23.0.5", patch="q"),
        made_of("a", "b", "c", other="23.0.5", patch="p"),
    ]
    assert len({o.digest for o in [ORIGIN, *others]}) == 7
    assert ORIGIN.digest == made_of("a", "b", "c", patch="p", ezkl="23.0.5").digest


def test_a_circuit_s_name_is_the_one_it_always_had() -> None:
    text = '{"ezkl": "23.0.5", "onnx": "a", "patch": "p", "settings": "b", "srs": "c", '
    text += '"zkagent-circuit": 1}'
    assert ORIGIN.digest == hashlib.sha256(text.encode()).hexdigest()


def test_an_origin_from_before_there_were_several_systems_is_read() -> None:
    old = {"onnx": "a", "settings": "b", "srs": "c", "ezkl": "23.0.5", "patch": "p"}
    assert Origin.from_json(old) == ORIGIN == Origin.from_json(ORIGIN.to_json())
    assert Origin.from_json(old | {"system": "other"}).system == "other"


def test_integers_may_stand_for_larger_numbers() -> None:
    """As behind a shift to the left."""
    proof = Proof("ab" * 32, (1,), (3, -2), b"x", scale=Scale.of((0,), (-2, 1)))
    assert proof.scale
    assert proof.scale.read(proof.outputs) == (12.0, -1.0)
    assert Proof.from_json(proof.to_json()).scale == proof.scale

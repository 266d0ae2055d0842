"""The files of proofs that hide something, and what is refused as one."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.schemas import accepted_neighbours, problems, shipped
from zkagent.circuits.artifacts import Proof, Scale
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import ProofMalformed
from zkagent.circuits.hashes import Hashes, read, written

DIGEST = "ab" * 32
ONE, TWO, THREE = (written(value) for value in (1, 2, 3))
SCALE = Scale((7,), (7,))
elements = st.integers(0, R - 1)
hidden = st.builds(
    Hashes,
    st.lists(elements, min_size=1, max_size=3).map(tuple),
    st.lists(elements, min_size=1, max_size=3).map(tuple),
    st.none() | elements,
)


def hiding(**fields: Any) -> Proof:
    return Proof(DIGEST, (), (), b"\1", SCALE, hashes=Hashes(**fields))


@given(hidden)
def test_a_hiding_proof_comes_back_as_it_was_written(hashes: Hashes) -> None:
    proof = replace(hiding(), hashes=hashes)
    assert Proof.from_json(proof.to_json()) == proof


PROOFS = {
    "hashed": hiding(inputs=(1,), outputs=(2,), weights=3),
    "private": replace(hiding(private=True), outputs=(5,)),
    "weights": replace(hiding(weights=3), inputs=(1,), outputs=(5,)),
}


@pytest.mark.parametrize("name", PROOFS)
def test_a_hiding_proof_fits_the_schema_and_its_neighbours_do_not(name: str) -> None:
    document = json.loads(PROOFS[name].to_json())
    assert document["format"] == "zkagent-proof-3"
    schema = shipped("zkagent.circuits", "proof.schema.json")
    assert problems(document, schema) == []
    left_out = {"hashed": [" without input_hashes", " without weights_hash"], "private": []}
    free = {**left_out, "weights": [" without inputs", " without weights_hash"]}
    found = set(accepted_neighbours(document, schema))
    # Private inputs have no field at all; values are told where there are outputs.
    assert found <= {*free[name], " without values"}
    for change in ({"input_hashes": [ONE], "inputs": [1]}, {"format": "zkagent-proof-2"}):
        assert problems(document | change, schema)


def test_what_is_shown_of_a_proof_is_in_its_file_and_no_more() -> None:
    document = json.loads(PROOFS["hashed"].to_json())
    assert set(document) == {
        *("format", "circuit", "input_hashes", "output_hashes", "weights_hash"),
        *("input_scale_bits", "output_scale_bits", "proof"),
    }
    assert (document["input_hashes"], document["weights_hash"]) == ([ONE], THREE)
    document = json.loads(PROOFS["private"].to_json())
    assert not {"inputs", "input_hashes"} & set(document)
    assert document["values"] == [5 / 128]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"input_hashes": []}, "input_hashes is no list of 1 to 1024 hashes"),
        ({"input_hashes": ONE}, "input_hashes is no list"),
        ({"input_hashes": [1]}, "input_hashes is no hash"),
        ({"input_hashes": [f"0x{R:064x}"]}, "of an element of the field"),
        ({"output_hashes": ["0x1"]}, "output_hashes is no hash"),
        ({"output_hashes": [TWO.upper()]}, "output_hashes is no hash"),
        ({"weights_hash": None}, "weights_hash is no hash"),
        ({"weights_hash": [THREE]}, "weights_hash is no hash"),
        ({"inputs": [1]}, "it has inputs and input_hashes"),
        ({"outputs": [1]}, "it has outputs and output_hashes"),
        ({"values": [1.0]}, "values is"),
        ({"about": {"model": "m", "prompt": "p", "decision": "d"}}, "expected an object"),
        ({"format": "zkagent-proof-2"}, "expected an object"),
        ({"hash": ONE}, "expected an object"),
        ({"input_scale_bits": []}, "no scales"),
    ],
)
def test_a_malformed_hiding_proof_is_refused(change: dict[str, Any], reason: str) -> None:
    document = json.loads(PROOFS["hashed"].to_json())
    with pytest.raises(ProofMalformed, match=reason):
        Proof.from_json(json.dumps(document | change))


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        ({"output_hashes"}, "neither outputs nor output_hashes"),
        ({"input_scale_bits"}, "expected an object"),
        ({"proof"}, "expected an object"),
    ],
)
def test_a_hiding_proof_without_a_field_is_refused(missing: set[str], reason: str) -> None:
    document = json.loads(PROOFS["hashed"].to_json())
    with pytest.raises(ProofMalformed, match=reason):
        Proof.from_json(json.dumps({k: v for k, v in document.items() if k not in missing}))


def test_a_proof_that_hides_nothing_has_another_format() -> None:
    document = json.loads(PROOFS["weights"].to_json())
    del document["weights_hash"]
    with pytest.raises(ProofMalformed, match="it hides nothing"):
        Proof.from_json(json.dumps(document))
    Proof.from_json(json.dumps(document | {"format": "zkagent-proof-2"}))
    with pytest.raises(ProofMalformed, match="inputs are an empty list"):
        Proof.from_json(json.dumps(document | {"inputs": [], "weights_hash": THREE}))


@given(elements)
def test_a_hash_is_written_in_one_way(value: int) -> None:
    assert read("x", written(value)) == value
    for other in (written(value + R), written(value)[2:], f"{written(value)}0", value):
        with pytest.raises(ProofMalformed):
            read("x", other)

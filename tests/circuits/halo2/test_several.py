"""Networks of several inputs and outputs: names, scales and proofs, and what does not fit."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support.small_networks import node
from zkagent.circuits.artifacts import Circuit, Face, Proof
from zkagent.circuits.errors import InputRefused, ProofMalformed
from zkagent.circuits.halo2 import ezkl_engine, named_values
from zkagent.circuits.halo2.build import build_circuit, fidelity_of
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.scales import input_scale_bits, quantise, read_outputs
from zkagent.circuits.halo2.verifier_patch import CONTRACT
from zkagent.circuits.networks.inputs import flattened
from zkagent.circuits.store import read_stored
from zkagent.circuits.systems import load_circuit
from zkagent.prover.verification import verify
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_source


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, session_cache: Path) -> Circuit:
    """sum = a + w, of numbers; both = b and not c, of truth values; twice = n + n, of integers."""
    folder = tmp_path_factory.mktemp("several")
    given = [
        helper.make_tensor_value_info("a", TensorProto.FLOAT, [1, 3]),
        helper.make_tensor_value_info("b", TensorProto.BOOL, [2]),
        helper.make_tensor_value_info("n", TensorProto.INT64, [1]),
    ]
    made = [
        helper.make_tensor_value_info("sum", TensorProto.FLOAT, [1, 3]),
        helper.make_tensor_value_info("not", TensorProto.BOOL, [2]),
        helper.make_tensor_value_info("twice", TensorProto.INT64, [1]),
    ]
    w = helper.make_tensor("w", TensorProto.FLOAT, [1, 3], [0.5, 1.0, -2.0])
    nodes = [
        node("Add", ["a", "w"], "sum"),
        node("Not", ["b"], "not"),
        node("Add", ["n"] * 2, "twice"),
    ]
    graph = helper.make_graph(nodes, "g", given, made, [w])
    path = folder / "several.onnx"
    opset = helper.make_opsetid("", 14)
    path.write_bytes(helper.make_model(graph, opset_imports=[opset]).SerializeToString())
    data = folder / "samples.npz"
    np.savez(
        data,
        a=np.array([[1.0, 2.5, 3.0], [0.25, -1, 0]], dtype=np.float32),
        b=np.array([[True, False], [False, False]]),
        n=np.array([[1000], [-7]]),
    )
    return build_circuit(path, data=Data(data), cache=session_cache)


@pytest.fixture(scope="module")
def proven(built: Circuit) -> Proof:
    x = flattened(built, {"n": [-7], "a": [[0.25, -1, 0]], "b": [True, False]})
    return ezkl_engine.prove(built, quantise(built, x))


def test_names_types_and_shapes_are_kept(built: Circuit, session_cache: Path) -> None:
    assert built.faces.inputs == (
        Face("a", "float32", (1, 3)),
        Face("b", "bool", (2,)),
        Face("n", "int64", (1,)),
    )
    assert [face.name for face in built.faces.outputs] == ["sum", "not", "twice"]
    assert load_circuit(built.digest, session_cache).faces == built.faces
    assert read_stored(built.digest, session_cache).faces == built.faces


def test_only_fractions_have_a_scale(built: Circuit) -> None:
    bits = input_scale_bits(built)
    assert bits == (bits[0], bits[0], bits[0], 0, 0, 0)
    assert bits[0] > 0


def test_each_output_is_judged_by_what_it_is(built: Circuit) -> None:
    found = fidelity_of(built)
    assert found is not None
    assert found.kinds == ("numbers", "labels", "labels")
    assert (found.agreement, found.largest_deviation) == (1.0, 0.0)


def test_a_proof_shows_every_output(built: Circuit, proven: Proof) -> None:
    assert verify(proven, built)
    assert read_outputs(proven, built) == (0.75, 0.0, -2.0, 0, 1, -14)
    for at in range(len(proven.outputs)):
        outputs = list(proven.outputs)
        outputs[at] += 1
        assert not verify(replace(proven, outputs=tuple(outputs)), built)
    swapped = (*proven.inputs[3:], *proven.inputs[:3])
    assert not verify(replace(proven, inputs=swapped), built)


def test_a_proof_file_keeps_the_names(built: Circuit, proven: Proof) -> None:
    again = Proof.from_json(proven.to_json())
    assert (again, again.faces, again.scale) == (proven, built.faces, proven.scale)
    document = json.loads(proven.to_json())
    assert [each["name"] for each in document["tensors"]["outputs"]] == ["sum", "not", "twice"]
    for change, reason in (
        ({"inputs": [], "outputs": []}, "its tensors have 0 inputs, expected 6"),
        ({"inputs": document["tensors"]["inputs"]}, "expected names and shapes"),
        ([], "expected names and shapes"),
    ):
        with pytest.raises(ProofMalformed, match=reason):
            Proof.from_json(json.dumps({**document, "tensors": change}))


def test_other_names_in_a_proof_file_are_not_the_circuit_s(built: Circuit, proven: Proof) -> None:
    assert proven.faces
    first = replace(proven.faces.outputs[0], name="other")
    faces = replace(proven.faces, outputs=(first, *proven.faces.outputs[1:]))
    verdict = verify(replace(proven, faces=faces), built)
    assert verdict.reason == "it states other names of its numbers than the circuit has"


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        ({"a": [1, 2, 3], "b": [1, 0]}, "x has a, b, circuit .* takes a, b, n"),
        ({"a": [1, 2, 3], "b": [1, 0], "m": [1]}, "x has a, b, m, circuit"),
        ({"a": [1, 2], "b": [1, 0], "n": [1]}, "x has 2 values for 'a', which takes 3"),
    ],
)
def test_inputs_of_other_names_or_sizes_are_refused(
    built: Circuit, x: dict[str, list[int]], reason: str
) -> None:
    with pytest.raises(InputRefused, match=reason):
        flattened(built, x)


def test_lists_may_be_nested_and_ezkl_s(built: Circuit) -> None:
    flat = [0.25, -1, 0, True, False, -7]
    assert flattened(built, [[[0.25, -1, 0]], [True, False], [-7]]) == flat
    assert flattened(built, {"input_data": [[0.25, -1, 0], [True, False], [-7]]}) == flat


CALLER = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
LIBRARY
contract Caller {
    function instances(CircuitValues.Inputs memory i, CircuitValues.Outputs memory o)
        external
        pure
        returns (uint256[] memory)
    {
        return CircuitValues.instances(i, o);
    }
}
"""


def test_solidity_builds_the_instances_by_the_names(
    chain: Anvil, built: Circuit, proven: Proof
) -> None:
    source = (built.directory / named_values.FILE).read_text()
    library = source[source.index("library") :]
    text = CALLER.replace("LIBRARY", library)
    caller = deploy(chain.web3, compile_source("Caller", text), chain.accounts[0])
    scaled = [list(part) for part in built.faces.split_inputs(proven.inputs)]
    given = [list(part) for part in built.faces.split_outputs(proven.outputs)]
    found = caller.functions.instances(tuple(scaled), tuple(given)).call()
    assert tuple(found) == proven.instances
    verifier = compile_source(CONTRACT, built.verifier_source.read_text())
    contract = deploy(chain.web3, verifier, chain.accounts[0])
    assert call(chain.web3, contract.functions.verify(proven.proof, found)) == []
    given[0][0] += 1
    other = caller.functions.instances(tuple(scaled), tuple(given)).call()
    with pytest.raises(RevertError):
        call(chain.web3, contract.functions.verify(proven.proof, other))
    with pytest.raises(RevertError):
        call(chain.web3, caller.functions.instances((scaled[0][:2], *scaled[1:]), tuple(given)))


def test_names_become_what_solidity_takes() -> None:
    names = ["x", "onnx::MatMul_1", "1st", "", "int64", "memory", "x", "x_2", "naïve", "*/ }"]
    assert named_values.identifiers(names) == [
        "x",
        "onnx_MatMul_1",
        "_1st",
        "_",
        "int64_",
        "memory_",
        "x_2",
        "x_2_2",
        "na_ve",
        "__2",
    ]

"""A network for several rows is the network itself, row by row, in onnxruntime and in a proof."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from tests.support.classifiers import random_weights
from tests.support.small_networks import network, node, relu_network, squares
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import NetworkRefused, SettingsRefused
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import build_circuit, make_plan
from zkagent.circuits.halo2.settings import RunArguments, default_arguments
from zkagent.circuits.networks import reference
from zkagent.circuits.networks.batch import (
    batch_file,
    batch_network,
    fill,
    rows_of,
)
from zkagent.circuits.networks.network import read_network
from zkagent.executor.demo.attacks.ezkl_forgeries import foreign_witness_forgery
from zkagent.models.catalogue import load_model
from zkagent.models.classifier.export import export_classifier
from zkagent.models.classifier.weights import evaluate
from zkagent.models.networks.integer_graph import IntegerGraph

ROWS = [[3, -1, 4, 1], [-5, 9, -2, 6], [0, 0, 0, 7]]


def verify(circuit: Circuit, proof: Proof) -> bool:
    return ezkl_engine.verify(circuit, proof)


def flat(rows: list[list[int]]) -> tuple[int, ...]:
    return tuple(value for row in rows for value in row)


@pytest.fixture(scope="module")
def batch_circuit(square_onnx: Path, session_cache: Path) -> Circuit:
    with batch_file(square_onnx, 3) as path:
        return build_circuit(path, cache=session_cache)


@pytest.fixture(scope="module")
def batch_proof(batch_circuit: Circuit) -> Proof:
    return ezkl_engine.prove(batch_circuit, flat(ROWS))


@pytest.mark.parametrize("size", ["S", "XL"])
def test_classifiers_of_one_block_and_of_several_have_batch_forms(
    tmp_path: Path, size: str
) -> None:
    weights = random_weights(labels=7, size=size)
    (path := tmp_path / "model.onnx").write_bytes(export_classifier(weights))
    x = np.random.default_rng(3).integers(-32768, 32768, (2, weights.features))
    found = reference.infer(batch_network(path, 2), x.ravel().tolist())
    assert list(found) == evaluate(weights, x).ravel().tolist()


def blocks_network() -> bytes:
    """Block-diagonal layers between permutations, as the classifiers have them."""
    generator = np.random.default_rng(1)
    graph = IntegerGraph("blocks", 12)
    first, second = generator.integers(-5, 6, (3, 4, 5)), generator.integers(-5, 6, (4, 6, 2))
    h = graph.add(graph.blocks(graph.pick("x", generator.permutation(12)), first), np.arange(15))
    z = graph.concat(["x", graph.square(h)])
    y = graph.blocks(graph.pick(z, generator.integers(0, 27, 24)), second)
    return graph.finish(graph.pick(y, generator.permutation(8)), 8)


def reshaping_network() -> bytes:
    """Four numbers as two pairs, weighted alike, and flattened by another operator."""
    nodes = [
        node("Reshape", ["x", "pairs"], "r"),
        node("MatMul", ["r", "w"], "m"),
        node("Unsqueeze", ["m", "first"], "u"),
        node("Flatten", ["u"], "y", axis=1),
    ]
    return network(nodes, {"pairs": [2, 2], "w": [[1, 2], [3, 5]], "first": [0]}, outputs=4)


@pytest.mark.parametrize("make", [blocks_network, reshaping_network])
def test_each_row_computes_what_the_network_does(make: Callable[[], bytes], tmp_path: Path) -> None:
    path = tmp_path / "one.onnx"
    path.write_bytes(make())
    single, generator = read_network(path), random.Random(3)
    rows = [[generator.randint(-9999, 9999) for _ in range(single.input_count)] for _ in range(5)]
    found = rows_of(reference.infer(batch_network(path, 5), flat(rows)), 5)
    assert found == tuple(reference.infer(single, row) for row in rows)


def test_a_shipped_model_has_batch_forms_of_as_many_rows() -> None:
    wallet = load_model("wallet").onnx_path
    one, four = (batch_network(wallet, size) for size in (1, 4))
    rows = [
        make_plan(found, default_arguments(integer=True)).settings["num_rows"]
        for found in (one, four)
    ]
    assert rows[1] == 4 * rows[0]


def test_no_two_nodes_share_a_constant() -> None:
    model = onnx.load_model_from_string(batch_network(load_model("wallet").onnx_path, 4).content)
    names = {tensor.name for tensor in model.graph.initializer}
    uses = [name for node_ in model.graph.node for name in node_.input if name in names]
    assert sorted(uses) == sorted(names)


def test_a_batch_form_is_byte_identical_each_time(square_onnx: Path) -> None:
    assert batch_network(square_onnx, 3).sha256 == batch_network(square_onnx, 3).sha256
    assert batch_network(square_onnx, 4).sha256 != batch_network(square_onnx, 3).sha256
    assert batch_network(square_onnx, 1).sha256 == read_network(square_onnx).sha256


def test_a_batch_with_freivalds_is_refused(square_onnx: Path) -> None:
    """A batch is what Freivalds' check is for: two free axes. It ties nothing to the outputs."""
    arguments = RunArguments(disable_freivalds=False)
    with batch_file(square_onnx, 3) as path:
        settings = ezkl_engine.make_settings(path, arguments, 10)
        assert settings["einsum_params"]["total_einsum_col_size"] > 0
        with pytest.raises(SettingsRefused, match="disable_freivalds"):
            make_plan(read_network(path), arguments)


def test_the_circuit_agrees_row_by_row(batch_circuit: Circuit, circuit: Circuit) -> None:
    y = ezkl_engine.witness(batch_circuit, flat(ROWS))
    assert rows_of(y, 3) == tuple(squares(row) for row in ROWS)
    assert batch_circuit.rows == 3 * circuit.rows


def test_one_proof_covers_all_rows(batch_circuit: Circuit, batch_proof: Proof) -> None:
    assert verify(batch_circuit, batch_proof)
    assert batch_proof.outputs == tuple(v for row in ROWS for v in squares(row))


def test_a_proof_with_permuted_rows_fails(batch_circuit: Circuit, batch_proof: Proof) -> None:
    x, y = rows_of(batch_proof.inputs, 3), rows_of(batch_proof.outputs, 3)
    turned_x, turned_y = (fill([rows[1], rows[0], rows[2]], 3) for rows in (x, y))
    assert not verify(batch_circuit, replace(batch_proof, outputs=turned_y))
    assert not verify(batch_circuit, replace(batch_proof, inputs=turned_x))
    assert not verify(batch_circuit, replace(batch_proof, inputs=turned_x, outputs=turned_y))


def test_one_wrong_output_in_a_row_fails(batch_circuit: Circuit, batch_proof: Proof) -> None:
    for index in range(6):
        wrong = list(batch_proof.outputs)
        wrong[index] += 1
        assert not verify(batch_circuit, replace(batch_proof, outputs=tuple(wrong)))


def test_a_witness_with_permuted_rows_does_not_prove(square_onnx: Path, tmp_path: Path) -> None:
    """Made by a circuit that is the same but for the order of its output rows."""
    honest = batch_network(square_onnx, 3).content
    model = onnx.load_model_from_string(honest)
    model.graph.node[-1].output[0] = "rows"
    model.graph.node.append(node("Gather", ["rows", "order"], "y", axis=0))
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 0, 2]), "order"))
    attack = (honest, model.SerializeToString(), flat(ROWS), RunArguments())
    forgery = foreign_witness_forgery(tmp_path, *attack)
    turned = [squares(ROWS[index]) for index in (1, 0, 2)]
    assert forgery.claimed == tuple(v for row in turned for v in row)
    assert forgery.claimed != forgery.honest
    assert not forgery.accepted


def test_the_last_row_fills_a_batch_up() -> None:
    assert fill([[1, 2], [3, 4]], 4) == (1, 2, 3, 4, 3, 4, 3, 4)
    assert fill([[1, 2]], 1) == (1, 2)
    for rows in ([], [[1, 2]] * 5):
        with pytest.raises(ValueError, match="expected 1 to 4"):
            fill(rows, 4)


def test_a_proof_with_other_padding_is_another_statement(batch_circuit: Circuit) -> None:
    proof = ezkl_engine.prove(batch_circuit, fill(ROWS[:2], 3))
    first, second = squares(ROWS[0]), squares(ROWS[1])
    assert proof.outputs == (*first, *second, *second)
    zeros = replace(
        proof, inputs=flat([*ROWS[:2], [0] * 4]), outputs=(*first, *second, *squares([0] * 4))
    )
    assert verify(batch_circuit, proof)
    assert not verify(batch_circuit, zeros)


TO_ONE_ROW = node("Reshape", ["r", "one"], "y")
REFUSED: dict[str, tuple[list[Any], dict[str, Any], int]] = {
    "works across rows": ([node("Gather", ["x", "i"], "y", axis=0)], {"i": [0]}, 4),
    "picks rows": (
        [node("Gather", ["x", "i"], "r", axis=0), TO_ONE_ROW],
        {"i": [0, 0], "one": [1, 8]},
        8,
    ),
    "has x behind": ([node("MatMul", ["w", "x"], "y")], {"w": [[2]]}, 4),
    "is not among those": (
        [node("Transpose", ["x"], "r"), TO_ONE_ROW],
        {"one": [1, 4]},
        4,
    ),
    "joins x with constants": ([node("Concat", ["x", "i"], "y", axis=1)], {"i": [[5]]}, 5),
    "mixes shapes": (
        [node("Reshape", ["x", "i"], "r"), node("Add", ["r", "x"], "y")],
        {"i": [4]},
        4,
    ),
    "Add .* mixes shapes": (
        [node("Add", ["x", "i"], "r"), TO_ONE_ROW],
        {"i": [[1, 2, 3, 4], [5, 6, 7, 8]], "one": [1, 8]},
        8,
    ),
    "has weights for each row": (
        [node("MatMul", ["x", "w"], "r"), TO_ONE_ROW],
        {"w": [[[1]] * 4], "one": [1, 1]},
        1,
    ),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_network_whose_rows_might_mix_is_refused(reason: str, tmp_path: Path) -> None:
    nodes, constants, outputs = REFUSED[reason]
    path = tmp_path / "mixing.onnx"
    arrays = {name: np.asarray(values, dtype=np.int64) for name, values in constants.items()}
    path.write_bytes(network(nodes, arrays, outputs=outputs))
    with pytest.raises(NetworkRefused, match=rf"no batch form: (.*){reason}"):
        batch_network(path, 2)


def test_floats_and_strange_sizes_are_refused(square_onnx: Path, tmp_path: Path) -> None:
    path = tmp_path / "floats.onnx"
    path.write_bytes(relu_network())
    with pytest.raises(NetworkRefused, match="only integer networks"):
        batch_network(path, 2)
    for size in (0, -1, 1000):
        with pytest.raises(NetworkRefused, match="expected 1 to 256"):
            batch_network(square_onnx, size)

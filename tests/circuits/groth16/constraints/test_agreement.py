"""One function, four ways: onnxruntime, the program by its definition, our witness and ezkl's.
Witnesses satisfy all constraints, and have the public words that a contract would make."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support.classifiers import random_weights
from tests.support.constraints import broken, read_r1cs, read_witness
from tests.support.integer_networks import NETWORKS, infer, samples
from tests.support.operator_networks import OPERATORS, TABLES, looked_up
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.constraints.r1cs import r1cs_file, witness_file
from zkagent.circuits.groth16.constraints.solver import Solver
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.keyless import KeylessCircuit
from zkagent.circuits.halo2.settings import default_arguments
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.program.evaluation import evaluate
from zkagent.circuits.program.reader import read_program
from zkagent.models.catalogue import load_model
from zkagent.models.classifier.export import export_classifier
from zkagent.models.examples.squares import export_square_network, train_square_network
from zkagent.models.networks.inference import open_session


def wallet() -> bytes:
    return load_model("wallet").onnx_path.read_bytes()


def classifier_s() -> bytes:
    return export_classifier(random_weights(labels=7, seed=6))


def squares() -> bytes:
    return export_square_network(train_square_network(steps=20))


def edges(inputs: int, bits: int = 16) -> list[list[int]]:
    """Each number at both ends of its range, the others at random."""
    rng, (low, high) = np.random.default_rng(8), (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    rows = rng.integers(low, high, (2 * inputs, inputs), endpoint=True)
    for place in range(inputs):
        rows[2 * place, place], rows[2 * place + 1, place] = low, high
    return [[int(v) for v in row] for row in rows]


def agree(folder: Path, compiled: Compiled, x: list[list[int]], y: list[list[int]]) -> None:
    """y: by onnxruntime."""
    assert evaluate(compiled.program, x).tolist() == y
    content = r1cs_file(compiled.constraints, compiled.wires, compiled.public)
    (stored := folder / "solver.npz").write_bytes(compiled.solver.to_bytes())
    solver, witnesses = Solver.read(stored), []
    for inputs, outputs in zip(x, y, strict=True):
        witness = read_witness(witness_file(solver.witness(inputs).elements()))
        assert witness[1 : 1 + compiled.public] == solver.words(inputs, outputs)
        witnesses.append(witness)
    assert broken(read_r1cs(content), witnesses) == []


@pytest.mark.parametrize("name", NETWORKS)
def test_small_networks_agree(tmp_path: Path, name: str) -> None:
    onnx = NETWORKS[name]()
    compiled = compile_program(read_program(onnx))
    inputs = compiled.program.inputs
    x = [*samples(inputs, count=20), *edges(inputs)[:20]]
    agree(tmp_path, compiled, x, [infer(onnx, row) for row in x])


@pytest.mark.parametrize("name", OPERATORS)
def test_networks_of_more_operators_agree(tmp_path: Path, name: str) -> None:
    onnx, bits = OPERATORS[name](), 8
    compiled = compile_program(read_program(onnx, bits))
    inputs = compiled.program.inputs
    x = [*samples(inputs, count=20, bits=bits), *edges(inputs, bits)]
    x += [[row[0]] * inputs for row in x]  # where all are equal
    agree(tmp_path, compiled, x, [infer(onnx, row) for row in x])


@pytest.mark.parametrize("name", TABLES)
def test_rows_of_tables_agree(tmp_path: Path, name: str) -> None:
    table = TABLES[name]()
    onnx = looked_up(table)
    x = [[at, len(table) - 1 - at, at // 2] for at in range(len(table))]
    agree(tmp_path, compile_program(read_program(onnx)), x, [infer(onnx, row) for row in x])


@pytest.mark.slow
@pytest.mark.parametrize(("network", "bits"), [(wallet, 16), (classifier_s, 16), (squares, 8)])
def test_shipped_networks_agree_on_a_thousand_inputs_and_all_edges(
    tmp_path: Path, network: Callable[[], bytes], bits: int
) -> None:
    onnx = network()
    compiled = compile_program(read_program(onnx, bits))
    inputs = compiled.program.inputs
    x = [*samples(inputs, count=500, bits=bits), *edges(inputs, bits)]
    session = open_session(onnx)
    (given,) = session.get_inputs()
    y = [session.run(None, {given.name: np.array([row])})[0].ravel().tolist() for row in x]
    agree(tmp_path, compiled, x, y)


@pytest.mark.slow
@pytest.mark.parametrize("network", [wallet, classifier_s])
def test_ezkl_computes_the_same_on_a_thousand_inputs(
    tmp_path: Path, network: Callable[[], bytes]
) -> None:
    (path := tmp_path / "model.onnx").write_bytes(network())
    (folder := tmp_path / "ezkl").mkdir()
    circuit = KeylessCircuit(read_network(path), folder)
    circuit.compile(default_arguments(integer=True))
    compiled = compile_program(read_program(network()))
    for x in samples(compiled.inputs, count=499):
        y = ezkl_engine.evaluate(circuit.compiled, [x], folder / "witness.json")
        assert list(y) == compiled.outputs_of(compiled.witness(x))

"""The cost model against circuits that ezkl made: counted columns, measured proofs and gas."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.small_networks import relu_network
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.settings import RunArguments, Settings, default_arguments
from zkagent.circuits.halo2.tuning.cost_model import deployable, predict, shape_of
from zkagent.models.examples.squares import SquareNetwork, export_square_network


@pytest.fixture(scope="module")
def square_64_32_8(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import numpy as np

    rng = np.random.default_rng(1)
    shapes = {"w1": (64, 32), "b1": (32,), "w2": (32, 8), "b2": (8,)}
    weights: dict[str, Any] = {name: rng.integers(-9, 9, shape) for name, shape in shapes.items()}
    path = tmp_path_factory.mktemp("networks") / "square.onnx"
    path.write_bytes(export_square_network(SquareNetwork(**weights)))
    return path


def settings_of(onnx: Path, columns: int, logrows: int) -> Settings:
    return ezkl_engine.make_settings(onnx, RunArguments(inner_columns=columns), logrows)


@pytest.mark.parametrize(
    ("columns", "logrows", "blocks"), [(1, 12, 1), (1, 11, 2), (1, 10, 3), (2, 11, 1), (2, 10, 2)]
)
def test_blocks_are_counted_as_ezkl_lays_them(
    square_64_32_8: Path, columns: int, logrows: int, blocks: int
) -> None:
    """2,448 cells; the expected blocks are those of the proofs' permutation columns."""
    shape = shape_of(settings_of(square_64_32_8, columns, logrows))
    assert (shape.blocks, shape.instances, shape.tables) == (blocks, 72, 0)


@pytest.mark.parametrize(
    ("columns", "logrows", "proof_bytes", "gas"),
    [
        (1, 12, 1856, 335_286),
        (1, 11, 2944, 446_985),
        (2, 11, 2112, 372_884),
        (2, 10, 3584, 529_704),
        (3, 10, 2560, 425_278),
        (4, 10, 3008, 479_176),
        (5, 9, 3488, 539_014),
    ],
)
def test_proofs_and_gas_are_predicted_within_five_percent(
    square_64_32_8: Path, columns: int, logrows: int, proof_bytes: int, gas: int
) -> None:
    """Figures of the patched verifier on a Cancun chain, proofs of exactly this network."""
    predicted = predict(settings_of(square_64_32_8, columns, logrows))
    assert predicted.proof_bytes == pytest.approx(proof_bytes, rel=0.05)
    assert predicted.gas == pytest.approx(gas, rel=0.05)


def test_a_proof_of_a_circuit_with_range_checks_is_as_long_as_predicted(tmp_path: Path) -> None:
    from zkagent.circuits.halo2.build import build_circuit, make_plan
    from zkagent.circuits.networks.network import read_network

    onnx = tmp_path / "relu.onnx"
    onnx.write_bytes(relu_network())
    arguments = replace(default_arguments(False), inner_columns=2)
    circuit = build_circuit(onnx, cache=tmp_path, arguments=arguments)
    predicted = predict(make_plan(read_network(onnx), arguments).settings)
    assert predicted.proof_bytes == pytest.approx(circuit.facts.proof_bytes, rel=0.1)


def test_verifiers_beyond_the_size_of_a_contract_are_known(square_64_32_8: Path) -> None:
    """Compiled: 9,379 bytes at one column and 2^12 rows, 22,693 at eight and 2^9."""
    assert deployable(settings_of(square_64_32_8, 1, 12))
    assert not deployable(settings_of(square_64_32_8, 8, 9))


def test_more_rows_cost_more_time_and_memory_but_no_gas(square_64_32_8: Path) -> None:
    small = predict(settings_of(square_64_32_8, 1, 12))
    large = predict(settings_of(square_64_32_8, 1, 13))
    assert large.seconds > 1.5 * small.seconds
    assert large.peak_bytes > small.peak_bytes
    assert large.gas == small.gas

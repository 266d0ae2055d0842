"""What products need at least: never more than ezkl counts, and refused before it counts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from tests.support.operator_cases import SUPPORTED, Case
from tests.support.small_networks import network, node, read_back
from zkagent.circuits.errors import ProductsTooLarge
from zkagent.circuits.halo2 import build, products
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.keyless import KeylessCircuit
from zkagent.circuits.halo2.layouts import layouts, peak
from zkagent.circuits.halo2.products import cells, check_products, least_memory
from zkagent.circuits.halo2.settings import default_arguments
from zkagent.circuits.networks.network import Network
from zkagent.circuits.support.memory import Budget

WITH_PRODUCTS = [
    case for case in SUPPORTED if case.operator in {"Conv", "GRU", "Gemm", "LSTM", "MatMul", "RNN"}
]


def product(inputs: int, outputs: int) -> bytes:
    w: np.ndarray[Any, Any] = np.full((inputs, outputs), 0.5, dtype=np.float32)
    nodes = [node("MatMul", ["x", "w"], "y")]
    return network(nodes, {"w": w}, inputs=inputs, outputs=outputs, kind=TensorProto.FLOAT)


def counted(given: Network, folder: Path) -> Any:
    return KeylessCircuit(given, folder).settings(default_arguments(given.integer))


@pytest.mark.parametrize("case", WITH_PRODUCTS, ids=str)
def test_products_are_no_more_than_ezkl_counts(case: Case, tmp_path: Path) -> None:
    given = read_back(tmp_path, case.content())
    settings = counted(given, tmp_path)
    total = sum(count for _, count in cells(given))
    assert 0 < total <= settings["total_assignments"]
    assert least_memory(total) <= min(peak(layout) for layout in layouts(settings))


def test_a_product_has_a_cell_for_each_pair(tmp_path: Path) -> None:
    assert list(cells(read_back(tmp_path, product(30, 20)))) == [("MatMul (node 'y')", 600)]


def test_what_fits_in_no_layout_is_refused_by_the_largest_node(tmp_path: Path) -> None:
    given = read_back(tmp_path, product(1000, 1000))
    needed = least_memory(1_000_000)
    check_products(given, Budget(needed, asked=False))
    reason = (
        r"its products need 1,000,000 cells, 1,000,000 of them MatMul \(node 'y'\), and so at "
        r"least .* GB of memory, .* GB are allowed: use fewer or smaller layers"
    )
    with pytest.raises(ProductsTooLarge, match=reason):
        check_products(given, Budget(needed - 1, asked=True))
    few = read_back(tmp_path, product(999, 1000))
    check_products(few, Budget(0.0, asked=True))  # which is told of once all cells are counted


def test_a_build_is_refused_before_ezkl_counts_and_a_built_circuit_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnx = read_back(tmp_path, product(8, 4)).path
    monkeypatch.setattr(products, "MANY_CELLS", 0)
    with monkeypatch.context() as patched:
        patched.setattr(build, "make_plan", lambda *given, **named: pytest.fail("it was counted"))
        with pytest.raises(ProductsTooLarge):
            build_circuit(onnx, cache=tmp_path / "cache", max_memory=1000)
    built = build_circuit(onnx, cache=tmp_path / "cache")
    assert build_circuit(onnx, cache=tmp_path / "cache", max_memory=1000).digest == built.digest

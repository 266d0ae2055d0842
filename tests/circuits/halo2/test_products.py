"""What products and soft-maxes need at least: never more than ezkl counts, and refused before it
counts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support.operator_cases import SUPPORTED, Case
from tests.support.small_networks import network, node, read_back
from zkagent.circuits.errors import MemoryTooSmall, ProductsTooLarge
from zkagent.circuits.halo2 import build, products
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.keyless import KeylessCircuit, check_least_memory
from zkagent.circuits.halo2.layouts import layouts, peak
from zkagent.circuits.halo2.products import (
    RESCALING_CELLS,
    SOFTMAX_CELLS,
    check_products,
    largest_product,
    least,
    least_memory,
)
from zkagent.circuits.halo2.settings import least_arguments
from zkagent.circuits.networks.network import Network
from zkagent.circuits.support.memory import Budget

PRODUCTS = {"Conv", "GRU", "Gemm", "LSTM", "MatMul", "RNN", "Softmax"}
WITH_PRODUCTS = [case for case in SUPPORTED if case.operator in PRODUCTS]


def product(inputs: int, outputs: int) -> bytes:
    w: np.ndarray[Any, Any] = np.full((inputs, outputs), 0.5, dtype=np.float32)
    nodes = [node("MatMul", ["x", "w"], "y")]
    return network(nodes, {"w": w}, inputs=inputs, outputs=outputs, kind=TensorProto.FLOAT)


def counted(given: Network, folder: Path) -> Any:
    return KeylessCircuit(given, folder).settings(least_arguments(given.integer))


@pytest.mark.parametrize("case", WITH_PRODUCTS, ids=str)
def test_products_are_no_more_than_ezkl_counts(case: Case, tmp_path: Path) -> None:
    given = read_back(tmp_path, case.content())
    settings = counted(given, tmp_path)
    found = least(given)
    assert 0 < found.total <= settings["total_assignments"]
    assert found.shuffles <= settings["num_shuffles"]
    assert found.shuffled <= settings["total_shuffle_col_size"]
    assert least_memory(found) <= min(peak(layout) for layout in layouts(settings))


def test_a_product_has_a_cell_for_each_pair_and_more_for_its_scale(tmp_path: Path) -> None:
    found = least(read_back(tmp_path, product(30, 20)))
    count = 30 * 20 + RESCALING_CELLS * 20
    assert (found.total, found.node, found.most) == (count, "MatMul (node 'y')", count)


def test_products_of_integers_keep_their_scale(tmp_path: Path) -> None:
    w: np.ndarray[Any, Any] = np.full((30, 20), 2, dtype=np.int64)
    content = network([node("MatMul", ["x", "w"], "y")], {"w": w}, inputs=30, outputs=20)
    assert least(read_back(tmp_path, content)).total == 30 * 20


def test_each_row_of_a_soft_max_is_a_shuffle(tmp_path: Path) -> None:
    nodes = [node("Softmax", ["x"], "y", axis=1)]
    found = least(
        read_back(tmp_path, network(nodes, {}, inputs=6, outputs=6, kind=TensorProto.FLOAT))
    )
    assert (found.total, found.shuffles, found.shuffled) == (SOFTMAX_CELLS * 6, 1, 6)


@pytest.mark.parametrize(
    ("opset", "axis", "rows"), [(12, None, 2), (12, 2, 6), (12, -1, 6), (17, None, 6), (17, 1, 8)]
)
def test_rows_of_a_soft_max_follow_the_opset(opset: int, axis: int | None, rows: int) -> None:
    given = {} if axis is None else {"axis": axis}
    assert (
        products.rows_of(helper.make_node("Softmax", ["x"], ["y"], **given), (2, 3, 4), opset)
        == rows
    )


def test_what_fits_in_no_layout_is_refused_by_the_largest_node(tmp_path: Path) -> None:
    given = read_back(tmp_path, product(1000, 1000))
    needed = least_memory(least(given))
    check_products(given, Budget(needed, asked=False))
    reason = (
        r"it needs 1,038,000 cells or more, 1,038,000 of them MatMul \(node 'y'\), and so at "
        r"least .* GB of memory, .* GB are allowed: use fewer or smaller layers"
    )
    with pytest.raises(ProductsTooLarge, match=reason):
        check_products(given, Budget(needed - 1, asked=True))
    few = read_back(tmp_path, product(960, 1000))
    check_products(few, Budget(0.0, asked=True))  # which is told of once all cells are counted


def test_what_is_too_large_once_it_is_counted_names_its_largest_node(tmp_path: Path) -> None:
    given = read_back(tmp_path, product(8, 4))
    reason = r"columns, with 184 cells of MatMul \(node 'y'\), need about .* GB"
    with pytest.raises(MemoryTooSmall, match=reason):
        check_least_memory(given, Budget(1000.0, asked=True))
    assert largest_product(given) == "184 cells of MatMul (node 'y')"


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

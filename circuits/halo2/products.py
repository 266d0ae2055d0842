"""What a network's matrix products and convolutions need at least, told from its shapes alone.

ezkl counts cells node by node, which takes minutes for networks of tens of millions; those are
hopeless on most machines, and refused here within a second by the node that needs most. Each
number of a product takes a cell for every factor pair, whether the weights are 0 or not. All else
that a circuit holds is left out, so what is refused would not fit in any layout.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from zkagent.circuits.errors import ProductsTooLarge
from zkagent.circuits.halo2.layouts import layouts, peak
from zkagent.circuits.halo2.settings import Settings
from zkagent.circuits.networks.network import Network
from zkagent.circuits.support.memory import Budget
from zkagent.models.networks.parsing import parse_model
from zkagent.models.networks.shapes import described, each_shape
from zkagent.models.networks.work import multiply_adds

if TYPE_CHECKING:
    from onnx import NodeProto

Shape = tuple[int, ...]
MANY_CELLS = 1_000_000  # ezkl counts fewer in seconds


def check_products(network: Network, budget: Budget) -> None:
    """Refuse a network whose products alone are larger than the budget, and so many that counting
    all of its cells takes long. Raises ProductsTooLarge."""
    found = list(cells(network))
    total = sum(count for _, count in found)
    if total < MANY_CELLS or (needed := least_memory(total)) <= budget.size:
        return
    name, most = max(found, key=lambda each: each[1])
    raise ProductsTooLarge(name, most, total, needed, str(budget))


def cells(network: Network) -> Iterator[tuple[str, int]]:
    """Each product's node, in words, and its cells."""
    model = parse_model(network.content)
    shapes = {name: shape for name, _, shape in each_shape(model) if shape is not None}
    for node in model.graph.node:
        if count := _cells(node, [shapes.get(name, ()) for name in (*node.input, *node.output)]):
            yield described(node), count


def least_memory(total: int) -> float:
    """Bytes that a build of so many cells takes in the smallest of all layouts, whatever else the
    circuit holds."""
    return min(peak(layout) for layout in layouts(_nothing_but(total)))


def _cells(node: "NodeProto", shapes: list[Shape]) -> int:
    made = math.prod(shapes[len(node.input)]) if node.output else 0
    match node.op_type:
        case "MatMul":
            return made * max(shapes[0][-1:], default=1)
        case "Gemm":
            turned = any(each.name == "transA" and each.i for each in node.attribute)
            return made * (shapes[0][0] if turned else shapes[0][-1]) if shapes[0] else 0
        case "Conv":
            return made * math.prod(shapes[1][1:])
        case "GRU" | "LSTM" | "RNN":
            return multiply_adds(node, dict(zip(node.input, shapes, strict=False)))
    return 0


def _nothing_but(total: int) -> Settings:
    """Settings of a circuit of so many cells and nothing else."""
    none: dict[str, Any] = {
        "required_range_checks": [],
        "required_lookups": [],
        "num_dynamic_lookups": 0,
        "num_shuffles": 0,
        "total_dynamic_col_size": 0,
        "total_shuffle_col_size": 0,
        "total_const_size": 0,
        "model_instance_shapes": [],
        "module_sizes": {"poseidon": [0, [0]]},
        "run_args": {"logrows": 0, "num_inner_cols": 1},
    }
    return {**none, "total_assignments": total, "num_rows": total}


__all__ = ["cells", "check_products", "least_memory"]

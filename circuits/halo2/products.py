"""What a network's products and soft-maxes need at least, told from its shapes alone.

ezkl counts cells node by node, which takes minutes for networks of tens of millions; those are
hopeless on most machines, and refused here within a second by the node that needs most. Each
number of a product takes a cell for every factor pair, whether the weights are 0 or not, and more
to be brought back to scale; each row of a soft-max a shuffle, by which its maximum is found. All
else that a circuit holds is left out, so what is refused would not fit in any layout.
"""

import math
from dataclasses import dataclass
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
    from onnx import ModelProto, NodeProto

Shape = tuple[int, ...]
BOOL, FLOAT = 9, 1  # of onnx's TensorProto.DataType
SOFTMAX_BY_AXIS = 13  # the opset
RESCALED = frozenset({"Conv", "Gemm", "MatMul"})
MANY_CELLS = 1_000_000  # ezkl counts fewer in seconds
#: What ezkl 23.0.5 takes with one digit a decomposition and the smallest table (a number at least):
RESCALING_CELLS = 38  # of a product of fractions, beside its factor pairs
SOFTMAX_CELLS = 69


@dataclass(frozen=True)
class Least:
    """What a circuit holds at least. node: the largest, in words, and its cells (most). shuffles,
    shuffled: rows of soft-maxes, and numbers in them."""

    total: int = 0
    shuffles: int = 0
    shuffled: int = 0
    node: str = ""
    most: int = 0


def check_products(network: Network, budget: Budget) -> None:
    """Refuse a network whose products and soft-maxes alone are larger than the budget, and so many
    that counting all of its cells takes long. Raises ProductsTooLarge."""
    found = least(network)
    if found.total < MANY_CELLS or (needed := least_memory(found)) <= budget.size:
        return
    raise ProductsTooLarge(found.node, found.most, found.total, needed, str(budget))


def largest_product(network: Network) -> str:
    """The node that needs most cells, in words with their number; empty without products."""
    found = least(network)
    return f"{found.most:,} cells of {found.node}" if found.node else ""


def least(network: Network) -> Least:
    """Of all products and soft-maxes together."""
    model = parse_model(network.content)
    shapes = {name: shape for name, _, shape in each_shape(model) if shape is not None}
    rescaled = _is_fractional(model)
    opset = max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=1)
    counts, shuffles, shuffled = [], 0, 0
    for node in model.graph.node:
        made = shapes.get(node.output[0], ()) if node.output else ()
        size = math.prod(made) if made else 0
        count = _cells(node, [shapes.get(name, ()) for name in (*node.input, *node.output)])
        if node.op_type in RESCALED and rescaled:
            count += RESCALING_CELLS * size
        if node.op_type == "Softmax" and size:
            count, rows = SOFTMAX_CELLS * size, rows_of(node, made, opset)
            shuffles, shuffled = shuffles + rows, shuffled + size
        counts.append((count, described(node)))
    most, name = max(counts, default=(0, ""))
    total = sum(count for count, _ in counts)
    return Least(total, shuffles, shuffled, name if most else "", most)


def least_memory(found: Least) -> float:
    """Bytes that a build takes in the smallest of all layouts, whatever else the circuit holds."""
    return min(peak(layout) for layout in layouts(_nothing_but(found)))


def _is_fractional(model: "ModelProto") -> bool:
    """Whether no product can be one of integers, which stays at its scale."""
    inputs = [each.type.tensor_type.elem_type for each in model.graph.input]
    tables = [each.data_type for each in model.graph.initializer if len(each.dims) > 1]
    casts = any(each.op_type == "Cast" for each in model.graph.node)
    return not casts and all(kind in (FLOAT, BOOL) for kind in (*inputs, *tables))


def rows_of(node: "NodeProto", shape: Shape, opset: int) -> int:
    """Of a soft-max; before opset 13 one goes over all axes from its own on."""
    axis = next((each.i for each in node.attribute if each.name == "axis"), None)
    if opset < SOFTMAX_BY_AXIS:
        return math.prod(shape[: 1 if axis is None else axis])
    return math.prod(shape) // shape[-1 if axis is None else axis]


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


def _nothing_but(found: Least) -> Settings:
    """Settings of a circuit that holds nothing else."""
    none: dict[str, Any] = {
        "required_range_checks": [],
        "required_lookups": [],
        "num_dynamic_lookups": 0,
        "num_shuffles": found.shuffles,
        "total_dynamic_col_size": 0,
        "total_shuffle_col_size": found.shuffled,
        "total_const_size": 0,
        "model_instance_shapes": [],
        "module_sizes": {"poseidon": [0, [0]]},
        "run_args": {"logrows": 0, "num_inner_cols": 1},
    }
    return {**none, "total_assignments": found.total, "num_rows": found.total}


__all__ = ["Least", "check_products", "largest_product", "least", "least_memory"]

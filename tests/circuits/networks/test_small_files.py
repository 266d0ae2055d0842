"""A small file that would become something large is refused at once, before anything of it is made:
in a process that may not take more memory, and while it counts its seconds."""

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

MOST_BYTES = 1 << 20  # of a file here
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64

CHILD = """
import json, resource, sys, time
from pathlib import Path

import onnx.reference
from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.networks.network import MOST_BYTES, read_network
from zkagent.models.errors import NetworkUnusable
from zkagent.models.networks.inference import Inference
from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.reader import read_program

folder = Path(sys.argv[1])
read_network(folder / "fine.onnx")  # so that all is loaded
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
room = MOST_BYTES + (100 << 20)  # a file is read into a buffer of the largest size
resource.setrlimit(resource.RLIMIT_AS, (used + room,) * 2)
READERS = [
    lambda path: read_network(path),
    lambda path: Inference(path, 4, 4),
    lambda path: read_program(path.read_bytes()),
]
for path in sorted(folder.glob("*.onnx")):
    for number, read in enumerate(READERS):
        began = time.process_time()
        try:
            read(path)
            said = "taken"
        except (NetworkRefused, NetworkUnusable, ProgramRefused) as exc:
            said = str(exc)
        seconds = time.process_time() - began
        print(json.dumps([path.stem, number, said, seconds]), flush=True)
"""


def built(
    nodes: Sequence[NodeProto],
    constants: Mapping[str, Any] | None = None,
    shape: Sequence[int] = (1, 4),
    *,
    kind: int = INT64,
    stored: Sequence[TensorProto] = (),
    opset: int = 17,
) -> ModelProto:
    """x leads to y, of the same shape, beside whatever the nodes do."""
    tensors = [numpy_helper.from_array(np.array(v), k) for k, v in (constants or {}).items()]
    x, y = (helper.make_tensor_value_info(name, kind, list(shape)) for name in "xy")
    nodes = [*nodes, helper.make_node("Identity", ["x"], ["y"])]
    graph = helper.make_graph(nodes, "g", [x], [y], [*tensors, *stored])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def repeated(operator: str, first: str, times: int, **attributes: Any) -> list[NodeProto]:
    names = [first, *(f"c{number}" for number in range(times))]
    return [
        helper.make_node(operator, [before] * 2, [after], **attributes)
        for before, after in itertools.pairwise(names)
    ]


def beside(times: int) -> list[NodeProto]:
    return [helper.make_node("Neg", ["x"], [f"n{number}"]) for number in range(times)]


def one(operator: str, *inputs: str, **attributes: Any) -> list[NodeProto]:
    return [helper.make_node(operator, list(inputs), ["made"], name="it", **attributes)]


def many_empty(count: int) -> ModelProto:
    """Two bytes each."""
    model = built([])
    model.graph.node.extend([NodeProto()] * count)
    return model


def with_opsets(model: ModelProto, count: int) -> ModelProto:
    """Whoever looks at one node after the other does not hold these for each of them."""
    model.opset_import.extend(helper.make_opsetid(f"d{number}", 1) for number in range(count))
    return model


def with_domain(model: ModelProto, length: int) -> ModelProto:
    model.opset_import.append(helper.make_opsetid("d" * length, 1))
    return model


def with_denotation(model: ModelProto, length: int) -> ModelProto:
    model.graph.input[0].type.denotation = "T" * length
    return model


def recurrent(operator: str, steps: int) -> ModelProto:
    """Of which no more is left than its last number."""
    weights = dict.fromkeys("wr", np.ones((1, 4, 1), np.float32))
    nodes = [helper.make_node(operator, ["x", *weights], ["", "made"], "it", hidden_size=1)]
    return built(nodes, weights, (steps, 1, 1), kind=FLOAT)


def floats(nodes: Sequence[NodeProto], **constants: Any) -> ModelProto:
    return built(nodes, constants, (1, 1, 4, 4), kind=FLOAT)


def claimed(*dims: int, kind: int = INT64, name: str = "w", **fields: Any) -> TensorProto:
    return TensorProto(name=name, data_type=kind, dims=dims, **fields)


def with_function() -> ModelProto:
    model = built([])
    opset = [helper.make_opsetid("", 17)]
    doubling = repeated("Concat", "a", 40, axis=0)
    model.functions.append(helper.make_function("own", "F", ["a"], ["c39"], doubling, opset))
    return model


def branching() -> NodeProto:
    out = helper.make_tensor_value_info("c39", INT64, None)
    inner = helper.make_graph(repeated("Concat", "x", 40, axis=1), "inner", [], [out])
    return helper.make_node("If", ["c"], ["made"], then_branch=inner, else_branch=inner)


SIXTY_FOUR = {"a": np.arange(1, 65)}
LARGE = 2**34
BYTES = {"raw_data": bytes(8)}
SAID = {"a": [1, LARGE]}
WINDOW = {"kernel_shape": [1, 1], "strides": [2**40] * 2, "pads": [2**39] * 4}
SLICE_LIKE = AttributeProto(name="value", type=AttributeProto.TENSOR, t=claimed(2**24, **BYTES))
#: Each would take more than the process may: in onnx, in numpy, or in what measures it.
BOMBS: dict[str, tuple[Callable[[], ModelProto], str]] = {
    "constants-doubled": (
        lambda: built(repeated("Concat", "a", 30, axis=0), SIXTY_FOUR),
        r"Concat \(node 'c18'\) has 33,554,432 numbers",
    ),
    "a-constant-named-often": (
        lambda: built(one("Concat", *["a"] * 66_000, axis=0), SIXTY_FOUR),
        "name 66,00. inputs and outputs, at most 65,536",
    ),
    "axes-doubled": (
        lambda: built(repeated("Gather", "x", 26), shape=(1, 1)),
        r"Gather \(node 'c4'\) has 33 axes",
    ),
    "axes-of-a-constant": (
        lambda: built(
            [helper.make_node("Reshape", ["x", "a"], [f"r{n}"]) for n in range(500)],
            {"a": [1] * 20_000 + [4]},
        ),
        "'r0'.* does not follow|has 20,001 axes",
    ),
    "dims-without-data": (
        lambda: built([], stored=[claimed(2**24, **BYTES)]),
        "which are not in the file|too small",
    ),
    "dims-of-other-data": (
        lambda: built([], stored=[claimed(2, **BYTES)]),
        "does not hold what its shape says|too small",
    ),
    "dims-beyond-all": (lambda: built([], stored=[claimed(2**62, 2**62)]), "overflow|numbers, at"),
    "axes-without-data": (
        lambda: built([], stored=[claimed(*[1] * 100_000, **BYTES)]),
        "has 100,000 axes, at most 32",
    ),
    "dims-of-a-node-without-data": (
        lambda: built([NodeProto(op_type="Constant", output=["made"], attribute=[SLICE_LIKE])]),
        "which are not in the file|too small",
    ),
    "nodes": (lambda: built([helper.make_node("Neg", ["x"], ["a"])] * 9000), "(9,001 nodes|SSA)"),
    "a-function": (with_function, "operators of its own|not exact"),
    "a-graph-within": (lambda: built([branching()], {"c": True}), "graph of its own|not exact"),
    "Expand": (lambda: floats(one("Expand", "b", "a"), **SAID, b=[[1]]), "Expand"),
    "Expand-of-x": (lambda: floats(one("Expand", "x", "a"), a=[2**13, 2**13, 4, 4]), "Expand"),
    "Tile": (lambda: floats(one("Tile", "b", "a"), **SAID, b=[[1]]), "Tile"),
    "Tile-that-wraps": (lambda: floats(one("Tile", "b", "a"), a=[2**62], b=[1] * 4), "Tile"),
    "ConstantOfShape": (lambda: floats(one("ConstantOfShape", "a"), **SAID), "ConstantOfShape"),
    "Range": (lambda: floats(one("Range", "a", "b", "c"), a=0, b=LARGE, c=1), "Range"),
    "Range-that-wraps": (
        lambda: floats(one("Range", "a", "b", "c"), a=-(2**63), b=2**63 - 1, c=LARGE),
        r"how large Range \(node 'it'\)",
    ),
    "Reshape": (lambda: floats(one("Reshape", "b", "a"), b=[1], a=[0, LARGE], c=[0]), "Reshape"),
    "Pad": (lambda: floats(one("Pad", "b", "a"), b=[1.0], a=[LARGE, 0]), "Pad"),
    "Pad-that-wraps": (lambda: floats(one("Pad", "b", "a"), b=[1.0], a=[2**63 - 1] * 2), "Pad"),
    "Resize": (
        lambda: floats(one("Resize", "x", "", "s", mode="nearest"), s=np.float32([1, 1, 3e4, 3e4])),
        "Resize",
    ),
    "Gather": (
        lambda: built(
            [
                *one("Gather", "b", "i", axis=1),
                helper.make_node("Gather", ["made", "i"], ["more"], axis=0),
            ],
            {"b": np.ones((1, 1), np.int64), "i": np.zeros(8192, np.int64)},
        ),
        r"Gather \(node 'more'\) has 67,108,864",
    ),
    "OneHot": (
        lambda: floats(one("OneHot", "i", "d", "v"), i=[0] * 8, d=LARGE, v=np.float32([0, 1])),
        "OneHot",
    ),
    "Where": (
        lambda: floats(
            one("Where", "c", "l", "r"), c=True, l=np.ones((8192, 1)), r=np.ones((1, 8192))
        ),
        r"Where \(node 'it'\) has 67,108,864",
    ),
    "MatMul": (
        lambda: built(
            one("MatMul", "l", "r"),
            {"l": np.ones((8192, 1), np.int64), "r": np.ones((1, 8192), np.int64)},
        ),
        r"MatMul \(node 'it'\) has 67,108,864",
    ),
    "RandomNormal": (lambda: floats(one("RandomNormal", shape=[LARGE])), "RandomNormal"),
    "text-doubled": (
        lambda: built(
            repeated("StringConcat", "t", 40),
            stored=[claimed(1, name="t", kind=TensorProto.STRING, string_data=[b"a" * 64])],
            kind=FLOAT,
            opset=20,
        ),
        "it holds text|does not know the operator StringConcat",
    ),
    "empty-nodes": (lambda: many_empty(300_000), "it has more than 131,072 parts"),
    "a-long-recurrence": (lambda: recurrent("LSTM", 4097), "it.* take 4,097 steps"),
    "sums-one-after-the-other": (
        lambda: built(
            [helper.make_node("CumSum", ["x", "a"], [f"s{n}"]) for n in range(9)],
            {"a": 1},
            (1, 512),
            kind=FLOAT,
        ),
        "take 4,608 steps",
    ),
    "a-sum-of-products": (
        lambda: built(
            one("Einsum", "x", "x", "x", equation="bi,bj,bk->b"), shape=(1, 512), kind=FLOAT
        ),
        "take 134,217,728 multiply-adds",
    ),
    "a-product-of-outer-products": (
        lambda: built(
            [
                helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
                helper.make_node("MatMul", ["t", "x"], ["o"]),
                *one("MatMul", "o", "o"),
            ],
            shape=(1, 512),
        ),
        "take 134,479,872 multiply-adds",
    ),
    "a-wide-window": (
        lambda: built(
            one("AveragePool", "x", kernel_shape=[128, 128]), shape=(1, 1, 256, 256), kind=FLOAT
        ),
        "take 272,646,144 multiply-adds",
    ),
    "an-operator-of-constants": (
        lambda: floats(one("MatMulInteger", "b", "b"), b=np.ones((2, 2), np.int8)),
        "ezkl does not know the operator MatMulInteger",
    ),
    "a-long-name-of-operators": (
        lambda: with_domain(built([*beside(400), *one("Tile", "x", "a")], SAID), MOST_BYTES // 2),
        r"Tile \(node 'it'\)",
    ),
    "many-opsets": (
        lambda: with_opsets(built(repeated("Add", "x", 300)), 30_000),
        "it names 30,001 sets of operators, at most 8",
    ),
    "a-long-denotation": (
        lambda: with_denotation(
            built([*beside(400), *one("Tile", "x", "a")], SAID), MOST_BYTES // 2
        ),
        r"Tile \(node 'it'\)",
    ),
    "a-window-far-outside": (lambda: floats(one("MaxPool", "x", **WINDOW)), "MaxPool"),
    "a-wide-padding": (
        lambda: floats(
            one("AveragePool", "x", kernel_shape=[9000] * 2, strides=[9000] * 2, pads=[8998] * 4)
        ),
        r"what AveragePool \(node 'it'\) pads has 324,",
    ),
}


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, float]]]:
    """What each reader of networks says of each file, and its seconds."""
    folder: Path = tmp_path_factory.mktemp("small")
    (folder / "fine.onnx").write_bytes(built([]).SerializeToString())
    for name, (build, _) in BOMBS.items():
        content = build().SerializeToString()
        assert len(content) < MOST_BYTES
        (folder / f"{name}.onnx").write_bytes(content)
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    found: dict[str, list[tuple[str, float]]] = {}
    for name, _, said, seconds in map(json.loads, child.stdout.splitlines()):
        found.setdefault(name, []).append((said, seconds))
    assert child.returncode == 0, (list(found)[-1:], child.stderr[-500:])
    return found


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_grows_is_refused_at_once(
    name: str, refusals: dict[str, list[tuple[str, float]]]
) -> None:
    said = [refusal for refusal, _ in refusals[name]]
    assert "taken" not in said
    assert not any("bad_alloc" in each or "allocate" in each for each in said)
    assert max(seconds for _, seconds in refusals[name]) < 10
    assert re.search(BOMBS[name][1], said[0])

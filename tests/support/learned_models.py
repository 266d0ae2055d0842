"""Small models with the operators of ai.onnx.ml, written by hand and at random, and what
onnxruntime makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from zkagent.circuits.networks.rewrites.learned import to_tensors
from zkagent.models.networks.inference import open_session

Array = npt.NDArray[Any]
FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING
DOMAIN = "ai.onnx.ml"
MODES = tuple(f"BRANCH_{each}" for each in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ"))


def node(operator: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    """One of ai.onnx.ml; names apart by blanks."""
    names = inputs.split(), outputs.split()
    return helper.make_node(operator, *names, name=operator, domain=DOMAIN, **attributes)


def model(
    nodes: Sequence[NodeProto],
    outputs: dict[str, int],
    *,
    features: int,
    constants: dict[str, Array] | None = None,
    opset: int = 3,
    shapes: Sequence[Sequence[str | int] | None] | None = None,
) -> ModelProto:
    """Of one input "x" [n, features]. outputs: name -> ONNX's element type. shapes: of the outputs,
    which onnxruntime does without and onnx's checker does not."""
    sizes = shapes or [None] * len(outputs)
    given = [(*each, size) for each, size in zip(outputs.items(), sizes, strict=True)]
    graph = helper.make_graph(
        list(nodes),
        "learned",
        [helper.make_tensor_value_info("x", FLOAT, ["n", features])],
        [helper.make_tensor_value_info(*each) for each in given],
        [numpy_helper.from_array(value, name) for name, value in (constants or {}).items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def outputs(made: ModelProto, x: Array) -> list[Array]:
    """By onnxruntime."""
    found = open_session(made.SerializeToString()).run(None, {"x": x.astype(np.float32)})
    return [np.asarray(each) for each in found]


def rewritten(made: ModelProto) -> ModelProto:
    """A copy as tensors: no operator of the domain is left."""
    copy = ModelProto.FromString(made.SerializeToString())
    assert to_tensors(copy)
    assert not any(each.domain for each in copy.graph.node)
    return copy


@dataclass
class Trees:
    """The lists of an ensemble's attributes, grown at random.

    kind: `class` or `target`. targets: what leaves add to; several: whether each leaf adds to all.
    whole: thresholds are small integers, so that inputs meet them. modes: of inner nodes.
    """

    kind: str
    targets: int
    several: bool = True
    whole: bool = True
    modes: tuple[str, ...] = MODES
    features: int = 4
    sign: float = -1.0  # of the least weight
    nodes: list[tuple[int, int, int, str, int, int, float]] = field(default_factory=list)
    weights: list[tuple[int, int, int, float]] = field(default_factory=list)

    def grow(self, rng: np.random.Generator, depths: Sequence[int]) -> "Trees":
        """One tree for each depth; some branches end before it."""
        for tree, depth in enumerate(depths):
            self._grow(rng, tree, depth)
        self.nodes.sort()
        return self

    def attributes(self) -> dict[str, Any]:
        names = "treeids nodeids featureids modes truenodeids falsenodeids values".split()
        columns = dict(zip(names, map(list, zip(*self.nodes, strict=True)), strict=True))
        weights = zip(
            "treeids nodeids ids weights".split(), zip(*self.weights, strict=True), strict=True
        )
        found = {f"nodes_{name}": values for name, values in columns.items()}
        return found | {f"{self.kind}_{name}": list(values) for name, values in weights}

    def _grow(self, rng: np.random.Generator, tree: int, depth: int) -> int:
        at = sum(each[0] == tree for each in self.nodes)
        place = len(self.nodes)
        self.nodes.append((tree, at, 0, "LEAF", 0, 0, 0.0))
        if depth == 0 or (at and rng.random() < 0.2):
            targets = range(self.targets) if self.several else [tree % self.targets]
            for target in targets:
                weight = float(np.float32(rng.uniform(self.sign, 1)))
                self.weights.append((tree, at, target, weight))
            return at
        value = float(rng.integers(-2, 3)) if self.whole else float(np.float32(rng.normal()))
        feature, mode = int(rng.integers(self.features)), str(rng.choice(self.modes))
        ways = [self._grow(rng, tree, depth - 1) for _ in range(2)]
        self.nodes[place] = (tree, at, feature, mode, *ways, value)
        return at


def inputs(features: int = 4, *, whole: bool = True, count: int = 64) -> Array:
    rng = np.random.default_rng(5)
    drawn = rng.integers(-3, 4, (count, features)) if whole else rng.normal(size=(count, features))
    found: Array = drawn.astype(np.float32)
    return found

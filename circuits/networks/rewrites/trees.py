"""Decision trees, forests and boosted trees as tensors: rules for the tree ensembles of ai.onnx.ml.

All different comparisons of all trees are computed at once, as they cost most of a circuit: 31
cells each. Then level by level: whoever is at an inner node (a 1 among zeros) is at its second
child if the answer is 1 as well, which is a product, and else at its first one, which is a
difference. Two cells for an inner node, and one for each weight of a leaf. Ten trees of six levels
and three classes take 21,685 rows so, where Hummingbird's GEMM strategy takes 98,496: it compares
each leaf's path.

All of it is over integers until the leaves are weighted, so nothing is rounded but features and
thresholds (together: what lies within half a step of the circuit's numbers of a threshold may be
decided otherwise) and the weights.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.networks.rewrites.building import (
    Around,
    Builder,
    Floats,
    attributes,
    shift_of,
)
from zkagent.circuits.networks.rewrites.forest import (
    Asked,
    Forest,
    Inner,
    Leaf,
    Question,
    Tree,
    Unreadable,
    leaf_weights,
    read_ensemble,
    read_forest,
)
from zkagent.circuits.networks.rewrites.scores import (
    TRANSFORMS,
    Labels,
    Raw,
    complemented,
    opposed,
)

if TYPE_CHECKING:
    from onnx import NodeProto

SMALL = 0.25  # weights of at most so much are made larger before a circuit rounds them


def classifier(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """TreeEnsembleClassifier: label [n] and scores [n, classes]."""
    given = attributes(node)
    labels, transform = Labels.of(given), given.get("post_transform", "NONE")
    # Two classes share one score; what converters do not write of two, onnxruntime reads in ways of
    # its own.
    forest = _read(lambda: read_forest(given, "class", 1 if len(labels) == 2 else len(labels)))
    bias = _bias(given.get("base_values_as_tensor", given.get("base_values")))
    if forest is None or len(labels) < 2 or not _known(forest, bias, transform):
        return None
    build = Builder(around, node.output[0] or "trees")
    if len(labels) == 2:
        return _of_one_score(build, node, forest, bias, labels)
    raw = weighted(build, forest, node.input[0], bias)
    decided = raw.decided(build)
    if node.output[0]:
        labels.write_best(build, decided, node.output[0])
    if len(node.output) > 1 and node.output[1]:
        build.written(raw.transformed(build, decided, transform), node.output[1])
    return build.nodes


def _of_one_score(
    build: Builder, node: "NodeProto", forest: Forest, bias: Floats | None, labels: Labels
) -> "list[NodeProto] | None":
    """Two classes, as onnxruntime reads them: a share of the second one where no weight is
    negative, decided at a half, and else a number that is decided at 0."""
    transform = attributes(node).get("post_transform", "NONE")
    if transform == "SOFTMAX":
        return None
    share = bool((leaf_weights(forest) >= 0).all()) and (bias is None or bool((bias >= 0).all()))
    raw = weighted(build, forest, node.input[0], bias)
    decided = raw.decided(build)
    if node.output[0]:
        limit = 0.5 * raw.factor if share else 0.0
        labels.write_above(build, decided, limit, node.output[0])
    if len(node.output) > 1 and node.output[1]:
        score = raw.transformed(build, decided, transform)
        whole = share or transform == "LOGISTIC"
        both = complemented(build, score) if whole else opposed(build, score)
        build.written(both, node.output[1])
    return build.nodes


def regressor(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """TreeEnsembleRegressor: [n, targets]."""
    given = attributes(node)
    forest = _read(lambda: read_forest(given, "target", int(given.get("n_targets", 1))))
    bias = _bias(given.get("base_values_as_tensor", given.get("base_values")))
    return _regressed(node, around, forest, bias, given.get("aggregate_function", "SUM"))


def ensemble(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """TreeEnsemble, of opset 5: [n, targets]."""
    given = attributes(node)
    forest = _read(lambda: read_ensemble(given))
    aggregated = ("AVERAGE", "SUM", "MIN", "MAX")[given.get("aggregate_function", 1)]
    return _regressed(node, around, forest, None, aggregated)


def _regressed(
    node: "NodeProto", around: Around, forest: Forest | None, bias: Floats | None, aggregated: str
) -> "list[NodeProto] | None":
    transform = attributes(node).get("post_transform", "NONE")
    if forest is not None and forest.targets == 1 and transform not in ("NONE", 0):
        return None  # onnxruntime leaves it out
    if isinstance(transform, int):  # as opset 5 counts them
        transform = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")[transform]
    if forest is None or aggregated not in ("SUM", "AVERAGE"):
        return None
    if not _known(forest, bias, transform):
        return None
    if aggregated == "AVERAGE":
        forest = _divided(forest, len(forest.trees))
    build = Builder(around, node.output[0])
    raw = weighted(build, forest, node.input[0], bias)
    build.written(raw.transformed(build, raw.decided(build), transform), node.output[0])
    return build.nodes


def weighted(build: Builder, forest: Forest, x: str, bias: Floats | None) -> Raw:
    """The sums of the weights of all leaves that x [n, features] reaches."""
    leaves = _reached(build, forest, build.as_float(x))
    constant = np.zeros(forest.targets)
    for leaf in leaves.always:
        for target, weight in leaf.weights:
            constant[target] += weight
    weights = np.array([w for leaf in leaves.found for _, w in leaf.weights])
    factor = _factor(weights, len(forest.trees))
    scores = [_score(build, leaves, target, factor) for target in range(forest.targets)]
    if constant.any() or bias is not None:
        bias = constant if bias is None else bias + constant
    return Raw(build.joined(scores), factor, bias)


@dataclass(frozen=True)
class _Leaves:
    """name: whether each of `found` is reached, [n, leaves] of float. always: of trees without any
    question."""

    name: str
    found: tuple[Leaf, ...]
    always: tuple[Leaf, ...]


def _reached(build: Builder, forest: Forest, x: str) -> _Leaves:
    from onnx import TensorProto

    level = [tree.nodes[tree.root] for tree in forest.trees]
    always = tuple(node for node in level if isinstance(node, Leaf))
    answers = _Answers(build, x, _questions(forest.trees))
    below = [tree for tree in forest.trees if isinstance(tree.nodes[tree.root], Inner)]
    ahead = [(tree, tree.nodes[tree.root]) for tree in below]
    here, pieces, found = "", list[str](), list[Leaf]()
    while ahead:
        inner = [node for _, node in ahead if isinstance(node, Inner)]
        one = answers.of(inner)
        if here:
            one = build.add("Mul", here, one)
            zero = build.add("Sub", here, one)
        else:
            zero = build.add("Sub", build.integers([[1]]), one)
        both = build.joined([zero, one])
        children = [
            (tree, tree.nodes[node.children[answer]])
            for answer in (0, 1)
            for tree, node in ahead
            if isinstance(node, Inner)
        ]
        ends = [at for at, (_, child) in enumerate(children) if isinstance(child, Leaf)]
        goes_on = [at for at, (_, child) in enumerate(children) if isinstance(child, Inner)]
        if ends:
            pieces.append(build.columns(both, ends))
            found += [child for _, child in children if isinstance(child, Leaf)]
        ahead = [children[at] for at in goes_on]
        here = build.columns(both, goes_on) if goes_on else ""
    if not pieces:
        return _Leaves("", (), always)
    name = build.add("Cast", build.joined(pieces), to=TensorProto.FLOAT)
    return _Leaves(name, tuple(found), always)


class _Answers:
    """All questions, asked at once: columns of 0 and 1, as int64."""

    def __init__(self, build: Builder, x: str, asked: dict[Question, None]) -> None:
        self._build, self._x = build, x
        self._column: dict[Question, int] = {}
        parts = [
            part
            for kind in Asked
            if (part := self._asked([each for each in asked if each.asked is kind]))
        ]
        self._name = build.joined(parts) if parts else ""

    def of(self, nodes: list[Inner]) -> str:
        """The answers at these nodes, [n, nodes]."""
        return self._build.columns(self._name, [self._column[node.question] for node in nodes])

    def _asked(self, questions: list[Question]) -> str:
        if not questions:
            return ""
        first = len(self._column)
        self._column |= {each: first + at for at, each in enumerate(questions)}
        if questions[0].asked is not Asked.EQUAL:
            operator = "Greater" if questions[0].asked is Asked.ABOVE else "Less"
            return self._compared(operator, questions)
        either = [self._compared(operator, questions) for operator in ("Greater", "Less")]
        one = self._build.integers([[1]])
        return self._build.add("Sub", one, self._build.add("Add", *either))

    def _compared(self, operator: str, questions: list[Question]) -> str:
        from onnx import TensorProto

        features = self._build.columns(self._x, [each.feature for each in questions])
        limits = self._build.floats([[each.threshold for each in questions]])
        truth = self._build.add(operator, features, limits)
        return self._build.add("Cast", truth, to=TensorProto.INT64)


def _questions(trees: Iterable[Tree]) -> dict[Question, None]:
    """In the order of their features and thresholds, which no run changes."""
    asked = {
        node.question for tree in trees for node in tree.nodes.values() if isinstance(node, Inner)
    }
    return dict.fromkeys(sorted(asked, key=lambda q: (q.asked.value, q.feature, q.threshold)))


def _score(build: Builder, leaves: _Leaves, target: int, factor: float) -> str:
    """What the leaves add to one target, times the factor: [n, 1]. Only those that add anything
    cost a cell."""
    weights: dict[int, float] = {}
    for at, leaf in enumerate(leaves.found):
        for where, weight in leaf.weights:
            if where == target and weight:
                weights[at] = weights.get(at, 0.0) + weight
    if not leaves.found:
        raise AssertionError("a forest without questions")
    if not weights:
        weights = {0: 0.0}
    picked = build.columns(leaves.name, list(weights))
    column = np.array(list(weights.values()))[:, None] * factor
    return build.add("MatMul", picked, build.floats(column))


def _factor(weights: Floats, trees: int) -> float:
    """How many times larger the weights have to be for a circuit not to lose them: the number of
    trees for a mean, so that pure leaves weigh 1, or else a power of two."""
    largest = float(np.abs(weights).max(initial=0.0))
    if not 0 < largest <= SMALL:
        return 1.0
    if abs(largest * trees - 1) < 1e-5:
        return float(trees)
    return 2.0 ** shift_of(np.array([largest]))


def _known(forest: Forest, bias: Floats | None, transform: str) -> bool:
    fits = bias is None or len(bias) == forest.targets
    return forest.is_full and fits and transform in TRANSFORMS


def _read(read: Any) -> Forest | None:
    """None for what cannot be read, and where there is nothing to ask."""
    try:
        forest: Forest = read()
    except (Unreadable, KeyError, ValueError):
        return None
    return forest if _questions(forest.trees) else None


def _bias(values: Any) -> Floats | None:
    found = np.asarray(values if values is not None else [], dtype=np.float64).reshape(-1)
    return found if found.size else None


def _changed(forest: Forest, change: Any) -> tuple[Tree, ...]:
    """The trees with the weights (target, weight) of each leaf changed."""
    return tuple(
        Tree(
            tree.root,
            {
                at: Leaf(tuple(change(*each) for each in node.weights))
                if isinstance(node, Leaf)
                else node
                for at, node in tree.nodes.items()
            },
        )
        for tree in forest.trees
    )


def _divided(forest: Forest, count: int) -> Forest:
    trees = _changed(forest, lambda target, weight: (target, weight / count))
    return Forest(trees, forest.targets)


__all__ = ["classifier", "ensemble", "regressor", "weighted"]

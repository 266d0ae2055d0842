"""Reads the tree ensembles of ONNX's domain ai.onnx.ml, of all its versions, into one form.

Each inner node becomes one question with the answer 0 or 1: is the feature above a threshold, below
it, or equal to it. Thresholds are those that decide the same on float32, which is what onnxruntime
compares. What becomes of missing values is left out: a circuit's inputs are numbers.
"""

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from zkagent.circuits.networks.rewrites.building import Floats


class Asked(Enum):
    """What of a feature x and a threshold t makes the answer 1."""

    ABOVE = "x > t"
    BELOW = "x < t"
    EQUAL = "x = t"


@dataclass(frozen=True)
class Question:
    """One comparison; equal ones of all trees are computed once."""

    asked: Asked
    feature: int
    threshold: float


@dataclass(frozen=True)
class Inner:
    """children: for the answers 0 and 1, each a key of `Tree.nodes`."""

    question: Question
    children: tuple[int, int]


@dataclass(frozen=True)
class Leaf:
    """weights: what is added to which target."""

    weights: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Tree:
    """The nodes of one tree; root is a key."""

    root: int
    nodes: dict[int, Inner | Leaf]


@dataclass(frozen=True)
class Forest:
    """targets: how many scores the leaves add to."""

    trees: tuple[Tree, ...]
    targets: int

    @property
    def always_used(self) -> set[int]:
        """The targets that each input adds to: all leaves of one of the trees name them."""
        return {target for tree in self.trees for target in _named_by_all(tree)}

    @property
    def is_full(self) -> bool:
        """Whether each input adds to each target. onnxruntime leaves out base values and classes
        that nothing was added to."""
        return self.always_used == set(range(self.targets))


class Unreadable(Exception):
    """This ensemble has something that no question here stands for; the message says what."""


MOST_NODES = 1 << 18  # of all trees, and of all leaves' weights
MOST_LEVELS = 64
# mode -> what is asked, and whether 1 leads to the true branch
MODES = {
    "BRANCH_LEQ": (Asked.ABOVE, False),
    "BRANCH_LT": (Asked.BELOW, True),
    "BRANCH_GTE": (Asked.BELOW, False),
    "BRANCH_GT": (Asked.ABOVE, True),
    "BRANCH_EQ": (Asked.EQUAL, True),
    "BRANCH_NEQ": (Asked.EQUAL, False),
}
# Of TreeEnsemble, opset 5.
NUMBERED = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def read_forest(given: dict[str, Any], kind: str, targets: int) -> Forest:
    """Of the attributes of TreeEnsembleRegressor (kind `target`) or -Classifier (kind `class`).

    Raises Unreadable.
    """
    if max(len(given["nodes_nodeids"]), len(given[f"{kind}_nodeids"])) > MOST_NODES:
        raise Unreadable(f"it has more than {MOST_NODES:,} nodes")
    weights = _weights(given, kind)
    values: Any = given.get("nodes_values_as_tensor", given.get("nodes_values"))
    columns = "treeids nodeids featureids modes truenodeids falsenodeids".split()
    rows = zip(*(given[f"nodes_{name}"] for name in columns), values, strict=True)
    nodes: dict[int, dict[int, Inner | Leaf]] = defaultdict(dict)
    for tree, at, feature, mode, if_true, if_false, value in rows:
        if mode == "LEAF":
            nodes[tree][at] = Leaf(tuple(weights[tree, at]))
        else:
            nodes[tree][at] = _inner(mode, feature, value, if_true, if_false)
    trees = [Tree(_root(each), each) for each in nodes.values()]
    return _checked(trees, targets, len(given["nodes_nodeids"]))


def read_ensemble(given: dict[str, Any]) -> Forest:
    """Of the attributes of TreeEnsemble, opset 5. Raises Unreadable."""
    columns = "featureids splits modes truenodeids trueleafs falsenodeids falseleafs".split()
    rows = list(zip(*(list(given[f"nodes_{name}"]) for name in columns), strict=True))
    weights = list(zip(given["leaf_targetids"], list(given["leaf_weights"]), strict=True))
    inner = len(rows)
    if max(inner, len(weights)) > MOST_NODES:
        raise Unreadable(f"it has more than {MOST_NODES:,} nodes")
    nodes: dict[int, Inner | Leaf] = {
        inner + at: Leaf(((int(target), float(weight)),))
        for at, (target, weight) in enumerate(weights)
    }
    for at, (feature, value, number, if_true, true_leaf, if_false, false_leaf) in enumerate(rows):
        if int(number) >= len(NUMBERED):
            raise Unreadable("it asks whether features are members of sets")
        ways = (int(if_true) + inner * bool(true_leaf), int(if_false) + inner * bool(false_leaf))
        if ways[0] == ways[1]:
            nodes[at] = nodes[ways[0]]  # how a tree without questions is written
        else:
            nodes[at] = _inner(NUMBERED[int(number)], int(feature), float(value), *ways)
    trees = [Tree(int(root), nodes) for root in given["tree_roots"]]
    return _checked(trees, int(given["n_targets"]), None)


def _weights(given: dict[str, Any], kind: str) -> dict[tuple[int, int], list[tuple[int, float]]]:
    values: Any = given.get(f"{kind}_weights_as_tensor", given.get(f"{kind}_weights"))
    columns = [given[f"{kind}_{name}"] for name in ("treeids", "nodeids", "ids")]
    found: dict[tuple[int, int], list[tuple[int, float]]] = defaultdict(list)
    for tree, node, target, weight in zip(*columns, values, strict=True):
        found[tree, node].append((target, float(weight)))
    return found


def _inner(mode: str, feature: int, value: float, if_true: int, if_false: int) -> Inner:
    if mode not in MODES:
        raise Unreadable(f"it has the mode {mode}")
    asked, one_is_true = MODES[mode]
    question = Question(asked, feature, _threshold(asked, value))
    return Inner(question, (if_false, if_true) if one_is_true else (if_true, if_false))


def _threshold(asked: Asked, value: float) -> float:
    """The float32 that splits all float32 as the value does."""
    value, near = float(value), np.float32(value)
    if asked is Asked.ABOVE and float(near) > value:
        near = np.nextafter(near, np.float32(-np.inf))
    if asked is Asked.BELOW and float(near) < value:
        near = np.nextafter(near, np.float32(np.inf))
    if not np.isfinite(near):
        raise Unreadable(f"it has the threshold {value}")
    return float(near)


def _root(nodes: dict[int, Inner | Leaf]) -> int:
    below = {at for node in nodes.values() if isinstance(node, Inner) for at in node.children}
    roots = nodes.keys() - below
    if len(roots) != 1:
        raise Unreadable("one of its trees has no root")
    return roots.pop()


def _checked(trees: list[Tree], targets: int, count: int | None) -> Forest:
    """Refuses trees whose branches meet again or lead nowhere. count: of all their nodes, where
    each has to belong to one."""
    found = sum(_walked(tree, targets) for tree in trees)
    if count not in (found, None):
        raise Unreadable("it has nodes that belong to no tree")
    return Forest(tuple(trees), targets)


def _walked(tree: Tree, targets: int) -> int:
    """How many nodes it has."""
    ahead, seen = [(tree.root, 0)], set[int]()
    while ahead:
        at, level = ahead.pop()
        node = tree.nodes.get(at)
        if node is None or at in seen:
            raise Unreadable("one of its trees leads nowhere, or twice to the same node")
        if level > MOST_LEVELS:
            raise Unreadable(f"one of its trees has more than {MOST_LEVELS} levels")
        seen.add(at)
        if isinstance(node, Inner):
            ahead += [(child, level + 1) for child in node.children]
        elif not all(0 <= target < targets for target, _ in node.weights):
            raise Unreadable(f"its leaves add to others than its {targets} scores")
    return len(seen)


def _named_by_all(tree: Tree) -> set[int]:
    leaves = [node for node in tree.nodes.values() if isinstance(node, Leaf)]
    return set.intersection(*({target for target, _ in leaf.weights} for leaf in leaves))


def leaf_weights(forest: Forest) -> Floats:
    """Of all leaves of all trees."""
    leaves = [n for tree in forest.trees for n in tree.nodes.values() if isinstance(n, Leaf)]
    return np.array([weight for leaf in leaves for _, weight in leaf.weights], dtype=np.float64)


__all__ = ["Asked", "Forest", "Inner", "Leaf", "Question", "Tree", "Unreadable"]
__all__ += ["leaf_weights", "read_ensemble", "read_forest"]

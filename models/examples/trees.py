"""A random forest as matrix products and comparisons, as Hummingbird's GEMM strategy exports one.

For each tree (Nakandala et al., OSDI 2020): which inner nodes say "left" (x A < B), which leaf that
path leads to (left C == D), and the leaf's classes (leaf E), added up over all trees. Trees are
complete, so that all of them fit one tensor.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.examples.data import Task

Floats = npt.NDArray[np.float64]
THRESHOLDS = 12  # candidates for each feature
CHOICES = 4  # features that a node may ask for


@dataclass(frozen=True)
class Tree:
    """A complete tree: node i's children are 2i + 1 and 2i + 2.

    features, thresholds: of each inner node; left when x[feature] < threshold. leaves: the share of
    each class [leaves, classes].
    """

    features: npt.NDArray[np.int64]
    thresholds: Floats
    leaves: Floats


def grow_forest(task: Task, trees: int, depth: int, seed: int) -> list[Tree]:
    """Each tree on its own draw of the samples, each node on its own choice of features."""
    rng = np.random.default_rng(seed)
    draws = [rng.integers(0, len(task.x), len(task.x)) for _ in range(trees)]
    return [_grow(Task(task.x[draw], task.labels[draw]), depth, rng) for draw in draws]


def tensors(forest: list[Tree], inputs: int) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """A [T, inputs, nodes], B [T, 1, nodes], C [T, nodes, leaves], D [T, 1, leaves] and
    E [T, leaves, classes] of the module's docstring."""
    a = np.stack([np.eye(inputs)[:, tree.features] for tree in forest])
    b = np.stack([tree.thresholds[None] for tree in forest])
    c = np.stack([_paths(len(tree.leaves)) for tree in forest])
    e = np.stack([tree.leaves for tree in forest])
    return a, b, c, (c > 0).sum(axis=1, keepdims=True).astype(np.float64), e


def _grow(task: Task, depth: int, rng: np.random.Generator) -> Tree:
    classes = int(task.labels.max()) + 1
    features = np.zeros(2**depth - 1, dtype=np.int64)
    thresholds, leaves = np.zeros(2**depth - 1), np.zeros((2**depth, classes))
    inside = {0: np.ones(len(task.x), dtype=bool)}
    for node in range(2**depth - 1):
        here = inside.pop(node)
        features[node], thresholds[node] = _split(task, here, rng)
        left = task.x[:, features[node]] < thresholds[node]
        inside[2 * node + 1], inside[2 * node + 2] = here & left, here & ~left
    for leaf, node in enumerate(sorted(inside)):
        counts = np.bincount(task.labels[inside[node]], minlength=classes) + 0.1
        leaves[leaf] = counts / counts.sum()
    return Tree(features, thresholds, leaves)


def _split(task: Task, here: npt.NDArray[np.bool_], rng: np.random.Generator) -> tuple[int, float]:
    """The purest of some splits; thresholds are multiples of 1/256."""
    x, labels = task.x[here], task.labels[here]
    if not len(x):
        return 0, 0.5
    best = (np.inf, 0, 0.5)
    for feature in rng.choice(task.x.shape[1], CHOICES, replace=False):
        for quantile in np.linspace(0.05, 0.95, THRESHOLDS):
            threshold = float(np.rint(256 * np.quantile(x[:, feature], quantile)) / 256)
            left = x[:, feature] < threshold
            best = min(best, (_gini(labels[left]) + _gini(labels[~left]), int(feature), threshold))
    return best[1], best[2]


def _gini(labels: npt.NDArray[np.int64]) -> float:
    """Impurity times the number of samples."""
    counts = np.bincount(labels)
    return float(len(labels) - (counts**2).sum() / max(1, len(labels)))


def _paths(leaves: int) -> Floats:
    """[nodes, leaves]: 1 where the leaf lies left of the node, -1 right, 0 elsewhere."""
    c = np.zeros((leaves - 1, leaves))
    for leaf in range(leaves):
        node = leaf + leaves - 1
        while node:
            parent = (node - 1) // 2
            c[parent, leaf] = 1 if node == 2 * parent + 1 else -1
            node = parent
    return c

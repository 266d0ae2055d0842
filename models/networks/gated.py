"""A network of single bits that reads a text in both directions, in integers.

Each token is a code of 48 bits, of which the highest says that there is a token. A unit of the
network is a bit of state that runs over the tokens: two comparisons say whether it changes, and to
what.

    z = W [code before, code, code behind, state before] + b
    state = (z_k > 0) where z_f > 0 and there is a token, else the state before

(a gated recurrent unit, Cho et al. 2014, of which gates and states are binarised, Hubara et al.
2016.) What the states of both directions say of a token is summed over all tokens, and decides; the
states at a token decide on its tag.

    r = relu(W_r [states, code] + b_r) at each token
    scores = W_2 relu(W_1 [sum of r, sums of states, last states] + b_1) + b_2
    tag = arg-max(W_t [states, r] + b_t)

Beside r there may be products of sums (`products.py`).

How sure it is to act is the least of: how much acting scores more than the next best; and, times a
constant, how much each tag does that counts, those of tokens whose codes say that they can fill a
slot.

In a proof a comparison costs about as many constraints as its sum has bits, and a sum nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.codes import CODE_BITS, FILLING
from zkagent.models.instructions.packing import (
    FEATURE_BITS,
    FEATURES,
    OUTPUTS,
    TAG_BITS,
    TAGS_BITS,
    TAGS_PER_NUMBER,
    TOKENS,
    Verdict,
)
from zkagent.models.networks.integer_graph import BITS_OPSET, IntegerGraph
from zkagent.models.networks.products import ProductWeights, products, tags_of

Weights = npt.NDArray[np.int64]
DIRECTIONS = 2  # forwards, then backwards
WINDOW = 3
#: Of the bit that says whether a token can fill a slot, the highest bit's being 0.
FILLING_PLACE = CODE_BITS - FILLING.bit_length()


@dataclass(frozen=True)
class GatedWeights:
    """Integers over bits that are 0 or 1, U units in each direction, R and H that add up.

    gates [2, 2 U, 3 * 48 + U]: those that say whether, then those that say to what. gate_bias [2,
    2 U]. seen [R, 2 U + 48], seen_bias [R]. hidden [H, R + 4 U], hidden_bias [H]. scores [5, H],
    score_bias [5]. tags [6, 2 U + R], tag_bias [6]. tag_unit: what one of a tag's score counts in
    those of scores, 1 or more.
    """

    gates: Weights
    gate_bias: Weights
    seen: Weights
    seen_bias: Weights
    hidden: Weights
    hidden_bias: Weights
    scores: Weights
    score_bias: Weights
    tags: Weights
    tag_bias: Weights
    tag_unit: int
    products: ProductWeights | None = None

    @property
    def units(self) -> int:
        """In each direction."""
        return int(self.gates.shape[1]) // 2


def export_gated(weights: GatedWeights) -> bytes:
    """The ONNX file. x [1, 90]: three int16 a token, the code's highest bits first. y [1, 3]: how
    sure it is to act; the number of the next best times 2^45, and the tags of the first 15 tokens,
    three bits each, the first the highest; the other tags."""
    graph = IntegerGraph("gated", TOKENS * FEATURES, BITS_OPSET)
    codes = _codes(graph)
    states, last = _states(graph, weights, codes)
    sources = graph.node("Concat", [states, codes], axis=2)
    seen = _masked(graph, sources, weights.seen, weights.seen_bias, 2 * weights.units)
    seen = graph.node("Relu", [seen])
    pooled = [graph.node("ReduceSum", [t, graph.constant([1])], keepdims=0) for t in (seen, states)]
    found = weights.products and products(graph, weights.products, codes, states)
    given, read = [*pooled, *last], weights.hidden
    if weights.products and found:
        given.append(graph.node("ReduceSum", [found, graph.constant([1])], keepdims=0))
        read = np.concatenate([read, weights.products.hidden], axis=1)
    hidden = _affine(graph, graph.concat(given), read, weights.hidden_bias)
    scores = _affine(graph, graph.node("Relu", [hidden]), weights.scores, weights.score_bias)
    margin, other = _margin(graph, scores)
    sources = graph.node("Concat", [states, seen], axis=2)
    tagged = _affine(graph, sources, weights.tags, weights.tag_bias)
    if weights.products and found:
        tagged = graph.node("Add", [tagged, tags_of(graph, weights.products, found)])
    sure = _least(graph, graph.concat([margin, _tag_margins(graph, weights, codes, tagged)]))
    tags = graph.node("ArgMax", [tagged], axis=2)
    packed = graph.matmul(graph.reshape(tags, [1, TOKENS]), _places_of_tags())
    first = graph.node("Add", [graph.pick(packed, [0]), graph.matmul(other, [[1 << TAGS_BITS]])])
    return graph.finish(graph.concat([sure, first, graph.pick(packed, [1])]), OUTPUTS)


def _codes(graph: IntegerGraph) -> str:
    """[1, 30, 48]."""
    bits = np.arange(TOKENS * CODE_BITS)
    masks = 1 << (FEATURE_BITS - 1 - bits % FEATURE_BITS)
    picked = graph.pick("x", bits // FEATURE_BITS)
    return graph.reshape(graph.bits(picked, masks[None]), [1, TOKENS, CODE_BITS])


def _states(graph: IntegerGraph, weights: GatedWeights, codes: str) -> tuple[str, list[str]]:
    """[1, 30, 2 U] at all tokens, and [1, U] of each direction at its end."""
    windows = list(_windows(graph, codes))
    found, last = [], []
    for direction in range(DIRECTIONS):
        order = range(TOKENS)[:: -1 if direction else 1]
        states = _run(graph, weights, direction, [windows[token] for token in order])
        last.append(states[-1])
        joined = graph.concat(states[:: -1 if direction else 1])
        found.append(graph.reshape(joined, [1, TOKENS, weights.units]))
    return graph.node("Concat", found, axis=2), last


def _windows(graph: IntegerGraph, codes: str) -> Iterator[str]:
    """For each token [1, 3 * 48], zeros beyond the ends."""
    padded = graph.node("Pad", [codes, graph.constant([0, 1, 0, 0, 1, 0])])
    for token in range(TOKENS):
        places = graph.constant(range(token, token + WINDOW))
        read = graph.node("Gather", [padded, places], axis=1)
        yield graph.reshape(read, [1, WINDOW * CODE_BITS])


def _run(
    graph: IntegerGraph, weights: GatedWeights, direction: int, windows: Sequence[str]
) -> list[str]:
    """[1, U] behind each window, in the order of the direction."""
    units = weights.units
    changes = np.arange(2 * units) < units
    gates, bias = _closed(
        weights.gates[direction], weights.gate_bias[direction], CODE_BITS, changes
    )
    read, added = graph.constant(gates.T), graph.constant(bias[None])
    states = [graph.constant([[0] * units])]
    for window in windows:
        first = len(states) == 1
        given = window if first else graph.concat([window, states[-1]])
        known = gates[:, : WINDOW * CODE_BITS].T if first else read
        gate = graph.positive(graph.add(graph.matmul(given, known), added))
        change, value = (graph.pick(gate, np.arange(at, at + units)) for at in (0, units))
        states.append(graph.select(change, value, states[-1]))
    return states[1:]


def _closed(
    weights: Weights, bias: Weights, present: int, rows: npt.NDArray[np.bool_]
) -> tuple[Weights, Weights]:
    """Sums that no input makes more than 0 where there is no token, in the `rows` that say so.
    present: the place of the bit that says whether there is one."""
    most = np.maximum(np.maximum(weights, 0).sum(axis=1) + bias, 0) * rows
    weights = weights.copy()
    weights[:, present] += most
    return weights, bias - most


def _masked(graph: IntegerGraph, source: str, weights: Weights, bias: Weights, present: int) -> str:
    rows = np.ones(len(weights), dtype=np.bool_)
    return _affine(graph, source, *_closed(weights, bias, present, rows))


def _affine(graph: IntegerGraph, source: str, weights: Weights, bias: Weights) -> str:
    """weights [n, k] of `source` [..., k]."""
    return graph.add(graph.matmul(source, weights.T), bias)


def _margin(graph: IntegerGraph, scores: str) -> tuple[str, str]:
    """By how much acting scores more than the best other, and which that is, the first of equals:
    each [1, 1]."""
    others = graph.pick(scores, range(Verdict.ACT))
    pairs = graph.node("Max", [graph.pick(others, [0, 1]), graph.pick(others, [2, 3])])
    best = graph.node("Max", [graph.pick(pairs, [0]), graph.pick(pairs, [1])])
    margin = graph.node("Sub", [graph.pick(scores, [Verdict.ACT]), best])
    return margin, graph.node("ArgMax", [others], axis=1)


def _tag_margins(graph: IntegerGraph, weights: GatedWeights, codes: str, tagged: str) -> str:
    """[1, 30]: by how much each token's best tag scores more than the next, in units of scores;
    where no tag counts, more than that ever comes to."""
    tags = [
        graph.node("Gather", [tagged, graph.constant([tag])], axis=2) for tag in range(len(Tag))
    ]
    first, second = _two_best(
        graph, [_ordered(graph, *pair) for pair in zip(tags[::2], tags[1::2], strict=True)]
    )
    margin = graph.node(
        "Mul", [graph.node("Sub", [first, second]), graph.constant(weights.tag_unit)]
    )
    most = _most_apart(weights) * weights.tag_unit
    filling = graph.node("Gather", [codes, graph.constant([FILLING_PLACE])], axis=2)
    beyond = graph.add(graph.node("Mul", [filling, graph.constant(-most)]), most)
    return graph.reshape(graph.node("Add", [margin, beyond]), [1, TOKENS])


def _two_best(graph: IntegerGraph, pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The largest of all, and the largest of the others. pairs: each the larger one first."""
    (best, next_best), *others = pairs
    for first, second in others:
        best, least = _ordered(graph, best, first)
        next_best = graph.node("Max", [least, graph.node("Max", [next_best, second])])
    return best, next_best


def _ordered(graph: IntegerGraph, one: str, other: str) -> tuple[str, str]:
    """The larger and the smaller."""
    larger = graph.node("Max", [one, other])
    return larger, graph.node("Sub", [graph.node("Add", [one, other]), larger])


def _most_apart(weights: GatedWeights) -> int:
    """What two tags' scores never differ by more than."""
    units = 2 * weights.units
    positive = np.maximum(weights.seen, 0).sum(axis=1) + np.maximum(weights.seen_bias, 0)
    sizes = np.concatenate([np.ones(units, np.int64), positive])
    largest = np.abs(weights.tags) @ sizes + np.abs(weights.tag_bias)
    if weights.products:
        largest = largest + weights.products.tags.most(weights.products.most())
    return 2 * int(largest.max()) + 1


def _least(graph: IntegerGraph, numbers: str, count: int = TOKENS + 1) -> str:
    """[1, 1]: the smallest of [1, count]."""
    left = graph.node("Mul", [numbers, graph.constant(-1)])
    while count > 1:
        half, odd = divmod(count, 2)
        pair = [graph.pick(left, range(at, at + half)) for at in (0, half)]
        kept = [graph.pick(left, [count - 1])] if odd else []
        left, count = graph.concat([graph.node("Max", pair), *kept]), half + odd
    return graph.node("Mul", [left, graph.constant(-1)])


def _places_of_tags() -> Weights:
    """[30, 2]: what each tag counts in the two numbers."""
    found = np.zeros((TOKENS, 2), dtype=np.int64)
    for token in range(TOKENS):
        number, place = divmod(token, TAGS_PER_NUMBER)
        found[token, number] = 1 << TAG_BITS * (TAGS_PER_NUMBER - 1 - place)
    return found


__all__ = ["DIRECTIONS", "FILLING_PLACE", "WINDOW", "GatedWeights", "Weights", "export_gated"]

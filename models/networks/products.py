"""Products of sums at each token of a gated network, in integers.

    p = (A q) (B q)
    r = (C q) (D p + E [sum of p up to the token] + F [sum of p from the token on])

q: the bits of the codes of five tokens, the middle one its own, and of the states at the token, as
signs; 0 where there is no token. (Gated linear units, Dauphin et al. 2017, without a sigmoid; sums
over all tokens on either side stand for attention.) The tag of a token reads p and r there, and
what both add up to up to it and from it on; the verdict reads what they add up to in all.

In a proof a product costs one constraint, and the sums in it nothing.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.instructions.codes import CODE_BITS, PRESENT
from zkagent.models.instructions.packing import TOKENS
from zkagent.models.networks.integer_graph import IntegerGraph

Weights = npt.NDArray[np.int64]
#: Tokens whose codes a product reads.
AROUND = 5
#: Of the bit that says whether there is a token, among those of a code.
PRESENT_PLACE = CODE_BITS - PRESENT.bit_length()


@dataclass(frozen=True)
class Reading:
    """What N sums read of K products and of whether there is a token, the last column: [N, K + 1]
    at a token, of their sums up to it, and from it on."""

    own: Weights
    up_to: Weights
    from_on: Weights

    def most(self, products: Weights) -> Weights:
        """The largest magnitude of each sum: [N]. products [K + 1]: of what is read."""
        sums = np.abs(self.up_to) + np.abs(self.from_on)
        found: Weights = (np.abs(self.own) + TOKENS * sums) @ products
        return found


@dataclass(frozen=True)
class ProductWeights:
    """P products and R products of such at each token, in networks of U units each way.

    first, second [P, 5 * 48 + 2 U], third [R, 5 * 48 + 2 U]: over signs. fourth: R sums of P
    products. tags: six of P + R. hidden [H, P + R + 1]: of what each comes to over all tokens.
    """

    first: Weights
    second: Weights
    third: Weights
    fourth: Reading
    tags: Reading
    hidden: Weights

    def most(self) -> Weights:
        """The largest magnitude of each product, and of the bit: [P + R + 1]."""
        first, second, third = (
            np.abs(side).sum(axis=1) for side in (self.first, self.second, self.third)
        )
        near = first * second
        far = third * self.fourth.most(np.append(near, 1))
        return np.concatenate([near, far, [1]])


def products(graph: IntegerGraph, weights: ProductWeights, codes: str, states: str) -> str:
    """[1, 30, P + R + 1], the last one whether there is a token. codes [1, 30, 48], states [1, 30,
    2 U]. Right behind a text there are products of its end."""
    present = graph.node("Gather", [codes, graph.constant([PRESENT_PLACE])], axis=2)
    bits = _bits(graph, codes, graph.node("Mul", [states, present]))
    first, second, third = (
        graph.matmul(bits, _of_bits(side).T)
        for side in (weights.first, weights.second, weights.third)
    )
    near = graph.node("Mul", [first, second])
    read = _read(graph, weights.fourth, graph.node("Concat", [near, present], axis=2))
    far = graph.node("Mul", [third, read])
    return graph.node("Concat", [near, far, present], axis=2)


def tags_of(graph: IntegerGraph, weights: ProductWeights, given: str) -> str:
    """[1, 30, 6]: what `given`, as `products` has it, adds to the scores of tags. Weights come
    before sums, as there are few tags."""
    own, up_to, whole = (graph.matmul(given, side.T) for side in _apart(weights.tags))
    total = graph.node("ReduceSum", [whole, graph.constant([1])], keepdims=1)
    return graph.node("Add", [graph.node("Add", [own, _up_to(graph, up_to)]), total])


def _read(graph: IntegerGraph, weights: Reading, given: str) -> str:
    """[1, 30, N] of `given` [1, 30, K + 1]. Sums come first: each is read N times."""
    up_to = _up_to(graph, given)
    whole = graph.node("Gather", [up_to, graph.constant([TOKENS - 1] * TOKENS)], axis=1)
    read = graph.node("Concat", [given, up_to, whole], axis=2)
    return graph.matmul(read, np.concatenate(_apart(weights), axis=1).T)


def _apart(weights: Reading) -> tuple[Weights, Weights, Weights]:
    """Of what is read at a token, up to it and in all: what stands from it on is the rest."""
    return weights.own + weights.from_on, weights.up_to - weights.from_on, weights.from_on


def _up_to(graph: IntegerGraph, given: str) -> str:
    """Sums over tokens up to each, [1, 30, K] as what is given: in one step, as products go."""
    turned = graph.node("Transpose", [given], perm=[0, 2, 1])
    sums = graph.matmul(turned, np.triu(np.ones((TOKENS, TOKENS), dtype=np.int64)))
    return graph.node("Transpose", [sums], perm=[0, 2, 1])


def _bits(graph: IntegerGraph, codes: str, states: str) -> str:
    """[1, 30, 5 * 48 + 2 U]."""
    margin = AROUND // 2
    padded = graph.node("Pad", [codes, graph.constant([0, margin, 0, 0, margin, 0])])
    around = [
        graph.node("Gather", [padded, graph.constant(range(at, at + TOKENS))], axis=1)
        for at in range(AROUND)
    ]
    return graph.node("Concat", [*around, states], axis=2)


def _of_bits(weights: Weights) -> Weights:
    """The same sums over bits that are 0 and 1: a sign is twice the bit less that of its token."""
    found, end = 2 * weights, AROUND * CODE_BITS
    for at in range(0, end, CODE_BITS):
        found[:, at + PRESENT_PLACE] -= weights[:, at : at + CODE_BITS].sum(axis=1)
    own = AROUND // 2 * CODE_BITS + PRESENT_PLACE
    found[:, own] -= weights[:, end:].sum(axis=1)
    return found


__all__ = ["AROUND", "ProductWeights", "Reading", "Weights", "products"]
__all__ += ["tags_of"]

"""What a contract computes at once though a program has several steps for it.

Circuits take numbers apart bit by bit; the EVM has shifts. Products that are only added up need no
place of their own, and where most weights are zeros, a sum of what is left costs less than words of
lanes. Programs of layers and arithmetic alone stay as they are.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain as joined

import numpy as np

from zkagent.circuits.program.program import (
    Activation,
    ArgMax,
    Elementwise,
    Ids,
    Layer,
    LookUp,
    Mask,
    Operand,
    Operator,
    Program,
    Select,
    Sign,
    Step,
)
from zkagent.verifier_contracts.evm.words import Lanes


@dataclass(frozen=True)
class Field:
    """Some bits of a feature, from bit `low` on: as they are, or `signed`, in two's complement."""

    feature: int
    low: int
    width: int
    signed: bool


@dataclass(frozen=True)
class Fields:
    """outputs[i] = fields[i]."""

    fields: tuple[Field, ...]
    outputs: Ids
    node: str = ""


@dataclass(frozen=True)
class Term:
    """weight times a number, or times the product of two."""

    weight: int
    left: int
    right: int | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        return (self.left,) if self.right is None else (self.left, self.right)


@dataclass(frozen=True)
class Sums:
    """outputs[i] = activation(bias[i] + all of terms[i])."""

    terms: tuple[tuple[Term, ...], ...]
    bias: tuple[int, ...]
    outputs: Ids
    activation: Activation = Activation.NONE
    node: str = ""


@dataclass(frozen=True)
class Chains:
    """Layers over the same rows, each chain's of what the one before makes, which nobody else
    reads."""

    chains: tuple[tuple[Layer, ...], ...]

    @property
    def inputs(self) -> Ids:
        return self.chains[0][0].inputs

    @property
    def outputs(self) -> Ids:
        return np.concatenate([chain[-1].outputs.ravel() for chain in self.chains])

    @property
    def node(self) -> str:
        return self.chains[-1][-1].node


Fused = Step | Fields | Sums | Chains
#: Gas: of a number that is added, of what it is multiplied with, of a weight, of a sum that is
#: stored; of a product with a place of its own; of a lane that is taken out of a word.
_READ, _TIMES, _WEIGHED, _STORED, _MULTIPLIED, _LANE = 9, 11, 8, 6, 23, 18


def fused(program: Program) -> tuple[Fused, ...]:
    """The program's steps, or others that compute the same outputs."""
    if all(isinstance(step, Layer | Elementwise) for step in program.steps):
        return program.steps  # of what stands on chains the audit expects the very code
    bits = _bits(program.steps)
    uses = Counter(number for step in program.steps for number in read(step))
    uses.update(program.outputs.ravel().tolist())
    products = _products(program.steps, uses)
    steps = [_fused(step, bits, products) for step in program.steps]
    return tuple(_chained(_needed(steps, program.outputs), program.outputs))


def _fused(step: Step, bits: Mapping[int, Field], products: Mapping[int, Term]) -> Fused:
    if not isinstance(step, Layer):
        return step
    return _fields(step, bits) or _sums(step, products) or step


def _bits(steps: Sequence[Step]) -> dict[int, Field]:
    """The numbers that are single bits of features."""
    masked: dict[int, Field] = {}
    found: dict[int, Field] = {}
    for step in steps:
        if isinstance(step, Mask):
            for number, mask, output in zip(step.inputs, step.masks, step.outputs, strict=True):
                if int(mask).bit_count() == 1:
                    low = int(mask).bit_length() - 1
                    masked[int(output)] = Field(int(number), low, 1, signed=False)
        elif isinstance(step, Sign):
            for number, output in zip(step.inputs.tolist(), step.outputs.tolist(), strict=True):
                if number in masked:
                    found[output] = masked[number]
    return found


def _products(steps: Sequence[Step], uses: Mapping[int, int]) -> dict[int, Term]:
    """The products of two numbers that one step reads, once."""
    return {
        int(output): Term(1, int(left), int(right))
        for step in steps
        if isinstance(step, Elementwise) and step.operator is Operator.MUL
        if not (step.left.constant or step.right.constant)
        for left, right, output in zip(
            step.left.values, step.right.values, step.outputs, strict=True
        )
        if uses[int(output)] == 1
    }


def _fields(layer: Layer, bits: Mapping[int, Field]) -> Fields | None:
    """A layer that puts bits together again; None for another one."""
    if layer.activation is not Activation.NONE or layer.bias.any():
        return None
    found = [_field(terms, bits) for terms in _terms(layer)]
    fields = tuple(field for field in found if field)
    if len(fields) < len(found):
        return None
    return Fields(fields, layer.outputs.ravel(), layer.node)


def _field(terms: Sequence[Term], bits: Mapping[int, Field]) -> Field | None:
    """Bits in a row, each worth what it is worth there, the highest that or the opposite."""
    parts = {bits[term.left]: term.weight for term in terms if term.left in bits}
    if not terms or len(parts) < len(terms) or len({bit.feature for bit in parts}) > 1:
        return None
    low, width = min(bit.low for bit in parts), len(parts)
    worth = [weight for _, weight in sorted((bit.low, weight) for bit, weight in parts.items())]
    plain = [1 << place for place in range(width)]
    if max(bit.low for bit in parts) != low + width - 1 or worth[:-1] != plain[:-1]:
        return None
    if abs(worth[-1]) != plain[-1]:
        return None
    (feature,) = {bit.feature for bit in parts}
    return Field(feature, low, width, signed=worth[-1] < 0)


def _sums(layer: Layer, products: Mapping[int, Term]) -> Sums | None:
    """Where that costs less than words of lanes; None elsewhere."""
    rows = list(_terms(layer))
    multiplied = {term.left for terms in rows for term in terms if term.left in products}
    if layer.inputs.shape[1] > 1 and not multiplied:
        return None  # a loop over rows is short, and costs little more
    terms = tuple(tuple(_product(term, products) for term in of_one) for of_one in rows)
    if sum(map(_sum_gas, terms)) > _packed_gas(layer) + _MULTIPLIED * len(multiplied):
        return None
    bias = np.broadcast_to(layer.bias[:, None], layer.outputs.shape).ravel().tolist()
    return Sums(terms, tuple(map(int, bias)), layer.outputs.ravel(), layer.activation, layer.node)


def _product(term: Term, products: Mapping[int, Term]) -> Term:
    """The term, of the two numbers whose product it is of, if it is of one."""
    found = products.get(term.left)
    return replace(found, weight=term.weight) if found else term


def _sum_gas(terms: Sequence[Term]) -> int:
    gas = sum(_READ if term.right is None else _READ + _TIMES for term in terms)
    weights = {abs(term.weight) for term in terms}
    return _STORED + gas + _WEIGHED * (weights != {1}) * (len(terms) if len(weights) > 1 else 1)


def _packed_gas(layer: Layer) -> int:
    lanes, gas = Lanes.of(layer), 0
    for group in range(len(layer.weights)):
        _, *weights = lanes.pack_layer(layer, group)
        words = sum(1 for row in weights for word in row if word)
        gas += layer.inputs.shape[1] * (
            (_READ + _WEIGHED) * words + (_LANE + _STORED) * lanes.count
        )
    return gas


def _terms(layer: Layer) -> Iterator[tuple[Term, ...]]:
    """Of each output, in order."""
    groups, rows, _ = layer.inputs.shape
    for group in range(groups):
        for row in range(rows):
            numbers = layer.inputs[group, row].tolist()
            for weights in layer.weights[group].T.tolist():
                pairs = zip(weights, numbers, strict=True)
                yield tuple(Term(int(weight), number) for weight, number in pairs if weight)


def _chained(steps: Sequence[Fused], outputs: Ids) -> list[Fused]:
    """With layers over rows as chains."""
    uses = Counter(number for step in steps for number in read(step))
    uses.update(outputs.ravel().tolist())
    chains: list[list[Layer]] = []
    for layer in steps:
        if isinstance(layer, Layer) and len(layer.inputs) == 1 and layer.inputs.shape[1] > 1:
            before = [chain for chain in chains if _leads(chain[-1], layer, uses)]
            if before:
                before[0].append(layer)
            else:
                chains.append([layer])
    return list(_with_chains(steps, chains))


def _with_chains(steps: Sequence[Fused], chains: Sequence[Sequence[Layer]]) -> Iterator[Fused]:
    """Where the first layer of the first chain over some rows is, all chains over these; every one
    of them reads nothing else."""
    written: set[int] = set()
    for step in steps:
        if not any(step is layer for chain in chains for layer in chain):
            yield step
            continue
        over = [c for c in chains if c[0] is step and id(step) not in written]
        if over:
            alike = [c for c in chains if np.array_equal(c[0].inputs, over[0][0].inputs)]
            written.update(id(chain[0]) for chain in alike)
            yield Chains(tuple(map(tuple, alike)))


def _leads(layer: Layer, after: Layer, uses: Mapping[int, int]) -> bool:
    """Whether one alone reads what the other makes, row by row."""
    return np.array_equal(layer.outputs, after.inputs) and all(
        uses[number] == 1 for number in layer.outputs.ravel().tolist()
    )


def _needed(steps: Sequence[Fused], outputs: Ids) -> list[Fused]:
    """Without numbers that nobody reads."""
    wanted = set(outputs.ravel().tolist())
    kept: list[Fused] = []
    for step in reversed(steps):
        left = _only(step, wanted)
        if left is not None:
            wanted.update(read(left))
            kept.append(left)
    return kept[::-1]


def _only(step: Fused, wanted: set[int]) -> Fused | None:
    """What of a step somebody reads: of those that work on each number by itself some, of others
    all or nothing."""
    there = np.isin(step.outputs, list(wanted))
    if not there.any():
        return None
    match step:
        case Mask():
            inputs, masks = step.inputs[there], step.masks[there]
            return replace(step, inputs=inputs, masks=masks, outputs=step.outputs[there])
        case Sign():
            inputs, ends = step.inputs[there], step.ends[there]
            return replace(step, inputs=inputs, ends=ends, outputs=step.outputs[there])
        case Elementwise():
            left, right = (Operand(s.values[there], s.constant) for s in (step.left, step.right))
            return replace(step, left=left, right=right, outputs=step.outputs[there])
        case _:
            return step


def read(step: Fused) -> list[int]:
    """The numbers that a step reads, as often as it does."""
    found: Iterable[int]
    match step:
        case Chains() | Layer() | ArgMax() | Mask() | Sign():
            found = step.inputs.ravel().tolist()
        case LookUp():
            found = step.indices.tolist()
        case Fields():
            found = (field.feature for field in step.fields)
        case Sums():
            found = (number for terms in step.terms for term in terms for number in term.numbers)
        case Select():
            found = joined(step.chosen.tolist(), _of(step.yes), _of(step.no))
        case Elementwise():
            found = joined(_of(step.left), _of(step.right))
    return list(found)


def _of(operand: Operand) -> list[int]:
    return [] if operand.constant else [int(number) for number in operand.values]


__all__ = ["Chains", "Field", "Fields", "Fused", "Sums", "Term", "fused", "read"]

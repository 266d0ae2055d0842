"""Where an EVM model's numbers lie in memory, and the statements of all its layers.

Weights are constants in the code: 17 gas for a word of them. Layers that do not fit the contract
become contracts of their own (parts.py), which are called.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from zkagent.circuits.program.program import (
    Activation,
    ArgMax,
    Elementwise,
    Ids,
    Layer,
    Mask,
    Operand,
    Program,
    Select,
    Sign,
)
from zkagent.verifier_contracts.errors import EvmModelError
from zkagent.verifier_contracts.evm import single
from zkagent.verifier_contracts.evm.fusing import Chains, Field, Fields, Fused, Sums, fused, read
from zkagent.verifier_contracts.evm.parts import Part, parts_of_groups, parts_of_row
from zkagent.verifier_contracts.evm.product import addresses, for_rows, loop, product, relative
from zkagent.verifier_contracts.evm.rolling import place, rolled, straight
from zkagent.verifier_contracts.evm.words import Lanes

FIRST_ADDRESS = 0x80
TOGETHER = 6  # fields that are not written where all their features are zeros


class Body:
    """The statements that compute a program's outputs, from inputs at `input_address`.

    outside: numbers of the fused steps that are contracts of their own; `parts` is their code, and
    their addresses are expected at `part_addresses`. loops: write what repeats as a loop where it
    spares so many characters, which takes more gas. The outputs lie one behind the other at
    `output_address`, and `end` is the end of the memory used.
    """

    def __init__(
        self, program: Program, outside: frozenset[int] = frozenset(), *, loops: int | None = None
    ) -> None:
        """Raises EvmModelError for a layer that does not fit contracts of its own, and for steps
        that no contract does."""
        self.program, steps = program, fused(program)
        self.fused = steps is not program.steps
        self.lines: list[str] = []
        self.parts: list[bytes] = []
        self.end = FIRST_ADDRESS
        self.addresses: dict[int, int] = {}
        self.input_address = self.allocate(np.arange(program.inputs))
        self.inside = _inside(steps)
        for number, step in enumerate(steps):
            if isinstance(step, Layer) and number in outside:
                self.layer_outside(step)
            else:
                self.step(step)
        self.output_address = self.contiguous(program.outputs)
        self.part_addresses = self.reserve(len(self.parts))
        for part in range(len(self.parts)):
            there = f"{self.part_addresses + 32 * part:#x}"
            self.lines = [line.replace(_part_address(part), there) for line in self.lines]
        self.lines = straight(self.lines) if loops is None else rolled(self.lines, loops)

    def step(self, step: Fused) -> None:
        match step:
            case Layer():
                self.layer(step)
            case Chains():
                self.chains(step)
            case Elementwise():
                self.elementwise(step)
            case Fields():
                self.fields(step)
            case Sums():
                self.sums(step)
            case Mask() | Sign():
                self.alone(step)
            case Select():
                self.select(step)
            case ArgMax():
                self.arg_max(step)
            case _:
                raise EvmModelError(
                    f"{step.node}: look-ups are not evaluated by contracts: verify a proof instead"
                )

    def reserve(self, words: int) -> int:
        """Memory for words one behind the other; the first one's address."""
        first, self.end = self.end, self.end + 32 * words
        return first

    def allocate(self, ids: Ids) -> int:
        """Memory for numbers one behind the other; the first one's address."""
        first = self.reserve(ids.size)
        self.addresses.update(zip(ids.ravel().tolist(), range(first, self.end, 32), strict=True))
        return first

    def contiguous(self, ids: Ids) -> int:
        """The address of numbers one behind the other: where they lie already, or of a copy."""
        places = self.places(ids)
        if places == list(range(places[0], places[0] + 32 * len(places), 32)):
            return places[0]
        first = self.reserve(len(places))
        for to, there in zip(addresses(first, len(places)), places, strict=True):
            self.lines.append(f"mstore({to}, mload({there:#x}))")
        return first

    def places(self, ids: Ids) -> list[int]:
        return [self.addresses[i] for i in ids.ravel().tolist()]

    def elementwise(self, step: Elementwise) -> None:
        to = self.allocate(step.outputs)
        for i in range(step.outputs.size):
            a, b = (self.operand(operand, i) for operand in (step.left, step.right))
            self.lines.append(single.of_two(place(to + 32 * i), step.operator, a, b))

    def operand(self, operand: Operand, index: int) -> str:
        value = operand.values[index]
        return _hex(value) if operand.constant else self.number(int(value))

    def number(self, number: int) -> str:
        """What reads it: of a field that is read once, from its feature."""
        if number in self.inside:
            return self.field(self.inside[number])
        return f"mload({place(self.addresses[number])})"

    def field(self, field: Field) -> str:
        return single.field(self.number(field.feature), field, self.program.input_bits)

    def fields(self, step: Fields) -> None:
        """Those that have a place of their own."""
        pairs = zip(step.fields, step.outputs.tolist(), strict=True)
        kept = [(field, number) for field, number in pairs if number not in self.inside]
        to = self.allocate(np.array([number for _, number in kept], dtype=np.int64))
        for first in range(0, len(kept), TOGETHER):
            some = [field for field, _ in kept[first : first + TOGETHER]]
            features = [self.number(feature) for feature in dict.fromkeys(f.feature for f in some)]
            written = [
                single.stored(place(to + 32 * at), self.field(field))
                for at, field in enumerate(some, first)
            ]
            self.lines.append(single.unless_zeros(features, written))

    def sums(self, step: Sums) -> None:
        to = self.allocate(step.outputs)
        for i, (terms, bias) in enumerate(zip(step.terms, step.bias, strict=True)):
            weighed = [(term.weight, [self.number(n) for n in term.numbers]) for term in terms]
            target = place(to + 32 * i)
            self.lines.append(single.weighed_sum(target, weighed, bias, step.activation))

    def alone(self, step: Mask | Sign) -> None:
        to = self.allocate(step.outputs)
        for i, number in enumerate(step.inputs.tolist()):
            value = self.number(number)
            if isinstance(step, Sign):
                value = f"sgt({value}, 0)"
            else:
                value = f"and({value}, {int(step.masks[i]):#x})"
            self.lines.append(single.stored(place(to + 32 * i), value))

    def select(self, step: Select) -> None:
        to = self.allocate(step.outputs)
        for i, number in enumerate(step.chosen.tolist()):
            yes, no = (self.operand(side, i) for side in (step.yes, step.no))
            self.lines.append(single.chosen(place(to + 32 * i), self.number(number), yes, no))

    def arg_max(self, step: ArgMax) -> None:
        to = self.allocate(step.outputs)
        for i, row in enumerate(step.inputs.tolist()):
            self.lines.append(single.largest(place(to + 32 * i), map(self.number, row)))

    def layer(self, layer: Layer) -> None:
        """Each group by itself. A single row needs no copies: its inputs may lie anywhere."""
        lanes = Lanes.of(layer)
        groups, rows, fan_in = layer.inputs.shape
        source = self.contiguous(layer.inputs) if rows > 1 else 0
        buffer = self.reserve(fan_in) if rows > 1 else 0
        target = self.allocate(layer.outputs)
        for group in range(groups):
            packed = lanes.pack_layer(layer, group)
            words = [[_hex(word) if word else None for word in row] for row in packed]
            to = target + 32 * lanes.count * rows * group
            if rows == 1:
                sources = [f"{place:#x}" for place in self.places(layer.inputs[group])]
                targets = addresses(to, lanes.count)
                self.lines += product(lanes, words, sources, targets, layer.activation)
                continue
            sources, targets = addresses(buffer, fan_in), relative("q", lanes.count)
            turn = list(product(lanes, words, sources, targets, layer.activation))
            turn.insert(0, f"mcopy({buffer:#x}, p, {32 * fan_in:#x})")  # to constant addresses
            first = source + 32 * fan_in * rows * group
            self.lines += for_rows(turn, layer.inputs.shape[1:], lanes.count, first, to)

    def chains(self, step: Chains) -> None:
        """Row by row; of a row of zeros it is known what comes out."""
        _, rows, fan_in = step.inputs.shape
        source, buffer = self.contiguous(step.inputs), self.reserve(fan_in)
        nothing: list[str] = []
        turn = [f"mcopy({buffer:#x}, p, {32 * fan_in:#x})"]
        named = []
        for which, chain in enumerate(step.chains):
            outputs = chain[-1].outputs.shape[2]
            named.append((f"q{which}", self.allocate(chain[-1].outputs), 32 * outputs))
            targets = relative(f"q{which}", outputs)
            turn += self.chain(chain, buffer, targets)
            nothing += map(single.stored, targets, map(_hex, _of_zeros(chain)))
        any_of = single.any_of([f"mload({at})" for at in relative("p", fan_in)])
        lines = [f"switch {any_of} case 0 {{", *nothing, "}", "default {", *turn, "}"]
        self.lines += loop(lines, rows, [("p", source, 32 * fan_in), *named])

    def chain(self, chain: Sequence[Layer], source: int, targets: Sequence[str]) -> Iterator[str]:
        """Of the row at `source`; each layer but the last writes where the next one reads."""
        for layer in chain:
            lanes = Lanes.of(layer)
            packed = lanes.pack_layer(layer, 0)
            words = [[_hex(word) if word else None for word in row] for row in packed]
            sources = addresses(source, layer.inputs.shape[2])
            source = self.reserve(lanes.count) if layer is not chain[-1] else 0
            to = addresses(source, lanes.count) if source else targets
            yield from product(lanes, words, sources, to, layer.activation)

    def layer_outside(self, layer: Layer) -> None:
        """Calls: single rows with all memory so far, of which they know what lies where."""
        groups, rows, fan_in = layer.inputs.shape
        outputs = layer.outputs.shape[2]
        if rows == 1:
            places = [
                [place - FIRST_ADDRESS for place in self.places(layer.inputs[group])]
                for group in range(groups)
            ]
            size, parts = self.end - FIRST_ADDRESS, parts_of_groups(layer, places)
            target = self.allocate(layer.outputs)
            self.lines += self.calls(parts, f"{FIRST_ADDRESS:#x}", size, str(target))
            return
        source, target = self.contiguous(layer.inputs), self.allocate(layer.outputs)
        for group in range(groups):
            parts = parts_of_row(layer, group, range(0, 32 * fan_in, 32))
            turn = list(self.calls(parts, "p", 32 * fan_in, "q"))
            first = source + 32 * fan_in * rows * group
            to = target + 32 * outputs * rows * group
            self.lines += for_rows(turn, layer.inputs.shape[1:], outputs, first, to)

    def calls(self, parts: Sequence[Part], source: str, size: int, target: str) -> Iterator[str]:
        """Statements for parts that take `size` bytes, and return from `target` on."""
        for part in parts:
            address = f"mload({_part_address(len(self.parts))})"
            self.parts.append(part.code)
            to = f"add({target}, {32 * part.first:#x})"
            call = f"staticcall(gas(), {address}, {source}, {size:#x}, {to}, {32 * part.count:#x})"
            yield f"if iszero({call}) {{ revert(0, 0) }}"


def _inside(steps: Sequence[Fused]) -> dict[int, Field]:
    """Fields that have no place of their own: sums of products read them, each once."""
    uses = Counter(number for step in steps for number in read(step))
    there = {
        number: field
        for step in steps
        if isinstance(step, Fields)
        for field, number in zip(step.fields, step.outputs.tolist(), strict=True)
        if uses[number] == 1
    }
    summed = {number for step in steps if isinstance(step, Sums) for number in read(step)}
    return {number: field for number, field in there.items() if number in summed}


def _of_zeros(chain: Sequence[Layer]) -> list[int]:
    """What comes of a row of zeros."""
    values = np.zeros(chain[0].inputs.shape[2], dtype=object)
    for layer in chain:
        totals = values @ layer.weights[0] + layer.bias[0]
        match layer.activation:
            case Activation.NONE:
                values = totals
            case Activation.SQUARE:
                values = totals * totals
            case Activation.RELU:
                values = np.maximum(totals, 0)
    return [int(value) for value in values]


def _part_address(part: int) -> str:
    """Stands for where the address of a part lies, until that place in memory is known."""
    return f"<part {part}>"


def _hex(value: int) -> str:
    return f"{int(value) % (1 << 256):#x}"


__all__ = ["Body"]

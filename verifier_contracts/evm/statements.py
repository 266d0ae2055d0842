"""Where an EVM model's numbers lie in memory, and the statements of all its layers.

Weights are constants in the code: 17 gas for a word of them. Layers that do not fit the contract
become contracts of their own (parts.py), which are called.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from zkagent.circuits.program.program import (
    Elementwise,
    Ids,
    Layer,
    Operand,
    Operator,
    Program,
)
from zkagent.verifier_contracts.errors import EvmModelError
from zkagent.verifier_contracts.evm.parts import Part, parts_of_groups, parts_of_row
from zkagent.verifier_contracts.evm.product import addresses, for_rows, product, relative
from zkagent.verifier_contracts.evm.words import Lanes

FIRST_ADDRESS = 0x80


class Body:
    """The statements that compute a program's outputs, from inputs at `input_address`.

    outside: numbers of the steps that are contracts of their own; `parts` is their code, and their
    addresses are expected at `part_addresses`. The outputs lie one behind the other at
    `output_address`, and `end` is the end of the memory used.
    """

    def __init__(self, program: Program, outside: frozenset[int] = frozenset()) -> None:
        """Raises EvmModelError for a layer that does not fit contracts of its own, and for steps
        that no contract does."""
        self.program = program
        self.lines: list[str] = []
        self.parts: list[bytes] = []
        self.end = FIRST_ADDRESS
        self.addresses: dict[int, int] = {}
        self.input_address = self.allocate(np.arange(program.inputs))
        for number, step in enumerate(program.steps):
            if isinstance(step, Elementwise):
                self.elementwise(step)
            elif not isinstance(step, Layer):
                raise EvmModelError(
                    f"{step.node}: look-ups and arg-max, and bits of numbers, are not "
                    "evaluated by contracts: verify a proof instead"
                )
            elif number in outside:
                self.layer_outside(step)
            else:
                self.layer(step)
        self.output_address = self.contiguous(program.outputs)
        self.part_addresses = self.reserve(len(self.parts))
        for part in range(len(self.parts)):
            place = f"{self.part_addresses + 32 * part:#x}"
            self.lines = [line.replace(_part_address(part), place) for line in self.lines]

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
        for to, place in zip(addresses(first, len(places)), places, strict=True):
            self.lines.append(f"mstore({to}, mload({place:#x}))")
        return first

    def places(self, ids: Ids) -> list[int]:
        return [self.addresses[i] for i in ids.ravel().tolist()]

    def elementwise(self, step: Elementwise) -> None:
        to = self.allocate(step.outputs)
        for i in range(step.outputs.size):
            a, b = (self.operand(operand, i) for operand in (step.left, step.right))
            if step.operator is Operator.MAX:
                self.lines.append(
                    f"{{ let a := {a} let b := {b} "
                    f"mstore({to:#x}, xor(b, mul(xor(a, b), sgt(a, b)))) }}"
                )
            else:
                self.lines.append(f"mstore({to:#x}, {step.operator}({a}, {b}))")
            to += 32

    def operand(self, operand: Operand, place: int) -> str:
        value = operand.values[place]
        return _hex(value) if operand.constant else f"mload({self.addresses[int(value)]:#x})"

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


def _part_address(part: int) -> str:
    """Stands for where the address of a part lies, until that place in memory is known."""
    return f"<part {part}>"


def _hex(value: int) -> str:
    return f"{int(value) % (1 << 256):#x}"


__all__ = ["Body"]

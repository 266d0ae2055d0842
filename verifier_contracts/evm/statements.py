"""Where an EVM model's numbers lie in memory, and the statements of all its layers.

Two placements of the weights: CODE, in the code itself, for the least gas (17 a word of weights,
39 bytes of code), and DATA, in contracts of their own, for models that do not fit (20 gas a word;
groups of a layer, rows and chunks share code in loops).
"""

from enum import StrEnum

import numpy as np

from verifier_contracts.errors import EvmModelError
from verifier_contracts.evm.product import addresses, for_rows, product, relative
from verifier_contracts.evm.program import (
    Elementwise,
    Ids,
    Layer,
    Operand,
    Operator,
    Program,
)
from verifier_contracts.evm.words import WORDS_PER_CONTRACT, DataCode, Lanes

FIRST_ADDRESS = 0x80


class Placement(StrEnum):
    """Where weights lie: in the code of the contract, or in data contracts."""

    CODE = "code"
    DATA = "data"


class Body:
    """The statements that compute a program's outputs, from inputs at `input_address`.

    After `write`, the outputs lie one behind the other at `output_address`, the addresses of the
    data contracts are expected at `data_addresses`, and `end` is the end of the memory used. `data`
    holds the words that belong into data contracts.
    """

    def __init__(self, program: Program, placement: Placement) -> None:
        self.program, self.placement = program, placement
        self.lines: list[str] = []
        self.data = DataCode()
        self.end = FIRST_ADDRESS
        self.addresses: dict[int, int] = {}
        self.input_address = self.allocate(np.arange(program.inputs))
        self.output_address = self.data_addresses = 0

    def write(self) -> None:
        """Once."""
        for step in self.program.steps:
            if isinstance(step, Elementwise):
                self.elementwise(step)
            elif self.placement is Placement.CODE:
                self.layer_in_code(step)
            else:
                self.layer_from_data(step)
        self.output_address = self.contiguous(self.program.outputs)
        self.data_addresses = self.reserve(len(self.data.contracts))
        for contract in range(len(self.data.contracts)):
            place = f"{self.data_addresses + 32 * contract:#x}"
            self.lines = [line.replace(_data_address(contract), place) for line in self.lines]

    def reserve(self, words: int) -> int:
        """Memory for words one behind the other; the first one's address."""
        first, self.end = self.end, self.end + 32 * words
        return first

    def allocate(self, ids: Ids, row_words: int | None = None) -> int:
        """Memory for rows of numbers; row_words: room for each row when it is more."""
        rows = ids.reshape(-1, ids.shape[-1])
        step = row_words or rows.shape[1]
        first = self.reserve(step * len(rows))
        for row, at in zip(rows.tolist(), range(first, self.end, 32 * step), strict=True):
            self.addresses.update((number, at + 32 * i) for i, number in enumerate(row))
        return first

    def contiguous(self, ids: Ids) -> int:
        """The address of numbers one behind the other: where they lie already, or of a copy."""
        places = [self.addresses[i] for i in ids.ravel().tolist()]
        if places == list(range(places[0], places[0] + 32 * len(places), 32)):
            return places[0]
        first = self.reserve(len(places))
        for to, place in zip(addresses(first, len(places)), places, strict=True):
            self.lines.append(f"mstore({to}, mload({place:#x}))")
        return first

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

    def layer_in_code(self, layer: Layer) -> None:
        """Each group by itself. A single row needs no copies: its inputs may lie anywhere."""
        lanes = Lanes.of(layer)
        groups, rows, fan_in = layer.inputs.shape
        source = self.contiguous(layer.inputs) if rows > 1 else 0
        buffer = self.reserve(fan_in) if rows > 1 else 0
        target = self.allocate(layer.outputs)
        row_bytes, output_bytes = 32 * fan_in, 32 * lanes.count
        for group in range(groups):
            packed = lanes.pack_layer(layer, group)
            words = [[_hex(word) if word else None for word in row] for row in packed]
            if rows == 1:
                sources = [f"{self.addresses[i]:#x}" for i in layer.inputs[group, 0].tolist()]
                targets = addresses(target + output_bytes * group, lanes.count)
                self.lines += product(lanes, words, sources, targets, layer.activation)
                continue
            turn = product(
                lanes,
                words,
                addresses(buffer, fan_in),
                relative("q", lanes.count),
                layer.activation,
            )
            self.lines += [
                f"{{ let p := {source + row_bytes * rows * group:#x}",
                f"let q := {target + output_bytes * rows * group:#x}",
                *for_rows(
                    list(turn),
                    rows=rows,
                    row_bytes=row_bytes,
                    output_bytes=output_bytes,
                    buffer=buffer,
                ),
                "}",
            ]

    def layer_from_data(self, layer: Layer) -> None:
        """Unit by unit, each a group and a chunk of its words, loaded to the same place."""
        units = _Units(layer, Lanes.of(layer))
        one_row = layer.inputs.size == layer.inputs.shape[2]
        source = 0 if one_row else self.contiguous(layer.inputs)
        target = self.allocate(layer.outputs, units.row_outputs)
        loaded = self.reserve(units.words)
        if one_row:
            sources = [f"{self.addresses[i]:#x}" for i in layer.inputs.ravel().tolist()]
            work = units.work(loaded, sources)
        else:
            buffer = self.reserve(layer.inputs.shape[2])
            work = units.work_on_rows(loaded, source, buffer)
        run = self.data.add(units.all_words())
        size = 32 * units.words
        contract = f"mload(add({_data_address(run.contract)}, shl(5, div(u, {run.per_contract}))))"
        offset = f"add({run.offset:#x}, mul(mod(u, {run.per_contract}), {size:#x}))"
        self.lines += [
            f"for {{ let u := 0 }} lt(u, {units.count}) {{ u := add(u, 1) }} {{",
            f"extcodecopy({contract}, {loaded:#x}, {offset}, {size:#x})",
            f"let q := add({target:#x}, {units.output_offset()})",
            *work,
            "}",
        ]


class _Units:
    """A layer as units that share code: group u / chunks, and of its words chunk u % chunks."""

    def __init__(self, layer: Layer, lanes: Lanes) -> None:
        self.layer, self.lanes = layer, lanes
        self.groups: int
        self.rows: int
        self.fan_in: int
        self.groups, self.rows, self.fan_in = layer.inputs.shape
        room = WORDS_PER_CONTRACT // (1 + self.fan_in)
        if not room:
            raise EvmModelError(
                f"a product adds up {self.fan_in} inputs, at most {WORDS_PER_CONTRACT - 1} weights "
                "fit a data contract: split the layer, or verify a proof instead"
            )
        self.chunks = -(-lanes.words // room)
        self.columns = -(-lanes.words // self.chunks)

    @property
    def count(self) -> int:
        return self.groups * self.chunks

    @property
    def words(self) -> int:
        return self.columns * (1 + self.fan_in)

    @property
    def unit_outputs(self) -> int:
        return self.columns * self.lanes.per_word if self.chunks > 1 else self.lanes.count

    @property
    def row_outputs(self) -> int:
        return self.chunks * self.unit_outputs

    def all_words(self) -> list[list[int]]:
        """Of each unit: biases, then weights input by input; zeros where a chunk is not full."""
        units = []
        for group in range(self.groups):
            packed = self.lanes.pack_layer(self.layer, group)
            for chunk in range(self.chunks):
                columns = slice(chunk * self.columns, (chunk + 1) * self.columns)
                rows = [[*row[columns], *[0] * self.columns][: self.columns] for row in packed]
                units.append([word for row in rows for word in row])
        return units

    def output_offset(self) -> str:
        """Of unit u, from the layer's first output on."""
        group, chunk = self._place()
        of_group = f"mul({group}, {32 * self.row_outputs * self.rows:#x})"
        return f"add({of_group}, mul({chunk}, {32 * self.unit_outputs:#x}))"

    def work(self, loaded: int, sources: list[str]) -> list[str]:
        """Statements for one row, whose inputs lie at constant addresses."""
        width = self.columns
        names = [f"mload({at})" for at in addresses(loaded, self.words)]
        words = [names[at : at + width] for at in range(0, len(names), width)]
        targets = relative("q", self.unit_outputs)
        return list(product(self.lanes, words, sources, targets, self.layer.activation))

    def work_on_rows(self, loaded: int, source: int, buffer: int) -> list[str]:
        """Statements for all rows of the group, from `source` on."""
        row_bytes = 32 * self.fan_in
        rows = for_rows(
            self.work(loaded, addresses(buffer, self.fan_in)),
            rows=self.rows,
            row_bytes=row_bytes,
            output_bytes=32 * self.row_outputs,
            buffer=buffer,
        )
        first = f"add({source:#x}, mul({self._place()[0]}, {row_bytes * self.rows:#x}))"
        return [f"let p := {first}", *rows]

    def _place(self) -> tuple[str, str]:
        if self.chunks == 1:
            return "u", "0"
        return f"div(u, {self.chunks})", f"mod(u, {self.chunks})"


def _data_address(contract: int) -> str:
    """Stands for where the address of a data contract lies, until that place in memory is known."""
    return f"<data {contract}>"


def _hex(value: int) -> str:
    return f"{int(value) % (1 << 256):#x}"


__all__ = ["Body", "Placement"]

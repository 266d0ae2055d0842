"""A large layer as contracts of their own, which its caller hands its memory as calldata.

Straight-line bytecode, assembled here: it takes in all inputs at constant places and returns the
outputs of some words. Without a jump or a write, all that such code can do is compute.

    PUSH bias word                                then for each input:
    PUSH weight word, PUSH place, CALLDATALOAD, MUL, ADD      17 gas for as many products as lanes
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from zkagent.circuits.program.program import Activation, Layer
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.errors import EvmModelError
from zkagent.verifier_contracts.evm.words import WORD_BITS, Lanes

ADD, MUL, SUB, SGT, AND, SHR = b"\x01", b"\x02", b"\x03", b"\x13", b"\x16", b"\x1c"
CALLDATALOAD, POP, MSTORE, RETURN = b"\x35", b"\x50", b"\x52", b"\xf3"
PUSH0, DUP1, DUP2 = b"\x5f", b"\x80", b"\x81"
#: Of the number on top of the stack.
ACTIVATED = {
    Activation.NONE: b"",
    Activation.SQUARE: DUP1 + MUL,
    Activation.RELU: PUSH0 + DUP2 + SGT + MUL,
}


@dataclass(frozen=True)
class Part:
    """Code that returns `count` outputs of a layer's row from number `first` on, 32 bytes each."""

    code: bytes
    first: int
    count: int


def parts_of_row(layer: Layer, group: int, places: Sequence[int]) -> list[Part]:
    """For the rows of a group. places: of a row's inputs in the calldata. Raises EvmModelError."""
    return list(_joined(layer, _columns(layer, group, places)))


def parts_of_groups(layer: Layer, places: Sequence[Sequence[int]]) -> list[Part]:
    """For a layer of single rows, all groups one behind the other. Raises EvmModelError."""
    columns = (
        column
        for group, of_group in enumerate(places)
        for column in _columns(layer, group, of_group)
    )
    return list(_joined(layer, columns))


@dataclass(frozen=True)
class _Column:
    """One word of a group's outputs: code for its sum, and the lanes in it."""

    total: bytes
    lanes: int


def _columns(layer: Layer, group: int, places: Sequence[int]) -> Iterator[_Column]:
    lanes = Lanes.of(layer)
    bias, *weights = lanes.pack_layer(layer, group)
    for word in range(lanes.words):
        terms = (
            _push(row[word]) + _push(place) + CALLDATALOAD + MUL + ADD
            for row, place in zip(weights, places, strict=True)
            if row[word]
        )
        yield _Column(_push(bias[word]) + b"".join(terms), len(lanes.lanes_of(word)))


def _joined(layer: Layer, columns: Iterator[_Column]) -> Iterator[Part]:
    """As many columns in one part as it holds."""
    lanes, code, first, count = Lanes.of(layer), b"", 0, 0
    for column in columns:
        added = column.total + _unpacked(lanes, column.lanes, layer.activation, count)
        if code and len(code + added + _returned(count + column.lanes)) > MAX_CODE_BYTES:
            yield Part(code + _returned(count), first, count)
            code, first, count = b"", first + count, 0
            added = column.total + _unpacked(lanes, column.lanes, layer.activation, 0)
        code, count = code + added, count + column.lanes
        if len(code + _returned(count)) > MAX_CODE_BYTES:
            raise EvmModelError(
                f"a product adds up {layer.inputs.shape[2]} inputs, more than fit the code of a "
                "contract: split the layer, or verify a proof instead"
            )
    yield Part(code + _returned(count), first, count)


def _unpacked(lanes: Lanes, count: int, activation: Activation, place: int) -> bytes:
    """Store the lanes of the sum on the stack as outputs `place` and following, and drop it."""
    code = b""
    for lane in range(count):
        code += _push(lanes.half) + DUP2
        if lane:
            code += _push(lane * lanes.width) + SHR
        if lane + 1 < count:  # nothing lies above the last one
            code += _push(lanes.mask) + AND
        code += SUB + ACTIVATED[activation] + _push(32 * (place + lane)) + MSTORE
    return code + POP


def _returned(count: int) -> bytes:
    return _push(32 * count) + PUSH0 + RETURN


def _push(value: int) -> bytes:
    """PUSH with as few bytes as hold the value."""
    size = (int(value).bit_length() + 7) // 8
    assert size <= WORD_BITS // 8
    return bytes([0x5F + size]) + int(value).to_bytes(size, "big")


__all__ = ["Part", "parts_of_groups", "parts_of_row"]

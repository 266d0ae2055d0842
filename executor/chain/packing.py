"""Integer vectors in the packed form that contracts and files use: big-endian two's complement."""

from collections.abc import Sequence

FEATURE_BYTES = 2
OUTPUT_BYTES = 8


def pack(values: Sequence[int], width: int) -> bytes:
    """`values`, `width` bytes each. Raises OverflowError for one that does not fit."""
    return b"".join(value.to_bytes(width, "big", signed=True) for value in values)


def unpack(data: bytes, width: int) -> tuple[int, ...]:
    """Raises ValueError when `data` is not a whole number of values."""
    if len(data) % width:
        raise ValueError(f"{len(data)} bytes are not a multiple of {width}")
    return tuple(
        int.from_bytes(data[i : i + width], "big", signed=True) for i in range(0, len(data), width)
    )

"""A reader's table of words as contract code: see `src/reader/WordTable.sol`, which reads it."""

from collections.abc import Sequence

from zkagent.models.reader.rows import (
    APART,
    BUCKET_BYTES,
    BUCKETS_PER_CHUNK,
    ENTRY_BYTES,
    Rows,
    shape_of,
)
from zkagent.verifier_contracts.errors import ModelCodeError

MAX_WORD_CHUNKS = 32
_SHIFT_BITS = 2
_APART_BYTES = APART * ENTRY_BYTES


def word_chunks(rows: Rows) -> tuple[bytes, ...]:
    """Runtime code of the contracts that hold the table, in order. Raises ModelCodeError."""
    apart, buckets = rows.content[:_APART_BYTES], rows.content[_APART_BYTES:]
    shape = shape_of(rows.buckets)
    if shape.chunks > MAX_WORD_CHUNKS:
        raise ModelCodeError(
            f"the table has {rows.buckets} buckets, contracts read up to "
            f"{MAX_WORD_CHUNKS * BUCKETS_PER_CHUNK}: train a reader of fewer words"
        )
    step = BUCKET_BYTES * shape.each
    parts = [buckets[at : at + step] for at in range(0, len(buckets), step)]
    parts[-1] += apart
    return tuple(b"\0" + part for part in parts)


def word_immutables(rows: Rows, addresses: Sequence[str]) -> dict[str, int]:
    """What `WordTable` writes into the code of the contracts that have it."""
    shape = shape_of(rows.buckets)
    unknown, number = (_entry(rows, which) for which in range(APART))
    chunks = dict.fromkeys((f"_chunk{i}" for i in range(MAX_WORD_CHUNKS)), 0)
    chunks |= {f"_chunk{i}": int(address, 16) for i, address in enumerate(addresses)}
    return {
        **chunks,
        "_buckets": shape.each,
        "_count": shape.chunks,
        "_unknown": unknown[1],
        "_number": number[1],
        "_shifts": unknown[0] | number[0] << _SHIFT_BITS,
    }


def _entry(rows: Rows, which: int) -> tuple[int, int]:
    """The shift and the 64 numbers."""
    entry = rows.content[which * ENTRY_BYTES : (which + 1) * ENTRY_BYTES]
    return entry[0] >> 8 - _SHIFT_BITS, int.from_bytes(entry[2:], "big")


__all__ = ["MAX_WORD_CHUNKS", "word_chunks", "word_immutables"]

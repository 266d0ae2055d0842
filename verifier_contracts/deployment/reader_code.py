"""A reader's table of words as contract code, and what reads it and is made of it: see
`model_code.py`, which hands this out. What the constructors of a reader's contracts take, and what
they write into code, stands here alone.

Data contracts: the table's chunks (`src/reader/WordTable.sol`), the rows of roles
(`src/reader/Pairs.sol`), then the lexicon by which arguments are found. Beside them `ToolVectors`,
`TextReader` and `LiteralReader`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from zkagent.models.agents.reader import ReaderModel
from zkagent.models.reader.files import Margins
from zkagent.models.reader.lexicon import lexicon
from zkagent.models.reader.pairs import Roles
from zkagent.models.reader.rows import (
    APART,
    BUCKET_BYTES,
    BUCKETS_PER_CHUNK,
    ENTRY_BYTES,
    Rows,
    shape_of,
)
from zkagent.verifier_contracts.deployment.code_parts import NOWHERE, ModelCode, Part, numbered
from zkagent.verifier_contracts.errors import ModelCodeError

MAX_WORD_CHUNKS = 32
_SHIFT_BITS, _SHARE_BITS = 2, 16
_WORDS = 1 << 256
_ROLE_BIAS = 128
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


def roles_chunk(roles: Roles) -> bytes:
    """Runtime code of the contract that `src/reader/Pairs.sol` reads: weights, a word each; of each
    role 64 bytes, numbers 128 too large, by fours: numbers 0, 1, 4, 5 and so on to 61, then the
    others."""
    made = b"".join((int(weight) % _WORDS).to_bytes(32, "big") for weight in roles.weights)
    for row in roles.rows.tolist():
        lifted = bytes(number + _ROLE_BIAS for number in row)
        for half in (0, 2):
            made += b"".join(lifted[at : at + 2] for at in range(half, len(lifted), 4))
    return b"\0" + made


def _entry(rows: Rows, which: int) -> tuple[int, int]:
    """The shift and the 64 numbers."""
    entry = rows.content[which * ENTRY_BYTES : (which + 1) * ENTRY_BYTES]
    return entry[0] >> 8 - _SHIFT_BITS, int.from_bytes(entry[2:], "big")


@dataclass(frozen=True)
class ReaderCode(ModelCode):
    """Of a reader of tools. data: the lexicon. shares: what the parts of a tool count for. made:
    where the parts are, once they are."""

    encoder = "ReaderEncoder"
    decoder = "ReaderDecoder"
    instructed = False
    part_names = ("ToolVectors", "TextReader", "LiteralReader")

    rows: Rows
    shares: tuple[int, ...]
    margins: Margins
    made: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*numbered("words", self.text_chunks[:-1]), "roles", "lexicon")

    def parts(self, chunk_addresses: Sequence[str], data_address: str) -> tuple[Part, ...]:
        packed = sum(share << _SHARE_BITS * at for at, share in enumerate(self.shares))
        words_at, _ = _apart(chunk_addresses)
        table = words_at, self.rows.buckets
        words = word_immutables(self.rows, words_at)
        read = {"_lexicon": int(data_address, 16)}
        return (
            Part("ToolVectors", (*table, packed), {**words, "_shares": packed}),
            Part("TextReader", (data_address,), read),
            Part("LiteralReader", (data_address,), read),
        )

    def beside(self, part_addresses: Sequence[str]) -> Self:
        if len(part_addresses) != len(self.part_names):
            raise ModelCodeError(
                f"{len(part_addresses)} addresses for {', '.join(self.part_names)}: deploy each "
                "once, in order"
            )
        return replace(self, made=tuple(part_addresses))

    def encoder_arguments(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> tuple[list[str], int, tuple[str, ...]]:
        self._check_chunks(chunk_addresses)
        words_at, roles_at = _apart(chunk_addresses)
        parts = (*(self._at(name) for name in self.part_names), roles_at, data_address)
        return words_at, self.rows.buckets, parts

    def decoder_arguments(self, data_address: str) -> tuple[Any, ...]:
        margins = self.margins
        given = margins.ahead, margins.fits, margins.unit, margins.fills
        return self._at("TextReader"), given

    def encoder_immutables(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> dict[str, int]:
        words_at, roles_at = _apart(chunk_addresses)
        names = ("_vectors", "_texts", "_literals")
        made = zip(names, self.part_names, strict=True)
        return {
            **word_immutables(self.rows, words_at),
            **{name: int(self._at(part), 16) for name, part in made},
            "_roles": int(roles_at, 16),
            "_lexicon": int(data_address, 16),
        }

    def decoder_immutables(self, data_address: str) -> dict[str, int]:
        margins = self.margins
        return {
            "_moods": int(self._at("TextReader"), 16),
            "_ahead": margins.ahead,
            "_fits": margins.fits % _WORDS,
            "_unit": margins.unit,
            "_fills": margins.fills % _WORDS,
        }

    def _at(self, part: str) -> str:
        return dict(zip(self.part_names, self.made, strict=False)).get(part, NOWHERE)


def _apart(chunk_addresses: Sequence[str]) -> tuple[list[str], str]:
    """Of the words' table, and of the roles, which come last."""
    *words, roles = chunk_addresses
    return words, roles


def reader_code(model: ReaderModel) -> ReaderCode:
    """Raises ModelCodeError for what the contracts cannot hold."""
    rows, manifest = model.reader.rows, model.reader.manifest
    (table,) = lexicon().chunks
    chunks = *word_chunks(rows), roles_chunk(model.reader.roles)
    return ReaderCode(chunks, b"\0" + table, rows, manifest.shares, manifest.margins)


__all__ = ["MAX_WORD_CHUNKS", "ReaderCode", "reader_code", "roles_chunk", "word_chunks"]
__all__ += ["word_immutables"]

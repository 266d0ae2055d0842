"""What the code of every agent's model is made of, whichever way the model reads: data contracts,
and what their addresses become in the encoder and the decoder. `model_code.py` says of which kind a
model is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from zkagent.models.encoding.encoder import Table
from zkagent.verifier_contracts.errors import ModelCodeError

NOWHERE = "0x" + "00" * 20
ROWS_PER_CHUNK = 767  # of 32 bytes: as `Embedding.ROWS_PER_CHUNK`


@dataclass(frozen=True)
class Part:
    """A contract of src/ beside the data that encoder and decoder ask. immutables: what its
    constructor writes into its code."""

    contract: str
    arguments: tuple[Any, ...]
    immutables: Mapping[str, int]


@dataclass(frozen=True)
class Laid:
    """Where a model's data and parts are."""

    chunks: tuple[str, ...]
    data: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class ModelCode(ABC):
    """What lies on chain for a model: runtime code of its data contracts, each after a zero byte.

    text_chunks: the table of words, 767 rows or buckets each. data: the manifest's part, and tables
    that go with it. encoder, decoder: the contracts that read them.
    """

    encoder: ClassVar[str]
    decoder: ClassVar[str]
    #: Whether the agent has to tell contacts and caution (`IInstructedAgent`).
    instructed: ClassVar[bool]

    #: Contracts of src/ that encoder and decoder ask.
    part_names: ClassVar[tuple[str, ...]] = ()

    text_chunks: tuple[bytes, ...]
    data: bytes

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What is in each data contract, in the order of `components`."""

    @property
    def components(self) -> tuple[bytes, ...]:
        return (*self.text_chunks, self.data)

    @property
    def component_count(self) -> int:
        """Of what a registry binding lists: the data, then the parts."""
        return len(self.components) + len(self.part_names)

    def laid(self, components: Sequence[str]) -> Laid:
        """Where they are by a binding's list, whatever its length: the parts are the last ones."""
        beyond = len(self.part_names)
        places = [NOWHERE] * (1 + beyond - len(components)) + list(components)
        *chunks, data = places[: len(places) - beyond]
        return Laid(tuple(chunks), data, tuple(places[len(places) - beyond :]))

    def parts(self, chunk_addresses: Sequence[str], data_address: str) -> tuple[Part, ...]:
        """What is made of src/ once the data contracts are deployed, before encoder and decoder."""
        return ()

    def beside(self, part_addresses: Sequence[str]) -> Self:
        """The same, of which encoder and decoder ask the parts at these addresses. Raises
        ModelCodeError for another number of them."""
        if part_addresses:
            raise ModelCodeError(f"{len(part_addresses)} addresses for no parts: deploy none")
        return self

    @abstractmethod
    def encoder_arguments(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> tuple[Any, ...]:
        """Constructor arguments of the encoder once the data contracts are deployed."""

    @abstractmethod
    def decoder_arguments(self, data_address: str) -> tuple[Any, ...]:
        """The same of the decoder."""

    @abstractmethod
    def encoder_immutables(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> dict[str, int]:
        """What the constructor of the encoder writes into its code."""

    @abstractmethod
    def decoder_immutables(self, data_address: str) -> dict[str, int]:
        """The same of the decoder."""

    def _check_chunks(self, addresses: Sequence[str]) -> None:
        if len(addresses) != len(self.text_chunks):
            raise ModelCodeError(
                f"{len(addresses)} addresses for {len(self.text_chunks)} chunks of the text "
                "table: deploy each chunk once, in order"
            )


def table_bytes(table: Table) -> bytes:
    """Rows as the contracts read them: values plus 128, the two halves of a row interleaved.

    The even bytes of a row of 2 n are dimensions 0 to n - 1, the odd ones n to 2 n - 1; taken apart
    they are 16-bit lanes in the order of the features.
    """
    biased = (table.astype(np.int16) + 128).astype(np.uint8)
    half = table.shape[1] // 2
    return np.stack([biased[:, :half], biased[:, half:]], axis=2).tobytes()


def numbered(what: str, chunks: Sequence[bytes]) -> list[str]:
    """Names of the contracts that hold a table."""
    return [f"{what} {number} of {len(chunks)}" for number in range(1, len(chunks) + 1)]


__all__ = ["NOWHERE", "ROWS_PER_CHUNK", "Laid", "ModelCode", "Part", "numbered", "table_bytes"]

"""A loan model's and a credit-score model's data as contract code, and what reads it: see
`model_code.py`, which hands these out."""

from collections.abc import Sequence
from dataclasses import dataclass

from zkagent.models.agents.credit import CreditModel
from zkagent.models.agents.loan import LoanModel
from zkagent.verifier_contracts.deployment.code_parts import (
    ROWS_PER_CHUNK,
    ModelCode,
    numbered,
    table_bytes,
)


@dataclass(frozen=True)
class LoanCode(ModelCode):
    """Of a model that decides on loans. data: the lexicon."""

    encoder = "LoanEncoder"
    decoder = "LoanDecoder"
    instructed = False

    @property
    def names(self) -> tuple[str, ...]:
        return (*numbered("text", self.text_chunks), "lexicon")

    def encoder_arguments(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> tuple[list[str], str]:
        self._check_chunks(chunk_addresses)
        return list(chunk_addresses), data_address

    def decoder_arguments(self, data_address: str) -> tuple[()]:
        return ()

    def encoder_immutables(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> dict[str, int]:
        chunks = {f"_chunk{i}": int(chunk, 16) for i, chunk in enumerate(chunk_addresses)}
        return {**chunks, "_data": int(data_address, 16)}

    def decoder_immutables(self, data_address: str) -> dict[str, int]:
        return {}


@dataclass(frozen=True)
class CreditCode(ModelCode):
    """Of a model that scores accounts. data: how many units make a point."""

    encoder = "CreditEncoder"
    decoder = "CreditDecoder"
    instructed = False

    unit: int

    @property
    def names(self) -> tuple[str, ...]:
        return ("unit",)

    def encoder_arguments(self, chunk_addresses: Sequence[str], data_address: str) -> tuple[()]:
        self._check_chunks(chunk_addresses)
        return ()

    def decoder_arguments(self, data_address: str) -> tuple[str]:
        return (data_address,)

    def encoder_immutables(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> dict[str, int]:
        return {}

    def decoder_immutables(self, data_address: str) -> dict[str, int]:
        return {"_unit": self.unit}


def loan_code(model: LoanModel) -> LoanCode:
    rows = [model.table[i : i + ROWS_PER_CHUNK] for i in range(0, len(model.table), ROWS_PER_CHUNK)]
    chunks = tuple(b"\0" + table_bytes(part) for part in rows)
    return LoanCode(chunks, b"\0" + model.lexicon.to_bytes())


def credit_code(model: CreditModel) -> CreditCode:
    unit = model.manifest.unit
    return CreditCode((), b"\0" + unit.to_bytes(4, "big"), unit)


__all__ = ["CreditCode", "LoanCode", "credit_code", "loan_code"]

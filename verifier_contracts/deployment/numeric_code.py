"""A numeric model's manifest as contract code, and what reads it: see `model_code.py`, which hands
this out, and `numeric/NumericData.sol`, which has the layout."""

from collections.abc import Sequence
from dataclasses import dataclass

from zkagent.models.agents.numeric import NumericManifest, NumericModel, Reading
from zkagent.verifier_contracts.deployment.code_parts import ModelCode


@dataclass(frozen=True)
class NumericCode(ModelCode):
    """Of a model that decides by numbers. data: its manifest's part."""

    encoder = "NumericEncoder"
    decoder = "NumericDecoder"
    instructed = False

    @property
    def names(self) -> tuple[str, ...]:
        return ("manifest",)

    def encoder_arguments(self, chunk_addresses: Sequence[str], data_address: str) -> tuple[str]:
        self._check_chunks(chunk_addresses)
        return (data_address,)

    def decoder_arguments(self, data_address: str) -> tuple[str]:
        return (data_address,)

    def encoder_immutables(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> dict[str, int]:
        return {"_data": int(data_address, 16)}

    def decoder_immutables(self, data_address: str) -> dict[str, int]:
        return {"_data": int(data_address, 16)}


def numeric_code(model: NumericModel) -> NumericCode:
    return NumericCode((), numeric_bytes(model.manifest))


def numeric_bytes(manifest: NumericManifest) -> bytes:
    """As `NumericData.sol` reads it."""
    amounts = manifest.amounts
    scales = b"".join(map(_scale, manifest.readings))
    directions = b"".join(
        bytes([each.tool is not None]) + _text(each.tool or each.answer or "")
        for each in manifest.directions
    )
    limits = amounts.unit.to_bytes(4, "big") + amounts.least.to_bytes(8, "big")
    return b"".join(
        (
            bytes([0, len(manifest.readings)]) + scales,
            bytes([len(manifest.directions)]) + directions,
            limits + amounts.most.to_bytes(8, "big") + _text(amounts.parameter),
        )
    )


def _scale(reading: Reading) -> bytes:
    return b"".join(
        (
            reading.zero.to_bytes(16, "big", signed=True),
            reading.step.to_bytes(12, "big"),
            reading.least.to_bytes(2, "big", signed=True),
            reading.most.to_bytes(2, "big", signed=True),
        )
    )


def _text(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()


__all__ = ["NumericCode", "numeric_bytes", "numeric_code"]

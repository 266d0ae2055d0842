"""What decides on chain: an encoder and a decoder, beside which stands the Python of this version,
which derives features and decisions by one rule. Released ones that go by another are not ours to
check: what they decide is true, and this version would say that it is not.

`EARLIER` names the releases whose code of these two is not this version's (a test compares). Where
there is a chain, they are known by their code, whatever their constructors wrote into it; and
`deciding-VERSION.json` beside this file has it, so that code hashes are enough where a model's data
are listed as deployments list them, without a chain and without a compiler. Audits, runs and
receipts ask here.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eth_utils.crypto import keccak

from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.deployment.known_code import (
    FOLDER,
    WORD,
    KnownContract,
    released_contracts,
)
from zkagent.verifier_contracts.deployment.model_code import ModelCode

DECIDING = ("ToolDecoder", "TextEncoder")


@dataclass(frozen=True)
class Rule:
    """By which a release decided. difference: from this version's. zkagent: whose Python goes by
    it. asks: as `decoder.decode` has it."""

    difference: str
    zkagent: str
    asks: bool


EARLIER: Mapping[str, Rule] = {
    "0.1.0": Rule(
        "it does not ask where a prompt may hold more than one instruction",
        "0.1.0, commit b8c246e of the repository",
        asks=False,
    ),
}


@dataclass(frozen=True)
class Earlier:
    """An encoder or a decoder of a release, and its rule."""

    contract: KnownContract
    rule: Rule

    @property
    def zkagent(self) -> str:
        """Which one decides likewise."""
        return f"zkagent {self.rule.zkagent}"

    def __str__(self) -> str:
        label, difference = self.contract.label, self.rule.difference
        return f"{label}, which decides otherwise than this version ({difference})"


def earlier(contract: KnownContract) -> Earlier | None:
    """What a contract that was recognised decides by, where that is not this version's rule."""
    rule = EARLIER.get(contract.version) if contract.name in DECIDING else None
    return Earlier(contract, rule) if rule else None


def earlier_by_code(code: bytes) -> Earlier | None:
    """The same of what stands on a chain, made with any values."""
    for contract in released_contracts():
        if (found := earlier(contract)) and contract.recognise(code):
            return found
    return None


def earlier_by_hash(
    model: ModelCode, components: Sequence[str], encoder: bytes, decoder: bytes
) -> Earlier | None:
    """The same of a model's encoder and decoder, of which only the hashes of their code are known.
    components: the addresses of the model's data."""
    if not components:
        return None
    laid = model.laid(components)
    model = model.beside(laid.parts)
    values = {
        model.decoder: model.decoder_immutables(laid.data),
        model.encoder: model.encoder_immutables(laid.chunks, laid.data),
    }
    hashes = {model.decoder: decoder, model.encoder: encoder}
    for contract, code in _released_code():
        if (
            contract.name in values
            and keccak(_filled(contract, code, values[contract.name])) == hashes[contract.name]
        ):
            return earlier(contract)
    return None


@functools.cache
def _released_code() -> tuple[tuple[KnownContract, bytes], ...]:
    """Decoders first, each with its code, zeros in the place of immutables."""
    found = {(each.version, each.name): each for each in released_contracts()}
    return tuple(
        (found[version, name], code)
        for name in DECIDING
        for version in EARLIER
        if (code := _codes(version).get(name))
    )


def _codes(version: str) -> dict[str, bytes]:
    content = load_json((FOLDER / f"deciding-{version}.json").read_bytes())
    return {name: bytes.fromhex(code[2:]) for name, code in content["contracts"].items()}


def _filled(contract: KnownContract, code: bytes, values: Mapping[str, int]) -> bytes:
    """The code that a constructor leaves behind."""
    filled = bytearray(code)
    for name, offsets in contract.immutables.items():
        for at in offsets:
            filled[at : at + WORD] = values[name].to_bytes(WORD, "big")
    return bytes(filled)


__all__ = ["DECIDING", "EARLIER", "Earlier", "Rule"]
__all__ += ["earlier", "earlier_by_code", "earlier_by_hash"]

"""Encoders and decoders of release 0.1.0, which does not ask where a prompt may hold more than one
instruction, and agents in memory that decide by them."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from eth_utils.crypto import keccak

from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.model_hashes import commitment_hash, model_hash
from zkagent.models.catalogue import Model
from zkagent.models.encoding import decoder
from zkagent.verifier_contracts.deployment.known_code import FOLDER
from zkagent.verifier_contracts.deployment.model_code import ModelCode, build_model_code

RELEASE = "0.1.0"
COMPONENTS = [f"0x{number:040x}" for number in range(0xC001, 0xC006)]


def released_code(name: str, code: ModelCode, components: Sequence[str] = COMPONENTS) -> bytes:
    """As its constructor leaves it behind, with the model's data at these addresses."""
    *chunks, data = components
    encoders, decoders = code.encoder_immutables(chunks, data), code.decoder_immutables(data)
    values = encoders if name == "TextEncoder" else decoders
    kept = json.loads((FOLDER / f"deciding-{RELEASE}.json").read_text())["contracts"][name]
    released = json.loads((FOLDER / f"released-{RELEASE}.json").read_text())["contracts"][name]
    filled = bytes.fromhex(kept[2:])
    for immutable, offsets in released["immutables"].items():
        for at in offsets:
            word = values[immutable].to_bytes(32, "big")
            filled = filled[:at] + word + filled[at + 32 :]
    return filled


def released_hash(name: str, code: ModelCode, components: Sequence[str] = COMPONENTS) -> bytes:
    return keccak(released_code(name, code, components))


class EarlierAgent(MemoryAgent):
    """One whose model was registered with the release's encoder and decoder."""

    def code(self, address: str, block: Block) -> bytes:
        bound = self.identity_now.model
        deciding = {bound.encoder: "TextEncoder", bound.decoder: "ToolDecoder"}
        if address not in deciding:
            return MemoryAgent.code(self, address, block)
        return released_code(deciding[address], code_of(self.model), bound.components)


def code_of(model: Model) -> ModelCode:
    return build_model_code(model.manifest, model.tables)


def registered_before(agent: MemoryAgent) -> EarlierAgent:
    """The same agent, of a model that was registered when the release was the newest."""
    found = EarlierAgent(**vars(agent))
    bound = found.identity_now.model
    encoder, decoder_, *others = found.code_hashes(
        (bound.encoder, bound.decoder, *bound.components), found.head()
    )
    files = bound.onnx_digest, bound.manifest_digest
    bound = replace(bound, model_hash=model_hash(files, encoder, decoder_, others))
    bound = replace(bound, commitment_hash=commitment_hash(bound))
    found.identity_now = replace(found.identity_now, model=bound)
    return found


def decide_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python goes by the rule of the release."""
    monkeypatch.setattr(decoder, "is_ambiguous", lambda context, parse: False)

"""`zkagent model audit` against a real registry: every byte behind a model's number counts."""

import dataclasses

import pytest

from zkagent.circuits.artifacts import Circuit
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.demo.attacks.stage import AttackStage
from zkagent.executor.receipts.audit import Audited, audit
from zkagent.models.catalogue import Model


def audited(embedded: EmbeddedChain, model: Model, circuit: Circuit) -> Audited:
    reader, deployment = ContractReader(embedded.web3), embedded.deployment
    block = reader.block("latest")
    bound = Web3Registry(reader, deployment.registry).model(deployment.model_id, block)
    return Audited(reader, bound, block, model, circuit)


def broken(found: Audited) -> set[str]:
    return {check.claim for check in audit(found) if not check.held}


def test_what_was_deployed_is_what_is_built_here(
    embedded: EmbeddedChain, wallet: Model, wallet_circuit: Circuit
) -> None:
    assert broken(audited(embedded, wallet, wallet_circuit)) == set()


@pytest.mark.parametrize(
    ("place", "claim"),
    [
        ("text_chunks", "the tables are the model's"),
        ("data", "the tables are the model's"),
        ("encoder", "the encoder is this version's"),
        ("decoder", "the decoder is this version's"),
        ("verifier", "the verifier is the circuit's"),
    ],
)
def test_one_changed_byte_of_code_is_found(
    embedded: EmbeddedChain, wallet: Model, wallet_circuit: Circuit, place: str, claim: str
) -> None:
    address = getattr(embedded.deployment.contracts, place)
    address = address[-1] if place == "text_chunks" else address
    code = bytearray(embedded.web3.eth.get_code(address))
    code[-1] ^= 1
    embedded.anvil.rpc("anvil_setCode", address, "0x" + code.hex())
    assert claim in broken(audited(embedded, wallet, wallet_circuit))


def test_another_model_under_the_number_is_found(
    embedded: EmbeddedChain, wallet: Model, wallet_circuit: Circuit, stage: AttackStage
) -> None:
    found = audited(embedded, wallet, wallet_circuit)
    registry = Web3Registry(found.reader, embedded.deployment.registry)
    other = registry.model(stage.other_model_id, found.block)
    differing = broken(dataclasses.replace(found, bound=other))
    assert {"the files are the model's", "the verifier is the circuit's"} <= differing


@pytest.mark.parametrize("field", ["model_hash", "circuit_hash", "vk_hash", "commitment_hash"])
def test_a_hash_that_does_not_cover_the_parts_is_found(
    embedded: EmbeddedChain, wallet: Model, wallet_circuit: Circuit, field: str
) -> None:
    found = audited(embedded, wallet, wallet_circuit)
    bound = dataclasses.replace(found.bound, **{field: bytes(32)})
    assert broken(dataclasses.replace(found, bound=bound)) == {"the hashes cover all of it"}

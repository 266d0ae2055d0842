"""`zkagent model audit` against a real registry: every byte behind a model's number counts."""

import dataclasses

import pytest

from zkagent.circuits.artifacts import Circuit
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.model import Audited, audit
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.demo.attacks.stage import AttackStage
from zkagent.models.catalogue import Model


def audited(embedded: EmbeddedChain, model: Model, circuit: Circuit) -> Audited:
    reader, deployment = ContractReader(embedded.web3), embedded.deployment
    code = Code(reader, reader.block("latest"))
    bound = Web3Registry(reader, deployment.registry).model(deployment.model_id, code.block)
    return Audited(code, deployment.registry, bound, model, circuit)


def broken(found: Audited) -> set[str]:
    """Claims about the model; of a contract that is recognised by its code, its role."""
    failing = (check for check in audit(found) if not check.held)
    return {c.claim if c.subject == found.subject else c.subject for c in failing}


def test_what_was_deployed_is_what_is_built_here(
    embedded: EmbeddedChain, wallet: Model, wallet_circuit: Circuit
) -> None:
    assert broken(audited(embedded, wallet, wallet_circuit)) == set()


@pytest.mark.parametrize(
    ("place", "claim"),
    [
        ("text_chunks", "the tables are the model's"),
        ("data", "the tables are the model's"),
        ("encoder", "encoder"),
        ("decoder", "decoder"),
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
    registry = Web3Registry(found.code.reader, embedded.deployment.registry)
    other = registry.model(stage.other_model_id, found.code.block)
    differing = broken(dataclasses.replace(found, bound=other))
    assert {"the files are the model's", "the verifier is the circuit's"} <= differing


@pytest.mark.parametrize("field", ["model_hash", "circuit_hash", "vk_hash", "commitment_hash"])
def test_a_hash_that_does_not_cover_the_parts_is_found(
    embedded: EmbeddedChain, wallet: Model, wallet_circuit: Circuit, field: str
) -> None:
    found = audited(embedded, wallet, wallet_circuit)
    bound = dataclasses.replace(found.bound, **{field: bytes(32)})
    obeyed = {"what executors obey is what is bound"} if field == "commitment_hash" else set()
    expected = {"the hashes cover all of it"} | obeyed
    assert broken(dataclasses.replace(found, bound=bound)) == expected

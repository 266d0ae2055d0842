"""A real receipt: accepted as it is, rejected after any change of any field."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from web3 import Web3

from tests.support.receipt_mutations import (
    Document,
    accepted,
    as_text,
    mutations,
    recompute_digests,
)
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import HALO2
from zkagent.executor.audit.run import RunContracts
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.errors import CannotVerify
from zkagent.executor.receipts.circuits import LocalCircuits, find_circuit
from zkagent.executor.receipts.format import parse_receipt, signed_text
from zkagent.executor.receipts.verdicts import Report
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import connect


@dataclass(frozen=True)
class Kept:
    """A receipt of a three-iteration run and of a refused one, and how to verify it."""

    document: Document
    offline: Sources
    online: Sources
    chain: EmbeddedChain

    def verified(self, document: Document, sources: Sources) -> Report:
        return verify_receipt(parse_receipt(as_text(document)), sources)

    def sign_again(self, document: Document) -> None:
        signature = sign_receipt(self.chain.owner, signed_text(document))
        document["signature"] = signature


def still(rpc_url: str) -> Web3:
    """Of a chain that stands still: what was answered once is not asked again."""
    web3 = connect(rpc_url)
    provider: Any = web3.provider
    provider.cache_allowed_requests = True
    provider.cacheable_requests = {"eth_call", "eth_getCode", "eth_chainId"}
    return web3


@pytest.fixture(scope="module")
def kept(opened: tuple[Session, EmbeddedChain], wallet: Model) -> Iterator[Kept]:
    session, chain = opened
    snapshot = chain.anvil.snapshot()
    prompts = (b"withdraw all my USDC", b"what is the weather like in Lisbon tomorrow?")
    runs = [session.runner.run(prompt) for prompt in prompts]
    receipt = write_receipt(session.chain, wallet, runs, session.signer)
    circuits = LocalCircuits()
    offline = Sources(lambda name: wallet, circuits)
    web3 = still(chain.anvil.rpc_url)
    contracts = RunContracts(ContractReader(web3), offline.models, circuits)
    online = replace(offline, chain=lambda a: Web3Agent(web3, a), contracts=contracts)
    yield Kept(json.loads(receipt.to_json()), offline, online, chain)
    chain.anvil.revert(snapshot)


def test_it_is_accepted_offline_and_by_the_chain(kept: Kept) -> None:
    assert kept.verified(kept.document, kept.offline).problems == ()
    assert kept.verified(kept.document, kept.online).problems == ()


def test_recomputing_digests_changes_nothing_in_an_honest_receipt(kept: Kept) -> None:
    document = json.loads(as_text(kept.document))
    recompute_digests(document)
    assert document == kept.document


def test_no_field_can_be_changed(kept: Kept) -> None:
    left = []
    for description, changed in mutations(kept.document, ways=4):
        recompute_digests(changed)
        if changed != kept.document and accepted(changed, kept.offline):
            left.append(description)
    assert left
    assert all(description.startswith("informational.") for description in left), left


def test_not_even_by_the_requester_when_there_is_a_chain_to_ask(kept: Kept) -> None:
    left = []
    for description, changed in mutations(kept.document, ways=1):
        recompute_digests(changed)
        kept.sign_again(changed)
        differs = signed_text(changed) != signed_text(kept.document)
        if differs and accepted(changed, kept.online):
            left.append(description)
    assert left == []
    fewer = json.loads(as_text(kept.document))
    for listed in (fewer["runs"], fewer["informational"]["runs"]):
        listed.pop()
    kept.sign_again(fewer)
    assert accepted(fewer, kept.online)  # less is said, nothing is wrong


def test_a_proof_of_another_iteration_is_rejected(kept: Kept) -> None:
    document = json.loads(as_text(kept.document))
    first, second = document["runs"][0]["proofs"][:2]
    first["proof"], second["proof"] = second["proof"], first["proof"]
    kept.sign_again(document)
    report = kept.verified(document, kept.offline)
    broken = {check.claim for check in report.problems}
    assert broken == {"the call holds these claims and proofs"}
    assert "proofs" in report.left_out


def test_another_chain_does_not_know_the_run(
    kept: Kept, wallet: Model, wallet_circuit: Circuit
) -> None:
    from zkagent.executor.chain.embedded import embedded_chain

    with embedded_chain(wallet, wallet_circuit, lambda stage: None) as other:
        sources = Sources(
            kept.offline.models, kept.offline.circuits, lambda a: Web3Agent(other.web3, a)
        )
        report = kept.verified(kept.document, sources)
    assert not report.accepted
    assert any("there is no" in check.problem for check in report.problems)


def test_a_circuit_that_is_not_there_cannot_be_verified(wallet: Model) -> None:
    with pytest.raises(CannotVerify, match="give the set-up file"):
        find_circuit(wallet, "ab" * 32, HALO2)


def test_a_circuit_of_another_file_is_not_taken(
    kept: Kept, wallet: Model, wallet_circuit: Circuit
) -> None:
    files = wallet.manifest.files.model_copy(update={"onnx": "ab" * 32})
    changed = wallet.manifest.model_copy(update={"files": files})
    other = replace(wallet, manifest=changed)
    with pytest.raises(ValueError, match="built from another ONNX file"):
        find_circuit(other, wallet_circuit.digest, HALO2)

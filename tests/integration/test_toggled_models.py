"""A model's owner who has its number stand for something else around a run: what the run obeyed is
in the executor's events, and nothing else is believed of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import lying_node
from tests.support.surrounding import surround
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.receipts.format import Receipt, signed_text
from zkagent.executor.receipts.recording import model_record
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil, deploy, send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.toolchain.compile import compile_all

VERIFIED = "every decision was verified"


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@dataclass
class Shared:
    """An agent of somebody who uses the model of another."""

    stage: Stage
    user: LocalAccount
    agent: str
    key_file: Path

    @property
    def registry(self) -> Any:
        return at(self.stage.chain.web3, "ModelRegistry", self.stage.chain.deployment.registry)

    @property
    def number(self) -> int:
        return self.stage.chain.deployment.model_id

    def batches(self, *sizes: int) -> Any:
        """The registry has verifiers for so many decisions."""
        web3, verifier = self.stage.chain.web3, self.stage.chain.deployment.contracts.verifier
        code = web3.keccak(web3.eth.get_code(verifier))
        found = [(size, verifier, b"\x01" * 32, code) for size in sizes]
        return self.registry.functions.setBatchVerifiers(self.number, found)

    def other_files(self) -> Any:
        """The registry has a model of another manifest."""
        commitment, binding = self.entry()
        changed = (*binding[:5], b"\x07" * 32, *binding[6:])
        name = self.registry.functions.modelHashOf(changed).call()
        return self.update((name, *commitment[1:]), changed)

    def genuine(self) -> Any:
        return self.update(*self.entry())

    def entry(self) -> tuple[Any, Any]:
        functions = self.registry.functions
        commitment, _, _ = functions.getModel(self.number).call()
        return tuple(commitment), tuple(functions.getBinding(self.number).call())

    def update(self, commitment: Any, binding: Any) -> Any:
        return self.registry.functions.updateBoundModel(self.number, commitment, binding)

    def surround(
        self, away: list[Any], back: list[Any], behind: list[Any]
    ) -> Callable[[Callable[[], Any]], Any]:
        return surround(self.stage, self.stage.chain.owner, away, back, behind)


@pytest.fixture
def shared(opened: Stage, tmp_path: Path, runs: Path) -> Iterator[Shared]:
    chain = opened.chain
    snapshot, deployment, user = chain.anvil.snapshot(), chain.deployment, chain.friend
    registry = at(chain.web3, "ModelRegistry", deployment.registry)
    agent = deploy(
        chain.web3,
        compile_all()["WalletAgent"],
        user,
        deployment.executor,
        str(deployment.model_id),
        registry.functions.commitmentHash(deployment.model_id).call(),
        deployment.registry,
        user.address,
        deployment.pool,
        deployment.symbol_book,
        8,
    )
    wallet = agent.functions.wallet().call()
    for token in deployment.tokens:
        minted = at(chain.web3, "DemoToken", token.address).functions.mint(wallet, 10**20)
        send(chain.web3, minted, chain.owner)
    key_file = tmp_path / "key"
    key_file.write_text(bytes(user.key).hex())
    yield Shared(opened, user, agent.address.lower(), key_file)
    chain.anvil.rpc("evm_setAutomine", True)
    chain.anvil.revert(snapshot)


def run(shared: Shared, hand_in: Callable[[Callable[[], Any]], Any], interrupted: bool) -> Receipt:
    """interrupted: what is recorded is made of the transaction."""
    with lying_node(shared.stage.chain.anvil.rpc_url) as node:
        node.lies["eth_sendRawTransaction"] = hand_in
        with zkagent.agent(node.url, shared.agent, key_file=shared.key_file) as agent:
            if interrupted:
                agent.carrier._remember = lambda record, preview: None  # type: ignore[method-assign]
            return agent.run("deposit 7 USDC").receipt


def broken(shared: Shared, receipt: Receipt) -> list[str]:
    report = zkagent.verify_receipt(receipt, rpc=shared.stage.chain.anvil.rpc_url)
    return [check.claim for check in report.checks if not check.held]


@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.parametrize("back_behind", [False, True])
@pytest.mark.parametrize("kind", ["batches", "other_files"])
def test_what_a_run_obeyed_has_its_receipt_whatever_the_registry_shows_around_it(
    shared: Shared, kind: str, back_behind: bool, interrupted: bool
) -> None:
    """back_behind: neither the block before nor the run's own ends with what it obeyed."""
    genuine = shared.genuine()
    away = [shared.batches(2) if kind == "batches" else shared.other_files()]
    back = [shared.batches() if kind == "batches" else genuine]
    receipt = run(shared, shared.surround(away, back, away * back_behind), interrupted)
    block, before = receipt.runs[0].transaction.block, receipt.runs[0].iterations[0].context.block
    functions, pinned = shared.registry.functions, receipt.runs[0].model.commitment_hash
    shown = [
        "0x" + functions.commitmentHash(shared.number).call(block_identifier=number).hex()
        for number in (block.number - 1, block.number)
    ]
    assert [name == pinned for name in shown] == [False, not back_behind]
    assert before.number == block.number - 1
    assert broken(shared, receipt) == []


def test_a_receipt_that_names_another_commitment_than_was_obeyed_is_rejected(
    shared: Shared,
) -> None:
    """Everything else is genuine, and so is what it names: the registry showed it in the block
    before the run, whose agent had been told to obey something else."""
    web3, chain = shared.stage.chain.web3, shared.stage.chain
    claimed = Web3Agent(web3, shared.agent).identity(Web3Agent(web3, shared.agent).head()).model
    send(web3, shared.batches(2), chain.owner)
    obeyed = shared.registry.functions.commitmentHash(shared.number).call()
    agent = at(web3, "WalletAgent", shared.agent)
    send(web3, agent.functions.acceptModel(obeyed), shared.user)
    receipt = run(shared, shared.surround([shared.batches()], [shared.batches(2)], []), False)
    assert broken(shared, receipt) == []
    document, model = receipt.document, receipt.runs[0].model
    contracts = (model.verifier, model.encoder, model.decoder, *model.components)
    code = [bytes.fromhex(contract.code_hash[2:]) for contract in contracts]
    other = model_record(claimed, model.name, model.circuit_digest, code)
    document["runs"][0]["model"] = other.model_dump(mode="json")
    document["signature"] = sign_receipt(shared.user, signed_text(document))
    forged = Receipt.model_validate(document)
    assert zkagent.verify_receipt(forged).accepted  # as far as anybody can tell offline
    assert broken(shared, forged) == [VERIFIED]

"""An agent that has each decision proven before it acts on it, with real proofs: what it does, and
the demo's attacks on it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.test_attacks import STOPPED_BY
from tests.support.progress import quiet
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.api.audits import audit_agent
from zkagent.executor.chain.abi import DECISION_VERIFIED
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.cli.main import main
from zkagent.executor.demo.attacks.catalogue import ATTACKS, Attack
from zkagent.executor.demo.attacks.preparation import prepare
from zkagent.executor.demo.attacks.stage import AttackStage
from zkagent.executor.errors import PlanError
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.session import Session, open_embedded
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import call
from zkagent.verifier_contracts.deployment.wallet import at

pytestmark = [pytest.mark.chain, pytest.mark.slow]

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


@pytest.fixture(scope="module")
def opened(wallet: Model, wallet_circuit: Circuit) -> Iterator[tuple[Session, EmbeddedChain]]:
    with open_embedded(wallet, wallet_circuit, quiet, strict=True) as both:
        yield both


@pytest.fixture(scope="module")
def stage(opened: tuple[Session, EmbeddedChain]) -> AttackStage:
    return prepare(*opened, quiet)


def topics(chain: EmbeddedChain, transaction: str) -> list[str]:
    receipt: Any = chain.web3.eth.get_transaction_receipt(transaction)
    return ["0x" + bytes(log["topics"][0]).hex() for log in receipt["logs"]]


def test_tokens_move_once_the_decision_is_proven(session: Session, embedded: EmbeddedChain) -> None:
    completed = session.runner.run(b"withdraw all my USDC")
    assert len(completed.proven.plan.decisions) == 3
    found = topics(embedded, completed.inclusion.hash)
    verified = "0x" + DECISION_VERIFIED.topic.hex()
    assert found.count(verified) == 3
    moved = found.index(TRANSFER)  # by the second decision; the third is the answer
    assert found[:moved].count(verified) == 2
    print(f"a strict run of three decisions: {completed.inclusion.result.gas_used} gas")


def test_the_agent_says_that_it_is_strict_and_its_code_says_so_too(
    embedded: EmbeddedChain, wallet: Model
) -> None:
    agent = embedded.deployment.agent
    assert call(embedded.web3, at(embedded.web3, "StrictWalletAgent", agent).functions.strict())
    found = audit_agent(agent, embedded.anvil.rpc_url, model=wallet)
    assert found, [str(each) for each in found.problems]
    assert found.facts["acts"] == "once a decision is proven (strict)"
    assert "has each decision proven before it acts on it" in {each.claim for each in found.checks}


def test_a_proof_of_several_decisions_is_refused_before_anything_is_proven(
    session: Session,
) -> None:
    runner = session.runner
    plan = runner.plan(b"withdraw all my USDC")
    assert plan.identity.proves_first
    unused: Any = object()
    together = AgentRunner(runner.chain, runner.sender, runner.model, runner.prover, batches=unused)
    with pytest.raises(PlanError, match="comes too late for that: leave out --batch"):
        together.prove(plan)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_the_attack_bounces_with_the_error_of_its_defence(
    stage: AttackStage, attack: Attack
) -> None:
    result = attack(stage)
    assert result.bounced, f"{result.attempt}: {result.error}"
    if STOPPED_BY[attack] is not None:
        assert result.error_name == STOPPED_BY[attack]


def test_the_command_deploys_one_and_its_receipt_says_so(
    embedded: EmbeddedChain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, out, receipt = tmp_path / "key", tmp_path / "strict.json", tmp_path / "receipt.json"
    key.write_text(bytes(embedded.owner.key).hex())
    rpc = ["--rpc", embedded.anvil.rpc_url]
    where = [*rpc, "--key-file", str(key)]
    main(["deploy", "--strict", *where, "--out", str(out), "--yes"])
    agent = json.loads(out.read_text())["agent"]
    assert call(embedded.web3, at(embedded.web3, "WalletAgent", agent).functions.strict())
    run = ["run", "deposit 5 USDC", "--yes", *where, "--deployment", str(out)]
    main([*run, "--receipt", str(receipt)])
    capsys.readouterr()
    main(["verify-run", str(receipt), *rpc, "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["accepted"], report["problems"]
    assert "run 1, agent: has each decision proven before it acts on it: strict" in report["notes"]
    with pytest.raises(SystemExit):
        main(["run", "deposit 6 USDC", *run[2:], "--batch"])
    assert "leave out --batch" in capsys.readouterr().err

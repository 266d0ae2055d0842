"""Agents as `import zkagent` opens them, on a chain that is there; and the rejected neighbours."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from eth_account import Account

import zkagent
from tests.support.checkout import DOCS
from tests.support.documents import printed, promised, python_blocks
from tests.support.fleet import Fleet
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.errors import FileInTheWay, KeyFileError, MalformedReceipt, NoAgentThere
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.session import Session
from zkagent.models.errors import EmptyPrompt
from zkagent.verifier_contracts.errors import WrongChain


@pytest.fixture
def key(embedded: EmbeddedChain, tmp_path: Path) -> Path:
    path = tmp_path / "owner"
    path.write_text(bytes(embedded.owner.key).hex())
    return path


def test_a_run_is_carried_out_and_its_receipt_holds(
    session: Session, embedded: EmbeddedChain, key: Path, tmp_path: Path
) -> None:
    path = tmp_path / "receipt.json"
    with zkagent.agent(embedded.anvil.rpc_url, embedded.deployment.agent, key_file=key) as agent:
        run = agent.run("withdraw all my USDC", receipt=path)
        assert zkagent.verify_receipt(run.receipt, rpc=agent.rpc)
    assert [d.action for d in run.decisions] == ["ViewBalance", "Withdraw", "answer"]
    assert run.observations[1] == run.answer == "Successfully withdrawn"
    assert embedded.web3.eth.get_transaction_receipt(run.transaction)["gasUsed"] == run.gas_used
    report = zkagent.verify_receipt(path)
    assert (report.accepted, report.development_srs) == (True, True)


def test_a_dry_run_and_a_plan_send_nothing(
    session: Session, embedded: EmbeddedChain, key: Path
) -> None:
    before = embedded.web3.eth.block_number
    where = embedded.anvil.rpc_url
    with zkagent.agent(where, deployment=embedded.deployment, key_file=str(key)) as agent:
        planned = agent.plan("withdraw all my USDC")
        shown = agent.dry_run("withdraw all my USDC")
    assert shown.decisions == planned
    assert shown.effects is not None
    assert shown.effects[0].startswith("100 USDC (100000000 units of 0x")
    assert embedded.web3.eth.block_number == before


def test_a_changed_receipt_is_false(session: Session, embedded: EmbeddedChain, key: Path) -> None:
    with zkagent.agent(embedded.anvil.rpc_url, embedded.deployment.agent, key_file=key) as agent:
        run = agent.run("deposit 5 DAI")
    changed = run.path.with_suffix(".changed")
    changed.write_text(run.path.read_text().replace("Successfully", "Succesfully"))
    assert not zkagent.verify_receipt(changed)
    changed.write_text("{}")
    with pytest.raises(MalformedReceipt):
        zkagent.verify_receipt(changed)
    changed.unlink()


def test_a_keystore_opens_with_its_password(
    session: Session, embedded: EmbeddedChain, tmp_path: Path
) -> None:
    path, where = tmp_path / "keystore", (embedded.anvil.rpc_url, embedded.deployment.agent)
    path.write_text(json.dumps(Account.encrypt(embedded.owner.key, "sesame", "pbkdf2", 2)))
    with zkagent.agent(*where, key_file=path, password="sesame") as agent:
        assert agent.owner == embedded.owner.address
    with (
        pytest.raises(KeyFileError, match="wrong password"),
        zkagent.agent(*where, key_file=path, password="barley"),
    ):
        pass


def test_whoever_is_not_the_owner_is_refused(
    session: Session, embedded: EmbeddedChain, tmp_path: Path
) -> None:
    (tmp_path / "stranger").write_text(bytes(embedded.stranger.key).hex())
    where = (embedded.anvil.rpc_url, embedded.deployment.agent)
    with zkagent.agent(*where, key_file=tmp_path / "stranger") as agent:
        for act in (agent.plan, agent.dry_run, agent.run):
            with pytest.raises(RunReverted, match="CallerIsNotTheOwner"):
                act("deposit 5 USDC")


def test_another_chain_or_no_agent_is_refused(
    session: Session, embedded: EmbeddedChain, key: Path
) -> None:
    rpc, deployment = embedded.anvil.rpc_url, embedded.deployment
    elsewhere = replace(deployment, chain_id=1)
    with pytest.raises(WrongChain), zkagent.agent(rpc, deployment=elsewhere, key_file=key):
        pass
    with (
        pytest.raises(WrongChain),
        zkagent.agent(rpc, deployment=deployment, key_file=key, chain_id=5),
    ):
        pass
    with pytest.raises(NoAgentThere), zkagent.agent(rpc, deployment.registry, key_file=key):
        pass


def test_nothing_is_sent_for_a_prompt_or_a_place_that_is_refused(
    session: Session, embedded: EmbeddedChain, key: Path
) -> None:
    before = embedded.web3.eth.block_number
    where = (embedded.anvil.rpc_url, embedded.deployment.agent)
    with zkagent.agent(*where, key_file=key) as agent:
        with pytest.raises(EmptyPrompt):
            agent.run(" ")
        with pytest.raises(FileInTheWay):
            agent.run("deposit 5 USDC", receipt=key)
    assert embedded.web3.eth.block_number == before


def test_the_reference_prints_what_it_says(
    session: Session,
    embedded: EmbeddedChain,
    service: Fleet,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "deployment.json").write_text(embedded.deployment.to_json())
    (tmp_path / "owner.key").write_text(bytes(embedded.owner.key).hex())
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(DOCS / "python.md")
    here = {
        "http://127.0.0.1:8545": embedded.anvil.rpc_url,
        "http://127.0.0.1:8642": service.url,
    }
    assert printed(blocks, here) == promised(blocks)


def test_the_readme_runs(session: Session) -> None:
    """Its other programs run in tests/executor/runtime/test_documented.py."""
    blocks = python_blocks(DOCS.parent / "README.md")
    (block,) = [each for each in blocks if "zkagent.executor.runtime" not in each.code]
    (line,) = printed([block])
    assert line.startswith("Successfully deployed 0x")

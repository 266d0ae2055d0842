"""A stranger's agent by commands alone: a runner, a run with its receipt, decisions on record."""

import json
from pathlib import Path

import pytest

from tests.support.plain_stage import PlainStage
from zkagent.executor.cli.main import main
from zkagent.models.catalogue import InstructionModel
from zkagent.verifier_contracts.chain.local import call, send

pytestmark = [pytest.mark.chain, pytest.mark.slow]


@pytest.fixture
def receipt(tmp_path: Path) -> Path:
    return tmp_path / "receipt.json"


@pytest.fixture
def where(stage: PlainStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """With a journal of an operator's own."""
    monkeypatch.setattr("zkagent.executor.operating.journal.cache_root", lambda: tmp_path)
    key = tmp_path / "key"
    key.write_text(bytes(stage.chain.owner.key).hex())
    return ["--rpc", stage.chain.anvil.rpc_url, "--key-file", str(key), "--yes"]


def test_a_runner_is_deployed_and_runs_the_agent(
    stage: PlainStage,
    where: list[str],
    model: InstructionModel,
    receipt: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["--agent", stage.agent, "--executor", stage.chain.deployment.executor]
    main(["agent", "runner", *asked, *where, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["model_id"] == stage.chain.deployment.model_id
    assert (told["agent"], told["owner"]) == (stage.agent, stage.chain.owner.address)
    run = ["run", f"deposit 5.5 {stage.token}", "--agent", told["runner"], *where]
    main([*run, "--model", str(model.onnx_path.parent), "--receipt", str(receipt)])
    assert stage.balance == 5_500_000
    (record,) = json.loads(receipt.read_text())["runs"]
    assert record["plain"]
    assert record["entry"] == told["runner"].lower()


def test_a_runner_for_an_agent_that_asks_another_executor_is_told(
    stage: PlainStage, where: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = ["--agent", stage.agent, "--executor", stage.pool.address]
    with pytest.raises(SystemExit):
        main(["agent", "runner", *elsewhere, *where])
    assert "registry" in capsys.readouterr().err


def test_decisions_are_recorded_for_whoever_runs_the_agent_then(
    stage: PlainStage,
    where: list[str],
    model: InstructionModel,
    deposit: bytes,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["--agent", stage.agent, "--executor", stage.chain.deployment.executor, *where]
    command = ["decisions", "record", deposit.decode(), *asked]
    command += ["--model", str(model.onnx_path.parent)]
    main([*command, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["answer"].startswith("Done: Deploy")
    assert [each["model_id"] for each in told["decisions"]] == [stage.chain.deployment.model_id]
    assert stage.balance == 0
    assert stage.ask(deposit.decode()).startswith("Done: Deploy")
    assert stage.balance == 5_500_000
    main(command)
    assert "all decisions are recorded already" in capsys.readouterr().out


def test_a_desk_is_deployed_and_operated_for_the_agent(
    stage: PlainStage,
    where: list[str],
    model: InstructionModel,
    deposit: bytes,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["--agent", stage.agent, "--executor", stage.chain.deployment.executor]
    main(["agent", "desk", *asked, *where, "--anybody", "--json"])
    desk = json.loads(capsys.readouterr().out)["desk"]
    client = stage.client_of(desk)
    send(stage.chain.web3, client.functions.ask(deposit.decode()), stage.chain.stranger)
    operating = ["operate", "--desk", desk, *where[:-1], "--model", str(model.onnx_path.parent)]
    main([*operating, "--once", "--at-a-loss", "--interval", "0.05", "--json"])
    assert json.loads(capsys.readouterr().out)["answered_total"] == 1
    assert str(call(stage.chain.web3, client.functions.answer())).startswith("Done: Deploy")
    assert stage.balance == 5_500_000

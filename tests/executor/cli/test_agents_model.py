"""Which model a command takes for an agent's, if none is given."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.verifier_contracts.deployment.test_deployment import DEPLOYMENT
from zkagent.executor.cli.agents_model import agents_model
from zkagent.models.errors import UnknownModel
from zkagent.verifier_contracts.deployment.own_agent import OwnAgent
from zkagent.verifier_contracts.errors import DeploymentFileError


def recorded(folder: Path, model: str) -> Path:
    path = folder / "deployment.json"
    path.write_text(replace(DEPLOYMENT, model=model).to_json())
    return path


@pytest.mark.parametrize("name", ["wallet", "wallet-text", "loan"])
def test_it_is_the_one_that_the_deployment_names(tmp_path: Path, name: str) -> None:
    assert agents_model(None, recorded(tmp_path, name)).name == name


def test_what_is_given_goes_first(tmp_path: Path) -> None:
    assert agents_model("wallet", recorded(tmp_path, "wallet-text")).name == "wallet"
    with pytest.raises(UnknownModel, match="nosuch"):
        agents_model("nosuch", recorded(tmp_path, "wallet-text"))


def test_a_record_names_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One's own model may have any name; where it lies is not the record's to say."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.json").write_text("{}")
    for name in ("mine", "./mine", str(tmp_path / "mine"), "../wallet-text"):
        assert agents_model(None, recorded(tmp_path, name)).name == "wallet"


def test_a_record_of_another_agent_says_nothing_of_this_one(tmp_path: Path) -> None:
    """Such as one that is set for the project, where --agent is given."""
    record, other = recorded(tmp_path, "wallet-text"), "0x" + "5a" * 20
    assert agents_model(None, record, other).name == "wallet"
    for same in (DEPLOYMENT.agent, DEPLOYMENT.agent.lower()):
        assert agents_model(None, record, same).name == "wallet-text"


def test_without_a_record_of_a_model_it_is_the_wallets(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text(OwnAgent(31337, 1, "A", "0x" + "11" * 20, "0x" + "22" * 20).to_json())
    assert agents_model(None, None).name == "wallet"
    assert agents_model(None, own).name == "wallet"


def test_a_record_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deployment.json").write_text("{}")
    with pytest.raises(DeploymentFileError, match="is not a deployment file"):
        agents_model(None, tmp_path / "deployment.json")

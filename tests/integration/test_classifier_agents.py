"""A classifier on a chain by the commands of the README: deployed, asked, audited, and answering a
contract of one's own."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import run as run_program

import pytest

import zkagent
from tests.support.checkout import ROOT
from tests.support.classifiers import random_classifier
from tests.support.command_line import exit_code, one_line_error
from tests.support.schemas import problems, shipped
from tests.support.ticket_stage import DESK, QUEUES, TicketStage, ticket_stage
from zkagent.executor.cli.options import VERDICT_CODES
from zkagent.verifier_contracts.deployment.own_agent import OwnAgent, load_agent
from zkagent.verifier_contracts.deployment.record import NOBODY, Deployment, load_deployment

pytestmark = pytest.mark.chain
DEPLOYMENT = "deployment.json"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TicketStage]:
    with ticket_stage(tmp_path_factory.mktemp("classifier")) as found:
        yield found


@pytest.fixture
def place(
    opened: TicketStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[str]]:
    """A working directory with key and deployment; the options that name chain and key."""
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(bytes(opened.owner.key).hex())
    Path(DEPLOYMENT).write_text(opened.chain.deployment.to_json())
    snapshot = opened.chain.anvil.snapshot()
    yield ["--rpc", opened.chain.anvil.rpc_url, "--key-file", "key"]
    opened.chain.anvil.revert(snapshot)


def model_option(stage: TicketStage) -> list[str]:
    return ["--model", str(stage.model.directory)]


def test_a_desk_and_a_ticket_in_two_commands(
    opened: TicketStage, place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    queues = f"queues={json.dumps(QUEUES)}"
    desk = ["--deployment", DEPLOYMENT, "--arg", queues, "--arg", "least=0", "--yes"]
    assert exit_code("agent", "deploy", DESK, *place, *desk) == 0
    assert f"agent_ = {opened.chain.deployment.agent}" in capsys.readouterr().err
    text, unclear = opened.texts("music")[0], opened.texts("weather")[0]
    run = [*place, *model_option(opened), "--deployment", "TicketDesk.json", "--yes"]
    for number, each in enumerate((text, unclear)):
        assert exit_code("run", each, *run, "--receipt", f"receipt-{number}", "--json") == 0
        printed = json.loads(capsys.readouterr().out)
        label, margin = opened.judged(each)
        assert printed["answer"] == f"{label}, ahead by {margin}"
    assert isinstance(load_agent(Path("TicketDesk.json")), OwnAgent)
    script = [sys.executable, str(ROOT / "examples" / "show_tickets.py"), place[1]]
    shown = run_program([*script, "TicketDesk.json"], capture_output=True, text=True, check=True)
    first, second = shown.stdout.splitlines()
    assert first.endswith(f"in 'music', margin {opened.judged(text)[1]}")
    assert second.endswith(f"in 'people', margin {opened.judged(unclear)[1]}")
    verify = ["verify-run", "receipt-0", *model_option(opened)]
    assert exit_code(*verify) == 0
    capsys.readouterr()
    assert exit_code("run", "caf\u00e9", *run) == 1
    assert "ASCII" in one_line_error(capsys)


def test_a_classifier_is_deployed_audited_and_asked(
    opened: TicketStage, place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    model = model_option(opened)
    assert exit_code("deploy", *place, *model, "--out", "made.json", "--yes") == 0
    assert "zkagent run TEXT" in capsys.readouterr().out
    record = load_deployment(Path("made.json"))
    assert isinstance(record, Deployment)
    schema = shipped("zkagent.verifier_contracts.deployment", "deployment.schema.json")
    assert problems(json.loads(Path("made.json").read_text()), schema) == []
    assert (record.wallet, record.pool, record.tools) == (NOBODY, NOBODY, ())
    there = ["--rpc", place[1], "--deployment", "made.json"]
    assert exit_code("agent", "audit", *there, *model) == 0
    assert exit_code("model", "audit", record.model_id, *there, *model) == 0
    capsys.readouterr()
    asked = [*place, "--deployment", "made.json", *model, "--yes", "--receipt", "receipt"]
    assert exit_code("run", "stop it", *asked) == 0
    assert ", ahead by " in capsys.readouterr().out


def test_an_audit_by_another_classifier_says_so(
    opened: TicketStage, place: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = random_classifier(tmp_path / "other", seed=1)
    options = ["--rpc", place[1], "--deployment", DEPLOYMENT]
    assert (
        exit_code("agent", "audit", *options, "--model", other.directory)
        == VERDICT_CODES["unsound"]
    )
    capsys.readouterr()
    assert exit_code("run", "stop it", *place, "--deployment", DEPLOYMENT, "--yes") == 1
    assert "--model" in one_line_error(capsys)


def test_labels_are_recorded_and_asked_from_python(opened: TicketStage, place: list[str]) -> None:
    record = ["decisions", "record", "stop it", *place, *model_option(opened)]
    assert exit_code(*record, "--deployment", DEPLOYMENT, "--yes") == 0
    folder = opened.model.directory
    with zkagent.agent(place[1], deployment=DEPLOYMENT, key_file="key", model=folder) as agent:
        run = agent.run("be quiet", receipt="receipt")
    label, margin = opened.judged("be quiet")
    assert run.answer == f"{label}, ahead by {margin}"
    assert zkagent.verify_receipt("receipt", model=folder).accepted

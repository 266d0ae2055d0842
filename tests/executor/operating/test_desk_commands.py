"""`zkagent request`, `operate` and `estimate` as users type them, at a desk on a real chain."""

import json
from pathlib import Path

import pytest

from tests.integration.request_chaos import prepared
from tests.support.command_line import exit_code
from tests.support.desk_stage import ETHER, LOOKS_FIRST, DeskStage
from zkagent.executor.operating.session import checked_desk

FIVE = "deposit 5 USDC"


@pytest.fixture
def at_home(stage: DeskStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return home(stage, tmp_path, monkeypatch)


def home(stage: DeskStage, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with the keys of operator and user."""
    prepared(stage, folder)
    (folder / "user").write_text(bytes(stage.user.key).hex())
    monkeypatch.setenv("ZKAGENT_HOME", str(folder / "home"))
    return folder


def words(stage: DeskStage, key: Path) -> list[str]:
    return ["--desk", stage.desk, "--rpc", stage.anvil.rpc_url, "--key-file", str(key)]


def test_a_request_is_posted_answered_and_shown(
    stage: DeskStage, at_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user, operator = words(stage, at_home / "user"), words(stage, at_home / "key")
    asked = ["request", FIVE, *user, "--fee", "0.5", "--yes", "--no-wait", "--json"]
    assert exit_code(*asked) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["request"], shown["status"], shown["answer"]) == (1, "pending", None)
    metrics = at_home / "metrics"
    answering = ["operate", *operator, "--once", "--interval", "0.05", "--json"]
    assert exit_code(*answering, "--metrics-file", str(metrics)) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["answered_total"], told["fees_wei_total"], told["open"]) == (1, ETHER // 2, 0)
    assert "zkagent_operator_answered_total 1" in metrics.read_text().splitlines()
    assert exit_code("request", "--show", "1", *user) == 0
    assert capsys.readouterr().out == "Successfully deployed\n"
    assert stage.owed(stage.operator) == ETHER // 2


def test_a_fee_is_taken_back_by_command(
    stage: DeskStage, at_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user = words(stage, at_home / "user")
    asked = ["request", FIVE, *user, "--fee", "0.5", "--deadline", "60", "--yes"]
    assert exit_code(*asked, "--timeout", "0.2") == 6
    assert "is pending after" in capsys.readouterr().err
    assert exit_code("request", "--refund", "1", *user) == 1
    stage.anvil.rpc("evm_increaseTime", 7200)  # its clock is behind ours, by all that was reverted
    stage.anvil.rpc("evm_mine")
    assert exit_code("request", "--refund", "1", *user, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"request": 1, "withdrawn_wei": ETHER // 2}


def test_an_estimate_sends_nothing_and_needs_no_key(
    stage: DeskStage, at_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nonce = stage.anvil.web3.eth.get_transaction_count(stage.user.address)
    where = words(stage, at_home / "user")[:4]
    assert exit_code("estimate", FIVE, *where, "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["decisions"], shown["answer"]) == (2, "Successfully deployed")
    assert 300_000 < shown["answering_gas"] < 800_000
    assert 0 < shown["least_fee_wei"] < shown["suggested_fee_wei"]
    assert stage.anvil.web3.eth.get_transaction_count(stage.user.address) == nonce


def test_a_run_that_waits_is_estimated_shown_and_operated_as_one(
    late: DeskStage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    at_home = home(late, tmp_path, monkeypatch)
    user, operator = words(late, at_home / "user"), words(late, at_home / "key")
    tool = late.tool.lower()
    assert exit_code("estimate", LOOKS_FIRST, *user[:4], "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["answer"], shown["decisions"]) == (None, 1)
    assert shown["waits_for"] == f"ViewBalance ({tool})"
    asked = ["request", LOOKS_FIRST, *user, "--fee", "0.5", "--yes", "--no-wait"]
    assert exit_code(*asked) == 0
    operating = ["operate", *operator, "--once", "--interval", "0.05", "--json"]
    assert exit_code(*operating) == 0
    capsys.readouterr()
    assert exit_code("request", "--show", "1", *user) == 0
    assert capsys.readouterr().out == (
        f"request 1 is waiting: it waits for call 0 of tool {tool}\n"
    )
    began = late.anvil.web3.eth.get_block("latest")["gasUsed"]
    assert began < shown["answering_gas"] * 1.02
    late.tells()
    assert exit_code("request", "--show", "1", *user, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["waits_for"] == {"tool": tool, "call": 0, "answered": True}
    assert exit_code(*operating) == 0
    counts = json.loads(capsys.readouterr().out)
    assert (counts["answered_total"], counts["open"], counts["waiting"]) == (1, 0, 0)
    assert late.owed(late.operator) == ETHER // 2


def test_a_desk_is_deployed_for_an_agent(
    stage: DeskStage, at_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--agent", stage.agent, *words(stage, at_home / "user")[2:], "--yes"]
    assert exit_code("agent", "desk", *where) == 2, "for nobody in particular"
    patron = str(stage.user.address)
    assert exit_code("agent", "desk", *where, "--patron", patron, "--anybody") == 2
    assert exit_code("agent", "desk", *where, "--patron", patron, "--json") == 0
    made = json.loads(capsys.readouterr().out)["desk"]
    _, names = checked_desk(stage.anvil.web3, made)
    assert (names.agent, names.patron) == (stage.agent.lower(), patron.lower())
    assert names.executor == stage.deployment.executor.lower()


@pytest.mark.parametrize(
    "given",
    [
        (),
        ("--show", "1", "--refund", "1"),
        (FIVE,),
        (FIVE, "--fee", "1", "--callback-gas", "9"),
        (FIVE, "--fee", "-1"),
        (FIVE, "--fee", "0.0000000000000000001"),
        (FIVE, "--fee", "NaN"),
        (FIVE, "--fee", "1", "--operator", "0x1"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_sent(
    stage: DeskStage, at_home: Path, given: tuple[str, ...]
) -> None:
    assert exit_code("request", *given, *words(stage, at_home / "user")) == 2
    assert stage.anvil.web3.eth.get_transaction_count(stage.user.address) == 0

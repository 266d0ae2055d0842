"""The commands as users type them, against a chain that is already there."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account

from tests.support.command_line import exit_code
from tests.support.fleet import Fleet
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.demo.attacks.catalogue import ATTACKS
from zkagent.executor.runs.session import Session
from zkagent.prover import client
from zkagent.prover.service.wire.exchange import Attempts


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


Run = Callable[..., Result]


@pytest.fixture
def zkagent(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> Result:
        capsys.readouterr()
        code = exit_code(*arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def target(session: Session, embedded: EmbeddedChain, tmp_path: Path) -> list[str]:
    """Options that say where the embedded agent is, and who its owner."""
    key, deployment = tmp_path / "key", tmp_path / "deployment.json"
    key.write_text(bytes(embedded.owner.key).hex())
    deployment.write_text(embedded.deployment.to_json())
    return [
        *("--rpc", embedded.anvil.rpc_url),
        *("--deployment", str(deployment)),
        *("--key-file", str(key)),
    ]


def test_run_carries_out_and_verify_run_agrees(
    zkagent: Run, target: list[str], embedded: EmbeddedChain, tmp_path: Path
) -> None:
    path = tmp_path / "receipt.json"
    done = zkagent("run", "withdraw all my USDC", *target, "--yes", "--json", "--receipt", path)
    assert done.code == 0, done.err
    assert [step["action"] for step in done.json["iterations"]] == [
        "ViewBalance",
        "Withdraw",
        "answer",
    ]
    assert done.json["iterations"][1]["arguments"] == {"asset": "USDC", "amount": "100"}
    assert done.json["answer"] == "Successfully withdrawn"
    offline = zkagent("verify-run", path)
    assert (offline.code, offline.out.splitlines()[-1]) == (
        0,
        "accepted offline; --rpc URL compares it with the chain",
    )
    online = zkagent("verify-run", path, "--rpc", embedded.anvil.rpc_url, "--json")
    report = online.json
    (told,) = report.pop("runs")
    *_, depth = report.pop("notes")
    assert re.search(r": \d+ blocks lie upon the run's block$", depth)
    assert report == {
        "accepted": True,
        "verdict": "accepted",
        "problems": [],
        "left_out": "",
        "development_srs": True,
    }
    assert [call["action"] for call in told["calls"]] == ["ViewBalance", "Withdraw"]
    assert "development set-up: whoever made it could have forged these proofs" in offline.out


def test_run_prints_what_happened(zkagent: Run, target: list[str], tmp_path: Path) -> None:
    done = zkagent("run", "deposit 5 DAI", *target, "--yes", "--receipt", tmp_path / "receipt.json")
    lines = done.out.splitlines()
    assert lines[0].startswith("1  Deploy(asset=DAI, amount=5)  [proven in ")
    assert lines[1].startswith("   moves 5 DAI (5000000000000000000 units of 0x")
    assert lines[2] == "   Successfully deployed"
    assert "answer: Successfully deployed" in lines
    assert lines[-1] == f"receipt {tmp_path / 'receipt.json'}"


def test_a_service_proves_a_run(
    zkagent: Run, target: list[str], service: Fleet, tmp_path: Path
) -> None:
    path = tmp_path / "receipt.json"
    where = ("--service", service.url, "--receipt", path)
    done = zkagent("run", "deposit 5 DAI", *target, "--yes", *where, "--json")
    assert done.code == 0, done.err
    assert [step["action"] for step in done.json["iterations"]] == ["Deploy", "answer"]
    with service.client() as asked:
        assert [proof["state"] for proof in asked.proofs()] == ["done", "done"]
    assert zkagent("verify-run", path).code == 0


def test_a_run_by_a_service_that_is_not_there_sends_nothing(
    zkagent: Run,
    target: list[str],
    embedded: EmbeddedChain,
    tmp_path: Path,
    *,
    free_port: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client, "Attempts", lambda url, *_: Attempts(url, patience_s=0.3))
    before, url = embedded.web3.eth.block_number, f"http://127.0.0.1:{free_port}"
    where = ("--service", url, "--receipt", tmp_path / "receipt.json")
    failed = zkagent("run", "deposit 5 DAI", *target, "--yes", *where)
    assert (failed.code, failed.out) == (1, "")
    (error,) = (line for line in failed.err.splitlines() if not line.endswith(" ..."))
    assert error.startswith(f"error: no prover service at {url} (")
    assert error.endswith("): start one with `zkagent serve`")
    assert embedded.web3.eth.block_number == before
    assert not (tmp_path / "receipt.json").exists()


def test_without_options_a_chain_of_its_own_is_used(zkagent: Run, tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    done = zkagent("run", "deposit 5 USDC", "--receipt", path)
    assert done.code == 0, done.err
    assert done.out.startswith("1  Deploy(asset=USDC, amount=5)  [proven in ")
    verified = zkagent("verify-run", path)
    assert verified.code == 0
    assert verified.out.startswith("the receipt says:\n  0x")
    assert '"deposit 5 USDC"\n' in verified.out
    assert len(zkagent("verify-run", path, "--json").json["runs"][0]["calls"]) == 1
    refused = zkagent("verify-run", path, "--srs", path)
    assert (refused.code, refused.out) == (1, "")
    assert f"{path} is no usable set-up file" in refused.err


def test_a_changed_receipt_is_rejected_with_exit_code_1(
    zkagent: Run, target: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "receipt.json"
    zkagent("run", "deposit 5 DAI", *target, "--yes", "--receipt", path)
    path.write_text(path.read_text().replace("Successfully", "Succesfully"))
    verdict = zkagent("verify-run", path)
    assert verdict.code == 1
    assert verdict.out.splitlines()[-1] == "rejected"
    assert "broken: receipt: the requester signed it" in verdict.out


def test_a_file_that_is_no_receipt_is_one_line(zkagent: Run, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    verdict = zkagent("verify-run", tmp_path / "x.json")
    assert verdict.code == 1
    assert " is not a receipt of this format: " in verdict.err


def test_a_dry_run_shows_effects_and_sends_nothing(
    zkagent: Run, target: list[str], embedded: EmbeddedChain
) -> None:
    before = embedded.web3.eth.block_number
    shown = zkagent("run", "withdraw all my USDC", *target, "--dry-run", "--json")
    assert shown.code == 0, shown.err
    (effect,) = shown.json["effects"]
    pool, wallet = embedded.deployment.pool.lower(), embedded.deployment.wallet.lower()
    usdc = embedded.deployment.token("USDC").address.lower()
    amount = f"100 USDC (100000000 units of {usdc})"
    assert effect == f"{amount} from {pool} to {wallet}"
    assert [step.get("moves") for step in shown.json["iterations"]] == [None, amount, None]
    assert 1_000_000 < shown.json["gas"] < 3_000_000
    assert embedded.web3.eth.block_number == before
    assert "receipt" not in shown.json


def test_a_dry_run_says_that_nothing_was_sent(zkagent: Run, target: list[str]) -> None:
    shown = zkagent("run", "what is the weather like in Lisbon tomorrow?", *target, "--dry-run")
    assert "token transfers: none, as the node simulates it" in shown.out.splitlines()
    assert shown.out.splitlines()[-1] == "dry run: nothing was sent"


def test_a_run_that_reverts_is_one_line(zkagent: Run, target: list[str]) -> None:
    failed = zkagent("run", "withdraw 9999 USDC from the pool", *target, "--yes")
    assert failed.code == 1
    line = failed.err.splitlines()[-1]
    assert line.startswith("error: the run reverts and nothing of it happened: InsufficientDeposit")
    assert failed.out == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--agent", "0x" + "11" * 20], "--agent says whom to talk to, but not where"),
        (["--key-file", "key"], "--key-file says whom to talk to, but not where"),
        (["--rpc", "http://127.0.0.1:9"], "give the owner's key with --key-file"),
        (["--model", "nonsense"], "unknown model 'nonsense'"),
    ],
)
def test_options_that_do_not_fit_are_explained(
    zkagent: Run, arguments: list[str], error: str
) -> None:
    failed = zkagent("run", "withdraw all my USDC", *arguments, "--yes")
    assert failed.code == 1
    assert error in failed.err


def test_an_unreachable_rpc_and_a_wrong_chain_are_explained(
    zkagent: Run, target: list[str]
) -> None:
    nowhere = zkagent(
        "run", "withdraw all my USDC", *target, "--yes", "--rpc", "http://127.0.0.1:9"
    )
    assert "error: no chain answers at http://127.0.0.1:9" in nowhere.err
    other = zkagent("run", "withdraw all my USDC", *target, "--yes", "--chain-id", 1)
    assert "serves chain 31337, expected chain 1" in other.err


def test_the_key_is_never_shown(zkagent: Run, target: list[str], tmp_path: Path) -> None:
    stranger = Account.create()
    secret = bytes(stranger.key).hex()
    (tmp_path / "other").write_text(secret)
    failed = zkagent(
        "-v", "run", "deposit 5 DAI", *target, "--yes", "--key-file", tmp_path / "other"
    )
    assert failed.code == 1
    assert "CallerIsNotTheOwner" in failed.err
    assert secret not in failed.err + failed.out


def test_an_agent_must_be_named_by_an_address(zkagent: Run, target: list[str]) -> None:
    failed = zkagent("run", "deposit 5 DAI", *target, "--yes", "--agent", "0x1234")
    assert "error: 0x1234 is not an address" in failed.err


def test_audit_compares_everything(
    zkagent: Run, target: list[str], embedded: EmbeddedChain
) -> None:
    held = zkagent("model", "audit", 1, *target[:4])
    assert held.code == 0, held.err
    *checks, _, _, conclusion = held.out.splitlines()
    assert {line.partition(":")[0] for line in checks} == {"same"}
    assert conclusion.startswith(f"sound: model 1 of {embedded.deployment.registry}")
    verifier = embedded.deployment.contracts.verifier
    embedded.anvil.rpc("anvil_setCode", verifier, "0x00")
    broken = zkagent("model", "audit", 1, *target[:4])
    assert broken.code == 1
    assert "DIFFERENT: model 1: the verifier is the circuit's" in broken.out


def test_audit_of_an_unknown_number_names_the_registrys_error(
    zkagent: Run, target: list[str]
) -> None:
    failed = zkagent("model", "audit", 77, *target[:4])
    assert failed.code == 1
    assert "ModelNotFound(modelId=77)" in failed.err


def test_the_demo_ends_with_the_path_of_an_accepted_receipt(zkagent: Run, tmp_path: Path) -> None:
    path = tmp_path / "demo.json"
    shown = zkagent("demo", "--receipt", path)
    assert shown.code == 0, shown.out
    assert shown.out.splitlines()[-1].split() == ["receipt", str(path)]
    assert shown.out.count(": bounced") == len(ATTACKS)
    assert zkagent("verify-run", path).code == 0
    assert "\x1b[" not in shown.out


def test_a_place_that_cannot_hold_the_receipt_is_refused_before_anything_is_sent(
    zkagent: Run, target: list[str], embedded: EmbeddedChain, tmp_path: Path
) -> None:
    before = embedded.web3.eth.block_number
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "receipt.json"
    result = zkagent("run", "deposit 5 USDC", *target, "--yes", "--receipt", place)
    assert (result.code, result.out) == (1, "")
    folder = tmp_path / "file"
    assert result.err == (
        f"error: {place} cannot be written (there is no folder {folder}): choose another place\n"
    )
    assert embedded.web3.eth.block_number == before


def test_a_contract_that_is_no_agent_is_named(
    zkagent: Run, target: list[str], embedded: EmbeddedChain
) -> None:
    registry = embedded.deployment.registry
    result = zkagent("run", "deposit 5 USDC", *target, "--yes", "--agent", registry)
    assert result.code == 1
    assert f"no agent of this kind at {registry.lower()}" in result.err

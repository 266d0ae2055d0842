"""An agent's folder from `agent new` to an audit, by the command line alone."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from eth_utils.crypto import keccak

from tests.support.command_line import exit_code, one_line_error
from tests.support.lying_node import Honest, lying_node
from tests.support.numeric_stage import FOLDER as EXAMPLE
from zkagent.executor.cli.agent_sources import KINDS
from zkagent.executor.cli.options import VERDICT_CODES
from zkagent.verifier_contracts import scaffold
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, send
from zkagent.verifier_contracts.errors import ProjectRefused, RevertError
from zkagent.verifier_contracts.toolchain.own import compile_file

pytestmark = pytest.mark.chain

SUPPORTS = "supportsInterface(bytes4)"
NEW = ("agent", "new", "Thermostat", "--kind", "numeric")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """At one place for all tests: compiled once."""
    folder = tmp_path_factory.mktemp("begun") / "Thermostat"
    assert exit_code(*NEW, "--folder", folder) == 0
    return folder


@pytest.fixture
def folder(begun: Path) -> Iterator[Path]:
    """What was begun, as it was."""
    kept = {path.name: path.read_bytes() for path in begun.iterdir()}
    yield begun
    for path in begun.iterdir():
        if path.name not in kept:
            path.unlink()
    for name, content in kept.items():
        (begun / name).write_bytes(content)


@pytest.fixture
def place(chain: Anvil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(bytes(chain.accounts[0].key).hex())
    return ["--rpc", chain.rpc_url]


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_example_is_what_is_written(begun: Path) -> None:
    written = texts(begun)
    del written["remappings.txt"]  # of this machine
    assert written == texts(EXAMPLE)


def test_the_game_is_what_is_written(tmp_path: Path, toolchain: Any) -> None:
    folder = tmp_path / "Game"
    assert exit_code("agent", "new", "Game", "--kind", "reader", "--folder", folder) == 0
    written = texts(folder)
    del written["remappings.txt"]
    assert written == texts(EXAMPLE.parent / "game")


def test_the_kinds_of_the_command_are_those_that_there_are() -> None:
    assert tuple(scaffold.KINDS) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_overwritten(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for there in ("Mine", "Mine/x", "Other"):
        Path(there).mkdir() if there == "Mine" else Path(there).write_text("mine")
    for name in ("Mine", "Other"):
        assert exit_code("agent", "new", name, "--kind", kind) == 1
        assert one_line_error(capsys).startswith(f"error: {name} ")
    assert texts(Path("Mine")) == {"x": b"mine"}
    assert Path("Other").read_text() == "mine"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name",
    ["", "thermostat", "../Mine", "My Agent", "1st", "A/b", "Ä", "A" * 65, "Demo", "AgentBase"],
)
def test_a_name_that_is_none_is_refused_in_a_line(
    kind: str,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code("agent", "new", name, "--kind", kind) == 1
    assert f"{name!r} cannot be an agent's name" in one_line_error(capsys)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read"),
        ("{", "is not JSON"),
        ("[]", "has format, name and kind"),
        ('{"format": "zkagent-project-1", "name": "A", "kind": "wallet", "x": 1}', "and no more"),
        ('{"format": "zkagent-project-2", "name": "A", "kind": "wallet"}', "another format"),
        ('{"format": "zkagent-project-1", "name": "A", "kind": "game"}', "is none of"),
        ('{"format": "zkagent-project-1", "name": "A", "kind": []}', "is none of"),
        ('{"format": "zkagent-project-1", "name": "../A", "kind": "wallet"}', "cannot be"),
        ('{"format": "zkagent-project-1", "name": "AgentExecutor", "kind": "wallet"}', "cannot be"),
        ('{"format": "zkagent-project-1", "name": 3, "kind": "wallet"}', "cannot be"),
    ],
)
def test_a_folder_that_is_no_agent_s_is_refused_in_a_line(
    content: str | None, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "agent.json").write_text(content)
    with pytest.raises(ProjectRefused, match=why):
        scaffold.load_project(tmp_path)
    for words in (("build",), ("test",), ("run", "--rpc", "http://127.0.0.1:9")):
        assert exit_code("agent", *words, tmp_path) == 1
        assert why in one_line_error(capsys)


def deployed(place: list[str], folder: Path) -> str:
    """A feed and pool; its address."""
    words = ("agent", "deploy", folder / "Demo.sol", *place, "--key-file", "key", "--yes")
    assert exit_code(*words) == 0
    return str(json.loads(Path("Demo.json").read_text())["address"])


@pytest.mark.slow
def test_from_nothing_to_a_proven_change_and_an_audit(
    chain: Anvil, place: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("agent", "test", folder, "--json") == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (len(printed["passed"]), printed["failed"]) == (9, [])
    demo = deployed(place, folder)
    capsys.readouterr()
    signing = [*place, "--key-file", "key", "--yes"]
    numbers = ["--arg", f"feed={demo}", "--arg", f"pool={demo}"]
    assert exit_code("agent", "run", folder, *signing) == 1
    assert "deployed.json is not there: deploy Thermostat first" in one_line_error(capsys)
    assert exit_code("agent", "deploy", folder, *signing, *numbers[:2]) == 1
    assert "--arg pool=VALUE" in one_line_error(capsys)
    capsys.readouterr()
    assert exit_code("agent", "deploy", folder, *signing, *numbers) == 0
    shown = capsys.readouterr()
    assert "executor = of what is deployed with it" in shown.err
    assert f"feed = {demo}" in shown.err
    assert exit_code("agent", "run", folder, *signing, "--receipt", "one.json") == 0
    assert "RaiseRate(amount=200)" in capsys.readouterr().out
    assert exit_code("agent", "run", folder, *signing, "--receipt", "two.json") == 1
    assert "TooSoon(next=" in one_line_error(capsys)
    chain.rpc("evm_increaseTime", 3601)
    chain.rpc("evm_mine")
    assert exit_code("agent", "run", folder, *signing, "--receipt", "two.json") == 1
    assert "StalePrice(feed=" in one_line_error(capsys)
    assert exit_code("verify-run", "one.json", "--model", folder) == 0
    capsys.readouterr()
    assert exit_code("agent", "audit", folder, *place) == 0
    found = capsys.readouterr().out
    assert f"made with feed: {demo.lower()}\n" in found
    assert "\nsound: " in found
    assert "UNKNOWN" not in found


@pytest.mark.slow
def test_an_audit_finds_another_source_and_another_constructor(
    chain: Anvil, place: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = deployed(place, folder)
    signing = [
        *place,
        "--key-file",
        "key",
        "--yes",
        "--arg",
        f"feed={demo}",
        "--arg",
        f"pool={demo}",
    ]
    assert exit_code("agent", "deploy", folder, *signing) == 0
    source = folder / "Thermostat.sol"
    text = source.read_text()
    for old, new, why in (
        ("return RATE.numbers();", "return new int256[](3);", "another than what"),
        ("MOST_CHANGE = 200", "MOST_CHANGE = 201", "by another constructor"),
    ):
        assert old in text
        source.write_text(text.replace(old, new))
        capsys.readouterr()
        assert exit_code("agent", "audit", folder, *place) == VERDICT_CODES["rejected"], why
        assert why in capsys.readouterr().out


@pytest.mark.slow
def test_a_wallet_s_agent_runs_from_its_folder_and_is_sound_by_its_sources(
    place: list[str], tmp_path: Path, embedded: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("deployment.json").write_text(embedded.deployment.to_json())
    Path("key").write_text(bytes(embedded.owner.key).hex())
    wallet, rpc = tmp_path / "Allowance", ["--rpc", embedded.anvil.rpc_url]
    assert exit_code("agent", "new", "Allowance", "--folder", wallet) == 0
    signing = [*rpc, "--key-file", "key", "--yes"]
    assert exit_code("agent", "deploy", wallet, *signing, "--deployment", "deployment.json") == 0
    capsys.readouterr()
    assert exit_code("agent", "run", wallet, "show my DAI", *signing, "--receipt", "one.json") == 0
    assert "ViewBalance(asset=DAI)" in capsys.readouterr().out
    assert exit_code("agent", "audit", wallet, *rpc) == 0
    assert "UNKNOWN" not in capsys.readouterr().out
    assert (
        exit_code(
            "agent", "audit", json.loads((wallet / "deployed.json").read_text())["agent"], *rpc
        )
        == 3
    )


@pytest.mark.slow
def test_another_agent_s_pool_is_not_taken_for_one_s_own(
    place: list[str], folder: Path, embedded: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A deployment's pool is what its wallet lends to; executor and registry are shared."""
    Path("deployment.json").write_text(embedded.deployment.to_json())
    Path("key").write_text(bytes(embedded.owner.key).hex())
    rpc = ["--rpc", embedded.anvil.rpc_url]
    demo = deployed(rpc, folder)
    capsys.readouterr()
    words = ["agent", "deploy", folder, *rpc, "--key-file", "key", "--yes"]
    words += ["--deployment", "deployment.json", "--arg", f"feed={demo}"]
    assert exit_code(*words) == 1
    assert "--arg pool=VALUE" in one_line_error(capsys)
    assert exit_code(*words, "--arg", f"pool={demo}") == 0
    record = json.loads((folder / "deployed.json").read_text())
    compiled = compile_file(folder / "Thermostat.sol")["Thermostat"]
    agent = embedded.web3.eth.contract(address=record["agent"], abi=list(compiled.abi))
    assert call(embedded.web3, agent.functions.agentExecutor()) == embedded.deployment.executor
    assert call(embedded.web3, agent.functions.modelId()) == str(embedded.deployment.model_id + 1)
    capsys.readouterr()
    assert exit_code("agent", "audit", folder, *rpc) == 0


@pytest.mark.slow
def test_a_node_that_takes_a_wallet_s_agent_for_one_without_a_book_gets_no_run(
    place: list[str], embedded: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Agents that decide by numbers have none; others have, whatever a node says."""
    book, supports = (keccak(text=text)[:4].hex() for text in ("symbolBook()", SUPPORTS))
    Path("key").write_text(bytes(embedded.owner.key).hex())
    with lying_node(embedded.anvil.rpc_url) as liar:

        def lie(honest: Callable[[], Any]) -> Any:
            asked = liar.parameters[0].get("data") or liar.parameters[0].get("input") or ""
            if asked[2:10] == book:
                return "0x"
            return "0x" + f"{1:064x}" if asked[2:10] == supports else Honest()

        liar.lies["eth_call"] = lie
        words = ["run", "deposit 5 USDC", "--rpc", liar.url, "--key-file", "key", "--yes"]
        assert exit_code(*words, "--agent", embedded.deployment.agent) == 1
    assert "derives other features" in one_line_error(capsys)


@pytest.mark.slow
def test_tests_that_fail_and_do_not_compile_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = folder / "Thermostat.t.sol"
    good = tests.read_text()
    tests.write_text(good.replace("assertEq(numbers[1], -50)", "assertEq(numbers[1], -51)"))
    assert exit_code("agent", "test", folder) == 1
    shown = capsys.readouterr().out
    assert "FAILED  ThermostatTest.test_it_reads_utilisation_price_and_rate(): " in shown
    assert shown.count("passed  ") == 8
    tests.write_text(good.replace("assertEq(numbers[1], -50)", "assertEq(numbers[1], ?)"))
    assert exit_code("agent", "test", folder) == 1
    assert "forge did not test" in capsys.readouterr().err


def test_a_foundry_toml_in_the_folder_starts_nothing(
    folder: Path, tmp_path: Path, toolchain: Any
) -> None:
    """A stranger's folder could have forge run programs (ffi)."""
    hostile = tmp_path / "Hostile"
    hostile.mkdir()
    shutil.copy(folder / "agent.json", hostile)
    (hostile / "foundry.toml").write_text("[profile.default]\nffi = true\nsolc = '/bin/false'\n")
    marker = tmp_path / "started"
    (hostile / "A.t.sol").write_text(
        "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.30;\n"
        'import {Test} from "forge-std/Test.sol";\n'
        "contract ATest is Test {\n    function test_it() external {\n"
        "        string[] memory c = new string[](2);\n"
        f'        (c[0], c[1]) = ("touch", "{marker}");\n        vm.ffi(c);\n    }}\n}}\n'
    )
    assert exit_code("agent", "test", hostile) == 1
    assert not marker.exists()


def test_an_agent_s_folder_takes_a_prompt_where_its_kind_has_one(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wallet = tmp_path / "Allowance"
    assert exit_code("agent", "new", "Allowance", "--folder", wallet) == 0
    rpc = ("--rpc", "http://127.0.0.1:9")
    capsys.readouterr()
    assert exit_code("agent", "run", folder, "raise it", *rpc) == 2
    assert "leave out PROMPT" in capsys.readouterr().err
    assert exit_code("agent", "run", wallet, *rpc) == 2
    assert "give a PROMPT" in capsys.readouterr().err


@pytest.mark.slow
def test_what_anybody_may_set_is_set_by_the_demo_alone(chain: Anvil, folder: Path) -> None:
    """The rate's own functions refuse everybody but the agent's tools."""
    compiled = compile_file(folder / "Thermostat.sol")["ThermostatRate"]
    demo = compile_file(folder / "Demo.sol")["Demo"]
    web3, (owner, other, *_) = chain.web3, chain.accounts
    feed = deploy(web3, demo, owner)
    rate = deploy(web3, compiled, owner, feed.address, feed.address)
    for account in (owner, other):
        with pytest.raises(RevertError, match="NotForYou"):
            send(web3, rate.functions.raiseBy(1), account, errors=list(compiled.abi))

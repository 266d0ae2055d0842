"""A contract developer's first hour: begin, compile, deploy, run, and read one's own errors."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from eth_utils.crypto import keccak

from tests.support.command_line import exit_code, one_line_error
from tests.support.command_tree import TREE
from tests.support.lying_node import lying_node
from tests.support.schemas import problems, shipped
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.cli.deploying import here
from zkagent.executor.cli.options import VERDICT_CODES
from zkagent.verifier_contracts.chain.local import call, send
from zkagent.verifier_contracts.deployment.journal import FORMAT, Signed, carried_by
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.scaffold import project
from zkagent.verifier_contracts.toolchain import forge
from zkagent.verifier_contracts.toolchain.own import remapping_lines

PURSE = {
    "type": "function",
    "name": "PURSE",
    "inputs": [],
    "outputs": [{"type": "address", "name": ""}],
    "stateMutability": "view",
}


@pytest.fixture
def place(embedded: EmbeddedChain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A working directory with key and deployment; the options that name chain and key."""
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(bytes(embedded.owner.key).hex())
    Path("deployment.json").write_text(embedded.deployment.to_json())
    return ["--rpc", embedded.anvil.rpc_url, "--key-file", "key"]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `agent init Allowance` writes, at one place for all tests: compiled once."""
    folder = tmp_path_factory.mktemp("begun") / "Allowance"
    assert exit_code("agent", "init", "Allowance", "--folder", folder) == 0
    return folder / "Allowance.sol"


def fill_purse(embedded: EmbeddedChain, agent: str) -> Any:
    """500 DAI for the agent's purse. The token."""
    own = embedded.web3.eth.contract(address=agent, abi=[PURSE])
    purse = call(embedded.web3, own.functions.PURSE())
    dai = at(embedded.web3, "DemoToken", embedded.deployment.token("DAI").address)
    send(embedded.web3, dai.functions.mint(purse, 500 * 10**18), embedded.owner)
    return dai


def test_from_nothing_to_a_payment_and_an_error_of_one_s_own(
    embedded: EmbeddedChain, place: list[str], begun: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("agent", "build", begun, "--json") == 0
    printed = capsys.readouterr().out.splitlines()[-1]
    assert {each["contract"] for each in json.loads(printed)} == {"Allowance", "AllowancePurse"}
    deploy = ["agent", "deploy", begun, "--deployment", "deployment.json"]
    assert exit_code(*deploy, *place, "--yes") == 0
    told = re.search(r"^tools   call (0x\w{40})$", capsys.readouterr().out, re.MULTILINE)
    record = json.loads(Path("Allowance.json").read_text())
    schema = shipped("zkagent.verifier_contracts.deployment", "agent.schema.json")
    assert problems(record, schema) == []
    dai = fill_purse(embedded, record["agent"])
    assert told
    assert call(embedded.web3, dai.functions.balanceOf(told[1])) == 500 * 10**18
    friend = embedded.friend.address
    before = call(embedded.web3, dai.functions.balanceOf(friend))
    run = [*place, "--deployment", "Allowance.json", "--yes", "--receipt"]
    capsys.readouterr()
    assert exit_code("run", f"send 3 DAI to {friend}", *run, "one") == 0
    assert call(embedded.web3, dai.functions.balanceOf(friend)) - before == 3 * 10**18
    capsys.readouterr()
    assert exit_code("run", f"send 300 DAI to {friend}", *run, "two") == 1
    limit = "OverTheLimit(asked=300000000000000000000, limit=100000000000000000000)"
    assert limit in one_line_error(capsys)
    assert exit_code("agent", "audit", record["agent"], *place[:2]) == VERDICT_CODES["unknown"]
    assert "nobody here compiled it" in capsys.readouterr().out


def test_a_lying_node_names_neither_purse_nor_commitment_and_the_arguments_are_shown(
    embedded: EmbeddedChain, place: list[str], begun: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thief, record = "7e" * 20, embedded.deployment
    selectors = {word: "0x" + keccak(text=f"{word}()")[:4].hex() for word in ("wiring", "pinned")}
    selectors["pinned"] = "0x" + keccak(text="pinnedCommitment()")[:4].hex()
    with lying_node(embedded.anvil.rpc_url) as liar:

        def lie(honest: Callable[[], Any]) -> Any:
            asked = liar.parameters[0].get("data") or liar.parameters[0].get("input") or ""
            if asked == selectors["wiring"]:
                told = honest()
                return told[:90] + thief + told[130:]
            return "0x" + "ab" * 32 if asked == selectors["pinned"] else honest()

        liar.lies["eth_call"] = lie
        deploy = ["agent", "deploy", begun, "--deployment", "deployment.json", "--yes"]
        assert exit_code(*deploy, "--rpc", liar.url, *place[2:]) == 0
    printed = capsys.readouterr()
    agent = json.loads(Path("Allowance.json").read_text())["agent"]
    own = embedded.web3.eth.contract(address=agent, abi=[PURSE])
    purse = call(embedded.web3, own.functions.PURSE())
    assert f"tools   call {purse}\n" in printed.out
    assert thief not in printed.out.lower()
    pinned = at(embedded.web3, "WalletAgent", agent).functions.pinnedCommitment()
    assert "0x" + bytes(call(embedded.web3, pinned)).hex() == record.commitment
    shown = printed.err.splitlines()
    for name, value in {"executor": record.executor, "commitment": record.commitment}.items():
        assert any(line.startswith(f"  {name}") and line.endswith(f" = {value}") for line in shown)


def public_journal(embedded: EmbeddedChain, record: Any, contract: str) -> str:
    """As anybody writes it who reads the chain: that the creation is signed already."""
    web3, address = embedded.web3, record["agent"]
    latest = web3.eth.block_number
    made = next(
        each
        for number in range(latest, -1, -1)
        for each in web3.eth.get_block(number, full_transactions=True)["transactions"]
        if web3.eth.get_transaction_receipt(each["hash"])["contractAddress"] == address
    )
    raw = embedded.anvil.rpc("eth_getRawTransactionByHash", "0x" + bytes(made["hash"]).hex())
    content, nonce = carried_by(raw)
    hashed = "0x" + keccak(hexstr=raw).hex()
    subject = here(web3, made["from"], {"contract": contract})
    signed = Signed(contract, content, nonce, hashed, raw)
    lines = ({"format": FORMAT, **subject}, asdict(signed))
    return "".join(json.dumps(each) + "\n" for each in lines)


def test_a_creation_that_is_resumed_is_told_with_its_age(
    embedded: EmbeddedChain, place: list[str], begun: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stranger's folder may have a journal of what the same account deployed long ago."""
    deploy = ["agent", "deploy", begun, "--deployment", "deployment.json", *place, "--yes"]
    assert exit_code(*deploy) == 0
    assert "resumed" not in capsys.readouterr().err
    record = json.loads(Path("Allowance.json").read_text())
    block = embedded.web3.eth.block_number
    Path("theirs").mkdir()
    journal = Path("theirs/Allowance.json.part")
    journal.write_text(public_journal(embedded, record, "Allowance"))
    embedded.anvil.rpc("anvil_mine", 40)
    assert exit_code(*deploy, "--out", "theirs/Allowance.json") == 0
    told = capsys.readouterr().err
    assert (
        f"  resumed: 1 of 1 transactions were signed before, as {journal} says, and are in block "
        f"{block} of {block + 40}: what they made is taken as it is now, whatever was done with it "
        "since\n"
    ) in told
    assert json.loads(Path("theirs/Allowance.json").read_text())["agent"] == record["agent"]


def test_what_was_begun_is_not_overwritten_and_bad_names_are_refused(
    place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, why in {
        "allowance": "the first a capital",
        "Wall\u00e9t": "1 to 64 letters and digits",
        "../Up": "letters and digits",
        "Allowance;": "letters and digits",
        "WalletAgent": "a contract that agents are made of has it",
    }.items():
        assert exit_code("agent", "init", name, "--folder", "made") == 1
        assert why in one_line_error(capsys)
        assert not Path("made").exists()
    Path("Allowance").mkdir()
    assert exit_code("agent", "init", "Allowance") == 1
    assert "is there already" in one_line_error(capsys)
    assert list(Path("Allowance").iterdir()) == []


def test_no_name_is_taken_that_the_files_use_themselves(
    place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(project.__file__).parent
    files = [f for kind in project.KINDS.values() for f in kind.templates if f.endswith(".sol")]
    lines = [x for name in files for x in (folder / name).read_text().splitlines()]
    imports = [line for line in lines if line.startswith("import {")]
    names = {name for line in imports for name in re.findall(r"\w+", line.partition("}")[0])[1:]}
    assert {"IERC20", "SafeERC20", "IERC20Metadata", "ERC20", "AgentBase", "Test"} < names
    for name in {each for each in names if "NewAgent" not in each} | {"Coin", "Demo"}:
        assert exit_code("agent", "init", name) == 1, name
        assert "a contract that agents are made of has it" in one_line_error(capsys)


def test_commands_that_are_printed_can_be_pasted(
    place: list[str], begun: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = "a folder's"
    assert exit_code("agent", "init", "Purser", "--folder", folder) == 0
    build, deploy = (shlex.split(line) for line in capsys.readouterr().err.splitlines()[-2:])
    assert build == ["next", "zkagent", "agent", "test", folder]
    assert deploy[:4] == ["zkagent", "agent", "deploy", folder]
    required = {o for p in TREE["zkagent agent deploy"].params if p.required for o in p.opts}
    assert {option for option in required if option.startswith("--")} <= set(deploy)
    Path(folder, "key").write_bytes(Path(place[3]).read_bytes())
    where = [*place[:2], "--key-file", f"{folder}/key", "--out", f"{folder}/Purser.json"]
    source = ["agent", "deploy", begun, "--deployment", "deployment.json", "--yes"]
    assert exit_code(*source, *where) == 0
    run = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert run[:4] == ["try", "zkagent", "run", "PROMPT"]
    assert run[-3:] == [f"{folder}/Purser.json", "--key-file", f"{folder}/key"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "the constructor's executor (address) has no value: give --arg executor=VALUE"),
        (["--arg", "executor=0x12"], "--arg executor=0x12 is not an address: 0x and 40 hex digits"),
        (["--arg", "nothing=1"], "--arg nothing=1 is not a parameter of the constructor: one of"),
        (["--contract", "Nobody"], "has no contract Nobody: choose one of Allowance, Allowance"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_is_sent(
    embedded: EmbeddedChain,
    place: list[str],
    begun: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    options: list[str],
    said: str,
) -> None:
    before = embedded.web3.eth.block_number
    capsys.readouterr()
    assert exit_code("agent", "deploy", begun, *place, "--yes", *options) == 1
    assert said in capsys.readouterr().err.splitlines()[-1]
    assert embedded.web3.eth.block_number == before
    assert [path.name for path in Path().iterdir() if "part" in path.name] == []


GOLD = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Gold {
    uint256 public totalSupply;
    constructor(uint256 supply) { totalSupply = supply; }
}
"""


def test_what_is_no_agent_is_deployed_and_said_to_be_none(
    embedded: EmbeddedChain, place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("Gold.sol").write_text(GOLD)
    assert exit_code("agent", "deploy", "Gold.sol", *place, "--arg", "supply=7", "--yes") == 0
    printed = capsys.readouterr()
    (line,) = printed.out.splitlines()
    record = json.loads(Path("Gold.json").read_text())
    assert line == f"contract {record['address']}, which is no agent; its record is Gold.json"
    assert "deploys Gold, which is no agent, on chain" in printed.err
    assert "\n  contract    " in printed.err
    assert embedded.web3.eth.get_code(record["address"])
    run = ("run", "send 3 DAI to nobody", *place, "--deployment", "Gold.json", "--yes")
    assert exit_code(*run) == 1
    assert "Gold.json is not a deployment file: it records a contract that is no agent" in (
        one_line_error(capsys)
    )


def test_plain_forge_compiles_and_tests_what_was_begun(
    place: list[str], capsys: pytest.CaptureFixture[str], toolchain: Any
) -> None:
    """With the folder's own foundry.toml and remappings; the compiler is named, since plain forge
    would fetch one."""
    assert exit_code("agent", "init", "Allowance") == 0
    capsys.readouterr()
    assert exit_code("agent", "remappings") == 0
    assert capsys.readouterr().out.splitlines() == remapping_lines()
    assert Path("Allowance/remappings.txt").read_text().splitlines() == remapping_lines()
    words = [toolchain.forge, "test", "--root", "Allowance", "--use", toolchain.solc, "--offline"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed; 0 failed" in done.stdout


def test_what_is_shipped_beside_our_sources_is_in_the_formatter_s_form() -> None:
    folders = [Path(forge.ROOT) / name for name in ("scaffold", "strangers")]
    files = [str(path) for folder in folders for path in sorted(folder.glob("*.sol"))]
    assert len(files) == 3
    module = "zkagent.verifier_contracts.toolchain.forge"
    words = [sys.executable, "-m", module, "fmt", "--check", *files]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

"""`zkagent guard ...` against a chain: an account is the agent, its only tool behind a guard."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.address import to_checksum_address

from tests.support.command_line import exit_code
from tests.support.guard_world import ALICE, METADATA, NO_INPUT, NOBODY, World, allow, by, shown
from tests.support.lying_node import LyingNode, Refusal, lie_to, lying_node
from zkagent.executor.chain import guards
from zkagent.executor.chain.guards import Ticket, call_hash_of
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import call, deploy
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_all


def test_a_new_guard_shows_that_it_allows_nothing(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("guard", "show", *world.options(None)) == 0
    printed = capsys.readouterr().out
    assert "mode    supervised" in printed
    assert "rate    0 of 60 calls in this hour" in printed
    assert "tool" not in printed
    assert "budget" not in printed


def test_what_is_set_is_shown(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    allow(world)
    words = ("--mode", "autonomous", "--rate", "7", "--budget", "native=any", "--delay", "60")
    assert exit_code("guard", "set", *words, *world.options()) == 0
    world.pay(150)
    told = shown(world, capsys)
    assert (told["mode"], told["per_hour"], told["counted"], told["delay_s"]) == (
        *("autonomous", 7),
        *(1, 60),
    )
    first, native = told["budgets"]
    assert (first["total"], first["spent"], first["per_call"]) == (500, 150, 200)
    assert (native["asset"], native["total"]) == (NOBODY, None)
    (tool,) = told["tools"]
    assert (tool["tool"].lower(), tool["runs"]) == (world.tool.address.lower(), 1)
    assert tool["words"] == [0, 1, 2]
    assert exit_code("guard", "show", *world.options(None)) == 0
    printed = capsys.readouterr().out
    assert "150 spent, 350 left, 200 in a call" in printed
    assert "called 1 times" in printed


def test_a_paused_guard_refuses_and_says_why(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    allow(world)
    assert exit_code("guard", "set", "--mode", "autonomous", *world.options()) == 0
    assert exit_code("guard", "pause", "risk threshold exceeded", *world.options()) == 0
    assert shown(world, capsys)["pause"] == "risk threshold exceeded"
    with pytest.raises(RevertError, match="GuardIsPaused"):
        world.pay(1)
    assert exit_code("guard", "resume", *world.options()) == 0
    world.pay(1)


def test_a_waiting_call_is_approved_exactly_and_made(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    allow(world)
    world.pay(150)
    (ticket,) = shown(world, capsys)["tickets"]
    expected = call_hash_of(world.tool.address, world.payment(150))
    assert (ticket["status"], ticket["call_hash"]) == ("waiting", "0x" + expected.hex())
    assert world.paid() == 0
    assert exit_code("guard", "approve", 1, *world.options()) == 0
    assert "call 1 was made" in capsys.readouterr().out
    assert world.paid() == 150
    assert exit_code("guard", "approve", 1, *world.options()) == 2
    assert "no call 1 waits" in capsys.readouterr().err


def test_an_approval_lasts_as_long_as_our_clock_says(world: World) -> None:
    allow(world)
    world.pay(150)
    before = int(time.time())
    assert exit_code("guard", "approve", 1, "--for", 60, "--only-approve", *world.options()) == 0
    until = call(world.chain.web3, world.guard.functions.waiting(1))[3]
    assert before + 60 <= until <= time.time() + 60


def test_a_node_cannot_make_an_approval_last_longer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By telling that the call was asked for in a thousand years: nothing is found of then."""
    allow(world)
    world.pay(150)
    told = guards._ticket

    def late(*arguments: Any) -> Ticket:
        return replace(told(*arguments), since=1 << 39)

    monkeypatch.setattr(guards, "_ticket", late)
    assert exit_code("guard", "approve", 1, "--only-approve", *world.options()) == 1
    assert call(world.chain.web3, world.guard.functions.waiting(1))[3] == 0


def test_a_declined_call_is_not_made(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    allow(world)
    world.pay(150)
    assert exit_code("guard", "decline", 1, "not today", *world.options()) == 0
    assert shown(world, capsys)["tickets"][0]["status"] == "declined"
    assert world.paid() == 0


def test_only_the_owner_approves(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    allow(world)
    world.pay(150)
    assert exit_code("guard", "approve", 1, *world.options("other.key")) == 1
    assert "CallerIsNotTheGuardsOwner" in capsys.readouterr().err
    assert world.paid() == 0


def test_a_manifest_is_issued_presented_and_revoked(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    allow(world)
    issuer = world.chain.accounts[1].address
    words = ("--mode", "autonomous", "--require-manifest", "--trust", issuer)
    assert exit_code("guard", "set", *words, *world.options()) == 0
    with pytest.raises(RevertError, match="ManifestMissing"):
        world.pay(1)
    capsys.readouterr()
    named = ("--action", world.tool.address, "--target", ALICE, "--issuer-key", "other.key")
    assert exit_code("guard", "manifest", "issue", *named, *world.options(None)) == 0
    Path("m.json").write_text(capsys.readouterr().out)
    assert exit_code("guard", "manifest", "present", "m.json", *world.options("other.key")) == 0
    world.pay(1)
    assert shown(world, capsys)["manifest"]["nonce"] == 1
    assert exit_code("guard", "manifest", "revoke", 1, *world.options("other.key")) == 0
    with pytest.raises(RevertError, match="ManifestMissing"):
        world.pay(1)


def test_a_changed_manifest_is_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    allow(world)
    capsys.readouterr()
    words = ("--action", world.tool.address, "--target", ALICE, "--issuer-key", "owner.key")
    assert exit_code("guard", "manifest", "issue", *words, *world.options(None)) == 0
    record = json.loads(capsys.readouterr().out)
    record["manifest"]["expires"] += 1
    Path("m.json").write_text(json.dumps(record))
    assert exit_code("guard", "manifest", "present", "m.json", *world.options()) == 1
    assert "ManifestSignatureInvalid" in capsys.readouterr().err
    record["guard"] = ALICE
    Path("m.json").write_text(json.dumps(record))
    assert exit_code("guard", "manifest", "present", "m.json", *world.options()) == 2
    Path("m.json").write_text("{}")
    assert exit_code("guard", "manifest", "present", "m.json", *world.options()) == 2


def test_what_loosens_is_announced_where_there_is_a_delay(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("guard", "set", "--delay", 60, *world.options()) == 0
    change = ("guard", "set", "--rate", 61, *world.options())
    assert exit_code(*change) == 1
    assert "ChangeNotAnnounced" in capsys.readouterr().err
    assert exit_code(*change, "--announce") == 0
    world.chain.rpc("evm_increaseTime", 61)
    world.chain.rpc("evm_mine")
    assert exit_code(*change) == 0
    assert shown(world, capsys)["per_hour"] == 61


def test_a_guard_is_there_before_its_agent(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    reach = ("--rpc", world.chain.rpc_url, "--key-file", "owner.key", "--yes")
    assert exit_code("guard", "deploy", "--plain", *reach) == 2
    capsys.readouterr()
    assert exit_code("guard", "deploy", "--plain", "--wallet", world.wallet, *reach) == 0
    guard = capsys.readouterr().out.split()[1]
    made = at(world.chain.web3, "Guard", guard).functions
    assert call(world.chain.web3, made.wallet()) == world.wallet
    assert int(call(world.chain.web3, made.agent()), 16) == 0
    assert exit_code("guard", "bind", ALICE, "--guard", guard, *reach) == 0
    assert call(world.chain.web3, made.agent()) == ALICE
    assert exit_code("guard", "bind", world.wallet, "--guard", guard, *reach) == 1
    assert "AgentAlreadyBound" in capsys.readouterr().err


@pytest.mark.parametrize("strict", [False, True])
def test_a_tool_is_put_behind_the_guard(
    world: World, strict: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    executor = call(world.chain.web3, world.tool.functions.guardedTool())
    words = ("guard", "wrap", world.token.address, "--executor", executor, "--json")
    capsys.readouterr()
    assert exit_code(*words, *(["--strict"] if strict else []), *world.options()) == 0
    printed = capsys.readouterr()
    assert "does not tell whom it obeys" in printed.err
    told = json.loads(printed.out)
    made = at(world.chain.web3, "GuardedTool", told["tool"]).functions
    web3 = world.chain.web3
    assert call(web3, made.guard()) == world.guard.address
    assert call(web3, made.guardedTool()) == world.token.address == told["behind"]
    assert call(web3, made.strict()) is strict is told["strict"]


def test_a_tool_that_obeys_another_is_said_to(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    behind = call(world.chain.web3, world.tool.functions.guardedTool())
    executor = ("--executor", world.wallet)
    assert exit_code("guard", "wrap", behind, *executor, *world.options()) == 0
    assert f"{behind} obeys {world.tool.address}, and not 0x" in capsys.readouterr().err


def test_a_tool_that_obeys_what_is_made_is_not_warned_of(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is made for the address of the contract that will stand before it, and has code first."""
    web3, owner = world.chain.web3, world.chain.accounts[0]
    coming = created_address(owner.address, web3.eth.get_transaction_count(owner.address) + 1)
    selector = at(web3, "AgentWallet", world.wallet).functions.transfer(NOBODY, 0, NOBODY).selector
    words = (
        coming,
        *METADATA,
        world.wallet,
        selector,
        NO_INPUT,
        "Successfully transferred",
        NOBODY,
    )
    behind = deploy(web3, compile_all()["SimpleSmartContractTool"], owner, *words).address
    capsys.readouterr()
    asked = ("guard", "wrap", behind, "--executor", world.wallet, "--json", *world.options())
    assert exit_code(*asked) == 0
    printed = capsys.readouterr()
    assert "obey" not in printed.err
    assert json.loads(printed.out)["tool"] == coming


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--budget", "USDC"),
        ("--budget", f"{ALICE}=-1"),
        ("--budget", f"{ALICE}=1,x"),
        ("--budget", "nothing=1"),
        ("--rate", "65536"),
    ],
)
def test_values_of_another_form_begin_nothing(words: tuple[str, ...], world: World) -> None:
    assert exit_code("guard", "set", *words, *world.options()) == 2


def test_hand_written_signatures_are_those_of_the_contracts() -> None:
    compiled = compile_all()
    known = {
        f"{entry['name']}({','.join(map(_type, entry['inputs']))})": tuple(
            map(_type, entry.get("outputs", ()))
        )
        for name in ("Guard", "IGuardedCalls")
        for entry in compiled[name].abi
        if entry["type"] in {"function", "event"}
    }
    for method in guards.METHODS:
        assert known[method.signature] == method.outputs, method.signature


def _type(item: Any) -> str:
    if not item["type"].startswith("tuple"):
        return str(item["type"])
    inner = ",".join(map(_type, item["components"]))
    return f"({inner}){item['type'].removeprefix('tuple')}"


def test_an_address_without_a_guard_is_said_to_be_none(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = ["--guard", ALICE, "--rpc", world.chain.rpc_url]
    assert exit_code("guard", "show", *nothing) == 1
    assert ALICE.lower() in capsys.readouterr().err.lower()
    assert at(world.chain.web3, "Guard", world.guard.address).address == world.guard.address


@pytest.mark.parametrize(
    ("change", "told", "lie"),
    [
        (("set", "--mode", "paper"), "mode()", encode(["uint8"], [0])),
        (("set", "--rate", "7"), "rate()", encode(["uint256", "uint256"], [60, 0])),
        (("pause", "enough"), "paused()", encode(["bool", "string"], [False, ""])),
        (("set", "--budget", "native=7"), "budgetedAssets()", encode(["address[]"], [[]])),
        (("disallow", "TOOL"), "ruleOf(address)", b""),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_was_set_and_the_node_tells_otherwise_is_said(
    *,
    change: tuple[str, ...],
    told: str,
    lie: bytes,
    world: World,
    liar: LyingNode,
    capsys: pytest.CaptureFixture[str],
) -> None:
    allow(world)
    tool = world.tool.address
    if not lie:  # the rule as it was before
        asked: Any = {"to": world.guard.address}
        asked["data"] = world.guard.encode_abi("ruleOf", args=[tool])
        lie = bytes(world.chain.web3.eth.call(asked))
    lie_to(liar, told, lie)
    words = [tool if word == "TOOL" else word for word in change]
    capsys.readouterr()
    assert exit_code("guard", *words, *world.options(), *by(liar)) == 1
    assert "by what was signed, and something else by what the node says now" in (
        capsys.readouterr().err
    )


def test_a_call_is_approved_however_many_waited_since(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """And though the node looks for events in few blocks alone, as public ones do."""
    allow(world)
    world.pay(150)
    world.chain.rpc("anvil_mine", hex(30), hex(12))
    for amount in range(guards.MOST_TICKETS):
        world.pay(amount)
    with lying_node(world.chain.rpc_url) as node:

        def strict(honest: Callable[[], Any]) -> Any:
            asked = node.parameters[0]
            span = int(asked["toBlock"], 16) - int(asked["fromBlock"], 16)
            return honest() if span < 60 else Refusal("block range too large")

        node.lies["eth_getLogs"] = strict
        assert 1 not in [each["number"] for each in shown(world, capsys)["tickets"]]
        assert exit_code("guard", "show", *world.options(None)) == 0
        assert "calls 1 to 1 are not looked at here" in capsys.readouterr().out
        assert exit_code("guard", "approve", 1, *world.options(), *by(node)) == 0
    assert world.paid() == 150


def test_of_a_call_whose_blocks_a_node_dropped_it_says_so(
    world: World, liar: LyingNode, capsys: pytest.CaptureFixture[str]
) -> None:
    allow(world)
    world.pay(150)
    liar.says("eth_getLogs", [])
    assert exit_code("guard", "approve", 1, *world.options(), *by(liar)) == 1
    assert "a node that kept those blocks shows it" in capsys.readouterr().err
    assert world.paid() == 0


def test_another_input_than_the_one_that_waits_is_not_approved(
    world: World, liar: LyingNode
) -> None:
    """Which a node makes up, of the call and for it."""
    allow(world)
    world.pay(150)

    def other(honest: Callable[[], Any]) -> Any:
        (log,) = honest()
        return [log | {"data": log["data"].replace(f"{150:064x}", f"{200:064x}")}]

    liar.lies["eth_getLogs"] = other
    assert exit_code("guard", "approve", 1, *world.options(), *by(liar)) == 1
    assert world.paid() == 0


def test_who_makes_an_approved_call_is_the_agent_that_was_named(
    world: World, liar: LyingNode, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a node could have its owner send the call to anybody."""
    agent = to_checksum_address(world.chain.accounts[0].address)
    plain = ("--rpc", liar.url, "--key-file", "owner.key", "--yes", "--agent", agent)
    allow(world)
    world.pay(150)
    lie_to(liar, "guard()", encode(["address"], [world.guard.address]))
    lie_to(liar, "agent()", encode(["address"], [ALICE]))
    (rule,) = shown(world, capsys)["tools"]
    wraps = (rule["target"], bytes.fromhex(rule["selector"][2:]))
    words = (*wraps, False, False, 0, 1, 2, 0, 1 << 20, False)
    lie_to(liar, "ruleOf(address)", encode(["bool", guards.RULE], [True, words]))
    capsys.readouterr()
    assert exit_code("guard", "approve", 1, *plain) == 1
    assert f"it guards {ALICE}, and not {agent}" in capsys.readouterr().err
    assert liar.sent == []

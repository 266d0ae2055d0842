"""`zkagent agent succeed`: a new version takes over wallet, guard and budget, and no node's word
makes it another's."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.address import to_checksum_address

from tests.support.command_line import exit_code
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import LyingNode, lie_to, lying_node
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.chain import succession
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.guard_messages import SUCCESSION, succession_message
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.provers import InlineProver
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.deployment.successor import possible_tools, successor_tools
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.toolchain.compile import compile_all

pytestmark = [pytest.mark.chain]

EVIL = "0x" + "ee" * 20
THIRD = to_checksum_address(EVIL)
WEEKS = 30 * 86_400


@dataclass(frozen=True)
class Old:
    """A wallet agent whose place is taken, and its owner's commands."""

    chain: EmbeddedChain
    model: Model
    circuit: Circuit

    @property
    def agent(self) -> str:
        return self.chain.deployment.agent

    def options(self, rpc: str | None = None) -> list[str]:
        return ["--rpc", rpc or self.chain.anvil.rpc_url, "--key-file", "owner.key", "--yes"]

    def guarded(self, *words: str) -> str:
        """The guard that it has from now on; words: what is set."""
        agent = ["--agent", self.agent, *self.options()]
        assert exit_code("guard", "deploy", *agent) == 0
        usdc = self.chain.deployment.token("USDC").address
        budget = ["--mode", "autonomous", "--budget", f"{usdc}=6000000,5000000", *words]
        assert exit_code("guard", "set", *budget, *agent) == 0
        return str(call(self.chain.web3, self.functions("IGuardableAgent", self.agent).guard()))

    def succeeds(self, *words: str, rpc: str | None = None, agent: str | None = None) -> int:
        named = ["--deployment", "deployment.json"]
        of = ["--agent", agent] if agent else []
        return exit_code("agent", "succeed", *of, *named, *words, *self.options(rpc), "--json")

    def functions(self, name: str, address: str) -> Any:
        return at(self.chain.web3, name, address).functions

    def sends(self, agent: str, amount: int) -> None:
        web3, owner = self.chain.web3, self.chain.owner
        chain, sender = Web3Agent(web3, agent), Web3Sender(web3, agent, owner)
        runner = AgentRunner(chain, sender, self.model, InlineProver(self.circuit))
        runner.run(f"transfer {amount} USDC to {self.chain.friend.address}".encode())

    def moved(self) -> int:
        usdc = self.functions("DemoToken", self.chain.deployment.token("USDC").address)
        return int(call(self.chain.web3, usdc.balanceOf(self.chain.friend.address)))


@pytest.fixture(scope="module")
def opened(anvil: Anvil) -> Iterator[tuple[Stage, Model, Circuit]]:
    model = load_model("wallet", Model)
    circuit = EVALUATED.build(model.onnx_path)
    with evaluated_stage(anvil, model, circuit) as stage:
        yield stage, model, circuit


@pytest.fixture
def old(
    opened: tuple[Stage, Model, Circuit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Old]:
    stage, model, circuit = opened
    monkeypatch.chdir(tmp_path)
    Path("owner.key").write_text(bytes(stage.chain.owner.key).hex())
    Path("owner.key").chmod(0o600)
    Path("deployment.json").write_text(stage.chain.deployment.to_json())
    snapshot = stage.chain.anvil.snapshot()
    yield Old(stage.chain, model, circuit)
    stage.chain.anvil.revert(snapshot)


@pytest.fixture
def liar(old: Old) -> Iterator[LyingNode]:
    with lying_node(old.chain.anvil.rpc_url) as node:
        yield node


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_wallet_guard_and_budget_are_the_successors(
    old: Old, capsys: pytest.CaptureFixture[str]
) -> None:
    guard, before = old.guarded(), old.moved()
    old.sends(old.agent, 4)
    capsys.readouterr()
    assert old.succeeds("--guard", guard) == 0
    told = printed(capsys)
    heir = told["successor"]
    assert (told["predecessor"], told["guard"], told["done"]) == (old.agent, guard, True)
    functions = old.functions("SuccessorWalletAgent", heir)
    assert call(old.chain.web3, functions.predecessor()) == old.agent
    assert call(old.chain.web3, functions.guard()) == guard
    old.sends(heir, 2)
    assert old.moved() - before == 6_000_000
    with pytest.raises(RunReverted, match="BudgetExceeded"):
        old.sends(heir, 1)
    with pytest.raises(RunReverted, match=r"CallerIsNot|ToolNotAllowed"):
        old.sends(old.agent, 1)


def test_its_tools_stand_where_they_follow_from_its_address(
    old: Old, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old.succeeds("--no-guard") == 0
    heir = printed(capsys)["successor"]
    web3 = old.chain.web3
    assert tuple(call(web3, old.functions("WalletAgent", heir).tools())[0]) == successor_tools(heir)
    before = call(web3, old.functions("WalletAgent", old.agent).tools())[0]
    assert set(before) < set(possible_tools(old.agent))
    assert set(successor_tools(heir)) < set(possible_tools(heir))


def test_without_a_guard_it_is_the_wallet_that_refuses_the_old_one(old: Old) -> None:
    assert old.succeeds("--no-guard") == 0
    with pytest.raises(RunReverted, match="CallerIsNotATool"):
        old.sends(old.agent, 1)


def test_a_successor_is_succeeded_in_turn(old: Old, capsys: pytest.CaptureFixture[str]) -> None:
    assert old.succeeds("--no-guard") == 0
    heir = printed(capsys)["successor"]
    there = old.chain.deployment
    named = ["--executor", there.executor, "--book", there.symbol_book, "--wallet", there.wallet]
    words = [*named, "--commitment", there.commitment, "--no-guard"]
    assert old.succeeds(*words, agent=heir) == 0
    old.sends(printed(capsys)["successor"], 1)


def test_a_guard_with_a_delay_is_told_first(old: Old, capsys: pytest.CaptureFixture[str]) -> None:
    guard = old.guarded("--delay", str(WEEKS))
    capsys.readouterr()
    assert old.succeeds("--guard", guard) == 0
    told = printed(capsys)
    assert not told["done"]
    again = ["--guard", guard, "--successor", told["successor"], "--until", str(told["until"])]
    assert old.succeeds(*again) == 0
    assert not printed(capsys)["done"]
    old.sends(old.agent, 1)
    old.chain.anvil.rpc("evm_increaseTime", WEEKS + 1)
    old.chain.anvil.rpc("evm_mine")
    assert old.succeeds(*again) == 0
    assert printed(capsys)["done"]
    assert call(old.chain.web3, old.functions("Guard", guard).agent()) == told["successor"]
    assert old.succeeds(*again) == 0, "what is done is not done again"


def test_a_node_cannot_take_the_guard_away(
    old: Old, liar: LyingNode, capsys: pytest.CaptureFixture[str]
) -> None:
    """By telling that there is none, or another."""
    guard = old.guarded()
    nonce = old.chain.web3.eth.get_transaction_count(old.chain.owner.address)
    for told in (bytes(32), encode(["address"], [EVIL])):
        lie_to(liar, "guard()", told)
        assert old.succeeds("--guard", guard, rpc=liar.url) == 2
        assert "says that its guard" in capsys.readouterr().err
    assert old.succeeds("--no-guard") == 2
    assert old.chain.web3.eth.get_transaction_count(old.chain.owner.address) == nonce


@pytest.mark.parametrize("told", ["agentExecutor()", "symbolBook()", "pinnedCommitment()"])
def test_what_the_record_names_is_no_node_s_to_say(
    old: Old, liar: LyingNode, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lie_to(liar, told, bytes.fromhex("ee" * 32) if "pinned" in told else _word(EVIL))
    assert old.succeeds("--no-guard", rpc=liar.url) == 0
    heir = old.functions("SuccessorWalletAgent", printed(capsys)["successor"])
    web3, there = old.chain.web3, old.chain.deployment
    assert call(web3, heir.agentExecutor()) == there.executor
    assert call(web3, heir.symbolBook()) == there.symbol_book
    assert "0x" + bytes(call(web3, heir.pinnedCommitment())).hex() == there.commitment


def test_a_node_cannot_name_tools(old: Old, liar: LyingNode) -> None:
    """Neither of the new agent nor of the old one."""
    lie_to(liar, "tools()", encode(["address[]", "bytes32[]"], [[EVIL], [bytes(32)]]))
    assert old.succeeds("--no-guard", rpc=liar.url) == 1
    elsewhere = possible_tools(old.agent)[6:]
    lie_to(liar, "tools()", encode(["address[]", "bytes32[]"], [elsewhere, [bytes(32)] * 2]))
    assert old.succeeds("--no-guard", rpc=liar.url) == 0
    with pytest.raises(RunReverted, match="CallerIsNotATool"):
        old.sends(old.agent, 1)


def test_another_wallet_is_refused(old: Old, liar: LyingNode) -> None:
    lie_to(liar, "wallet()", _word(EVIL))
    assert old.succeeds("--no-guard", rpc=liar.url) == 2


def test_nobody_s_word_is_taken_unseen(old: Old, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["agent", "succeed", "--agent", old.agent, *old.options()]
    assert exit_code(*words) == 2
    assert "--commitment, --guard or --no-guard" in capsys.readouterr().err
    assert exit_code(*words, "--guard", EVIL, "--no-guard") == 2


@pytest.mark.parametrize(("delay", "ahead"), [(0, -10), (WEEKS, 1800)])
def test_a_signature_that_would_be_too_old_is_refused_before_anything_is_sent(
    old: Old, delay: int, ahead: int, capsys: pytest.CaptureFixture[str]
) -> None:
    guard = old.guarded(*(["--delay", str(delay)] if delay else []))
    nonce, until = old.chain.web3.eth.get_transaction_count, int(time.time()) + ahead
    before = nonce(old.chain.owner.address)
    assert old.succeeds("--guard", guard, "--until", str(until)) == 2
    assert f"--until {until} has passed before this can be made" in capsys.readouterr().err
    assert nonce(old.chain.owner.address) == before


def test_with_anybody_else_s_key_nothing_is_sent(
    old: Old, capsys: pytest.CaptureFixture[str]
) -> None:
    guard, stranger = old.guarded(), old.chain.friend
    Path("owner.key").write_text(bytes(stranger.key).hex())
    nonce = old.chain.web3.eth.get_transaction_count
    before = nonce(stranger.address)
    assert old.succeeds("--guard", guard) == 2
    assert f"--key-file of {stranger.address}: give its owner's key" in capsys.readouterr().err
    agent = ["--agent", old.agent, *old.options()]
    assert exit_code("guard", "deploy", *agent) == 1
    assert "CallerIsNotTheOwner" in capsys.readouterr().err
    assert nonce(stranger.address) == before


def test_a_contract_that_was_made_for_something_else_is_no_successor(old: Old) -> None:
    assert old.succeeds("--no-guard", "--successor", old.agent) == 1
    assert old.succeeds("--no-guard", "--successor", EVIL) == 1


def test_whom_an_agent_serves_is_not_only_a_node_s_word(
    old: Old, liar: LyingNode, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which says that it was set, and that it was not, and names another."""
    serves = ["agent", "serves", "--agent", old.agent]
    served = old.functions("IServingAgent", old.agent).alsoServed()
    for told in (bytes(32), _word(old.chain.deployment.pool)):
        lie_to(liar, "alsoServed()", told)
        assert exit_code(*serves, EVIL, *old.options(liar.url)) == 1
        assert f"whom {old.agent} serves besides is {EVIL}" in capsys.readouterr().err
        assert call(old.chain.web3, served) == THIRD, "it was signed and sent all the same"
    lie_to(liar, "alsoServed()", _word(EVIL))
    assert exit_code(*serves, "--nobody", *old.options(liar.url)) == 1
    assert int(call(old.chain.web3, served), 16) == 0
    assert exit_code(*serves, old.agent, *old.options(liar.url)) == 1
    assert call(old.chain.web3, served) == old.agent


def test_what_is_signed_is_what_the_guard_reads(old: Old) -> None:
    guard = old.guarded()
    given = (old.agent, THIRD, [THIRD, old.agent], [old.agent, THIRD], 3, 1 << 40)
    fields = dict(zip(SUCCESSION, given, strict=True))
    domain, types, message = succession_message(guard, 31337, fields)
    signed = old.chain.owner.sign_typed_data(domain, types, message)
    digest = call(old.chain.web3, old.functions("Guard", guard).successionDigest(given))
    assert bytes(signed.message_hash) == bytes(digest)


def test_hand_written_signatures_are_those_of_the_contract() -> None:
    known = {
        f"{entry['name']}({','.join(item['type'] for item in entry['inputs'])})"
        for entry in compile_all()["Guard"].abi
        if entry["type"] == "function"
    }
    assert {method.signature for method in succession.METHODS} <= known


def _word(address: str) -> bytes:
    return bytes(12) + bytes.fromhex(address[2:])

"""Contracts of a stranger's that answer at length: all of it counts, whoever asks, and what comes
behind the maximum is not asked for; the verdict then is no good one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

import zkagent
from tests.support.command_line import exit_code
from tests.support.evaluated_stage import Stage, evaluated_stage
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.api import audits, receipts
from zkagent.executor.chain.reader import MOST_ANSWERED, VIEW_GAS, Allowance, ContractReader
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_sources

TOOLS = 24
#: An agent whose tools are all itself, and which describes itself in so many bytes when it is asked
#: with so much gas.
LONG = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Long {
  address public agentExecutor; address public owner; address public wallet;
  address public symbolBook; bytes32 public pinnedCommitment;
  string public modelId = "1"; string public basePrompt = "x"; uint16 public maxIterations = 8;
  uint256 private immutable _named; uint256 private immutable _length;
  uint256 private immutable _gas;
  constructor(address executor, address book, uint256 named, uint256 length, uint256 gas_) {
    agentExecutor = executor; owner = msg.sender; symbolBook = book;
    _named = named; _length = length; _gas = gas_;
  }
  function tools() external view returns (address[] memory a, bytes32[] memory h) {
    a = new address[](TOOLS); h = new bytes32[](TOOLS);
    for (uint256 i; i < a.length; ++i) a[i] = address(this);
  }
  function name() external view returns (bytes memory) { return new bytes(_named); }
  function description() external view { _answer(); }
  function inputDescription() external view { _answer(); }
  function _answer() private view {
    uint256 length = gasleft() > _gas ? _length : 32;
    assembly { return(0x80, length) }
  }
}""".replace("TOOLS", str(TOOLS))


@dataclass
class Heard:
    """How long everything was that contracts answered, reasons of reverts included."""

    lengths: list[int] = field(default_factory=list)
    allowed: list[Allowance] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.lengths)


@pytest.fixture(scope="module")
def stage(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture(scope="module")
def receipt(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Iterator[zkagent.Receipt]:
    folder, chain = tmp_path_factory.mktemp("keys"), stage.chain
    (folder / "key").write_text(bytes(chain.owner.key).hex())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zkagent.executor.runs.journal.runs_folder", lambda: folder / "runs")
        opened = zkagent.agent(
            chain.anvil.rpc_url, key_file=folder / "key", address=chain.deployment.agent
        )
        with opened as agent:
            yield agent.run("how much USDC do I have?", confirm=lambda preview: True).receipt


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    told, ask = Heard(), ContractReader.call

    def listen(*arguments: Any, **limit: Any) -> bytes:
        try:
            answer = ask(*arguments, **limit)
        except RevertError as exc:
            told.lengths.append(len(exc.data))
            raise
        told.lengths.append(len(answer))
        return answer

    def allowance(most: int) -> Allowance:
        told.allowed.append(Allowance(most))
        return told.allowed[-1]

    monkeypatch.setattr(ContractReader, "call", listen)
    for module in (audits, receipts):
        monkeypatch.setattr(module, "Allowance", allowance)
    return told


def long_agent(stage: Stage, *, named: int = 4, length: int, gas: int = 0) -> str:
    chain = stage.chain
    there = chain.deployment
    compiled = compile_sources({"generated/Long.sol": LONG})["Long"]
    made = (there.executor, there.symbol_book, named, length, gas)
    return str(deploy(chain.web3, compiled, chain.owner, *made).address)


def test_descriptions_are_asked_for_with_little_gas(stage: Stage, heard: Heard) -> None:
    agent = long_agent(stage, length=1_000_000, gas=VIEW_GAS)
    assert zkagent.audit_agent(agent, stage.chain.anvil.rpc_url).verdict == "unsound"
    assert max(heard.lengths) < 10_000
    assert heard.total < 1_000_000


@pytest.mark.parametrize(("named", "length"), [(4, 1_000_000), (500_000, 32)])
def test_an_audit_ends_where_answers_are_too_long(
    stage: Stage, heard: Heard, named: int, length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    agent, rpc = long_agent(stage, named=named, length=length), stage.chain.anvil.rpc_url
    assert exit_code("agent", "audit", agent, "--rpc", rpc) == 3
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == f"unknown: agent {agent.lower()}: contracts"
    assert said[-2].endswith(": its contracts answer with more than 8,388,608 bytes: no agent's do")
    assert max(map(len, said)) < 1000
    assert MOST_ANSWERED < heard.total < MOST_ANSWERED + 1_100_000


def test_no_audit_without_a_verdict(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever answers become too long: at the very first, in the midst, at the last."""
    there, rpc = stage.chain.deployment, stage.chain.anvil.rpc_url
    taken: list[Allowance] = []

    def allowance(most: int) -> Allowance:
        taken.append(Allowance(most))
        return taken[-1]

    monkeypatch.setattr(audits, "Allowance", allowance)
    for audit in (
        lambda: audits.audit_agent(there.agent, rpc),
        lambda: audits.audit_model(1, there.registry, rpc),
    ):
        monkeypatch.setattr(audits, "MOST_ANSWERED", MOST_ANSWERED)
        assert audit().verdict == "sound"
        used = taken[-1].most - taken[-1].left
        for most in (0, used // 2, used - 1):
            monkeypatch.setattr(audits, "MOST_ANSWERED", most)
            found = audit()
            assert found.verdict == "unknown"
            assert [each.subject for each in found.problems] == ["contracts"]
        monkeypatch.setattr(audits, "MOST_ANSWERED", used)
        assert audit().verdict == "sound"


def test_all_that_is_answered_of_a_receipt_is_counted_once(
    stage: Stage, heard: Heard, receipt: zkagent.Receipt
) -> None:
    assert zkagent.verify_receipt(receipt, rpc=stage.chain.anvil.rpc_url).accepted
    (allowed,) = heard.allowed
    assert allowed.most == MOST_ANSWERED
    assert allowed.most - allowed.left == heard.total > 10_000


def test_a_receipt_whose_contracts_answer_at_length_is_not_accepted(
    stage: Stage,
    heard: Heard,
    receipt: zkagent.Receipt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rpc = stage.chain.anvil.rpc_url
    assert zkagent.verify_receipt(receipt, rpc=rpc).accepted
    used = heard.total
    for most in (0, used // 2, used - 1):
        monkeypatch.setattr(receipts, "MOST_ANSWERED", most)
        found = zkagent.verify_receipt(receipt, rpc=rpc)
        assert found.verdict == "unknown"
        assert [each.subject for each in found.problems] == ["contracts"]
        assert "answer with no more than is read" in str(found.problems[0])
    monkeypatch.setattr(receipts, "MOST_ANSWERED", used)
    assert zkagent.verify_receipt(receipt, rpc=rpc).accepted

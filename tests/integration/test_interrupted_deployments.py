"""A deployment that was interrupted: whatever ends a command before its record is written
leaves the journal of what was paid for, and nothing is paid for twice."""

import errno
import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import click
import pytest

from tests.support.command_line import exit_code
from tests.support.lying_node import LyingNode, lying_node
from zkagent.executor import places
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.cli import deploying
from zkagent.verifier_contracts.deployment.journalled import JournalledCarrier

GOLD = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Gold {
    uint256 public totalSupply;
    constructor(uint256 supply) { totalSupply = supply; }
}
"""
GOLD_PART, BATCHES = "Gold.json.part", "model-1-batches.part"
GOLD_DEPLOY = ("agent", "deploy", "Gold.sol", "--arg", "supply=7")
BATCH = ("model", "register-batch", "1", "--batch", "4", "--deployment", "deployment.json")
#: Each with where its journal lies, and how many transactions it has at least.
COMMANDS = {
    "agent deploy": (GOLD_DEPLOY, GOLD_PART, 1),
    "deploy": (("deploy", "--out", "own.json"), "own.json.part", 20),
    "model register-batch": (BATCH, BATCHES, 2),
}
Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


@pytest.fixture
def place(embedded: EmbeddedChain, tmp_path: Path, monkeypatch: Patch) -> list[str]:
    """A working directory with the owner's key; the options that name chain and key."""
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(bytes(embedded.owner.key).hex())
    Path("deployment.json").write_text(embedded.deployment.to_json())
    Path("Gold.sol").write_text(GOLD)
    return ["--rpc", embedded.anvil.rpc_url, "--key-file", "key"]


def raising(error: BaseException) -> Callable[..., Any]:
    def raises(*_: object, **__: object) -> Any:
        raise error

    return raises


def interrupted(words: list[str], after: int = 1) -> int:
    """The command, ended by Ctrl-C right behind its so many-th broadcast; its exit code."""
    broadcast, sent = JournalledCarrier._broadcast, count(1)

    def send(self: JournalledCarrier, *given: Any) -> Any:
        tries = broadcast(self, *given)
        if next(sent) == after:
            raise KeyboardInterrupt
        return tries

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JournalledCarrier, "_broadcast", send)
        return exit_code(*words, "--yes")


def dry_run(words: list[str], patch: Patch) -> int:
    return exit_code(*words, "--dry-run")


def answered_no(words: list[str], patch: Patch) -> int:
    patch.setattr(deploying, "somebody_to_ask", lambda **_: None)
    patch.setattr(click, "confirm", lambda *_, **__: False)
    return exit_code(*words)


def ctrl_c_at_the_question(words: list[str], patch: Patch) -> int:
    patch.setattr(deploying, "somebody_to_ask", lambda **_: None)
    patch.setattr(click, "confirm", raising(KeyboardInterrupt()))
    return exit_code(*words)


def ctrl_c_before_it(words: list[str], patch: Patch) -> int:
    patch.setattr(deploying, "_show", raising(KeyboardInterrupt()))
    return exit_code(*words, "--yes")


def too_dear(words: list[str], patch: Patch) -> int:
    return exit_code(*words, "--yes", "--max-fee", "0.000000001")


def full_disk(words: list[str], patch: Patch) -> int:
    patch.setattr(JournalledCarrier, "carry", raising(OSError(errno.ENOSPC, "full", "disk")))
    return exit_code(*words, "--yes")


def unforeseen(words: list[str], patch: Patch) -> int:
    patch.setattr(JournalledCarrier, "carry", raising(ValueError("nobody expects it")))
    return exit_code(*words, "--yes")


WAYS_OUT = (dry_run, answered_no, ctrl_c_at_the_question, ctrl_c_before_it)
WAYS_OUT += (too_dear, full_disk, unforeseen)


def unwritten(words: list[str], patch: Patch) -> int:
    """All is deployed, and its record cannot be written."""
    patch.setattr(places, "write_whole", raising(OSError(errno.ENOSPC, "full", "record")))
    return exit_code(*words, "--yes")


@pytest.mark.parametrize("command", COMMANDS)
def test_whatever_ends_a_command_before_its_record_leaves_the_journal(
    embedded: EmbeddedChain, place: list[str], command: str, capsys: Capture
) -> None:
    given, journal_file, least = COMMANDS[command]
    words, part, before = [*given, *place], Path(journal_file), nonce(embedded)
    assert exit_code(*words, "--dry-run") == 0
    assert not part.exists()  # nothing was begun
    (all_steps,) = map(int, re.findall(r"^  in all +(\d+) ", capsys.readouterr().out, re.M))
    assert all_steps >= least
    assert interrupted(words) == 130
    journal = part.read_bytes()
    for leave in WAYS_OUT:
        with pytest.MonkeyPatch.context() as patch:
            assert (leave(words, patch) == 0) == (leave is dry_run), leave
        assert part.read_bytes() == journal, leave
    assert nonce(embedded) - before == 1
    if command != "model register-batch":  # which has no record
        with pytest.MonkeyPatch.context() as patch:
            assert unwritten(words, patch) == 1
        assert part.exists()
    assert exit_code(*words, "--yes") == 0
    assert not part.exists()
    assert nonce(embedded) - before == all_steps


def nonce(embedded: EmbeddedChain) -> int:
    """The owner's transactions that the node has: one just sent is in no block yet."""
    return int(embedded.web3.eth.get_transaction_count(embedded.owner.address, "pending"))


def test_a_look_at_what_is_on_its_way_deploys_nothing_twice(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    """What was sent and is in no block yet is counted among what is still paid."""
    before, words = nonce(embedded), [*GOLD_DEPLOY, *place]
    embedded.anvil.rpc("evm_setAutomine", False)
    assert interrupted(words) == 130
    capsys.readouterr()
    assert exit_code(*words, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert re.search(r"^  in all +1 +[1-9]", shown, re.M)
    said = "1 of 1 transactions were signed before, as Gold.json.part says: those that took no"
    assert said in shown
    embedded.anvil.rpc("evm_setAutomine", True)
    embedded.anvil.rpc("evm_mine")
    assert exit_code(*words, "--yes") == 0
    assert nonce(embedded) - before == 1


def hide_from_blocks(node: LyingNode) -> None:
    """No block of its has a transaction in it."""

    def block(honest: Callable[[], Any]) -> Any:
        told = honest()
        return {**told, "transactions": []} if node.parameters[1] else told

    node.lies["eth_getBlockByNumber"] = block


@pytest.mark.parametrize("lost", ["failed", "its nonce went to another"])
def test_a_step_that_took_no_effect_is_shown_and_counted_as_one_to_pay(
    embedded: EmbeddedChain, place: list[str], capsys: Capture, lost: str
) -> None:
    before, words = nonce(embedded), [*GOLD_DEPLOY, *place]
    assert interrupted(words) == 130
    hashed = json.loads(Path(GOLD_PART).read_text().splitlines()[1])["hash"]
    with lying_node(embedded.anvil.rpc_url) as node:

        def lie(honest: Callable[[], Any]) -> Any:
            told = honest()
            if told is None or node.parameters[0] != hashed:
                return told
            return {**told, "status": "0x0"} if lost == "failed" else None

        node.lies["eth_getTransactionReceipt"] = lie
        node.says("eth_getCode", "0x")
        hide_from_blocks(node)
        capsys.readouterr()
        assert exit_code(*words[:-4], "--rpc", node.url, *words[-2:], "--yes") == 0
    told = capsys.readouterr().err
    assert "resumed: 1 of 1 transactions were signed before" in told
    assert "those that took no effect so far are counted again" in told
    assert "what they made" not in told
    assert re.search(r"^  in all +1 +[1-9]", told, re.M)
    assert nonce(embedded) - before == 2


@pytest.mark.parametrize("then", ["its nonce went to another", "on its way"])
def test_a_node_that_changes_its_word_gets_no_transaction_that_was_not_shown(
    embedded: EmbeddedChain, place: list[str], capsys: Capture, then: str
) -> None:
    """Told of a step that it was made, the user said yes to nothing at all."""
    before, words = nonce(embedded), [*GOLD_DEPLOY, *place]
    assert interrupted(words) == 130
    journal = Path(GOLD_PART).read_bytes()
    hashed = json.loads(journal.splitlines()[1])["hash"]
    with lying_node(embedded.anvil.rpc_url) as node:
        told: list[Any] = []

        def receipt(honest: Callable[[], Any]) -> Any:
            if node.parameters[0] != hashed:
                return honest()
            told.append(None if told else honest())
            return told[-1]

        def count(honest: Callable[[], Any]) -> Any:
            return hex(before) if told and then == "on its way" else honest()

        node.lies["eth_getTransactionReceipt"] = receipt
        node.lies["eth_getTransactionCount"] = count
        hide_from_blocks(node)
        capsys.readouterr()
        assert exit_code(*words[:-4], "--rpc", node.url, *words[-2:], "--yes") == 1
        assert node.sent == []
    shown = capsys.readouterr().err
    assert re.search(r"^  in all +0 +0 gas$", shown, re.M)
    assert "at most 0.000000 ETH" in shown
    assert "'Gold' had taken effect, as the node told first: nothing was signed" in shown
    assert (nonce(embedded) - before, Path(GOLD_PART).read_bytes()) == (1, journal)
    assert exit_code(*words, "--yes") == 0
    assert nonce(embedded) - before == 1


def test_where_a_chain_counts_more_gas_as_much_more_is_shown_and_signed_as_was_said(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    """As on rollups whose gas has a part for L1 in it."""
    before, shown = nonce(embedded), []
    with lying_node(embedded.anvil.rpc_url) as node:
        node.lies["eth_estimateGas"] = lambda honest: hex(3 * int(honest(), 16))
        words = [*GOLD_DEPLOY, "--rpc", node.url, *place[2:], "--yes"]
        for factor, code in (("1", 1), ("2", 1), ("3", 0)):
            assert exit_code(*words, "--gas-factor", factor) == code
            told = capsys.readouterr().err
            assert ("--gas-factor is for chains" in told) == (code == 1)
            (gas,) = re.findall(r"^  in all +1 +([0-9,]+) gas$", told, re.M)
            shown.append(int(gas.replace(",", "")))
            assert nonce(embedded) - before == (code == 0)
    assert shown == [factor * shown[0] for factor in (1, 2, 3)]
    web3 = embedded.web3
    sent: Any = web3.eth.get_block("latest", full_transactions=True)["transactions"][0]
    assert 3 * shown[0] <= sent["gas"] < 5 * shown[0]


@pytest.fixture
def fee(embedded: EmbeddedChain) -> Iterator[Callable[[int], None]]:
    """Sets the base fee of the chain's next block; a snapshot does not bring that back."""
    usual: Any = embedded.web3.eth.get_block("latest")

    def set_fee(wei: int) -> None:
        embedded.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(wei))

    yield set_fee
    set_fee(usual["baseFeePerGas"])


def test_all_that_is_sent_costs_no_more_than_was_said(
    embedded: EmbeddedChain, place: list[str], capsys: Capture, fee: Callable[[int], None]
) -> None:
    """Also of what was signed when fees were higher, and goes out as it was."""
    words = [*GOLD_DEPLOY, *place]
    embedded.anvil.rpc("evm_setAutomine", False)
    fee(90 * 10**9)
    embedded.anvil.rpc("evm_mine")
    assert interrupted(words) == 130
    embedded.anvil.rpc("anvil_dropAllTransactions")
    fee(10**9)
    embedded.anvil.rpc("evm_mine")
    embedded.anvil.rpc("evm_setAutomine", True)
    capsys.readouterr()
    assert exit_code(*words, "--yes") == 0
    (most,) = re.findall(r"at most ([0-9.]+) ETH", capsys.readouterr().err)
    web3 = embedded.web3
    sent: Any = web3.eth.get_block("latest", full_transactions=True)["transactions"][0]
    assert sent["maxFeePerGas"] > 90 * 10**9
    assert float(most) >= round(sent["gas"] * sent["maxFeePerGas"] / 10**18, 6)


def killed_before_the_broadcast(words: list[str]) -> int:
    """Signed and journalled, and no node has it."""
    with pytest.MonkeyPatch.context() as patch:
        sign = JournalledCarrier._sign

        def signs(*given: Any) -> Any:
            sign(*given)
            raise KeyboardInterrupt

        patch.setattr(JournalledCarrier, "_sign", signs)
        return exit_code(*words, "--yes")


@pytest.mark.parametrize("tip_gwei", [1.0, 1.01, 1.1, 1.2, 2.5])
def test_where_the_base_fee_is_next_to_nothing_what_replaces_a_transaction_is_shown_and_sent(
    embedded: EmbeddedChain,
    place: list[str],
    capsys: Capture,
    fee: Callable[[int], None],
    tip_gwei: float,
) -> None:
    """As on rollups; the fee of now is less than nodes ask of a replacement, an eighth more."""
    before, tips = nonce(embedded), [10**9]
    fee(10**6)
    embedded.anvil.rpc("evm_mine")
    with lying_node(embedded.anvil.rpc_url) as node:
        node.lies["eth_maxPriorityFeePerGas"] = lambda honest: hex(tips[0])
        words = [*GOLD_DEPLOY, "--rpc", node.url, *place[2:]]
        assert killed_before_the_broadcast(words) == 130
        tips[0] = int(tip_gwei * 10**9)
        journal = Path(GOLD_PART).read_bytes()
        if tip_gwei != 1.0:
            capped = ("--yes", "--max-fee", "1.0025")  # more than was paid, less than an eighth
            assert exit_code(*words, *capped) == 1
            assert "give --max-fee" in capsys.readouterr().err
            assert (Path(GOLD_PART).read_bytes(), nonce(embedded)) == (journal, before)
        capsys.readouterr()
        assert exit_code(*words, "--yes") == 0
    (most,) = re.findall(r"at most ([0-9.]+) ETH", capsys.readouterr().err)
    sent: Any = embedded.web3.eth.get_block("latest", full_transactions=True)["transactions"][0]
    assert (sent["maxFeePerGas"] > 1.12 * 10**9) == (tip_gwei != 1.0)
    assert float(most) >= round(sent["gas"] * sent["maxFeePerGas"] / 10**18, 6)
    assert nonce(embedded) - before == 1


@pytest.mark.parametrize("command", ["agent deploy", "model register-batch"])
def test_a_journal_that_cannot_be_removed_is_said_to_be_of_no_use(
    embedded: EmbeddedChain, place: list[str], capsys: Capture, command: str
) -> None:
    """As where it is mounted by itself. All is done, and written."""
    given, part, _ = COMMANDS[command]
    unlink = Path.unlink

    def busy(self: Path, **given: Any) -> None:
        if self.name == part:
            raise OSError(errno.EBUSY, "busy", part)
        unlink(self, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "unlink", busy)
        assert exit_code(*given, *place, "--dry-run") == 0
        assert Path(part).read_bytes() == b""
        assert exit_code(*given, *place, "--yes") == 0
    told = capsys.readouterr().err
    assert f"{part} cannot be removed (busy): all of it is done: remove it" in told
    assert "choose another place" not in told
    assert "repeat the command" not in told
    done = nonce(embedded)
    assert Path(part).exists()
    if command == "agent deploy":
        assert exit_code(*given, *place, "--yes") == 0
        assert not Path(part).exists()
    assert nonce(embedded) == done


@pytest.mark.parametrize("journal", ["empty", "cut off", "of a step that is to be paid yet"])
@pytest.mark.parametrize("more", ["--yes", "--dry-run"])
def test_a_file_in_the_way_is_refused_before_anything_is_paid(
    embedded: EmbeddedChain, place: list[str], capsys: Capture, *, journal: str, more: str
) -> None:
    words, part = [*GOLD_DEPLOY, *place], Path(GOLD_PART)
    if journal.startswith("of"):
        embedded.anvil.rpc("evm_setAutomine", False)
        assert interrupted(words) == 130
    elif journal == "cut off":
        assert interrupted(words) == 130
        part.write_bytes(part.read_bytes().splitlines(keepends=True)[0])
    else:
        part.touch()
    before = nonce(embedded)
    Path("Gold.json").write_text("mine\n")
    assert exit_code(*words, more) == 1
    told = capsys.readouterr().err.splitlines()[-1]
    assert "Gold.json is there already" in told
    assert ("name another file" in told) != journal.startswith("of")
    assert ("repeat the same command" in told) == journal.startswith("of")
    assert Path("Gold.json").read_text() == "mine\n"
    assert part.exists() == journal.startswith("of")
    assert nonce(embedded) == before
    embedded.anvil.rpc("evm_setAutomine", True)


def test_what_is_deployed_already_is_not_lost_by_a_file_in_the_way(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    before, words = nonce(embedded), [*GOLD_DEPLOY, *place]
    assert interrupted(words) == 130
    Path("Gold.json").write_text("mine\n")
    capsys.readouterr()
    assert exit_code(*words, "--yes") == 1
    assert Path("Gold.json").read_text() == "mine\n"
    assert Path(GOLD_PART).exists()
    printed = capsys.readouterr().out
    Path("Gold.json").unlink()
    assert exit_code(*words, "--yes") == 0
    assert Path("Gold.json").read_text() == printed
    assert nonce(embedded) - before == 1

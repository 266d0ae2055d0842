"""Runs that are killed, replaced and overtaken on a chain that mines late: whatever happens, an
instruction takes effect at most once, and a repeat finishes it."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

import zkagent
from tests.integration.journalled.world import PROMPT, Killed, World, killing
from tests.support.folders import UNLISTABLE, make_unlistable
from zkagent.executor.chain.calls import fees_of
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import HappenedUnreceipted
from zkagent.executor.receipts import file as receipt_file
from zkagent.executor.runs import obeyed, settlement
from zkagent.executor.runs.errors import (
    DoneBefore,
    NonceTaken,
    RunsUnreadable,
    RunUnsettled,
    RunUnwritten,
    StillPossible,
)
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.preview import Preview
from zkagent.executor.runs.records import RunRecord
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.toolchain.compile import compile_source

MOODY = """
pragma solidity ^0.8.28;

contract Moody {
    uint8 public decimals = 6;
    uint256 public moved;

    function set(uint8 given) external {
        decimals = given;
    }

    function balanceOf(address) external pure returns (uint256) {
        return 10 ** 30;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function approve(address, uint256) external pure returns (bool) {
        return true;
    }

    function transferFrom(address, address, uint256 amount) external returns (bool) {
        moved += amount;
        return true;
    }
}
"""


def killing_at_state(monkeypatch: pytest.MonkeyPatch, state: str, *, after: bool) -> None:
    """The process ends around the writing of a record of this state."""
    real = Journal.write

    def write(self: Journal, record: RunRecord) -> None:
        if record.state != state or after:
            real(self, record)
        if record.state == state:
            monkeypatch.setattr(Journal, "write", real)
            raise Killed

    monkeypatch.setattr(Journal, "write", write)


MOMENTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "before signing": lambda m: killing(m, Web3Sender, "sign", after=False),
    "after signing": lambda m: killing(m, Web3Sender, "sign", after=True),
    "before the journal": lambda m: killing_at_state(m, "signed", after=False),
    "after the journal": lambda m: killing_at_state(m, "signed", after=True),
    "before the broadcast": lambda m: killing(m, Web3Sender, "broadcast", after=False),
    "after the broadcast": lambda m: killing(m, Web3Sender, "broadcast", after=True),
    "before sent": lambda m: killing_at_state(m, "sent", after=False),
    "after sent": lambda m: killing_at_state(m, "sent", after=True),
    "before included": lambda m: killing_at_state(m, "included", after=False),
    "after included": lambda m: killing_at_state(m, "included", after=True),
    "before the receipt": lambda m: killing(m, receipt_file, "keep", after=False),
    "after the receipt": lambda m: killing(m, receipt_file, "keep", after=True),
    "before done": lambda m: killing_at_state(m, "done", after=False),
    "after done": lambda m: killing_at_state(m, "done", after=True),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_killed_at_any_step_takes_effect_once_and_a_repeat_finishes_it(
    world: World,
    deposited: Callable[[], tuple[int, int]],
    moment: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "receipt.json"
    MOMENTS[moment](monkeypatch)
    with pytest.raises(Killed):
        world.run(receipt=path)
    if moment == "after done":
        with pytest.raises(DoneBefore, match=r"was carried out in block \d+, receipt /"):
            world.run()
    else:
        run = world.run(receipt=path)
        assert run.decisions[0].action == "Deploy"
        assert run.answer == "Successfully deployed"
    assert deposited() == (1, 1)
    assert zkagent.verify_receipt(path, rpc=world.anvil.rpc_url)
    assert (world.record().state, world.record().receipt) == ("done", str(path))


def test_a_run_on_a_chain_that_mines_late_is_gone_on_with(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    world.mine_late()
    for _ in range(3):
        with pytest.raises(RunUnsettled, match=r"\(nonce \d+\) was signed, and may still be"):
            world.run(timeout_s=0.4)
    assert [len(record.signed) for record in world.journal.records()] == [1]
    world.mine_at_once()
    assert world.run().transaction == world.record().signed[0].hash
    assert deposited() == (1, 1)


def test_two_instructions_at_once_take_two_nonces(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    world.mine_late()
    for prompt in (PROMPT, "deposit 10 USDC"):
        with pytest.raises(RunUnsettled):
            world.run(prompt, timeout_s=0.3)
    first, second = world.journal.records()
    assert second.nonce == first.nonce + 1, "of one second too, the newest is the last"
    world.mine_at_once()
    assert world.run().answer == world.run("deposit 10 USDC").answer == "Successfully deployed"
    assert deposited() == (3, 2)


def test_a_replacement_has_the_same_nonce_and_a_higher_fee(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    world.mine_late()
    with pytest.raises(RunUnsettled, match="zkagent runs replace"):
        world.run(timeout_s=0.3)
    with world.agent(timeout_s=0.3) as agent, pytest.raises(RunUnsettled):
        agent.resume(world.record(), dearer=True)
    record = world.record()
    cheap, dear = (fees_of(bytes.fromhex(each.raw[2:])) for each in record.signed)
    assert dear.max_fee_wei * 8 > cheap.max_fee_wei * 9
    assert dear.priority_wei * 8 > cheap.priority_wei * 9
    world.mine_at_once()
    assert world.run().transaction == record.signed[1].hash
    assert deposited() == (1, 1)


def deposit_for_the_wallet(world: World, units: int) -> None:
    """The pool's balance moves, by nobody whom the owner knows."""
    from zkagent.executor.chain.embedded import _deposit

    _deposit(world.stage.chain, world.stage.chain.deployment.token("USDC").address, units)


def test_a_run_whose_state_moved_is_planned_anew_under_its_nonce(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.stage.usdc()
    mined = world.stage.mined_by_owner()
    killing(monkeypatch, Web3Sender, "broadcast", after=False)
    with pytest.raises(Killed):
        world.run("withdraw all my USDC")
    deposit_for_the_wallet(world, 50 * 10**6)
    shown: list[Preview] = []
    done = world.run("withdraw all my USDC", confirm=lambda p: bool(shown.append(p)) or True)
    assert done.decisions[1].arguments[1].text == "150"
    assert (world.stage.usdc().pool, world.stage.usdc().wallet) == (0, before.wallet + 100 * 10**6)
    assert world.stage.mined_by_owner() == mined + 1
    first, second = world.record().signed
    assert [preview.replaces for preview in shown] == [first.hash]
    assert done.transaction == second.hash


def test_a_nonce_that_another_wallet_used_is_told_and_nothing_done_unasked(
    world: World, deposited: Callable[[], tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    killing(monkeypatch, Web3Sender, "broadcast", after=False)
    with pytest.raises(Killed):
        world.run()
    send(world.anvil.web3, {"to": "0x" + "11" * 20}, world.stage.chain.owner, value=1)
    taker = world.anvil.web3.eth.get_block("latest", full_transactions=True)["transactions"][0]
    with pytest.raises(
        NonceTaken, match=r"was not made here, used nonce \d+.*again, after"
    ) as told:
        world.run()
    shown = ("0x" + bytes(taker["hash"]).hex(), taker["blockNumber"])
    assert (told.value.taker, told.value.block) == shown
    record = world.record()
    assert (record.state, record.taken_by, record.block) == ("superseded", *shown)
    with pytest.raises(StillPossible, match="whatever one node says"):
        world.run(again=True)
    world.pass_deadline(record, monkeypatch)
    with pytest.raises(DoneBefore, match=f"transaction {shown[0]} took its nonce"):
        world.run()
    assert deposited() == (0, 1)
    world.run(again=True)
    assert deposited() == (1, 2)


def test_a_reorganisation_that_drops_the_run_is_lived_through(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    empty = world.anvil.snapshot()
    with pytest.raises(RunUnsettled, match="has fewer than 3 others on it"):
        world.run(confirmations=4, timeout_s=0.4)
    assert world.record().state == "included"
    world.anvil.revert(empty)
    assert deposited() == (0, 0)
    world.mine_late()
    with pytest.raises(RunUnsettled):
        world.run(confirmations=1, timeout_s=0.4)
    assert world.record().state == "sent"
    world.mine_at_once()
    world.run(confirmations=1)
    assert deposited() == (1, 1)


def test_confirmations_are_waited_for(world: World) -> None:
    with pytest.raises(RunUnsettled):
        world.run(confirmations=3, timeout_s=0.3)
    world.mine(2)
    run = world.run(confirmations=3)
    assert world.anvil.web3.eth.block_number >= run.block + 2


def test_a_run_that_cannot_be_reproduced_is_reported_as_happened(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token tells other decimals before the block and after it than within it, for the run; what
    was planned is too long ago to be looked for."""
    monkeypatch.setattr(obeyed, "LOOKED_BACK", 1)
    chain = world.stage.chain
    moody = deploy(chain.web3, compile_source("Moody", MOODY), chain.friend)
    prompt = f"deposit 5 {moody.address}"
    killing(monkeypatch, Web3Sender, "broadcast", after=False)
    with pytest.raises(Killed):
        world.run(prompt)
    send(chain.web3, moody.functions.set(7), chain.friend)
    world.mine_late()
    nonce = chain.web3.eth.get_transaction_count(chain.friend.address)
    base = chain.web3.eth.get_block("latest")["baseFeePerGas"]
    # the block holds them by fee: the run comes between the two
    changes = (
        (moody.functions.set(6), 10**11, 3 * 10**9),
        (moody.functions.set(7), base * 5 // 4, 0),
    )
    for place, (change, fee, tip) in enumerate(changes):
        fees = {"maxFeePerGas": fee, "maxPriorityFeePerGas": tip}
        built = change.build_transaction(
            {"from": chain.friend.address, "nonce": nonce + place, "gas": 500_000, **fees}
        )
        raw = chain.friend.sign_transaction(built).raw_transaction
        chain.web3.eth.send_raw_transaction(raw)
    chain.web3.eth.send_raw_transaction(world.record().signed[0].raw)
    world.mine_at_once()
    with pytest.raises(HappenedUnreceipted, match="another transaction of that block") as caught:
        world.run(prompt)
    assert caught.value.transaction == world.record().transaction
    assert caught.value.exit_code == 4
    assert world.record().state == "done"
    assert "cannot be reproduced" in world.record().note
    assert call(chain.web3, moody.functions.moved()) == 5 * 10**6


@pytest.mark.parametrize("state", ["sent", "included", "done"])
def test_a_disk_that_is_full_after_signing_leaves_a_run_to_be_gone_on_with(
    world: World,
    deposited: Callable[[], tuple[int, int]],
    state: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = Journal.write

    def write(self: Journal, record: RunRecord) -> None:
        if record.state == state:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(self, record)

    monkeypatch.setattr(Journal, "write", write)
    with pytest.raises(RunUnwritten, match="No space left on device") as caught:
        world.run()
    assert caught.value.exit_code == 6
    assert world.record().hash in str(caught.value)
    assert world.record().unfinished
    monkeypatch.setattr(Journal, "write", real)
    world.run()
    assert deposited() == (1, 1)


def test_nothing_is_sent_while_nobody_can_tell_what_was(
    world: World, deposited: Callable[[], tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.mine_late()
    killing(monkeypatch, Web3Sender, "broadcast", after=True)
    with pytest.raises(Killed):
        world.run()
    aside = world.folder.with_name(f"{world.folder.name} aside")
    for kind in UNLISTABLE:
        with monkeypatch.context() as patch:
            make_unlistable(kind, world.folder, patch)
            for prompt in (PROMPT, "deposit 7 USDC"):
                with pytest.raises(RunsUnreadable):
                    world.run(prompt)
        if aside.exists():
            world.folder.unlink()
            aside.rename(world.folder)
    world.mine_at_once()
    world.run()
    assert deposited() == (1, 1)


def test_records_that_are_lost_on_the_way_leave_the_run_open(
    world: World, deposited: Callable[[], tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks for what took a nonce asks for the others of it."""

    def lost(*_: object) -> None:
        raise RunsUnreadable(world.folder, OSError(5, "Input/output error"))

    with monkeypatch.context() as patch:
        patch.setattr(settlement.Settlement, "_nonce_is_taken", lost)
        with pytest.raises(RunUnsettled, match="Input/output error"):
            world.run()
    world.run()
    assert deposited() == (1, 1)

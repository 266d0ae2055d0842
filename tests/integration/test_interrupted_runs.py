"""Runs that are interrupted, repeated and replaced on a chain that mines late: whatever happens, an
instruction takes effect at most once, and a repeat finishes it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.support.command_line import exit_code
from tests.support.evaluated_stage import Stage, evaluated_stage
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.chain.calls import fees_of
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import (
    DoneBefore,
    HappenedUnreceipted,
    NonceTaken,
    NotAgreed,
    NothingToDo,
    RunInHand,
    RunRecordDamaged,
    RunUnsettled,
)
from zkagent.executor.receipts import file as receipt_file
from zkagent.executor.runs import settlement
from zkagent.executor.runs.journal import Journal, RunRecord
from zkagent.executor.runs.preview import Preview
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil, send
from zkagent.verifier_contracts.deployment.wallet import at

PROMPT = "deposit 5 USDC"
FIVE = 5 * 10**6


class Killed(BaseException):
    """What SIGKILL does, as far as files and the chain see it: nothing is cleaned up."""


@dataclass
class World:
    """One owner, whose every command is a new process as far as the journal knows."""

    stage: Stage
    key: Path
    folder: Path

    @property
    def anvil(self) -> Anvil:
        return self.stage.chain.anvil

    def run(self, prompt: str = PROMPT, *, rpc: str = "", **how: Any) -> zkagent.Run:
        waiting = {name: how.pop(name) for name in ("confirmations", "timeout_s") if name in how}
        with self.agent(rpc, **waiting) as agent:
            return agent.run(prompt, **how)

    def agent(self, rpc: str = "", **how: Any) -> Any:
        where = rpc or self.anvil.rpc_url
        return zkagent.agent(
            where, deployment=self.stage.chain.deployment, key_file=self.key, **how
        )

    @property
    def journal(self) -> Journal:
        return Journal(self.folder)

    def record(self) -> RunRecord:
        return self.journal.records()[-1]

    def mine_late(self) -> None:
        self.anvil.rpc("evm_setAutomine", False)

    def mine(self, blocks: int = 1) -> None:
        self.anvil.rpc("anvil_mine", hex(blocks))

    def mine_at_once(self) -> None:
        self.anvil.rpc("evm_setAutomine", True)
        self.mine()


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture
def world(
    opened: Stage, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    monkeypatch.setattr(settlement, "TAKEN_S", 0.3)
    monkeypatch.setattr(settlement, "REBROADCAST_S", 0.3)
    (tmp_path / "key").write_text(bytes(opened.chain.owner.key).hex())
    snapshot = opened.chain.anvil.snapshot()
    yield World(opened, tmp_path / "key", runs)
    opened.chain.anvil.rpc("evm_setAutomine", True)
    opened.chain.anvil.revert(snapshot)


@pytest.fixture
def deposited(world: World) -> Callable[[], tuple[int, int]]:
    """How often five USDC were deposited since, and how many transactions the owner had mined."""
    pool, mined = world.stage.usdc().pool, world.stage.mined_by_owner()
    return lambda: (
        (world.stage.usdc().pool - pool) // FIVE,
        world.stage.mined_by_owner() - mined,
    )


def killing(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, *, after: bool) -> None:
    """The next call of this method ends the process, before it does anything or afterwards."""
    real = getattr(owner, name)

    def once(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(owner, name, real)
        if after:
            real(*arguments, **named)
        raise Killed

    monkeypatch.setattr(owner, name, once)


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


def test_what_was_done_is_done_again_only_when_asked_for(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    first = world.run()
    asked: list[RunRecord] = []
    with pytest.raises(DoneBefore, match=first.transaction):
        world.run()
    with pytest.raises(DoneBefore):
        world.run(again=lambda record: bool(asked.append(record)))
    assert [record.transaction for record in asked] == [first.transaction]
    assert deposited() == (1, 1)
    second = world.run(again=True)
    assert deposited() == (2, 2)
    assert world.record().id.endswith("-2")
    assert second.transaction != first.transaction


def test_two_processes_do_not_carry_out_one_instruction(world: World) -> None:
    with world.agent() as agent:
        intent = agent.carrier.intent(PROMPT.encode())
        with world.journal.held(intent), pytest.raises(RunInHand, match="another process"):
            agent.run(PROMPT)
    assert world.journal.records() == ()


def test_two_instructions_at_once_take_two_nonces(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    world.mine_late()
    for prompt in (PROMPT, "deposit 10 USDC"):
        with pytest.raises(RunUnsettled):
            world.run(prompt, timeout_s=0.3)
    first, second = world.journal.records()
    assert {first.nonce, second.nonce} == {first.nonce, first.nonce + 1}
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
    with pytest.raises(NonceTaken, match="was not made here, has its nonce"):
        world.run()
    assert world.record().state == "superseded"
    with pytest.raises(DoneBefore, match="another transaction took its nonce"):
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


def test_what_was_given_up_and_asked_for_again_is_one_or_the_other(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    world.mine_late()
    with pytest.raises(RunUnsettled):
        world.run(timeout_s=0.3)
    first = world.record()
    world.journal.write(replace(first, state="forgotten"))
    with pytest.raises(RunUnsettled):
        world.run(timeout_s=0.3)
    assert world.record().nonce == first.nonce
    world.mine_at_once()
    world.run()
    assert deposited() == (1, 1)


def test_nothing_is_signed_that_nobody_agreed_to(
    world: World, deposited: Callable[[], tuple[int, int]]
) -> None:
    shown: list[Preview] = []

    def refuse(preview: Preview) -> bool:
        shown.append(preview)
        return False

    with pytest.raises(NotAgreed):
        world.run(confirm=refuse)
    (preview,) = shown
    assert preview.effects is not None
    assert preview.effects[0].startswith("5 USDC from 0x")
    assert 0 < preview.likely_cost_wei < preview.most_wei
    assert preview.gas_limit == preview.gas * 110 // 100
    assert world.journal.records() == ()
    assert deposited() == (0, 0)


def test_an_answer_is_sent_only_when_it_shall_be_recorded(world: World) -> None:
    before = world.stage.mined_by_owner()
    with pytest.raises(NothingToDo) as caught:
        world.run("what is the weather like in Lisbon tomorrow?")
    assert caught.value.answer
    assert world.stage.mined_by_owner() == before
    assert world.journal.records() == ()
    world.run("what is the weather like in Lisbon tomorrow?", record_answer=True)
    assert world.stage.mined_by_owner() == before + 1


def test_a_run_that_cannot_be_reproduced_is_reported_as_happened(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, prompt = world.stage.chain, "deposit 5 DAI"
    pool = world.stage.usdc().pool
    book = at(chain.web3, "SymbolBook", chain.deployment.symbol_book).functions
    dai = chain.deployment.token("DAI").address
    hand_over(world, chain.friend.address)
    killing(monkeypatch, Web3Sender, "broadcast", after=False)
    with pytest.raises(Killed):
        world.run(prompt)
    send(chain.web3, book.unlist("DAI"), chain.friend)
    world.mine_late()
    nonce = chain.web3.eth.get_transaction_count(chain.friend.address)
    base = chain.web3.eth.get_block("latest")["baseFeePerGas"]
    # the block holds them by fee: the run comes between the two
    changes = ((book.list("DAI", dai), 10**11, 3 * 10**9), (book.unlist("DAI"), base * 5 // 4, 0))
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
    assert world.stage.usdc().pool == pool


def hand_over(world: World, new_owner: str) -> None:
    """The symbol book gets another owner."""
    chain = world.stage.chain
    book = at(chain.web3, "SymbolBook", chain.deployment.symbol_book).functions
    send(chain.web3, book.transferOwnership(new_owner), chain.owner)
    if hasattr(book, "acceptOwnership"):
        send(chain.web3, book.acceptOwnership(), chain.friend)


def cut(text: str) -> str:
    return text[: len(text) // 2]


def changed(**fields: object) -> Callable[[str], str]:
    return lambda text: json.dumps(json.loads(text) | fields)


DAMAGES: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "cut": cut,
    "no object": lambda text: "[]",
    "another version": changed(format="zkagent-run-0"),
    "another nonce": changed(nonce=7),
    "no number": changed(nonce="7"),
    "another state": changed(state="finished"),
    "no transaction": changed(signed=[]),
    "damaged transaction": lambda text: text.replace("0x02f9", "0x02f8"),
    "another hash": changed(transaction="0x" + "11" * 32),
    "another instruction": lambda text: text.replace(PROMPT, "deposit 6 USDC"),
    "a field more": changed(more=1),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_is_refused_by_name_and_nothing_is_signed(
    world: World,
    deposited: Callable[[], tuple[int, int]],
    damage: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killing(monkeypatch, Web3Sender, "broadcast", after=True)
    with pytest.raises(Killed):
        world.run()
    (path,) = world.folder.glob("*.json")
    text = path.read_text()
    path.write_text(DAMAGES[damage](text))
    assert path.read_text() != text
    with pytest.raises(RunRecordDamaged, match="then move it away") as caught:
        world.run()
    assert caught.value.path == path
    assert deposited() == (1, 1)


def test_a_record_under_another_name_is_refused(world: World) -> None:
    world.run()
    (path,) = world.folder.glob("*.json")
    path.rename(path.with_name("kept.json"))
    with pytest.raises(RunRecordDamaged, match=r"kept\.json"):
        world.run()


def test_records_are_for_their_owner_alone(world: World) -> None:
    world.run()
    assert oct(world.folder.stat().st_mode)[-3:] == "700"
    assert {oct(path.stat().st_mode)[-3:] for path in world.folder.iterdir()} == {"600"}


@pytest.fixture
def target(world: World, tmp_path: Path) -> list[str]:
    (tmp_path / "deployment.json").write_text(world.stage.chain.deployment.to_json())
    where = ["--rpc", world.anvil.rpc_url, "--key-file", str(world.key)]
    return [*where, "--deployment", str(tmp_path / "deployment.json")]


def test_the_command_asks_and_without_a_terminal_refuses(
    world: World, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = world.stage.mined_by_owner()
    assert exit_code("run", PROMPT, *target) == 2
    assert "there is nobody here to ask: give --yes" in capsys.readouterr().err
    assert world.stage.mined_by_owner() == before


@pytest.mark.parametrize(("answer", "code", "times"), [("n", 7, 0), ("y", 0, 1)])
def test_the_question_shows_what_will_happen(
    world: World,
    deposited: Callable[[], tuple[int, int]],
    target: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    answer: str,
    code: int,
    times: int,
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda text, **_: answer == "y")
    assert exit_code("run", PROMPT, *target) == code
    told = capsys.readouterr()
    for words in ("Deploy(asset=USDC, amount=5)", "token transfer: 5 USDC", "gas: about", " gwei"):
        assert words in told.err
    assert ("transaction 0x" in told.out) == bool(times)
    assert deposited() == (times, times)


def test_the_commands_say_by_exit_code_what_happened(
    world: World, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    world.mine_late()
    assert exit_code("run", PROMPT, *target, "--yes", "--timeout", "0.3") == 6
    told = capsys.readouterr().err
    assert f"transaction {world.record().hash} (nonce {world.record().nonce}, run " in told
    assert exit_code("runs", "pending", "--json") == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["id"], listed["state"]) == (world.record().id, "sent")
    world.mine_at_once()
    assert exit_code("runs", "resume", world.record().id, *target, "--yes") == 0
    assert world.record().hash in capsys.readouterr().out
    assert exit_code("run", PROMPT, *target, "--yes") == 5
    assert "give --again" in capsys.readouterr().err
    assert exit_code("runs", "pending") == 0
    assert capsys.readouterr().out == "no run is pending\n"
    assert exit_code("runs", "pending", "--all") == 0
    assert PROMPT in capsys.readouterr().out


def test_a_decline_is_shown_and_not_sent(
    world: World, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("run", "what is the weather like?", *target, "--yes", "--json") == 0
    assert json.loads(capsys.readouterr().out)["transaction"] is None
    assert world.journal.records() == ()


def test_ctrl_c_says_what_was_sent_and_how_to_go_on(
    world: World,
    target: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(self: object, record: RunRecord) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(settlement.Settlement, "settle", interrupted)
    assert exit_code("run", PROMPT, *target, "--yes") == 130
    told = capsys.readouterr().err
    assert f"transaction {world.record().hash}" in told
    assert "repeat the command to go on with it" in told


def test_forgetting_asks_and_keeps_the_record(
    world: World, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    world.mine_late()
    assert exit_code("run", PROMPT, *target, "--yes", "--timeout", "0.3") == 6
    assert exit_code("runs", "forget", world.record().id) == 2
    assert world.record().unfinished
    assert exit_code("runs", "forget", world.record().id[:6], "--yes") == 0
    assert world.record().state == "forgotten"
    assert exit_code("runs", "forget", "nothing", "--yes") == 1
    assert "no run is 'nothing'" in capsys.readouterr().err

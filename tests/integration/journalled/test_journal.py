"""What is remembered of runs: nothing is done twice unasked, and a damaged record stops a run."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.integration.journalled.world import PROMPT, Killed, World, killing
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import FileInTheWay
from zkagent.executor.runs import records
from zkagent.executor.runs.errors import (
    DoneBefore,
    RunInHand,
    RunRecordDamaged,
    RunRecordRefused,
    RunUnsettled,
)
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.records import RunRecord


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


def test_what_was_done_is_said_first_whatever_is_at_the_receipts_place(
    world: World, deposited: Callable[[], tuple[int, int]], tmp_path: Path
) -> None:
    path = tmp_path / "receipt.json"
    first = world.run(receipt=path)
    kept = path.read_bytes()
    with pytest.raises(DoneBefore, match=first.transaction):
        world.run(receipt=path)
    with pytest.raises(DoneBefore):
        world.run(receipt=path, again=lambda record: False)
    for wanted in (True, lambda record: True):
        with pytest.raises(FileInTheWay, match=r"receipt\.json"):
            world.run(receipt=path, again=wanted)
    assert (path.read_bytes(), deposited()) == (kept, (1, 1))
    world.run(receipt=tmp_path / "second.json", again=lambda record: True)
    assert deposited() == (2, 2)


def test_two_processes_do_not_carry_out_one_instruction(world: World) -> None:
    with world.agent() as agent:
        intent = agent.carrier.intent(PROMPT.encode())
        with world.journal.held(intent), pytest.raises(RunInHand, match="another process"):
            agent.run(PROMPT)
    assert world.journal.records() == ()


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
    "a time that no clock shows": changed(created=10**400),
    "a time before there were any": changed(created=-1),
    "no hexadecimal": lambda text: text.replace("0x02f9", "0xzz"),
    "done by nothing": changed(state="done", transaction=""),
    "taken by what is no hash": changed(taken_by="another"),
}


def test_a_damaged_record_is_refused_by_name_and_nothing_is_signed(
    world: World, deposited: Callable[[], tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    killing(monkeypatch, Web3Sender, "broadcast", after=True)
    with pytest.raises(Killed):
        world.run()
    (path,) = world.folder.glob("*.json")
    text = path.read_text()
    for damage, damaged in DAMAGES.items():
        path.write_text(damaged(text))
        assert path.read_text() != text, damage
        with pytest.raises(RunRecordDamaged, match="then move it away") as caught:
            world.run()
        assert caught.value.path == path, damage
        assert deposited() == (1, 1), damage


def test_a_record_under_another_name_is_refused(world: World) -> None:
    world.run()
    (path,) = world.folder.glob("*.json")
    path.rename(path.with_name("kept.json"))
    with pytest.raises(RunRecordDamaged, match=r"kept\.json"):
        world.run()


def test_an_instruction_goes_on_beside_a_damaged_record_of_another(
    world: World, deposited: Callable[[], tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    killing(monkeypatch, Web3Sender, "broadcast", after=False)
    with pytest.raises(Killed):
        world.run("deposit 7 USDC")
    mine = world.record()
    (path,) = world.folder.glob("*.json")
    path.write_text(cut(path.read_text()))
    world.run()
    assert deposited() == (1, 1)
    with world.agent() as agent:
        for go_on in (lambda: agent.run("deposit 7 USDC"), lambda: agent.resume(mine)):
            with pytest.raises(RunRecordDamaged):
                go_on()
    with pytest.raises(RunRecordDamaged):
        world.journal.find(mine.id[:20])
    assert deposited() == (1, 1)


def test_a_damaged_record_is_of_whatever_it_tells_of(world: World) -> None:
    """Somebody may have changed its name, or what is in it, and whatever tells of nothing may be of
    any instruction."""
    world.run()
    record = world.record()
    (path,) = world.folder.glob("*.json")
    text, elsewhere = path.read_text(), path.with_name(f"{'0' * 16}-1.json")
    other = replace(record.intent, prompt="deposit 6 USDC")
    for damage, damaged in DAMAGES.items():
        path.write_text(damaged(text))
        assert records.may_be_of(path, record.intent), damage
        tells = PROMPT in path.read_text() or record.id in path.read_text()
        path.rename(elsewhere)
        assert records.may_be_of(elsewhere, record.intent) == tells, damage
        elsewhere.rename(path.with_name("kept.json"))
        assert records.may_be_of(path.with_name("kept.json"), record.intent), damage
        edited = damage == "another instruction"
        assert records.may_be_of(path.with_name("kept.json"), other) == (edited or not tells)
        path.with_name("kept.json").unlink()
    forged = replace(record, id=f"{other.key}-1", intent=other)
    elsewhere.write_text(records.written(forged))
    assert records.may_be_of(elsewhere, record.intent), "its transaction tells of it"


UNREADABLE: dict[str, dict[str, Any]] = {
    "a block of no chain": {"block": 1 << 64},
    "a block before the first": {"block": -1},
    "a block that is no number": {"block": "7"},
    "a time of no clock": {"created": 1 << 63},
    "a nonce of none": {"nonce": 1 << 64},
    "another nonce": {"nonce": 7},
    "a chain of no number": {"chain_id": 1 << 64},
    "another chain": {"chain_id": 7},
    "another state": {"state": "finished"},
    "another name": {"id": "x"},
    "no transaction": {"signed": ()},
    "a transaction of its own that is none": {"state": "included", "transaction": "0x" + "11" * 32},
    "a taker that is none": {"taken_by": "somebody"},
    "a receipt that is no text": {"receipt": Path("receipt")},
    "bytes": {"note": b"note"},
}


def test_what_could_not_be_read_again_is_not_written(world: World, tmp_path: Path) -> None:
    world.run()
    kept, journal = world.record(), Journal(tmp_path / "other")
    journal.write(kept)
    (path,) = journal.folder.iterdir()
    before = path.read_bytes()
    for what, changes in UNREADABLE.items():
        chain = changes.get("chain_id", kept.intent.chain_id)
        fields = {name: value for name, value in changes.items() if name != "chain_id"}
        with pytest.raises(RunRecordRefused, match="nothing was written"):
            journal.write(replace(kept, intent=replace(kept.intent, chain_id=chain), **fields))
        assert [file.read_bytes() for file in journal.folder.iterdir()] == [before], what


def test_a_record_with_the_transaction_of_another_instruction_is_refused(world: World) -> None:
    world.run()
    record = world.record()
    intent = replace(record.intent, prompt="deposit 6 USDC")
    forged = replace(record, id=f"{intent.key}-1", intent=intent)
    (world.folder / f"{forged.id}.json").write_text(records.written(forged))
    for prompt in ("deposit 6 USDC", PROMPT):
        with pytest.raises(RunRecordDamaged, match="it is of another instruction"):
            world.run(prompt)


def test_records_are_for_their_owner_alone(world: World) -> None:
    world.run()
    assert oct(world.folder.stat().st_mode)[-3:] == "700"
    assert {oct(path.stat().st_mode)[-3:] for path in world.folder.iterdir()} == {"600"}

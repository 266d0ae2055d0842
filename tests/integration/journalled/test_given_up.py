"""What was given up and may happen yet: it is looked for before its instruction is begun again, and
nothing is sent beside it unless that is accepted."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integration.journalled.world import PROMPT, Killed, World, killing
from tests.support.command_line import exit_code
from zkagent.executor.api import agents
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.cli.narrator import lasting
from zkagent.executor.runs import records, terms
from zkagent.executor.runs.errors import (
    DoneBefore,
    NonceTaken,
    RunElsewhere,
    RunUnsettled,
    StillPossible,
)
from zkagent.executor.runs.events import Event, MayStillHappen
from zkagent.executor.runs.records import RunRecord
from zkagent.verifier_contracts.errors import AnswerRefused

OTHER = "deposit 10 USDC"
Deposited = Callable[[], tuple[int, int]]


def unsent(world: World, monkeypatch: pytest.MonkeyPatch, prompt: str = PROMPT) -> RunRecord:
    """Of a run that ended between signing and sending."""
    killing(monkeypatch, Web3Sender, "broadcast", after=False)
    with pytest.raises(Killed):
        world.run(prompt)
    return next(r for r in reversed(world.journal.records()) if r.intent.prompt == prompt)


def test_what_was_given_up_and_mined_after_all_is_not_done_twice(
    world: World, deposited: Deposited, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.give_up(unsent(world, monkeypatch))
    world.mine_alone(first)
    with pytest.raises(DoneBefore, match=r"was carried out in block \d+, receipt /") as caught:
        world.run()
    assert (caught.value.transaction, world.record().state) == (first.hash, "done")
    assert Path(world.record().receipt).exists()
    assert deposited() == (1, 1)
    world.run(again=True)
    assert deposited() == (2, 2)


def test_an_earlier_one_that_happened_is_found_behind_a_later_one_that_was_given_up(
    world: World, deposited: Deposited, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.give_up(unsent(world, monkeypatch))
    second = world.give_up(unsent(world, monkeypatch))
    assert (second.nonce, second.number) == (first.nonce, 2)
    world.mine_alone(first)
    for _ in range(2):
        with pytest.raises(DoneBefore, match=first.hash):
            world.run()
    assert deposited() == (1, 1)


def test_who_resumes_what_was_given_up_hears_what_did_the_instruction_and_how_to_have_it_done(
    world: World, deposited: Deposited, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.give_up(unsent(world, monkeypatch))
    with world.agent() as agent:
        with pytest.raises(DoneBefore, match=f"was given up .run {first.id}.*`zkagent run` looks"):
            agent.resume(first)
        world.run()
        second = world.record()
        assert second.state == "done"
        told = f"was carried out in block .*run {second.id}.*`zkagent run --again`"
        with pytest.raises(DoneBefore, match=told) as caught:
            agent.resume(first)
    assert caught.value.transaction == second.hash
    assert deposited() == (1, 1)


def test_a_run_whose_nonce_an_earlier_try_took_was_done_by_that(
    world: World, deposited: Deposited, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.give_up(unsent(world, monkeypatch))
    second = unsent(world, monkeypatch)
    world.mine_alone(first)
    with pytest.raises(DoneBefore, match=first.hash):
        world.run()
    states = {record.id: record.state for record in world.journal.records()}
    assert states == {first.id: "done", second.id: "superseded"}
    assert deposited() == (1, 1)


def test_a_nonce_that_another_run_of_the_journal_used_is_told_by_its_name(
    world: World, deposited: Deposited, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.give_up(unsent(world, monkeypatch))
    second = unsent(world, monkeypatch, OTHER)
    assert second.nonce == first.nonce
    world.mine_alone(first)
    with pytest.raises(NonceTaken, match=f"{first.hash}, of run {first.id}, used nonce") as caught:
        world.run(OTHER)
    assert "was not made here" not in str(caught.value)
    assert deposited() == (1, 1)


def test_a_nonce_that_another_run_holds_by_now_is_not_taken_from_it(
    world: World, deposited: Deposited, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.give_up(unsent(world, monkeypatch))
    world.mine_late()
    with pytest.raises(RunUnsettled):
        world.run(OTHER, timeout_s=0.3)
    with pytest.raises(StillPossible, match="and it may happen beside"):
        world.run(timeout_s=0.3)
    told: list[Event] = []
    with world.agent(timeout_s=0.3, listener=told.append) as agent, pytest.raises(RunUnsettled):
        agent.run(PROMPT, may_still_happen=True)
    (warning,) = [event for event in told if isinstance(event, MayStillHappen)]
    assert f"warning: transaction {first.hash}" in lasting(warning)
    assert [record.nonce - first.nonce for record in world.journal.records()] == [0, 0, 1]
    world.mine_at_once()
    world.run()
    world.run(OTHER)
    assert deposited() == (3, 2)


def test_when_both_clocks_have_passed_the_deadline_nothing_is_in_the_way(
    world: World, deposited: Deposited, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.give_up(unsent(world, monkeypatch))
    world.run(OTHER)
    with monkeypatch.context() as ours:
        ours.setattr(records, "own_clock", lambda: first.deadline + 1.0)
        with pytest.raises(StillPossible):
            world.run()
    with monkeypatch.context() as both:
        world.pass_deadline(first, both)
    with pytest.raises(StillPossible):  # by the chain's alone
        world.run()
    world.pass_deadline(first, monkeypatch, seconds=2)
    world.run()
    assert deposited() == (3, 2)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("chain_id", 1),
        ("genesis", "0x" + "11" * 32),
        ("agent", "0x" + "11" * 20),
        ("account", "0x" + "11" * 20),
    ],
)
def test_a_run_of_elsewhere_is_neither_judged_nor_sent(
    world: World, monkeypatch: pytest.MonkeyPatch, field: str, value: object
) -> None:
    record = unsent(world, monkeypatch)
    foreign = replace(record, intent=replace(record.intent, **{field: value}))
    with world.agent() as agent, pytest.raises(RunElsewhere) as caught:
        agent.resume(foreign)
    ours = getattr(record.intent, field)
    assert f"{value}, and not {ours}" in str(caught.value)
    assert world.journal.records() == (record,)


def claimed_pending(world: World, monkeypatch: pytest.MonkeyPatch, ahead: int) -> None:
    """The node once says that so many of the account's transactions are on their way."""
    mined = world.stage.mined_by_owner()
    monkeypatch.setattr(Web3Sender, "next_nonce", lambda self: mined + ahead)


def test_a_pending_nonce_far_too_high_gets_no_signature(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed_pending(world, monkeypatch, 17)
    with pytest.raises(AnswerRefused, match="eth_getTransactionCount is "):
        world.run()
    assert world.journal.records() == ()


def test_later_runs_do_not_wait_behind_a_nonce_that_was_made_up(
    world: World, deposited: Deposited, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as once:
        claimed_pending(world, once, 10)
        with pytest.raises(RunUnsettled, match="if nobody will send those, give it up"):
            world.run(timeout_s=0.3)
    world.run(OTHER)
    assert deposited() == (2, 1)
    world.give_up(next(record for record in world.journal.records() if record.unfinished))
    world.run(may_still_happen=True)
    assert deposited() == (3, 2)


def test_a_deadline_that_no_calendar_has_is_shown_and_given_up(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As earlier versions signed it when they were asked to."""
    world.mine_late()
    killing(monkeypatch, Web3Sender, "broadcast", after=False)
    with monkeypatch.context() as patch:
        for module in (terms, agents):
            patch.setattr(module, "MOST_LIFETIME_S", 10**18)
        with pytest.raises(Killed), world.agent(deadline_s=10**17) as agent:
            agent.run(PROMPT)
    record = world.record()
    assert exit_code("runs", "pending") == 0
    assert exit_code("runs", "forget", record.id, "--yes") == 6
    assert exit_code("runs", "forget", record.id, "--yes", "--may-still-happen") == 0
    printed = capsys.readouterr()
    for said in (printed.out, printed.err):
        assert f"until second {record.deadline} since 1970" in said
    world.mine_at_once()

"""The chapters of `zkagent demo --all` with real proofs, and that a line of one can fail."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from tests.support.progress import quiet
from zkagent.executor.chain import abi
from zkagent.executor.chain.embedded import EmbeddedChain, balances
from zkagent.executor.demo import guarded
from zkagent.executor.demo.chapters import guard_refusals, strict_order
from zkagent.executor.demo.chapters.catalogue import CHAPTERS, chapters_for, play_chapter
from zkagent.executor.demo.chapters.chapter import Line, Tried, World, refused
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model

#: What plays these is tested elsewhere: tests/integration/test_loan_runs.py.
ELSEWHERE = {"loans"}
#: What of a chapter's lines does not hold in a world in which a stranger is the owner, no time
#: passes, and a guard lets ten times as much be spent and is never paused.
NOT_HELD = {
    "plain agent": ["a stranger sends the run that is proven for the runner's owner"],
    "supervised transfer": ["a stranger approves of it", "the approval has ended"],
    "expired manifest": [
        "a manifest of an issuer whom the owner does not trust",
        "the same transfer, once it has expired",
    ],
    "exhausted budget": [
        "31 DAI, more than one call may spend",
        "25 DAI for a third time",
        "a stranger raises the budget",
    ],
    "paused": [
        "a run that was proven before the pause",
        "a run that begins in the pause",
        "a stranger resumes it",
    ],
    "paper mode": ["31 DAI, which would be refused"],
    "migration": ["a succession that a stranger signed"],
}
SERVE = abi.Method("alsoServe", ("address",))


@pytest.fixture
def world(session: Session, embedded: EmbeddedChain) -> World:
    return World(session, embedded, quiet)


@pytest.fixture(autouse=True)
def no_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those on a strict agent are mounted by tests/integration/test_strict_runs.py."""

    def none(*stage: object) -> Iterator[Line]:
        return iter(())

    monkeypatch.setattr(strict_order, "attack", none)


@pytest.mark.parametrize("name", [each.name for each in CHAPTERS if each.name not in ELSEWHERE])
def test_every_line_of_the_chapter_holds_and_nothing_is_left_of_it(world: World, name: str) -> None:
    chapter = next(each for each in CHAPTERS if each.name == name)
    before = balances(world.chain), world.web3.eth.block_number
    lines = list(play_chapter(chapter, world))
    for line in lines:
        print(line)
    assert [line for line in lines if not line.held] == []
    assert any(not line.refused for line in lines)
    assert (balances(world.chain), world.web3.eth.block_number) == before


@pytest.fixture
def lax(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The world that `NOT_HELD` tells of."""
    monkeypatch.setattr(guarded, "TOTAL", 10 * guarded.TOTAL)
    monkeypatch.setattr(guarded, "PER_CALL", 10 * guarded.PER_CALL)
    change, rpc = guarded.GuardedAgent.change, world.chain.anvil.rpc

    def unless_paused(self: guarded.GuardedAgent, function: str, *given: Any, **by: Any) -> None:
        if function != "pause":
            change(self, function, *given, **by)

    def unless_later(method: str, *given: Any) -> Any:
        return None if method == "evm_increaseTime" else rpc(method, *given)

    monkeypatch.setattr(guarded.GuardedAgent, "change", unless_paused)
    monkeypatch.setattr(world.chain.anvil, "rpc", unless_later)
    return replace(world, chain=replace(world.chain, stranger=world.chain.owner))


def until(last: str, name: str, world: World) -> list[Line]:
    """A chapter's lines up to the one that says `last`; the others are not played."""
    chapter, gone = next(each for each in CHAPTERS if each.name == name), list[Line]()
    with closing(play_chapter(chapter, world)) as lines:  # type: ignore[type-var]
        for line in lines:
            gone.append(line)
            if line.what == last:
                return gone
    raise AssertionError(f"{name} has no line {last!r}: {gone}")


@pytest.mark.parametrize(("name", "expected"), NOT_HELD.items())
def test_what_a_chapter_says_is_refused_is_not_called_so_once_nothing_refuses_it(
    lax: World, name: str, expected: list[str]
) -> None:
    gone = until(expected[-1], name, lax)
    assert [line.what for line in gone if line.refused and not line.held] == expected


def test_on_paper_nothing_may_move(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mode = guarded.GuardedAgent.mode
    monkeypatch.setattr(guarded.GuardedAgent, "mode", lambda self, name: mode(self, "autonomous"))
    (line,) = until("on paper, a proven run sends 25 DAI", "paper mode", world)
    assert not line.held


def test_a_true_proof_is_not_called_a_false_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard_refusals, "forged", lambda run, decision: run.call)
    *_, line = until("a false proof, which uses up nothing of it", "exhausted budget", world)
    assert (line.held, line.found) == (False, "it went through")


def test_what_a_guard_remembers_is_watched(world: World) -> None:
    it = guarded.guarded_agent(world.session, world.chain)
    before = it.state()
    it.change("setRate", 1)
    assert it.state() != before


def test_chapters_have_names_of_their_own_and_show_what_is_refused(wallet: Model) -> None:
    assert len({each.name for each in CHAPTERS}) == len({each.title for each in CHAPTERS})
    assert chapters_for(wallet) == CHAPTERS


def test_what_goes_through_is_not_called_refused(world: World) -> None:
    line = refused(world, tried(world, world.chain.owner.address, "CallerIsNotTheOwner"))
    assert (line.held, line.found) == (False, "it went through")


def test_another_error_than_the_expected_one_is_not_a_refusal(world: World) -> None:
    stranger = world.chain.stranger.address
    assert refused(world, tried(world, stranger, "CallerIsNotTheOwner")).held
    assert not refused(world, tried(world, stranger, "NotSuspended")).held


def test_a_refused_call_that_moved_something_is_not_held(world: World) -> None:
    counted = iter(range(2))
    moved = tried(world, world.chain.stranger.address, "CallerIsNotTheOwner", lambda: next(counted))
    assert not refused(world, moved).held


def tried(world: World, account: str, expected: str, watched: object = None) -> Tried:
    sender = next(each for each in world.chain.anvil.accounts if each.address == account)
    agent, data = world.chain.deployment.agent, SERVE.call(account)
    look = watched if callable(watched) else lambda: balances(world.chain)
    return Tried("somebody has the agent serve him", sender, agent, data, expected, look)

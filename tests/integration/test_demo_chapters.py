"""The chapters of `zkagent demo --all` with real proofs, and that a line of one can fail."""

from collections.abc import Iterator

import pytest

from tests.support.progress import quiet
from zkagent.executor.chain import abi
from zkagent.executor.chain.embedded import EmbeddedChain, balances
from zkagent.executor.demo.chapters import strict_order
from zkagent.executor.demo.chapters.catalogue import CHAPTERS, chapters_for, play_chapter
from zkagent.executor.demo.chapters.chapter import Line, Tried, World, refused
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model

#: What plays these is tested elsewhere: tests/integration/test_loan_runs.py.
ELSEWHERE = {"loans"}
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

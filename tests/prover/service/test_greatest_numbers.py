"""Numbers that the service's commands take: each has a bound, and the greatest can be borne.

The options are found in the command tree, so that a new one is covered when it comes. What lies
beyond is refused: tests/executor/cli/test_bad_values.py.
"""

from collections.abc import Iterator
from contextlib import closing

import click
import pytest

from tests.support.command_line import exit_code
from tests.support.command_tree import TREE
from tests.support.fleet import Fleet
from zkagent.executor.api.limits import MOST_DAYS
from zkagent.prover.client import Wanted
from zkagent.prover.durable.leases import open_leases
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import EngineQueue, prepare_engine
from zkagent.prover.service.queue.store import DAY_S, Store
from zkagent.prover.service.worker.roster import Patience, Roster
from zkagent.prover.service.worker.sweeper import Sweeper

NUMBERS = (type(click.INT), type(click.FLOAT), click.IntRange, click.FloatRange)
COMMANDS = {
    path: found
    for path, found in TREE.items()
    if path.split()[1] in ("serve", "worker", "jobs", "key")
}
#: The test's own port; the least room that is enough, of which the greatest is more than there is.
OTHERS = ("--port", "--least-free")


def numbers(path: str) -> Iterator[tuple[str, click.ParamType]]:
    """Options of a command that take a number."""
    for found in COMMANDS[path].params:
        if isinstance(found.type, NUMBERS):
            yield found.opts[0], found.type


def greatest(path: str) -> list[str]:
    """All of them, as great as they may be."""
    words = []
    for option, kind in numbers(path):
        assert isinstance(kind, click.IntRange | click.FloatRange)
        words += [option, str(kind.max)]
    return words


@pytest.mark.parametrize("path", COMMANDS)
def test_every_number_has_a_bound(path: str) -> None:
    unbounded = [name for name, kind in numbers(path) if getattr(kind, "max", None) is None]
    assert unbounded == []


@pytest.mark.parametrize(
    "words",
    [("jobs", "purge", "--yes"), ("jobs", "list"), ("key", "create", "alice")],
    ids=" ".join,
)
def test_operators_may_use_the_greatest(database: Database, words: tuple[str, ...]) -> None:
    url = database.url.render_as_string(hide_password=False)
    most = greatest(" ".join(("zkagent", *words[:2])))
    assert most
    assert exit_code(*words, *most, "--database", url) == 0


def test_no_worker_is_taken_for_dead_between_its_heartbeats(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("worker", "--stale", "1") == 2
    assert "1.0 is not in the range 3<=x" in capsys.readouterr().err


def test_what_is_kept_for_the_longest_time_is_no_trouble_to_forgetting(database: Database) -> None:
    prepare_engine(database)
    with closing(EngineQueue(database)) as queue:
        roster = Roster(database, open_leases(database), "me", Patience())
        assert Sweeper(Store(database, queue), queue, roster, MOST_DAYS * DAY_S).purge()


def test_a_service_with_the_greatest_makes_a_proof(small: Fleet, features: list[int]) -> None:
    most = greatest("zkagent serve")
    for option in OTHERS:
        del most[most.index(option) : most.index(option) + 2]
    service = small.serve(*most)
    with small.client() as client:
        client.prove(Wanted.of_features("quick", features), timeout_s=300)
    assert service.stop() == 0
    assert "ERROR" not in service.log.read_text()

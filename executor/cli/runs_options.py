"""Options of commands that look at kept runs of agents off chain, and how those are opened."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.commands import typed
from zkagent.executor.runtime.events.contents import GROUPS

if TYPE_CHECKING:
    from zkagent.executor.runs.records import RunRecord
    from zkagent.executor.runtime.durable.database import RunsDatabase
    from zkagent.executor.runtime.durable.store import RunStore
    from zkagent.executor.runtime.permissions.approvals import Request

CONTENTS = (*GROUPS, "all")
INCLUDE_OPTION = click.option(
    "--include",
    type=click.Choice(CONTENTS),
    multiple=True,
    help="Contents to show, which are withheld otherwise; repeat it for more than one.",
)
AGENTS_HELP = "FILE.py, a module, or either with :NAME, that has the agents; it is run as it is."


def runs_options(command: Callable[..., None]) -> Callable[..., None]:
    """--database and --database-key."""
    for option in (
        click.option(
            "--database-key",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Key that the database is encrypted with; by default $ZKAGENT_RUNTIME_KEY, or the "
            "user's own, which is made when first needed.",
        ),
        click.option(
            "--database",
            metavar="URL",
            envvar="ZKAGENT_RUNS",
            show_envvar=True,
            help="Where runs are kept: postgresql://..., sqlite:///PATH or PATH; by default a file "
            "in the user's data folder.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Given:
    """Where runs are kept, as the user said it, for commands that are printed."""

    database: str | None = None
    key: Path | None = None

    def command(self, *words: object) -> str:
        """One that is typed elsewhere, too, and means the same runs. An address that may hold a
        password is printed nowhere: then the command says in words what to add."""
        added: list[object] = []
        if self.database and not self._hides:
            added += ["--database", self.database]
        if self.key:
            added += ["--database-key", self.key]
        rest = " with the same --database" if self._hides else ""
        return f"`{typed(*words, *added)}`{rest}"

    @property
    def _hides(self) -> bool:
        from zkagent.prover.service.queue.address import read_address, shown_address

        if self.database is None or "://" not in self.database:
            return False
        return shown_address(read_address(self.database)) != self.database


@contextmanager
def opened(
    database: str | None, database_key: Path | None, *, new: bool = False, reads: bool = False
) -> "Iterator[Any]":
    """A RunsDatabase, as of `open_runs`. Raises RunsMissing, FileLocked, DatabaseUnusable."""
    from zkagent.executor.runtime.durable.database import open_runs

    found: RunsDatabase = open_runs(database, key_file=database_key, new=new, reads=reads)
    try:
        yield found
    finally:
        found.close()


def store_of(database: "RunsDatabase") -> "RunStore":
    from zkagent.executor.runtime.durable.store import RunStore

    return RunStore(database)


def complete(store: "RunStore", run: str) -> str:
    """Raises RunUnknown, which says so if the run is one on a chain."""
    from zkagent.executor.runtime.core.errors import RunUnknown

    try:
        return store.complete(run)
    except RunUnknown:
        if (record := signed_run(run)) is not None:
            raise RunUnknown(
                f"run {record.id} is one on a chain, which has no events: "
                f"`{typed('runs', 'show', record.id)}`, and `zkagent verify-run` for its receipt"
            ) from None
        raise


def signed_run(run: str) -> "RunRecord | None":
    from zkagent.executor.runs.errors import UnknownRun
    from zkagent.executor.runs.journal import Journal

    with suppress(UnknownRun):
        return Journal().find(run)
    return None


def requests_of(database: "RunsDatabase") -> "list[Request]":
    """Those that can still be answered."""
    from zkagent.executor.runtime.durable.approvals import KeptApprovals

    now_s = time.time()
    return [one for one in KeptApprovals(database).waiting() if one.at(now_s) == "waits"]


__all__ = ["AGENTS_HELP", "CONTENTS", "INCLUDE_OPTION", "Given", "complete", "opened"]
__all__ += ["requests_of", "runs_options", "signed_run", "store_of"]

"""Options of commands that look at kept runs of agents off chain, and how those are opened."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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


@contextmanager
def opened(database: str | None, database_key: Path | None, *, new: bool) -> "Iterator[Any]":
    """A RunsDatabase. Raises RunsMissing, FileLocked, DatabaseUnusable."""
    from zkagent.executor.runtime.durable.database import open_runs

    found: RunsDatabase = open_runs(database, key_file=database_key, new=new)
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


__all__ = ["AGENTS_HELP", "CONTENTS", "INCLUDE_OPTION", "complete", "opened", "requests_of"]
__all__ += ["runs_options", "signed_run", "store_of"]

"""Which runs nobody is at: asked by whoever lists them, and nothing is marked by that."""

from collections.abc import Iterable

from zkagent.executor.runtime.core.errors import JournalFault
from zkagent.executor.runtime.durable.database import RunsDatabase
from zkagent.executor.runtime.durable.kept import KeptRun
from zkagent.executor.runtime.durable.store import OPEN
from zkagent.prover.durable.leases import open_leases


def left(database: RunsDatabase, listed: Iterable[KeptRun]) -> frozenset[str]:
    """The ids of those that have not ended and whose processes have, or stopped. Each process is
    asked about once. Raises JournalFault."""
    unfinished = [kept for kept in listed if kept.state in OPEN]
    owners = {kept.owner for kept in unfinished if kept.owner}
    if not owners:
        return frozenset(kept.id for kept in unfinished)
    with database.translated():
        leases = open_leases(database)
        try:
            held = {owner for owner in owners if not leases.is_free(owner)}
        except OSError as exc:
            why = f"{exc.strerror} ({exc.filename})"
            raise JournalFault(
                f"runs in {database.shown}: whether anybody is at them cannot be told: {why}"
            ) from exc
        finally:
            leases.close()
    return frozenset(kept.id for kept in unfinished if kept.owner not in held)


__all__ = ["left"]

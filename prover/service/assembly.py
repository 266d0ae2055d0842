"""From options to a database, a catalogue and a worker; what both commands share."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zkagent.prover.service.catalogue.catalogue import Catalogue
from zkagent.prover.service.errors import DatabaseMissing, StartRefused
from zkagent.prover.service.queue.claims import Limits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import open_database
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import DAY_S
from zkagent.prover.service.worker.batching import BatchSettings
from zkagent.prover.service.worker.callback_rules import CallbackRules
from zkagent.prover.service.worker.roster import Patience
from zkagent.prover.service.worker.worker import Worker, WorkerSettings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Options:
    """What `zkagent serve` and `zkagent worker` were told."""

    database: str | None
    models: tuple[str, ...]
    no_models: bool
    srs: Path | None
    slots: int
    threads: int | None
    timeout_s: float
    grace_s: float
    batches: tuple[tuple[str, str], ...]
    batch_size: int
    linger_s: float
    max_crashes: int
    max_deaths: int
    least_free_mib: int
    stale_s: float
    keep_days: float
    callback_hosts: tuple[str, ...]
    private_callbacks: bool
    fake: Path | None
    proof_system: str = "ezkl"  # of the models' circuits
    prover: str | None = None  # of `systems.PROVERS`, where it is not the usual one

    @property
    def callbacks(self) -> CallbackRules:
        return CallbackRules(self.callback_hosts, self.private_callbacks)

    @property
    def worker(self) -> WorkerSettings:
        return WorkerSettings(
            slots=self.slots,
            threads=self.threads,
            timeout_s=self.timeout_s,
            grace_s=self.grace_s,
            retention_s=self.keep_days * DAY_S,
            batch=BatchSettings(self.batch_size, self.linger_s),
            limits=Limits(self.max_crashes, self.max_deaths),
            patience=Patience(stale_s=self.stale_s),
            callbacks=self.callbacks,
            least_free_bytes=self.least_free_mib << 20,
        )


class Assembly:
    """An open database and its circuits. lost: why the worker could not go on, if so."""

    def __init__(self, options: Options, database: Database, catalogue: Catalogue) -> None:
        self.options = options
        self.database = database
        self.catalogue = catalogue
        self.lost: Exception | None = None

    def worker(self, when_lost: Callable[[], None]) -> Worker:
        """A started worker."""

        def note(exc: Exception) -> None:
            self.lost = exc
            when_lost()

        worker = Worker(self.database, self.catalogue, self.options.worker)
        worker.on_failure = note
        worker.start()
        return worker

    def close(self) -> None:
        self.catalogue.close()
        self.database.close()


def assemble(options: Options, *, keys_for: str | None = None) -> Assembly:
    """Prepare the database, find or build the circuits; what is refused makes no database.
    keys_for: an address that needs API keys. Raises ProverError, CircuitError, ModelError."""
    there = _database_there(options.database)
    if keys_for is not None and not (there and Keys(there).any_valid()):
        raise StartRefused(
            f"listening on {keys_for} needs API keys, and there are none: `zkagent key create NAME`"
        )
    catalogue = _catalogue(options)
    return Assembly(options, there or open_database(options.database), catalogue)


def _database_there(url: str | None) -> Database | None:
    try:
        return open_database(url, new=False)
    except DatabaseMissing:
        return None


def _catalogue(options: Options) -> Catalogue:
    if options.fake:
        from zkagent.prover.service.fakes.catalogue import FakeCatalogue

        return FakeCatalogue.read(options.fake)
    from zkagent.circuits.systems import PROVING
    from zkagent.prover.service.catalogue.built import BuiltCircuits

    names = () if options.no_models else options.models or _provable(options.proof_system)
    system = PROVING[options.proof_system]
    catalogue = BuiltCircuits(names, system=system, srs=options.srs, prover=options.prover)
    log.info("looking for the models' circuits, building those that are missing")
    catalogue.build_models()
    for single, batch in options.batches:
        catalogue.add_batch(single, batch)
    return catalogue


def _provable(proof_system: str) -> list[str]:
    """Shipped models that this system proves."""
    from zkagent.models.catalogue import Model, load_model, shipped_models

    systems = {name: load_model(name, Model).proof_systems for name in shipped_models()}
    return [name for name, known in systems.items() if proof_system in known]


__all__ = ["Assembly", "Options", "assemble"]

"""Carries a suite out, job by job, and writes down what is known after each.

A run that is interrupted leaves the results so far, marked incomplete. A circuit that ezkl cannot
make or prove is noted and left out; a wrong number stops everything.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from circuits.errors import CircuitError
from executor.bench.chain import stock_verification, verification
from executor.bench.evm import evm_case
from executor.bench.machine import describe_machine, load_average, versions
from executor.bench.progress import Reporter
from executor.bench.proving import Entry, evaluate, time_proofs, time_setups
from executor.bench.results import Case, Results, Run, Share
from executor.bench.runs import wallet_runs
from executor.bench.subjects import Subject
from executor.bench.suite import FORMS, Job, Suite
from verifier_contracts.chain import Anvil
from verifier_contracts.errors import EvmModelError
from verifier_contracts.toolchain import toolchain

TOOLCHAIN_S, RUNS_S = 45.0, 90.0
# Shares of a job's guessed time.
PREPARE, PROVE, CHAIN = 0.3, 0.4, 0.3


class Runner:
    """One run into one folder."""

    def __init__(self, suite: Suite, out: Path, threads: int | None = None) -> None:
        self.suite, self.out, self.threads = suite, out, threads
        guess_s = sum(job.guess_s for job in suite.jobs) + TOOLCHAIN_S
        self.reporter = Reporter(guess_s + RUNS_S * suite.runs)
        self._clock = time.monotonic()
        self.results = Results(
            suite=suite.name,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            duration_s=0.0,
            complete=False,
            rounds=suite.rounds,
            threads=threads,
            machine=describe_machine(),
            versions=versions(),
            notes=suite.notes,
        )

    def run(self) -> Results:
        """Measure all of it. On KeyboardInterrupt the results so far lie in the folder."""
        self.out.mkdir(parents=True, exist_ok=True)
        with self.reporter.shown(), tempfile.TemporaryDirectory() as folder:
            self._prepare_toolchain()
            with Anvil() as chain:
                for job in self.suite.jobs:
                    self._job(job, Path(folder), chain)
            if self.suite.runs:
                self._runs()
        self._save(complete=True)
        return self.results

    def _prepare_toolchain(self) -> None:
        with self._step("toolchain: anvil and solc", TOOLCHAIN_S):
            solc = toolchain().solc_version
            self._keep(versions={**self.results.versions, "solc": solc})

    def _job(self, job: Job, folder: Path, chain: Anvil) -> None:
        with self._step(f"{job.name}: preparing", job.guess_s * PREPARE):
            subject = job.load(folder, self.reporter.say)
            entries = list(self._entries(job, subject, folder))
        with self._step(f"{job.name}: proving in turns", job.guess_s * PROVE):
            self._measure(job, entries)
        with self._step(f"{job.name}: on the chain", job.guess_s * CHAIN):
            cases = [self._case(job, entry, chain) for entry in entries if not entry.failed]
            evm, multiply_adds = self._evm(job, subject, chain)
            network = subject.describe(multiply_adds)
        self._note(*(f"{e.label} was not measured: {e.failed}" for e in entries if e.failed))
        self._keep(
            networks=(*self.results.networks, network),
            cases=(*self.results.cases, *cases, *evm),
        )
        self._save(complete=False)

    def _entries(self, job: Job, subject: Subject, folder: Path) -> Iterator[Entry]:
        for form, batch in job.circuits:
            self.reporter.say(f"{form}, batch {batch}")
            try:
                prepared = FORMS[form](subject, batch, folder, self.reporter.say)
            except CircuitError as exc:
                label = f"{subject.name} x{batch} ({form})"
                self._note(f"{label} was not measured: {exc}")
            else:
                yield Entry(form, batch, subject, prepared)

    def _measure(self, job: Job, entries: list[Entry]) -> None:
        setups = self.suite.setups if job.setups is None else job.setups
        rounds = self.suite.rounds if job.rounds is None else job.rounds
        total = len(entries) * (setups + rounds + 1)
        done = 0

        def count() -> None:
            nonlocal done
            done += 1
            self.reporter.say(f"{done} of {total}")

        time_setups(entries, setups, self.threads, count)
        time_proofs(entries, rounds, self.threads, count)

    def _case(self, job: Job, entry: Entry, chain: Anvil) -> Case:
        self.reporter.say(f"verifier of {entry.form}, batch {entry.batch}")
        cost = verification(chain, entry)
        stock = entry.batch in job.stock and entry.prepared.digest is not None
        agreement, accuracy = self._agreement(job, entry)
        settings, prepared = entry.prepared.read_settings(), entry.prepared
        columns = int(settings["run_args"]["num_inner_cols"])
        return Case(
            network=entry.subject.name,
            form=entry.form,
            batch=entry.batch,
            circuit=prepared.digest,
            logrows=settings["run_args"]["logrows"],
            columns=columns,
            rows=settings["num_rows"],
            cells=settings["num_rows"] * columns,
            instances=len(entry.instances),
            setup_s=entry.timing("setup_s"),
            witness_s=entry.timing("witness_s"),
            prove_s=entry.timing("prove_s"),
            verify_s=entry.timing("verify_s"),
            setup_peak_bytes=entry.setup_peak_bytes,
            prove_peak_bytes=entry.prove_peak_bytes,
            pk_bytes=prepared.pk.stat().st_size,
            vk_bytes=prepared.vk.stat().st_size,
            proof_bytes=len(entry.proof),
            calldata_bytes=cost.calldata_bytes,
            calldata_gas=cost.calldata_gas,
            verify_gas=cost.execution_gas,
            stock_verify_gas=stock_verification(chain, entry).execution_gas if stock else None,
            deploy_gas=cost.deploy_gas,
            code_bytes=cost.code_bytes,
            agreement=agreement,
            accuracy=accuracy,
        )

    def _agreement(self, job: Job, entry: Entry) -> tuple[Share | None, Share | None]:
        """Of the circuit with onnxruntime, and with the labels; measured on single decisions."""
        subject = entry.subject
        count = min(job.agreement, len(subject.samples))
        if not count or entry.batch != 1:
            return None, None
        self.reporter.say(f"{entry.form} on {count} samples")
        found = evaluate(entry, count)
        same = sum(map(entry.agrees, found, subject.reference(count)))
        return Share(hits=same, total=count), subject.accuracy_by(found)

    def _evm(self, job: Job, subject: Subject, chain: Anvil) -> tuple[list[Case], int | None]:
        if not job.evm:
            return [], None
        self.reporter.say("evaluating in the EVM")
        try:
            case, multiply_adds = evm_case(chain, subject)
        except EvmModelError as exc:
            self._note(f"{subject.name} (evm) was not measured: {exc}")
            return [], None
        return [case], multiply_adds

    def _runs(self) -> None:
        with self._step("wallet: a whole run on a chain", RUNS_S):
            found: tuple[Run, ...] = wallet_runs(self.reporter.say)
            self._keep(runs=found)

    @contextmanager
    def _step(self, name: str, guess_s: float) -> Iterator[None]:
        self.reporter.begin(name)
        yield
        self.reporter.done(guess_s)

    def _note(self, *texts: str) -> None:
        for text in texts:
            self.reporter.note(text)
        self._keep(notes=(*self.results.notes, *texts))

    def _keep(self, **fields: object) -> None:
        """Validated again: what is saved can be loaded."""
        known = {name: getattr(self.results, name) for name in Results.model_fields}
        self.results = Results.model_validate({**known, **fields})

    def _save(self, *, complete: bool) -> None:
        machine = self.results.machine.model_copy(update={"load_after": load_average()})
        self._keep(
            machine=machine,
            duration_s=round(time.monotonic() - self._clock, 1),
            complete=complete,
        )
        self.results.save(self.out)


__all__ = ["Runner"]

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

from zkagent.circuits.errors import CircuitError
from zkagent.executor.bench.cases import case_of
from zkagent.executor.bench.chain import stock_verification, verification
from zkagent.executor.bench.evm import evm_case
from zkagent.executor.bench.forms import HARDENED
from zkagent.executor.bench.machine import describe_machine, load_average, versions
from zkagent.executor.bench.progress import Reporter
from zkagent.executor.bench.proving import Entry, evaluate, label_of, time_proofs, time_setups
from zkagent.executor.bench.results import Case, Results, Run, Share
from zkagent.executor.bench.runs import wallet_runs
from zkagent.executor.bench.subjects import Subject
from zkagent.executor.bench.suite import FORMS, Job, Suite
from zkagent.models.folders import Folder
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.errors import ChainError, CompileError, EvmModelError
from zkagent.verifier_contracts.toolchain.install import toolchain

TOOLCHAIN_S, RUNS_S = 45.0, 90.0
# ezkl's own verifiers may be larger than a contract may be (EIP-170): measured, and noted.
ANY_SIZE = ("--disable-code-size-limit",)
# Shares of a job's guessed time.
PREPARE, PROVE, CHAIN = 0.3, 0.4, 0.3


def guess_s(suite: Suite) -> float:
    """Seconds that all of it may take on a 2-core machine."""
    return sum(job.guess_s for job in suite.jobs) + TOOLCHAIN_S + RUNS_S * suite.runs


class Runner:
    """One run into one folder. reporter: who shows how far it is."""

    def __init__(
        self,
        suite: Suite,
        out: Path | Folder,
        threads: int | None = None,
        reporter: Reporter | None = None,
    ) -> None:
        self.suite, self.out, self.threads = suite, out, threads
        self.reporter = reporter or Reporter()
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
        """Measure all of it. Whatever exception ends it, the results so far lie in the folder."""
        self._save()
        try:
            with self.reporter.shown(), tempfile.TemporaryDirectory() as folder:
                self._prepare_toolchain()
                with Anvil(options=ANY_SIZE) as chain:
                    for job in self.suite.jobs:
                        self._job(job, Path(folder), chain)
                if self.suite.runs:
                    self._runs()
            self._keep(complete=True)
        finally:
            self._save()
        return self.results

    def _prepare_toolchain(self) -> None:
        with self._step("toolchain: anvil and solc", TOOLCHAIN_S):
            solc = toolchain().solc_version
            self._keep(versions={**self.results.versions, "solc": solc})

    def _job(self, job: Job, folder: Path, chain: Anvil) -> None:
        entries: list[Entry] = []
        try:
            with self._step(f"{job.name}: preparing", job.guess_s * PREPARE):
                subject = job.load(folder, self.reporter.say)
                self._keep(networks=(*self.results.networks, subject.describe()))
                entries.extend(self._entries(job, subject, folder))
            with self._step(f"{job.name}: proving in turns", job.guess_s * PROVE):
                self._measure(job, entries)
            with self._step(f"{job.name}: on the chain", job.guess_s * CHAIN):
                while entries:
                    self._finish(job, entries.pop(0), chain)
                if job.evm:
                    self._evm(subject, chain)
        finally:
            # Empty, unless something stopped us: then this is what was measured before.
            timed = [entry for entry in entries if entry.times and not entry.failed]
            self._add(*(case_of(entry) for entry in timed))
        self._save()

    def _entries(self, job: Job, subject: Subject, folder: Path) -> Iterator[Entry]:
        for form, batch in job.circuits:
            self.reporter.say(f"{form}, batch {batch}")
            try:
                prepared = FORMS[form](subject, batch, folder, self.reporter.say)
            except CircuitError as exc:
                self._note(f"{label_of(subject.name, batch, form)} was not measured: {exc}")
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

    def _finish(self, job: Job, entry: Entry, chain: Anvil) -> None:
        """What a timed circuit costs on the chain, and how it decides."""
        if entry.failed:
            self._note(f"{entry.label} was not measured: {entry.failed}")
            return
        self.reporter.say(f"verifier of {entry.form}, batch {entry.batch}")
        cost = stock = None
        try:
            cost = verification(chain, entry)
            if entry.batch in job.stock and entry.prepared.entry == HARDENED:
                stock = stock_verification(chain, entry)
        except (ChainError, CompileError) as exc:
            self._note(f"{entry.label} has no figures from the chain: {exc}")
        if cost and cost.code_bytes > MAX_CODE_BYTES:
            self._note(
                f"{entry.label}: a chain refuses its verifier, whose code has "
                f"{cost.code_bytes:,} bytes where {MAX_CODE_BYTES:,} are allowed"
            )
        self._add(case_of(entry, cost, stock, *self._agreement(job, entry)))

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

    def _evm(self, subject: Subject, chain: Anvil) -> None:
        self.reporter.say("evaluating in the EVM")
        try:
            case, multiply_adds = evm_case(chain, subject)
        except EvmModelError as exc:
            self._note(f"{subject.name} (evm) was not measured: {exc}")
            return
        self._add(case)
        self._keep(
            networks=tuple(
                network.model_copy(update={"multiply_adds": multiply_adds})
                if network.name == subject.name
                else network
                for network in self.results.networks
            )
        )

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

    def _add(self, *cases: Case) -> None:
        self._keep(cases=(*self.results.cases, *cases))

    def _save(self) -> None:
        machine = self.results.machine.model_copy(update={"load_after": load_average()})
        self._keep(
            machine=machine,
            duration_s=round(time.monotonic() - self._clock, 1),
        )
        self.results.save(self.out)


__all__ = ["Runner", "guess_s"]

"""What is measured: which networks, in which forms and batch sizes, how often.

One Job is one network with all that is compared on it; its circuits are measured in turns.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from executor.bench import forms
from executor.bench.subjects import Say, Subject, square_mlp, wallet, wide_square
from executor.errors import UnknownBenchModel

Load = Callable[[Path, Say], Subject]

#: Form -> how it is made. Batches above 1 are for integer networks.
FORMS: dict[str, forms.Form] = {"zkagent": forms.zkagent}


@dataclass(frozen=True)
class Job:
    """One network to measure.

    load: makes it in a folder. circuits: (form, batch) each. evm: also as a contract that computes
    it. stock: also by the verifier that ezkl writes, for these batches. rounds, setups: fewer than
    the suite's, for what is measured for its gas. guess_s: of all of it, for one round.
    """

    name: str
    load: Load
    circuits: tuple[tuple[str, int], ...]
    evm: bool = False
    stock: tuple[int, ...] = ()
    rounds: int | None = None
    setups: int | None = None
    agreement: int = 0
    guess_s: float = 20.0


@dataclass(frozen=True)
class Suite:
    """Jobs; how often each circuit proves and its keys are made. runs: also whole agent runs.

    notes: what is left out, and why.
    """

    name: str
    jobs: tuple[Job, ...]
    rounds: int
    setups: int
    runs: bool
    notes: tuple[str, ...] = ()

    def only(self, names: tuple[str, ...]) -> "Suite":
        """The jobs of these names; all when there are none. Raises UnknownBenchModel."""
        known = [job.name for job in self.jobs]
        for name in names:
            if name not in known:
                raise UnknownBenchModel(name, self.name, known)
        chosen = tuple(job for job in self.jobs if not names or job.name in names)
        return replace(self, jobs=chosen, runs=self.runs and (not names or "wallet" in names))


def ours(*batches: int) -> tuple[tuple[str, int], ...]:
    return tuple(("zkagent", batch) for batch in batches)


def width(hidden: int, *circuits: tuple[str, int], guess_s: float) -> Job:
    """For the line between evaluating and verifying: measured for its gas, so proven once."""
    load = partial(wide_square, hidden)
    return Job(f"square-{hidden}", load, circuits, evm=True, rounds=1, setups=1, guess_s=guess_s)


def quick() -> Suite:
    """Under ten minutes on two cores, the first installation included."""
    jobs = (
        Job("mlp-square", square_mlp, ours(1, 4, 16), True, (1,), agreement=200, guess_s=40),
        Job("wallet", wallet, ours(1, 4, 16), True, (1,), agreement=200, guess_s=80),
        width(8, *ours(1), guess_s=10),
        width(128, *ours(1), guess_s=20),
        width(512, guess_s=15),
    )
    return Suite("quick", jobs, rounds=5, setups=3, runs=True)


def full() -> Suite:
    """Everything there is to measure."""
    jobs = (
        Job("mlp-square", square_mlp, ours(1, 2, 4, 8, 16), True, (1, 16), agreement=1000),
        Job("wallet", wallet, ours(1, 2, 4, 8, 16), True, (1, 16), agreement=1000, guess_s=120),
        width(8, *ours(1), guess_s=10),
        width(128, *ours(1), guess_s=20),
        width(512, *ours(1), guess_s=60),
        width(2048, guess_s=60),
    )
    return Suite("full", jobs, rounds=9, setups=5, runs=True)


__all__ = ["FORMS", "Job", "Suite", "full", "quick"]

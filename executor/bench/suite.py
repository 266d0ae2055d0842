"""What is measured: which networks, in which forms and batch sizes, how often.

One Job is one network with all that is compared on it; its circuits are measured in turns.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from zkagent.executor.bench import forms
from zkagent.executor.bench.classifiers import classifier
from zkagent.executor.bench.defaults import ezkl_defaults
from zkagent.executor.bench.examples import TITLES, example
from zkagent.executor.bench.keyed import FORM as GROTH16
from zkagent.executor.bench.keyed import groth16
from zkagent.executor.bench.subjects import (
    Say,
    Subject,
    deep_square,
    instruction_reader,
    random_square,
    square_mlp,
    text_reader,
    wallet,
    wide_square,
)
from zkagent.executor.bench.tuned import TUNED
from zkagent.executor.errors import UnknownBenchModel

Load = Callable[[Path, Say], Subject]
Circuits = tuple[tuple[str, int], ...]

OURS, DEFAULTS = "zkagent", "ezkl-defaults"
KEYED: Circuits = ((GROTH16, 1), (GROTH16, 3))
LATENCY, GAS, BALANCED = "tuned-latency", "tuned-gas", "tuned-balanced"
#: Form -> how it is made. Batches above 1 are for integer networks.
FORMS: dict[str, forms.Form] = {
    OURS: forms.zkagent,
    DEFAULTS: ezkl_defaults,
    GROTH16: groth16,
    **TUNED,
}
EVERY_SAMPLE = 1_000_000


@dataclass(frozen=True)
class Job:
    """One network to measure.

    load: makes it in a folder. circuits: (form, batch) each. evm: also as a contract that computes
    it. stock: also by the verifier that ezkl writes, for these batches. rounds, setups: fewer than
    the suite's, for what is measured for its gas. agreement: with onnxruntime, on so many samples
    at most. guess_s: of all of it.
    """

    name: str
    load: Load
    circuits: Circuits
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


def quick() -> Suite:
    """Under ten minutes on two cores, the first installation included."""
    batches = ours(1, 4, 16)
    return Suite(
        "quick",
        (
            integer("mlp-square", square_mlp, (*batches, *KEYED, *single(DEFAULTS, BALANCED)), 110),
            integer("wallet", wallet, (*batches, *KEYED, *single(DEFAULTS, BALANCED)), 150),
            rounding("mlp", single(OURS, DEFAULTS, GAS, BALANCED), 90),
            width(8, (*ours(1), *KEYED), 10),
            width(128, (*ours(1), *KEYED), 20),
            width(512, KEYED, 10),
            depth(64, KEYED, 10),
            depth(128, KEYED, 15),
        ),
        rounds=4,
        setups=2,
        runs=True,
        notes=("quick run: `--full` has more models, batch sizes, objectives and repetitions",),
    )


def full(clinc150: Path | None = None, snips: Path | None = None) -> Suite:
    """Everything there is to measure. clinc150, snips: folders with train.jsonl and test.jsonl."""
    batches = ours(1, 2, 4, 8, 16)
    keyed = (*KEYED, (GROTH16, 16))
    forms_of_one = single(DEFAULTS, LATENCY, GAS, BALANCED)
    given = {"CLINC150": clinc150, "SNIPS": snips}
    return Suite(
        "full",
        (
            integer("mlp-square", square_mlp, (*batches, *keyed, *forms_of_one), 240),
            integer("wallet", wallet, (*batches, *keyed, *forms_of_one), 340),
            *(
                rounding(kind, (*single(OURS), *forms_of_one), 300)
                for kind in ("mlp", "cnn", "transformer", "trees")
            ),
            *(job for title, data in given.items() if data for job in texts(title, data)),
            width(8, (*ours(1), *KEYED), 10),
            width(128, (*ours(1), *KEYED), 20),
            width(512, (*ours(1), *KEYED), 60),
            depth(64, (*ours(1), *KEYED), 90),
            depth(128, (*ours(1), *KEYED), 90),
            weights((128, 512, 16), 12, 20),
            weights((512, 2048, 32), 11, 60),
            Job("text-64", text_reader, single(GROTH16), setups=1, guess_s=120),
            Job("gated-30", instruction_reader, single(GROTH16), setups=1, guess_s=180),
        ),
        rounds=9,
        setups=5,
        runs=True,
        notes=tuple(
            f"text classifiers of {title}: give its folder with --{title.lower()}"
            for title, data in given.items()
            if not data
        ),
    )


def ours(*batches: int) -> Circuits:
    return tuple((OURS, batch) for batch in batches)


def single(*names: str) -> Circuits:
    return tuple((name, 1) for name in names)


def integer(name: str, load: Load, circuits: Circuits, guess_s: float) -> Job:
    """An exact network, beside a contract that computes it."""
    return Job(name, load, circuits, evm=True, stock=(1,), agreement=EVERY_SAMPLE, guess_s=guess_s)


def rounding(kind: str, circuits: Circuits, guess_s: float) -> Job:
    """One of the example networks over floats."""
    load = partial(example, kind)
    return Job(TITLES[kind][0], load, circuits, stock=(1,), agreement=EVERY_SAMPLE, guess_s=guess_s)


def texts(title: str, data: Path) -> Iterator[Job]:
    """The sizes of a text classifier: tuned where ezkl's circuit is small; XXL for Groth16 alone,
    as no chain holds the contract."""
    forms_of = {
        **dict.fromkeys(("S", "M", "L"), ((*ours(1), *KEYED, *single(LATENCY)), 260)),
        "XL": ((*ours(1), *KEYED), 500),
        "XXL": (KEYED, 600),
    }
    for size, (circuits, guess_s) in forms_of.items():
        load = partial(classifier, title, data, size)
        job = integer(f"{title.lower()}-{size}", load, circuits, guess_s)
        yield replace(job, evm=size != "XXL")


def width(hidden: int, circuits: Circuits, guess_s: float) -> Job:
    """For the line between evaluating and verifying: measured for its gas, so proven once."""
    return _for_gas(f"square-{hidden}", partial(wide_square, hidden), circuits, guess_s)


def weights(layers: tuple[int, int, int], bits: int, guess_s: float) -> Job:
    """Many weights, for Groth16 alone: ezkl takes minutes, and no chain holds the contract."""
    load = partial(random_square, layers, bits)
    return Job("square-{}-{}-{}".format(*layers), load, KEYED, setups=1, guess_s=guess_s)


def depth(hidden: int, circuits: Circuits, guess_s: float) -> Job:
    """The same, with a second hidden layer."""
    return _for_gas(f"deep-{hidden}", partial(deep_square, hidden), circuits, guess_s)


def _for_gas(name: str, load: Load, circuits: Circuits, guess_s: float) -> Job:
    return Job(name, load, circuits, evm=True, rounds=1, setups=1, guess_s=guess_s)


__all__ = ["FORMS", "Job", "Suite", "full", "quick"]

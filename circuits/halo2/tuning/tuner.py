"""Tunes a network's circuit: search by the cost model, judge on samples, measure the best few.

Runs in a process of its own (tuner_process.py), because ezkl holds the interpreter lock.
"""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from zkagent.circuits.errors import TuningFailed
from zkagent.circuits.halo2.build import Plan, make_plan
from zkagent.circuits.halo2.cached import ezkl_version
from zkagent.circuits.halo2.calibration import calibrate
from zkagent.circuits.halo2.fidelity import Fidelity, quantised
from zkagent.circuits.halo2.keyless import check_least_memory
from zkagent.circuits.halo2.settings import RunArguments, default_arguments
from zkagent.circuits.halo2.tuning.candidates import (
    FEW_LEGS,
    MORE_LEGS,
    Draft,
    exact_drafts,
    rough_drafts,
)
from zkagent.circuits.halo2.tuning.choosing import favourites, fitting
from zkagent.circuits.halo2.tuning.cost_model import predict, shape_of
from zkagent.circuits.halo2.tuning.judging import Judge, Report
from zkagent.circuits.halo2.tuning.measuring import Measurement, Trial, measure
from zkagent.circuits.halo2.tuning.objectives import Cost, Objective
from zkagent.circuits.halo2.tuning.precision import Precision, Probe, exact_precision
from zkagent.circuits.halo2.tuning.record import STANDARD, Option, Tuning
from zkagent.circuits.networks.judging import Criterion
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.samples import Samples
from zkagent.circuits.support.memory import Budget, memory_budget
from zkagent.circuits.visibility import OPEN, Visibility


@dataclass(frozen=True)
class Wish:
    """What to tune for. measuring_s: time for making keys and proofs, see `measure`. visibility:
    what proofs show. max_memory: bytes that a circuit may take, where less than all that are free.
    """

    objective: Objective
    min_agreement: float = 0.999
    tolerance: float | None = None
    measuring_s: float = 180.0
    decisions: bool = False
    visibility: Visibility = OPEN
    max_memory: int | None = None

    @property
    def criterion(self) -> Criterion:
        return Criterion(self.tolerance, self.decisions)

    @property
    def budget(self) -> Budget:
        """What circuits may take now."""
        return memory_budget(self.max_memory)


@dataclass(frozen=True)
class Finalist:
    """A circuit to measure; fidelity is None for an exact network without samples."""

    name: str
    arguments: RunArguments
    plan: Plan
    fidelity: Fidelity | None


def tune(
    network: Network, samples: Samples | None, wish: Wish, cache: Path | None, report: Report
) -> Tuning:
    """Find the cheapest circuit that agrees with the network as often as asked for.

    samples: needed for networks with fractions. Raises TuningFailed when there is none, and like
    build_circuit.
    """
    if samples is None and not network.integer:
        raise TuningFailed(network.path, "it rounds: give samples to compare it on (--data)")
    check_least_memory(network, wish.budget)
    with tempfile.TemporaryDirectory() as folder:
        search = Search(network, samples, wish, Path(folder), report)
        standard = search.standard()
        others = search.finalists()
        considered = search.considered
    finalists = [
        standard,
        *(each for each in others if each.plan.settings != standard.plan.settings),
    ]
    trials = [_trial(network, samples, each) for each in finalists]
    measured = measure(trials, cache=cache, seconds=wish.measuring_s, report=report)
    speed = _speed(finalists, measured)
    options, left_out = _options(finalists, measured, speed)
    if not options:
        raise TuningFailed(network.path, f"no circuit could be measured ({'; '.join(left_out)})")
    tuning = Tuning(
        onnx=network.sha256,
        ezkl=ezkl_version(),
        objective=wish.objective,
        min_agreement=wish.min_agreement,
        samples=samples.sha256 if samples else None,
        considered=considered,
        standard=_predicted(standard, speed),
        options=options,
        chosen=STANDARD,
        left_out=left_out,
    )
    return replace(tuning, chosen=best(network, options, wish))


class Search:
    """From all settings to the few that are worth measuring."""

    def __init__(
        self,
        network: Network,
        samples: Samples | None,
        wish: Wish,
        folder: Path,
        report: Report,
    ) -> None:
        self._network, self._samples, self._wish, self._report = network, samples, wish, report
        self._probe = Probe(network, samples, folder)
        self._judge = Judge(network, samples, self._probe, wish.criterion, report)
        self.considered = 0

    def standard(self) -> Finalist:
        """What `zkagent circuit build` makes of the network and the samples."""
        self._report("finding the standard settings")
        seen = self._network.visibility
        arguments, fidelity = default_arguments(self._network.integer, seen), None
        if self._samples:
            found = calibrate(self._network, self._samples, criterion=self._wish.criterion)
            arguments, fidelity = found.arguments, found.fidelity
        return self._finalist(STANDARD, arguments, fidelity)

    def finalists(self) -> list[Finalist]:
        """The best drafts of the one precision that suffices at the least cost; maybe none."""
        precision = self._sufficient()
        if precision is None:
            return []
        self._report(f"laying out {precision}")
        exact = self._fitting(exact_drafts(precision, self._probe.settings))
        self.considered += len(exact)
        fidelity = self._judge.fidelity(precision) if self._samples else None
        chosen = favourites(exact, self._wish.objective)
        return [self._finalist(draft.name, draft.arguments, fidelity) for draft in chosen]

    def _finalist(self, name: str, arguments: RunArguments, fidelity: Fidelity | None) -> Finalist:
        shown = arguments.showing(self._network.visibility)
        plan = make_plan(self._network, shown, self._wish.budget)
        return Finalist(name, shown, plan, fidelity)

    def _fitting(self, drafts: Iterable[Draft]) -> list[Draft]:
        return fitting(drafts, self._wish.budget)

    def _sufficient(self) -> Precision | None:
        """The precision that agrees often enough at the least cost.

        One that had to be widened is weighed again: its tables may need more rows now.
        """
        rough = self._fitting(self._drafts(self._precisions()))
        self.considered = len(rough)
        while True:
            found = self._judge.choose(rough, self._wish.objective, self._wish.min_agreement)
            if found is None or any(draft.precision == found for draft in rough):
                return found
            others = (draft for draft in rough if not draft.precision.rounds_like(found))
            rough = [*others, *self._fitting(self._drafts([found]))]

    def _drafts(self, precisions: Iterable[Precision]) -> Iterator[Draft]:
        for precision in precisions:
            self._report(f"weighing {precision}")
            forms = (precision.arguments(legs) for legs in (FEW_LEGS, MORE_LEGS))
            few, more = (self._probe.settings(arguments) for arguments in forms)
            yield from rough_drafts(precision, few, more)

    def _precisions(self) -> Iterator[Precision]:
        if not self._network.integer:
            return self._probe.precisions()
        usual = default_arguments(True, self._network.visibility)
        settings = self._probe.compile(usual)
        return iter([exact_precision(settings)])


def _trial(network: Network, samples: Samples | None, finalist: Finalist) -> Trial:
    """To prove the first sample, or small numbers."""
    settings = finalist.plan.settings
    inputs = [[(7 * index) % 5 - 2 for index in range(each.size)] for each in network.inputs]
    if samples:
        inputs = quantised(next(iter(samples)), settings["model_input_scales"])
    return Trial(finalist.name, finalist.plan, inputs, predict(settings).seconds)


def _options(
    finalists: list[Finalist], measured: dict[str, Measurement | str], speed: float
) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    """The measured ones, and why others could not be."""
    options, left_out = [], []
    for each in finalists:
        outcome = measured[each.name]
        if isinstance(outcome, str):
            left_out.append(f"{each.name}: {outcome}")
            continue
        settings = each.plan.settings
        options.append(
            Option(
                name=each.name,
                arguments=each.arguments,
                rows=settings["num_rows"],
                logrows=each.plan.logrows,
                blocks=shape_of(settings).blocks,
                predicted=_predicted(each, speed),
                measured=outcome,
                fidelity=each.fidelity,
            )
        )
    return tuple(options), tuple(left_out)


def _predicted(finalist: Finalist, speed: float) -> Cost:
    """In this machine's seconds."""
    cost = predict(finalist.plan.settings)
    return replace(cost, seconds=cost.seconds * speed)


def _speed(finalists: list[Finalist], measured: dict[str, Measurement | str]) -> float:
    """This machine's seconds for one of the cost model, from the first circuit measured."""
    for each in finalists:
        outcome = measured[each.name]
        if isinstance(outcome, Measurement):
            return outcome.seconds / predict(each.plan.settings).seconds
    return 1.0


def best(network: Network, options: tuple[Option, ...], wish: Wish) -> str:
    """Among those that agree as often as asked; without any loss, if one of them has none."""
    agreeing = [option for option in options if option.agreement >= wish.min_agreement]
    if not agreeing:
        found = max((option.agreement for option in options), default=0.0)
        raise TuningFailed(
            network.path,
            f"no settings agree with onnxruntime on {wish.min_agreement:.4%} of the samples "
            f"(the best on {found:.4%}): ask for less with --min-agreement",
        )
    lossless = [option for option in agreeing if option.agreement == 1.0]
    return min(lossless or agreeing, key=lambda option: wish.objective.rank(option.cost)).name


__all__ = ["Finalist", "Search", "Wish", "best", "tune"]

"""What the plots show, as numbers: tested without drawing anything."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from zkagent.executor.bench.breakeven import SQUARES, Crossing, Point, crossings, line
from zkagent.executor.bench.results import Case, Network, Results, Share

EVM, OURS, DEFAULTS, GROTH16 = "evm", "zkagent", "ezkl-defaults", "groth16"
SHOWN_CROSSINGS = (1, 16)
BESIDE = 1.2  # of two points' x, up to which one label has no room beside the other
Cost = Callable[[Case], float | None]


class Style(StrEnum):
    """How a series is drawn: the measured ones with markers."""

    LINE = "line"
    DASHED = "dashed"
    LEVEL = "level"  # one cost that does not depend on x
    POINTS = "points"
    HOLLOW = "hollow"


@dataclass(frozen=True)
class Series:
    """Points from left to right. group: series of one group share their colour.

    labels: one for each point, or none. errors: below and above each. until: where the last value,
    not measured there, is drawn on to.
    """

    label: str
    points: tuple[Point, ...]
    style: Style = Style.LINE
    group: str = ""
    labels: tuple[str, ...] = ()
    errors: tuple[Point, ...] = ()
    until: float | None = None

    def names(self) -> Iterator[tuple[str, Point]]:
        """What stands above which point: points close to each other have their labels in one."""
        together: list[str] = []
        following = [x for x, _ in self.points[1:]] + [math.inf]
        for point, label, x in zip(self.points, self.labels, following, strict=bool(self.labels)):
            together.append(label)
            if x > point[0] * BESIDE:
                yield ", ".join(together), point
                together = []


def prove_time(results: Results) -> list[Series]:
    """Seconds by cells, one series for each form; the errors reach to the fastest and slowest."""
    found = []
    for form in _forms(results):
        cases = [c for c in results.of_form(form) if c.prove_s and c.cells]
        cases.sort(key=lambda case: case.cells or 0)
        points, errors = [], []
        for case in cases:
            timing = case.prove_s
            assert timing
            assert case.cells
            points.append((float(case.cells), timing.median))
            errors.append((timing.median - timing.low, timing.high - timing.median))
        if points:
            label = form_name(form)
            found.append(Series(label, tuple(points), Style.POINTS, errors=tuple(errors)))
    return found


def gas_by_batch(results: Results) -> list[Series]:
    """Gas per decision by batch size, for each network that was proven in batches, beside the EVM's
    gas for the same network."""
    found = []
    for network in results.networks:
        name = network.family
        batches = [c for c in results.cases if c.network == network.name and c.form == OURS]
        pairs = sorted((float(c.batch), c.gas_per_decision) for c in batches if c.verify_gas)
        points = tuple((batch, gas) for batch, gas in pairs if gas is not None)
        if len(points) < 2:
            continue
        found.append(Series(f"{name}, proven", points, group=name))
        evaluated = results.case(network.name, EVM)
        if evaluated and evaluated.verify_gas is not None:
            level = float(evaluated.verify_gas)
            ends = ((points[0][0], level), (points[-1][0], level))
            found.append(Series(f"{name}, computed by the EVM", ends, Style.LEVEL, name))
    return found


def accuracy(results: Results) -> list[Series]:
    """Per cent right by seconds for one proof, for each family; hollow: ezkl's own calibration,
    dashed: Groth16."""
    forms = ((OURS, Style.LINE), (DEFAULTS, Style.HOLLOW), (GROTH16, Style.DASHED))
    return _by_family(results, forms, lambda case: case.prove_s.median if case.prove_s else None)


def accuracy_by_gas(results: Results) -> list[Series]:
    """Per cent right by gas for one decision, calldata included, for each family; hollow: computed
    by the EVM, dashed: Groth16."""

    def gas(case: Case) -> float | None:
        return None if case.verify_gas is None else case.verify_gas + (case.calldata_gas or 0)

    forms = ((OURS, Style.LINE), (EVM, Style.HOLLOW), (GROTH16, Style.DASHED))
    return _by_family(results, forms, gas)


def _by_family(results: Results, forms: Sequence[tuple[str, Style]], cost: Cost) -> list[Series]:
    found = []
    families = dict.fromkeys(network.family for network in results.networks)
    for family in families:
        label = family  # of the first of its series; the others have the same colour
        for form, style in forms:
            points = sorted(_accuracies(results, family, form, cost))
            if points:
                found.append(
                    Series(
                        label,
                        tuple((x, y) for x, y, _ in points),
                        style,
                        family,
                        labels=tuple(short for _, _, short in points)
                        if style is not Style.HOLLOW
                        else (),
                    )
                )
                label = ""
    return found


def _accuracies(
    results: Results, family: str, form: str, cost: Cost
) -> Iterator[tuple[float, float, str]]:
    for case in results.of_form(form, 1):
        network = results.network(case.network)
        share = accuracy_of(network, case)
        if network.family == family and share and (paid := cost(case)):
            yield paid, 100 * share.value, network.short


def break_even(results: Results) -> list[Series]:
    """Gas per decision by multiply-adds: computed by the EVM, and verified at each batch size."""
    evaluated = line(results, EVM, 1, SQUARES)
    if len(evaluated) < 2:
        return []
    found = [Series("computed by the EVM", tuple(evaluated), Style.DASHED)]
    last = max([x for x, _ in evaluated] + [c.multiply_adds for c in crossings_shown(results)])
    for batch in sorted({case.batch for case in results.of_form(OURS)}):
        verified = line(results, OURS, batch, SQUARES)
        if batch in SHOWN_CROSSINGS and verified:
            name = f"a proof for {batch} decision" + ("s" if batch > 1 else "")
            found.append(Series(name, tuple(verified), until=last))
    for batch in sorted({case.batch for case in results.of_form(GROTH16)}):
        if verified := line(results, GROTH16, batch, SQUARES):
            name = f"{batch} Groth16 proofs together" if batch > 1 else "a Groth16 proof alone"
            found.append(Series(name, tuple(verified), until=last))
    return found


def crossings_shown(results: Results) -> list[Crossing]:
    return [crossing for crossing in crossings(results) if crossing.batch in SHOWN_CROSSINGS]


def accuracy_of(network: Network, case: Case) -> Share | None:
    """The circuit's; an exact form has the network's own, without being asked again."""
    if case.accuracy is not None:
        return case.accuracy
    exact = case.form == EVM or (case.agreement is not None and case.agreement.value == 1)
    return network.accuracy if network.exact and exact else None


def form_name(form: str) -> str:
    """As legends say it."""
    return {
        OURS: "zkagent",
        DEFAULTS: "ezkl's own calibration",
        EVM: "EVM",
        GROTH16: "Groth16",
    }.get(form, form.replace("tuned-", "tuned: "))


def _forms(results: Results) -> list[str]:
    """In the order of their first appearance."""
    return list(dict.fromkeys(case.form for case in results.cases))


__all__ = [
    "GROTH16",
    "Series",
    "Style",
    "accuracy",
    "accuracy_by_gas",
    "accuracy_of",
    "break_even",
    "crossings_shown",
    "form_name",
]
__all__ += ["gas_by_batch", "prove_time"]

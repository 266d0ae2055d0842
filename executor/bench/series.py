"""What the plots show, as numbers: tested without drawing anything."""

from dataclasses import dataclass

from executor.bench.breakeven import SQUARES, Crossing, Point, crossings, line
from executor.bench.results import Case, Network, Results, Share

EVM, OURS, DEFAULTS = "evm", "zkagent", "ezkl-defaults"
SHOWN_CROSSINGS = (1, 16)


@dataclass(frozen=True)
class Series:
    """Points from left to right. labels: one for each, or none. errors: below and above each.

    baseline: drawn dashed.
    """

    label: str
    points: tuple[Point, ...]
    labels: tuple[str, ...] = ()
    errors: tuple[Point, ...] = ()
    baseline: bool = False


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
            found.append(
                Series(
                    form_name(form),
                    tuple(points),
                    errors=tuple(errors),
                    baseline=form == DEFAULTS,
                )
            )
    return found


def gas_by_batch(results: Results) -> list[Series]:
    """Gas per decision by batch size, for each network that was proven in batches, beside the EVM's
    gas for the same network."""
    found = []
    for network in results.networks:
        batches = [c for c in results.cases if c.network == network.name and c.form == OURS]
        pairs = sorted((float(c.batch), c.gas_per_decision) for c in batches if c.verify_gas)
        points = tuple((batch, gas) for batch, gas in pairs if gas is not None)
        if len(points) < 2:
            continue
        found.append(Series(f"{network.title}: proof", points))
        evaluated = results.case(network.name, EVM)
        if evaluated and evaluated.verify_gas is not None:
            level = float(evaluated.verify_gas)
            ends = ((points[0][0], level), (points[-1][0], level))
            found.append(Series(f"{network.title}: computed in the EVM", ends, baseline=True))
    return found


def accuracy(results: Results) -> list[Series]:
    """Per cent right by seconds for one proof: a series for each family and form."""
    grouped: dict[tuple[str, str], list[tuple[float, float, str]]] = {}
    for case in results.cases:
        network = results.network(case.network)
        share = accuracy_of(network, case)
        if case.batch == 1 and case.prove_s and share:
            family = grouped.setdefault((network.family, case.form), [])
            family.append((case.prove_s.median, 100 * share.value, network.title))
    return [
        Series(
            f"{family}, {form_name(form)}",
            tuple((x, y) for x, y, _ in sorted(points)),
            labels=tuple(title for _, _, title in sorted(points)),
            baseline=form == DEFAULTS,
        )
        for (family, form), points in grouped.items()
    ]


def break_even(results: Results) -> list[Series]:
    """Gas per decision by multiply-adds: computed in the EVM, and verified at each batch size."""
    evaluated = line(results, EVM, 1, SQUARES)
    if len(evaluated) < 2:
        return []
    found = [Series("computed in the EVM", tuple(evaluated), baseline=True)]
    last = max([x for x, _ in evaluated] + [c.multiply_adds for c in crossings_shown(results)])
    for batch in sorted({case.batch for case in results.of_form(OURS)}):
        verified = line(results, OURS, batch, SQUARES)
        if batch in SHOWN_CROSSINGS and verified:
            flat = (*verified, (last, verified[-1][1])) if verified[-1][0] < last else verified
            name = "one decision for each proof" if batch == 1 else f"{batch} decisions per proof"
            found.append(Series(f"verified, {name}", tuple(flat)))
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
    return {OURS: "zkagent", DEFAULTS: "ezkl's own calibration", EVM: "EVM"}.get(
        form, form.replace("tuned-", "tuned for ")
    )


def _forms(results: Results) -> list[str]:
    """In the order of their first appearance."""
    return list(dict.fromkeys(case.form for case in results.cases))


__all__ = ["Series", "accuracy", "accuracy_of", "break_even", "crossings_shown", "form_name"]
__all__ += ["gas_by_batch", "prove_time"]

"""Settings below the agreement asked for are never chosen; those without loss come first."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_networks import read_back, relu_network
from zkagent.circuits.errors import EngineError, TuningFailed
from zkagent.circuits.halo2.fidelity import Fidelity
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.circuits.halo2.tuning.candidates import Draft
from zkagent.circuits.halo2.tuning.choosing import favourites, fitting
from zkagent.circuits.halo2.tuning.judging import Judge, widened
from zkagent.circuits.halo2.tuning.measuring import Measurement
from zkagent.circuits.halo2.tuning.objectives import Cost, Objective
from zkagent.circuits.halo2.tuning.precision import Precision, Probe
from zkagent.circuits.halo2.tuning.record import Option
from zkagent.circuits.halo2.tuning.tuner import Wish, best
from zkagent.circuits.networks.judging import Criterion
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.samples import Samples
from zkagent.circuits.support.memory import Budget

LARGEST = Criterion(decisions=True)
FINE, COARSE, COARSEST = (Precision(bits, 1, 20, None) for bits in (8, 6, 4))


def draft(precision: Precision, seconds: float = 1.0, gas: int = 300, peak: int = 100) -> Draft:
    return Draft(precision, RunArguments(), Cost(seconds, peak, 10, gas))


class KnownJudge(Judge):
    """Agreements are given; which ones are asked for is kept."""

    def __init__(self, agreements: Mapping[Precision, float], network: Network, folder: Path):
        samples = Samples(folder, "", (np.zeros((1000, 1, 4), dtype=np.float32),))
        super().__init__(network, samples, Probe(network, samples, folder), LARGEST, print)
        self.agreements = agreements
        self.compared: list[tuple[Precision, int | None]] = []

    def fidelity(self, precision: Precision, count: int | None = None) -> Fidelity:
        self.compared.append((precision, count))
        return Fidelity(count or 1000, self.agreements[precision], 0.1, 0, None)


@pytest.fixture
def network_(tmp_path: Path) -> Network:
    return read_back(tmp_path, relu_network())


@pytest.mark.parametrize(
    ("agreements", "asked", "chosen"),
    [
        ((1.0, 1.0, 1.0), 0.9, COARSEST),  # the cheapest of those without loss
        ((0.95, 1.0, 1.0), 0.9, COARSE),  # without loss before cheap
        ((0.95, 0.97, 0.99), 0.9, COARSEST),  # the cheapest that is good enough
        ((0.95, 0.97, 0.99), 0.96, COARSE),
        ((0.95, 0.97, 0.99), 0.999, None),
    ],
)
def test_the_cheapest_precision_that_agrees_is_chosen(
    network_: Network,
    tmp_path: Path,
    agreements: tuple[float, float, float],
    asked: float,
    chosen: Precision | None,
) -> None:
    known = dict(zip((COARSEST, COARSE, FINE), agreements, strict=True))
    judge = KnownJudge(known, network_, tmp_path)
    drafts = [draft(FINE, 3.0), draft(COARSEST, 1.0), draft(COARSE, 2.0)]
    assert judge.choose(drafts, Objective.LATENCY, asked) == chosen


def test_a_precision_that_fails_on_few_samples_is_not_tried_on_all(
    network_: Network, tmp_path: Path
) -> None:
    judge = KnownJudge({COARSE: 0.5}, network_, tmp_path)
    assert judge.sufficient(COARSE, 0.999) is None
    assert judge.compared == [(COARSE, 16)]


@pytest.mark.parametrize(("outlier", "doublings"), [(2.0, 0), (5.0, 1), (20.0, 3), (50.0, None)])
def test_ranges_are_widened_for_samples_that_fall_outside(
    network_: Network, tmp_path: Path, outlier: float, doublings: int | None
) -> None:
    """The first samples, which ranges are found by, are all 1."""
    values = np.ones((40, 1, 4), dtype=np.float32)
    values[30] = outlier
    samples = Samples(tmp_path, "", (values,))
    probe = Probe(network_, samples, tmp_path)
    narrow = probe.ranges(Precision(6, 10, 24, None))
    assert narrow
    assert narrow.range_bits
    judge = Judge(network_, samples, probe, LARGEST, lambda text: None)
    wide = None if doublings is None else replace(narrow, range_bits=narrow.range_bits + doublings)
    assert judge.sufficient(narrow, 1.0) == wide
    assert judge.sufficient(narrow, 0.97) == narrow


def test_ranges_that_ezkl_cannot_do_end_the_widening_and_nothing_else_is_hidden(
    network_: Network, tmp_path: Path
) -> None:
    class Panicking(KnownJudge):
        def fidelity(self, precision: Precision, count: int | None = None) -> Fidelity:
            if precision not in self.agreements:
                raise EngineError("compile", "it panicked")
            return replace(super().fidelity(precision, count), outside=1)

    judge = Panicking({FINE: 0.5}, network_, tmp_path)
    assert judge.sufficient(FINE, 1.0) is None
    with pytest.raises(EngineError, match="it panicked"):
        judge.sufficient(COARSE, 1.0)


def test_widening_doubles_tables_too() -> None:
    assert widened(Precision(7, 1, 18, (-2658, 1))) == Precision(7, 1, 19, (-5316, 2))
    assert widened(Precision(7, 1, None, None)) == Precision(7, 1, None, None)


def test_of_equally_cheap_precisions_the_finest_is_tried_first(
    network_: Network, tmp_path: Path
) -> None:
    judge = KnownJudge({FINE: 1.0, COARSE: 1.0}, network_, tmp_path)
    assert judge.choose([draft(COARSE), draft(FINE)], Objective.GAS, 1.0) == FINE


def test_favourites_are_the_best_three_and_the_best_of_each_other_objective() -> None:
    fast = [draft(FINE, seconds, gas=900) for seconds in (1.0, 1.1, 1.2, 1.3)]
    cheap, small = draft(FINE, 5.0, gas=100), draft(FINE, 6.0, gas=800, peak=10)
    chosen = favourites([*fast, cheap, small], Objective.LATENCY)
    assert chosen[:3] == fast[:3]
    assert cheap in chosen
    assert small in chosen
    assert fast[3] not in chosen


def test_drafts_that_hardly_differ_are_measured_once() -> None:
    twins = [draft(FINE, 1.0), draft(FINE, 1.01), draft(FINE, 2.0)]
    assert favourites(twins, Objective.LATENCY) == [twins[0], twins[2]]


def test_what_this_machine_has_no_memory_for_is_left_out() -> None:
    possible, impossible = draft(FINE), draft(FINE, peak=1 << 60)
    assert fitting([possible, impossible], Budget(1e12, False)) == [possible]
    assert fitting([possible, impossible], Budget(10.0, True)) == []


def option(name: str, agreement: float, seconds: float) -> Option:
    measured = Measurement(3, seconds, seconds, 0.1, 100, 10, 10)
    fidelity = Fidelity(1000, agreement, 0.1, 0, None)
    cost = Cost(seconds, 100, 10, 300)
    return Option(name, RunArguments(), 10, 6, 1, cost, measured, fidelity)


def test_the_best_measured_option_is_never_below_the_agreement_asked_for(
    network_: Network,
) -> None:
    options = (option("bad", 0.99, 1.0), option("good", 0.9995, 2.0), option("slow", 0.9999, 9.0))
    wish = Wish(Objective.LATENCY, min_agreement=0.999)
    assert best(network_, options, wish) == "good"
    assert best(network_, (*options, option("lossless", 1.0, 20.0)), wish) == "lossless"
    with pytest.raises(TuningFailed, match=r"on 99\.9900% of the samples \(the best on 99\.0000%"):
        best(network_, options[:1], replace(wish, min_agreement=0.9999))

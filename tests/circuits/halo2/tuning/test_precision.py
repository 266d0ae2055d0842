"""Scales and ranges: large enough for the samples with room to spare, and no larger."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.small_networks import read_back, relu_network
from zkagent.circuits.halo2.layouts import least_base
from zkagent.circuits.halo2.settings import (
    LEARNING_LOGROWS,
    RunArguments,
    Settings,
    default_arguments,
)
from zkagent.circuits.halo2.tuning.candidates import exact_drafts, forms
from zkagent.circuits.halo2.tuning.precision import Precision, Probe, exact_precision
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.samples import Samples


@pytest.fixture(scope="module")
def network_(tmp_path_factory: pytest.TempPathFactory) -> Network:
    """y = relu(x W) V with |W| <= 9 / 8."""
    return read_back(tmp_path_factory.mktemp("networks"), relu_network())


def samples_of(value: float) -> Samples:
    return Samples(Path("x.npz"), "", (np.full((1, 1, 4), value, dtype=np.float32),))


@pytest.fixture
def probe(network_: Network, tmp_path: Path) -> Probe:
    return Probe(network_, samples_of(1.0), tmp_path)


@pytest.mark.parametrize(
    ("bound", "legs", "base"),
    [(2**21, 3, 128), (2**20, 3, 102), (2**21, 1, 2**21), (5, 2, 3), (4, 2, 2), (2, 3, 2)],
)
def test_the_least_base_reaches_the_bound(bound: int, legs: int, base: int) -> None:
    assert least_base(bound, legs) == base
    assert base**legs >= bound


def test_ranges_hold_twice_what_the_samples_need(probe: Probe) -> None:
    """x = 1 gives relu inputs of at most 8 / 8 = 1: 2^8 at 4 + 4 bits, so 9 bits, doubled 10."""
    found = probe.ranges(Precision(4, 10, 24, None))
    assert found
    assert found.range_bits == 10
    assert found.table is None


def test_larger_samples_need_larger_ranges(network_: Network, tmp_path: Path) -> None:
    small = Probe(network_, samples_of(0.9), tmp_path).ranges(Precision(6, 10, 24, None))
    large = Probe(network_, samples_of(7.2), tmp_path).ranges(Precision(6, 10, 24, None))
    assert small
    assert large
    assert large.range_bits == (small.range_bits or 0) + 3


def test_every_form_of_a_precision_reaches_its_range(probe: Probe) -> None:
    precision = Precision(7, 10, 17, None)
    for draft in exact_drafts(precision, probe.settings):
        assert draft.arguments.decomposition_base**draft.arguments.decomposition_legs >= 2**17
        assert draft.arguments.input_scale_bits == draft.arguments.parameter_scale_bits == 7


def test_cells_of_other_forms_are_what_ezkl_counts(probe: Probe) -> None:
    precision = Precision(7, 1, 17, None)
    few, more = (probe.settings(precision.arguments(legs)) for legs in (2, 3))
    for form in forms(precision, few, more):
        counted = probe.settings(precision.arguments(form.legs))
        assert form.settings["total_assignments"] == counted["total_assignments"]
        checks = form.settings["required_range_checks"]
        assert sorted(checks) == sorted(counted["required_range_checks"])


def test_a_table_larger_than_any_set_up_is_no_choice(probe: Probe) -> None:
    wide = Precision(7, 10, 40, None)
    legs = {draft.arguments.decomposition_legs for draft in exact_drafts(wide, probe.settings)}
    assert legs == {2, 3, 4, 5}


def test_an_exact_network_without_comparisons_has_one_precision(square_onnx: Path) -> None:
    from zkagent.circuits.halo2 import ezkl_engine

    settings = ezkl_engine.make_settings(square_onnx, RunArguments(), LEARNING_LOGROWS)
    assert exact_precision(settings).arguments() == default_arguments(integer=True)


def test_an_exact_network_keeps_the_range_of_its_comparisons(square_onnx: Path) -> None:
    settings: Settings = {
        "run_args": {"decomp_base": 128, "decomp_legs": 3},
        "required_range_checks": [[-1, 1], [0, 127]],
    }
    precision = exact_precision(settings)
    assert precision.arguments(3) == default_arguments(integer=True)
    for legs in (1, 2, 4, 5):
        arguments = precision.arguments(legs)
        assert arguments.decomposition_base**arguments.decomposition_legs >= 128**3

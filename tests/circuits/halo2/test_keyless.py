"""Circuits without keys: the soundness rules hold for them too; witnesses tell their ranges."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.operator_cases import Case
from tests.support.small_networks import read_back, relu_network
from zkagent.circuits.errors import OutsideRange, SettingsRefused
from zkagent.circuits.halo2.build import make_plan
from zkagent.circuits.halo2.calibration import calibrate
from zkagent.circuits.halo2.keyless import KeylessCircuit
from zkagent.circuits.halo2.settings import RunArguments, canonical, default_arguments
from zkagent.circuits.networks.samples import Samples


def rows(*values: float) -> np.ndarray:
    """A sample of four equal numbers for each value."""
    return np.array([[[value] * 4] for value in values], np.float32)


UNSOUND = (
    RunArguments(disable_freivalds=False),
    RunArguments(input_visibility="private"),
    RunArguments(output_visibility="private"),
    RunArguments(parameter_visibility="private"),
)


@pytest.mark.parametrize("unsound", UNSOUND)
def test_unsound_arguments_get_no_settings_anywhere(tmp_path: Path, unsound: RunArguments) -> None:
    relu = read_back(tmp_path, relu_network())
    circuit = KeylessCircuit(relu, tmp_path)
    samples = Samples(relu.path, "", (rows(1),))
    for attempt in (
        lambda: circuit.settings(unsound),
        lambda: circuit.compile(unsound),
        lambda: make_plan(relu, unsound),
        lambda: calibrate(relu, samples, arguments=unsound),
    ):
        with pytest.raises(SettingsRefused):
            attempt()
    assert not circuit.compiled.exists()


def test_what_ezkl_makes_of_sound_arguments_is_checked_too(tmp_path: Path) -> None:
    """A network that is taken for one of integers must not be scaled."""
    relu = replace(read_back(tmp_path, relu_network()), integer=True)
    with pytest.raises(SettingsRefused, match="scales of inputs and outputs"):
        KeylessCircuit(relu, tmp_path).settings(default_arguments(False))


def test_settings_are_canonical_and_have_the_rows_that_are_asked_for(tmp_path: Path) -> None:
    circuit = KeylessCircuit(read_back(tmp_path, relu_network()), tmp_path)
    settings = circuit.settings(default_arguments(False), 12)
    assert settings == canonical(settings)
    assert "timestamp" not in settings
    assert settings["run_args"]["logrows"] == 12


def test_decompositions_hold_what_is_below_their_range(tmp_path: Path) -> None:
    """|x W| <= 8 / 8 |x| for the ReLU's inputs x W: 2^14 |x| at 7 + 7 bits of fraction."""
    circuit = KeylessCircuit(read_back(tmp_path, relu_network()), tmp_path)
    arguments = replace(default_arguments(False), decomposition_base=128, decomposition_legs=2)
    settings = circuit.compile(arguments)
    assert circuit.holds(settings, rows(0.1, -0.9))
    assert not circuit.holds(settings, rows(0.1, 9000))
    assert circuit.looked_up(settings, rows(0.1)) is None


def test_what_samples_look_up_is_told_whatever_the_table_holds(tmp_path: Path) -> None:
    circuit = KeylessCircuit(read_back(tmp_path, Case("Sigmoid").content()), tmp_path)
    settings = circuit.compile(RunArguments(7, 7, lookup_range=(-10, 10)))
    assert circuit.looked_up(settings, rows(-3, 2)) == (-3 * 2**7, 2 * 2**7)
    with pytest.raises(OutsideRange, match="an input of"):
        circuit.looked_up(settings, rows(2.0**60))

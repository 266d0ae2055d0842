"""Tuning with real circuits, small ones: what is measured, chosen and written."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.small_networks import write_tunable
from zkagent.circuits.errors import ArtifactCorrupted, EngineError, TuningFailed
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import make_plan
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.settings import check_settings, default_arguments
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.halo2.tuning.candidates import Draft
from zkagent.circuits.halo2.tuning.choosing import ranked
from zkagent.circuits.halo2.tuning.judging import Judge, widened
from zkagent.circuits.halo2.tuning.measuring import Clock, Trial
from zkagent.circuits.halo2.tuning.measuring_child import Workshop
from zkagent.circuits.halo2.tuning.objectives import Objective
from zkagent.circuits.halo2.tuning.precision import Precision
from zkagent.circuits.halo2.tuning.record import STANDARD, Tuning, find, keep
from zkagent.circuits.halo2.tuning.table import summary, table
from zkagent.circuits.halo2.tuning.tuner import Search, Wish, tune
from zkagent.circuits.halo2.tuning.tuner_process import tune_isolated
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.samples import load_samples
from zkagent.circuits.support.cache import file_digest
from zkagent.executor.cli.tune import build_tuned

BRIEFLY = Wish(Objective.LATENCY, measuring_s=20.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """relu.onnx with relu.npz, and square.onnx."""
    folder = tmp_path_factory.mktemp("tuning")
    write_tunable(folder)
    return folder


def test_what_would_take_too_long_is_not_begun(folder: Path) -> None:
    plan = make_plan(read_network(folder / "square.onnx"), default_arguments(True))
    clock = Clock(seconds=100.0)
    quick, slow = (Trial("", plan, [], seconds) for seconds in (1.0, 1e9))
    assert clock.allows(slow)  # nothing is known yet
    with clock.timing(quick):
        time.sleep(0.01)
    assert clock.allows(quick)
    assert not clock.allows(slow)


@pytest.fixture(scope="module")
def tuning(folder: Path) -> Tuning:
    """Of relu.onnx, for latency."""
    return tune_isolated(
        folder / "relu.onnx", BRIEFLY, data=folder / "relu.npz", cache=folder / "cache"
    )


def test_a_tuning_measures_the_standard_settings_and_better_ones(tuning: Tuning) -> None:
    assert tuning.considered > 100
    assert len(tuning.options) + len(tuning.left_out) > 2
    assert tuning.options[0].name == STANDARD or tuning.left_out[0].startswith(STANDARD)
    for option in tuning.options:
        assert option.measured.proofs >= 1
        assert option.measured.peak_bytes > 20e6
        assert option.predicted.proof_bytes == pytest.approx(option.cost.proof_bytes, rel=0.15)
    fastest = min(option.cost.seconds for option in tuning.options if option.agreement == 1.0)
    assert tuning.winner.cost.seconds == fastest
    assert tuning.winner.agreement == 1.0


def test_a_precision_that_was_widened_is_weighed_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may cost more now than one that was dearer before."""
    network = read_network(folder / "relu.onnx")
    samples = load_samples(folder / "relu.npz", network)
    compared: list[set[Precision]] = []

    def choose(
        judge: Judge, drafts: Sequence[Draft], objective: Objective, agreement: float
    ) -> Precision:
        compared.append({draft.precision for draft in drafts})
        cheapest = ranked(drafts, objective)[0].precision
        return widened(cheapest) if len(compared) == 1 else cheapest

    monkeypatch.setattr(Judge, "choose", choose)
    Search(network, samples, BRIEFLY, tmp_path, lambda text: None).finalists()
    first, second = compared
    (narrow,), (wide,) = first - second, second - first
    assert wide == widened(narrow)


def test_the_pareto_set_holds_the_winner(tuning: Tuning) -> None:
    assert tuning.chosen in tuning.pareto
    assert json.loads(json.dumps(tuning.to_json()))["pareto"] == list(tuning.pareto)


def test_the_table_shows_predictions_beside_measurements(tuning: Tuning) -> None:
    head, first, *_ = table(tuning).splitlines()
    assert (
        head.split() == "settings columns rows seconds memory MB proof bytes gas agreement".split()
    )
    assert first.startswith(f"*  {tuning.chosen}")
    assert f" / {tuning.winner.measured.seconds:.2f}" in first
    assert "settings weighed" in summary(tuning)


def test_all_settings_that_are_measured_keep_the_soundness_rules(
    tuning: Tuning, folder: Path
) -> None:
    for option in tuning.options:
        settings = ezkl_engine.make_settings(folder / "relu.onnx", option.arguments, 12)
        check_settings(settings, integer=False)


def test_a_network_that_rounds_needs_samples(folder: Path) -> None:
    with pytest.raises(TuningFailed, match="give samples to compare it on"):
        tune_isolated(folder / "relu.onnx", BRIEFLY, cache=folder)


def test_a_false_proof_of_a_trial_is_no_measurement(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = make_plan(read_network(folder / "square.onnx"), default_arguments(True))
    (tmp_path / "network.onnx").write_bytes(plan.network.content)
    (tmp_path / "settings.json").write_bytes(plan.settings_bytes)
    workshop = Workshop(tmp_path, development_srs(plan.logrows, tmp_path).path)
    workshop.make([[1, 2, 3, 4]])
    monkeypatch.setattr(ezkl_engine, "verify_instances", lambda *given: False)
    with pytest.raises(EngineError, match="false"):
        workshop.prove()


def test_a_winner_that_disagrees_once_it_is_built_is_not_kept(
    tuning: Tuning, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    onnx, data = folder / "relu.onnx", Data(folder / "relu.npz")
    with pytest.raises(TuningFailed, match=r"the winner agrees on 100\.0000%"):
        build_tuned(onnx, replace(tuning, min_agreement=1.5), None, data)
    assert find(tuning.onnx) is None
    circuit = build_tuned(onnx, tuning, None, data)
    assert circuit.notes["fidelity"]["samples"] == 40
    assert find(tuning.onnx) == tuning


def test_a_record_is_found_by_the_file_s_digest_and_never_read_when_damaged(
    tuning: Tuning, folder: Path, tmp_path: Path
) -> None:
    path = keep(tuning, tmp_path)
    assert tuning.onnx == file_digest(folder / "relu.onnx")
    assert find(tuning.onnx, tmp_path) == tuning
    assert find("0" * 64, tmp_path) is None
    for damaged in (path.read_text().replace("latency", "gas"), "{", "[]"):
        path.write_text(damaged)
        with pytest.raises(ArtifactCorrupted):
            find(tuning.onnx, tmp_path)


def test_an_exact_network_stays_exact_when_tuned(folder: Path, tmp_path: Path) -> None:
    network = read_network(folder / "square.onnx")
    tuning = tune(network, None, BRIEFLY, tmp_path, lambda text: None)
    for option in tuning.options:
        settings = ezkl_engine.make_settings(folder / "square.onnx", option.arguments, 12)
        check_settings(settings, integer=True)
        assert option.fidelity is None

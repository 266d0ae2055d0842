"""`zkagent bench compare`: changes beyond noise, between what can be compared."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.executor.bench.made_results import (
    MACHINE,
    network,
    proven,
    results,
    timing,
    two_networks,
)
from zkagent.executor.bench.compare import Change, compare, threshold
from zkagent.executor.bench.results import Case, Results, Share
from zkagent.executor.cli.bench import bench_group


def of(*cases: Case) -> Results:
    return results([network(name) for name in sorted({c.network for c in cases})], cases)


def only(old: Results, new: Results) -> Change:
    (change,) = compare(old, new).changes
    return change


def test_a_run_is_equal_to_itself() -> None:
    found = compare(two_networks(), two_networks())
    assert found.changes == found.gone == found.fresh == found.remarks == ()
    assert found.compared == 8


def test_one_unit_of_gas_is_a_change() -> None:
    change = only(of(proven("a", verify_gas=335_286)), of(proven("a", verify_gas=335_285)))
    assert (change.what, change.figure) == ("a (zkagent)", "verify gas")
    assert (change.old, change.new, change.better) == ("335,286", "335,285", True)


def test_seconds_within_three_spreads_are_noise() -> None:
    wobbling = timing(1.0, 1.1, 0.9)  # spread 0.1
    old = of(proven("a", prove_s=wobbling))
    new = of(proven("a", prove_s=timing(1.5, 1.65, 1.35)))  # half as slow again, spread 0.1
    assert threshold(wobbling, timing(1.5, 1.65, 1.35)) == pytest.approx(0.6)
    assert compare(old, new).changes == ()


def test_steady_seconds_that_differ_by_more_than_a_tenth_are_a_change() -> None:
    old, new = of(proven("a", prove_s=timing(1.0, 1.0))), of(proven("a", prove_s=timing(1.2)))
    change = only(old, new)
    assert change.figure == "prove"
    assert change.relative == pytest.approx(0.2)
    assert change.better is False
    assert compare(old, of(proven("a", prove_s=timing(1.09)))).changes == ()


def test_calldata_gas_differs_by_chance_like_the_bytes_of_a_proof() -> None:
    old = of(proven("a", calldata_gas=55_000))
    assert compare(old, of(proven("a", calldata_gas=55_012))).changes == ()
    assert only(old, of(proven("a", calldata_gas=65_000))).figure == "calldata gas"


def test_the_largest_change_comes_first() -> None:
    old = of(proven("a", verify_gas=100_000, deploy_gas=2_000_000))
    new = of(proven("a", verify_gas=90_000, deploy_gas=1_000_000))
    assert [change.figure for change in compare(old, new).changes] == ["deploy gas", "verify gas"]


def test_missing_and_new_networks_are_listed_not_compared() -> None:
    found = compare(of(proven("a"), proven("b", batch=4)), of(proven("a"), proven("c")))
    assert found.gone == ("b (zkagent) x4",)
    assert found.fresh == ("c (zkagent)",)
    assert found.compared == 1
    assert found.changes == ()


def test_figures_that_one_run_lacks_are_not_changes() -> None:
    old = of(proven("a", stock_verify_gas=400_000, prove_s=None))
    assert compare(old, of(proven("a"))).changes == ()


def test_seconds_of_another_machine_are_not_compared_but_gas_is() -> None:
    old = of(proven("a", verify_gas=400_000))
    other = MACHINE.model_copy(update={"processor": "A faster one"})
    new = of(proven("a", prove_s=timing(0.1), prove_peak_bytes=10**9)).model_copy(
        update={"machine": other}
    )
    assert only(old, new).figure == "verify gas"
    (remark,) = compare(old, new).remarks
    assert "Some processor, 2 cores, against A faster one" in remark


def test_lost_agreement_is_worse_and_a_larger_test_set_is_shown() -> None:
    old = of(proven("a", agreement=Share(hits=100, total=100)))
    change = only(old, of(proven("a", agreement=Share(hits=999, total=1000))))
    assert (change.old, change.new, change.better) == ("100 of 100", "999 of 1,000", False)
    same = only(old, of(proven("a", agreement=Share(hits=1000, total=1000))))
    assert (same.relative, same.better) == (0, None)


def test_versions_load_and_interruption_are_remarked() -> None:
    busy = MACHINE.model_copy(update={"load_before": 7.5})
    old = two_networks()
    new = old.model_copy(
        update={"machine": busy, "complete": False, "versions": {"python": "3.11.7"}}
    )
    assert set(compare(old, new).remarks) == {
        "the new run is incomplete: it was interrupted",
        "the new run began on a busy machine (load average 7.5)",
        "ezkl: 23.0.5 before, none now",
    }


def test_the_command_prints_changes_and_json(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, gas in ((old, 400_000), (new, 300_000)):
        folder.mkdir()
        of(proven("a", verify_gas=gas)).save(folder)
    text = CliRunner().invoke(bench_group, ["compare", str(old), str(new)]).output
    assert "1 measurements compared, 1 figures changed" in text
    assert "a (zkagent)  verify gas: 400,000 -> 300,000  -25.0 %  better" in text
    machine = CliRunner().invoke(bench_group, ["compare", str(old), str(new), "--json"]).output
    assert json.loads(machine)["changes"][0]["relative"] == -0.25

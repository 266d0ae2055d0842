"""results.json: what is written can be read, and nothing else."""

import inspect
import json
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from tests.executor.bench.made_results import results, timing, two_networks
from tests.support.checkout import DOCS
from zkagent.executor.bench import results as module
from zkagent.executor.bench.results import Results
from zkagent.executor.errors import BenchResultsUnreadable


def test_results_come_back_from_their_file(tmp_path: Path) -> None:
    made = two_networks()
    path = made.save(tmp_path)
    assert path == tmp_path / "results.json"
    assert Results.load(path) == made
    assert Results.load(tmp_path) == made
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_holds_raw_repetitions_and_names_its_format(tmp_path: Path) -> None:
    content = json.loads(two_networks().save(tmp_path).read_text())
    assert content["format"] == "zkagent-bench-1"
    assert content["cases"][0]["prove_s"] == {"values": [0.4, 0.38, 0.44]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "JSON"),
        ('{"format": "zkagent-bench-2"}', "format"),
        (results().to_json().replace('"complete": true', '"complete": "perhaps"'), "complete"),
        (results().to_json().replace('"rounds"', '"turns"'), "rounds"),
    ],
)
def test_another_file_is_refused_by_name_and_reason(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(BenchResultsUnreadable, match=reason) as caught:
        Results.load(path)
    assert str(path) in str(caught.value)


def test_a_case_of_no_known_network_is_refused(tmp_path: Path) -> None:
    folder = two_networks().save(tmp_path).parent
    path = folder / "results.json"
    path.write_text(path.read_text().replace('"network": "square-8"', '"network": "zzz"'))
    with pytest.raises(BenchResultsUnreadable, match="a case is of 'zzz', which is not among"):
        Results.load(folder)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchResultsUnreadable, match="No such file"):
        Results.load(tmp_path)


def test_a_timing_knows_its_median_and_spread() -> None:
    taken = timing(1.0, 1.1, 0.9, 1.0, 9.0)  # one outlier
    assert taken.median == 1.0
    assert (taken.low, taken.high) == (0.9, 9.0)
    assert taken.spread == pytest.approx(0.1)


@pytest.mark.parametrize("values", [(), (0.0,), (-1.0,), (float("nan"),), (float("inf"),)])
def test_no_timing_without_real_seconds(values: tuple[float, ...]) -> None:
    with pytest.raises(ValidationError):
        timing(*values)


def test_a_case_is_found_by_network_form_and_batch() -> None:
    made = two_networks()
    found = made.case("mlp-square", "zkagent", 16)
    assert found is not None
    assert found.gas_per_decision == (300_000 + 320_000) / 16
    assert made.case("mlp-square", "zkagent", 5) is None


def test_every_field_is_explained() -> None:
    text = (DOCS / "benchmarks.md").read_text()
    records = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, BaseModel)
    ]
    fields = {name for record in records for name in record.model_fields}
    assert {name for name in fields if f"`{name}`" not in text} == set()

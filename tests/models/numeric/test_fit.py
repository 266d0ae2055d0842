"""Networks that are fitted to a policy: exactly where squares and products can, reproducibly."""

import runpy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from tests.support.checkout import ROOT
from zkagent.models.agents.numeric import NumericDirection, NumericManifest, NumericModel, Reading
from zkagent.models.catalogue import load_model
from zkagent.models.errors import BoundExceeded, DatasetError, ManifestError
from zkagent.models.numeric import Policy, fit_squares, write_numeric_model

SCAFFOLD = ROOT / "verifier_contracts" / "scaffold" / "numeric"
UNIT = 1 << 20


@pytest.fixture(scope="module")
def policy() -> Policy:
    found = runpy.run_path(str(SCAFFOLD / "train.py"))["POLICY"]
    assert isinstance(found, Policy)
    return found


def grid(*ranges: range) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    return np.stack(np.meshgrid(*ranges), axis=-1).reshape(-1, len(ranges)).astype(np.int64)


def test_sums_of_squares_products_and_multiples_are_met() -> None:
    x = grid(range(-9, 10), range(0, 30), range(-4, 5))
    a, b, c = x.T
    targets = np.stack([3 * a * a - 5 * a * b + 7 * c - 11, b * c - 2 * b, 0 * a + 4], axis=1)
    y = fit_squares(x, targets, UNIT).evaluate(x)
    assert np.abs(y - targets * UNIT).max() < UNIT / 100


def test_a_feature_that_never_varies_is_no_trouble() -> None:
    x = grid(range(-5, 6), range(7, 8), range(0, 1))
    targets = x[:, :1] * 3 + 1
    y = fit_squares(x, targets, UNIT).evaluate(x)
    assert np.abs(y - targets * UNIT).max() < UNIT / 100


@pytest.mark.parametrize(("rows", "wanted"), [((0, 2), (0, 1)), ((3, 2), (2, 1)), ((6,), (6, 1))])
def test_samples_that_are_none_are_refused(rows: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    with pytest.raises(DatasetError, match="a row of both for each sample"):
        fit_squares(np.ones(rows, np.int64), np.ones(wanted, np.int64), UNIT)


def test_a_network_that_could_leave_64_bits_is_refused() -> None:
    x = grid(range(-20, 21))
    with pytest.raises(BoundExceeded):
        fit_squares(x, x << 30, 1 << 40)


def test_the_shipped_files_are_those_that_its_script_makes(policy: Policy, tmp_path: Path) -> None:
    write_numeric_model(tmp_path / "model", policy)
    for name in ("model.json", "model.onnx"):
        assert (tmp_path / "model" / name).read_bytes() == (SCAFFOLD / name).read_bytes()


def test_it_decides_as_the_policy_does(policy: Policy) -> None:
    model = load_model(SCAFFOLD, NumericModel)
    assert model.manifest.accuracy["direction"] > 0.999
    for features in ((160, 0, 100), (0, 500, 500), (200, -500, 0), (110, 0, 101), (33, -77, 60)):
        wanted, y = policy.wanted(features), model.infer(features)
        assert max(range(3), key=lambda i: (y[i], -i)) == max(
            range(3), key=lambda i, w=wanted: (w[i], -i)
        )
        assert abs(y[3] / UNIT - wanted[3]) < 2


def test_a_policy_that_no_square_meets_says_so_in_its_figures(
    policy: Policy, tmp_path: Path
) -> None:
    def parity(features: Sequence[int]) -> tuple[int, ...]:
        odd = features[0] % 2
        return odd, 1 - odd, 0, 1, 1

    model = write_numeric_model(tmp_path / "model", replace(policy, wanted=parity))
    assert model.manifest.accuracy["direction"] < 0.6


@pytest.mark.parametrize(
    "spoilt",
    [
        {"directions": (NumericDirection(tool="Up", answer="or not"),)},
        {"directions": (NumericDirection(),)},
        {"directions": (NumericDirection(tool="Up"), NumericDirection(tool="Up"))},
        {"directions": ()},
        {"readings": (Reading(name="a", zero=0, step=1, least=2, most=1),)},
        {"readings": ()},
        {"least": 9, "most": 3},
        {"least": 0},
        {"most": 1 << 53},
        {"parameter": 'points":"1","x'},
        {"id": "../x"},
    ],
    ids=",".join,
)
def test_what_no_manifest_can_say_is_refused(
    policy: Policy, spoilt: dict[str, object], tmp_path: Path
) -> None:
    good = load_model(SCAFFOLD, NumericModel).manifest.model_dump()
    amounts = {**good["amounts"], **{k: v for k, v in spoilt.items() if k in good["amounts"]}}
    rest = {k: v for k, v in spoilt.items() if k not in amounts}
    with pytest.raises(ValidationError):
        NumericManifest.model_validate({**good, **rest, "amounts": amounts})


@pytest.mark.parametrize(
    "value", [{"step": 0}, {"step": 1 << 64}, {"least": -32769}, {"most": 32768}]
)
def test_no_scale_leaves_16_bits_or_divides_by_zero(value: dict[str, int]) -> None:
    good = {"name": "a", "zero": 0, "step": 1, "least": 0, "most": 1}
    with pytest.raises(ValidationError):
        Reading.model_validate({**good, **value})


@pytest.mark.parametrize("tool", ["Raise Rate", 'A"', "1st", "A\n", "é", "A" * 33, ""])
def test_a_tool_s_name_cannot_leave_its_line(tool: str) -> None:
    with pytest.raises(ValidationError):
        NumericDirection(tool=tool)


@pytest.mark.parametrize("answer", ["two\nlines", 'a "quote"', "back\\slash", "", "é", "a" * 201])
def test_an_answer_is_one_plain_line(answer: str) -> None:
    with pytest.raises(ValidationError):
        NumericDirection(answer=answer)


def test_a_manifest_that_is_damaged_is_told(tmp_path: Path) -> None:
    for name in ("model.json", "model.onnx"):
        (tmp_path / name).write_bytes((SCAFFOLD / name).read_bytes())
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "model.json").write_text(text.replace('"step": 50', '"step": 0'))
    with pytest.raises(ManifestError, match="step"):
        load_model(tmp_path, NumericModel)

"""The wallet's network: exact integers, a deterministic export, refused overflow."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.models import DRAFT, random_tables, random_weights
from zkagent.models.catalogue import save_model
from zkagent.models.errors import BoundExceeded
from zkagent.models.networks.bounds import check_bounds
from zkagent.models.networks.onnx_export import export_policy
from zkagent.models.networks.policy import PolicyWeights, evaluate


def test_onnxruntime_computes_the_same_integers_as_plain_int64(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    weights = random_weights(rng)
    model = save_model(tmp_path, DRAFT, random_tables(rng), weights)
    for x in rng.integers(-32768, 32768, (50, 137)):
        assert model.infer(x.tolist()) == tuple(evaluate(weights, x).tolist())


def test_an_output_is_what_the_two_networks_give_by_hand() -> None:
    x = np.zeros(137, dtype=np.int64)
    x[0], x[41 + 16] = 3, 5  # one trunk feature, one feature of the second candidate
    rng = np.random.default_rng(2)
    w = random_weights(rng)
    y = evaluate(w, x)
    h = [3 * int(w.w1[0, j]) + int(w.b1[j]) for j in range(40)]
    assert y[2] == sum(h[j] ** 2 * int(w.w2[j, 2]) for j in range(40)) + int(w.b2[2])
    g = [5 * int(w.c1[0, j]) + int(w.d1[j]) for j in range(14)]
    assert y[10 + 3 + 1] == sum(g[j] ** 2 * int(w.c2[j, 1]) for j in range(14)) + int(w.d2[1])


def test_export_is_byte_identical() -> None:
    weights = random_weights(np.random.default_rng(3))
    assert export_policy(weights) == export_policy(weights)


def test_a_model_that_could_leave_64_bits_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(4)
    tables, w = random_tables(rng), random_weights(rng)
    heavy = PolicyWeights(w.w1 * 10000, w.b1, w.w2 * 1000, w.b2, w.c1, w.d1, w.c2, w.d2)
    with pytest.raises(BoundExceeded):
        save_model(tmp_path / "new", DRAFT, tables, heavy)
    assert not (tmp_path / "new").exists()


def test_the_bound_holds_for_the_worst_input_that_exists() -> None:
    rng = np.random.default_rng(5)
    tables, w = random_tables(rng), random_weights(rng)
    bounds = check_bounds(w, tables.text, tables.local)
    worst = np.sign(w.w1[:, 0]) * np.concatenate(
        [256 * np.abs(tables.text.astype(np.int64)).max(axis=0), np.full(9, 7 * 32)]
    )
    x = np.concatenate([worst, np.zeros(96, dtype=np.int64)])
    assert abs(int((worst @ w.w1)[0] + w.b1[0])) <= bounds.hidden
    assert np.abs(evaluate(w, x)).max() <= bounds.output

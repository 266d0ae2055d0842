"""Trains the credit-score model from its seed: a made-up scorecard, by least squares over squares
of random directions."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from zkagent.models.agents.credit import (
    MOST,
    STEPS,
    CreditFiles,
    CreditManifest,
    CreditModel,
    features_of,
    load_credit_model,
)
from zkagent.models.agents.model import MANIFEST, ONNX
from zkagent.models.files import sha256
from zkagent.models.folders import write_folder
from zkagent.models.networks.squares import Integers, Squares

CREDIT_SEED, CREDIT_SAMPLES = 7, 4096


def scorecard(record: Sequence[int]) -> float:
    """What the credit-score model learns: a made-up card, from 0 to 1000 points. Loans that were
    paid back count less the more there are, those that were not count much."""
    repaid, defaulted, months, collateral, open_loans = features_of(record)
    points = 420 + 9 * repaid - 0.07 * repaid**2 - 85 * defaulted + 4 * defaulted**2
    points += 1.6 * months - 0.005 * months**2 + 1.5 * collateral - 18 * open_loans
    return float(min(max(points, 0), 1000))


def train_credit(folder: Path, seed: int = CREDIT_SEED) -> CreditModel:
    """Train, write, load again. Raises BoundExceeded."""
    rng = np.random.default_rng(seed)
    records = np.stack([rng.integers(0, most + 1, CREDIT_SAMPLES) for most in MOST], axis=1)
    records[:, 1] = np.minimum(records[:, 1], rng.poisson(1.0, CREDIT_SAMPLES))
    x = np.array([features_of(r) for r in records.tolist()], np.int64)
    targets = np.array([scorecard(r) for r in records.tolist()])
    network, unit = _fitted(x, targets, seed)
    network.check([most // step for most, step in zip(MOST, STEPS, strict=True)])
    error = np.abs(np.clip(network.evaluate(x)[:, 0] / unit, 0, 1000) - targets)
    onnx = network.export("credit_score")
    manifest = CreditManifest(
        format="zkagent-credit-1",
        id="credit-score",
        description="Scores an account by its record of loans.",
        unit=unit,
        files=CreditFiles(onnx=sha256(onnx)),
        training={"seed": seed, "samples": CREDIT_SAMPLES},
        accuracy={
            "mean_error_points": round(float(error.mean()), 2),
            "largest_error_points": round(float(error.max()), 2),
        },
    )
    contents = {ONNX: onnx, MANIFEST: manifest.to_json().encode()}
    return load_credit_model(write_folder(folder, contents))


def _fitted(x: Integers, targets: npt.NDArray[np.float64], seed: int) -> tuple[Squares, int]:
    """Squares of random directions and what they add up to, by least squares, then rounded; units
    in a point."""
    rng = np.random.default_rng(seed)
    count = 24
    w1 = rng.integers(-9, 10, (x.shape[1], count)).astype(np.int64)
    b1 = rng.integers(-300, 301, count).astype(np.int64)
    hidden = (x @ w1 + b1) ** 2
    design = np.column_stack([hidden, np.ones(len(x))])
    scale = np.abs(design).max(axis=0)
    solved, *_ = np.linalg.lstsq(design / scale, targets, rcond=1e-10)
    solved /= scale
    unit = 1 << 20
    w2 = _as_ezkl_reads(solved[:-1, None] * unit)
    b2 = _as_ezkl_reads(solved[-1:] * unit)
    return Squares(w1, b1, w2, b2), unit


def _as_ezkl_reads(values: npt.NDArray[np.float64]) -> Integers:
    """Integers that float32 holds exactly."""
    return np.rint(values).astype(np.float32).astype(np.int64)


__all__ = ["CREDIT_SEED", "scorecard", "train_credit"]

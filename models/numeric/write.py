"""From a policy to the folder of a model: samples, a fitted network, how near it comes, files."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zkagent.models.agents.model import MANIFEST, ONNX
from zkagent.models.agents.numeric import (
    NumericAmounts,
    NumericDirection,
    NumericManifest,
    NumericModel,
    NumericModelFiles,
    Reading,
    load_numeric_model,
)
from zkagent.models.encoding.decoder import argmax
from zkagent.models.files import sha256
from zkagent.models.folders import write_folder
from zkagent.models.networks.squares import Integers, Squares
from zkagent.models.numeric.fit import fit_squares

SAMPLES, TESTED = 4096, 2048
#: Of scores and amounts: so many of the network's outputs make one of the policy's.
UNIT = 1 << 20


@dataclass(frozen=True)
class Policy:
    """What a model learns. wanted: of features, the score of each direction and then the amount of
    each that acts, as integers; readings, directions, parameter, least, most: as manifests have
    them."""

    id: str
    description: str
    readings: Sequence[Reading]
    directions: Sequence[NumericDirection]
    parameter: str
    least: int
    most: int
    wanted: Callable[[Sequence[int]], Sequence[int]]


def write_numeric_model(folder: Path, policy: Policy, seed: int = 1) -> NumericModel:
    """Fit, write, load again; the same bytes from the same policy and seed. Raises DatasetError,
    BoundExceeded, ManifestError, and pydantic's ValidationError for what no manifest can say."""
    x = _features(policy, SAMPLES, seed)
    network = fit_squares(x, _wanted(policy, x), UNIT)
    _check_range(policy, network)
    onnx = network.export(policy.id.replace("-", "_"))
    manifest = NumericManifest(
        format="zkagent-numeric-1",
        id=policy.id,
        description=policy.description,
        readings=tuple(policy.readings),
        directions=tuple(policy.directions),
        amounts=NumericAmounts(
            parameter=policy.parameter, unit=UNIT, least=policy.least, most=policy.most
        ),
        files=NumericModelFiles(onnx=sha256(onnx)),
        training={"seed": seed, "samples": SAMPLES},
        accuracy=_accuracy(policy, network, seed + 1),
    )
    contents = {ONNX: onnx, MANIFEST: manifest.to_json().encode()}
    return load_numeric_model(write_folder(folder, contents))


def _check_range(policy: Policy, network: Squares) -> None:
    """For all features that an encoder derives, not for those of the samples alone. Raises
    BoundExceeded."""
    network.check([max(abs(each.least), abs(each.most)) for each in policy.readings])


def _features(policy: Policy, count: int, seed: int) -> Integers:
    """Evenly from the whole range of each; shape [count, features]."""
    chosen = random.Random(seed)
    rows = [
        [chosen.randint(each.least, each.most) for each in policy.readings] for _ in range(count)
    ]
    return np.array(rows, np.int64)


def _wanted(policy: Policy, x: Integers) -> Integers:
    return np.array([list(policy.wanted(row)) for row in x.tolist()], np.int64)


def _accuracy(policy: Policy, network: Squares, seed: int) -> dict[str, float]:
    """On samples that were not fitted: the share of right directions; of the right ones that act,
    by how much the amount is wrong on average and at most."""
    x = _features(policy, TESTED, seed)
    expected, found = _wanted(policy, x).tolist(), network.evaluate(x).tolist()
    directions, errors = len(policy.directions), [0]
    right = 0
    for wanted, y in zip(expected, found, strict=True):
        chosen = argmax(wanted[:directions])
        if argmax(y[:directions]) != chosen:
            continue
        right += 1
        if policy.directions[chosen].tool is not None:
            at = directions + sum(each.tool is not None for each in policy.directions[:chosen])
            amounts = (min(max(v, 0), policy.most) for v in (wanted[at], y[at] // UNIT))
            first, second = amounts
            errors.append(abs(first - second))
    return {
        "direction": round(right / TESTED, 4),
        "mean_amount_error": round(sum(errors) / len(errors), 3),
        "largest_amount_error": float(max(errors)),
    }


__all__ = ["Policy", "write_numeric_model"]

"""Made-up classification tasks for the example networks: the same numbers for the same seed."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Segments of a seven-segment digit: top, upper left, upper right, middle, lower left, lower right,
# bottom.
DIGITS = ["1110111", "0010010", "1011101", "1011011", "0111010"]
DIGITS += ["1101011", "1101111", "1010010", "1111111", "1111011"]
SEGMENTS = [(0, 0, 0, 8), (0, 0, 8, 0), (0, 8, 8, 8), (8, 0, 8, 8)]
SEGMENTS += [(8, 0, 16, 0), (8, 8, 16, 8), (16, 0, 16, 8)]


@dataclass(frozen=True)
class Task:
    """Inputs x [n, ...] float32 and their classes [n]."""

    x: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]


def clusters(count: int, shape: tuple[int, ...], classes: int, seed: int, noise: float) -> Task:
    """Points around one random centre for each class; the centres do not depend on `seed`."""
    centres = np.random.default_rng(1).normal(size=(classes, *shape))
    rng = np.random.default_rng([seed, 2])
    labels = rng.integers(0, classes, count)
    x = centres[labels] + noise * rng.normal(size=(count, *shape))
    return Task(x.astype(np.float32), labels)


def boxes(count: int, features: int, seed: int) -> Task:
    """Features in 0..1 whose class is how many of three rules over them hold: made for trees."""
    rng = np.random.default_rng([seed, 3])
    x = rng.random((count, features))
    rules = (x[:, 0] > 0.6, (x[:, 1] > 0.4) & (x[:, 2] < 0.7), x[:, 3] + x[:, 4] > 1.1)
    return Task(x.astype(np.float32), np.sum(rules, axis=0))


def digits(count: int, seed: int) -> Task:
    """Seven-segment digits at random places in noise: [n, 1, 28, 28] pixels of 0..1."""
    rng = np.random.default_rng([seed, 4])
    labels = rng.integers(0, 10, count)
    images = np.clip(0.08 * rng.normal(size=(count, 1, 28, 28)), 0, 1)
    for image, label in zip(images[:, 0], labels, strict=True):
        top, left = rng.integers(2, 8), rng.integers(6, 12)
        for lit, (y0, x0, y1, x1) in zip(DIGITS[label], SEGMENTS, strict=True):
            if lit == "1":
                image[top + y0 : top + y1 + 2, left + x0 : left + x1 + 2] = rng.uniform(0.7, 1)
    return Task(images.astype(np.float32), labels)

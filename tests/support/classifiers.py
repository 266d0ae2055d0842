"""A text classifier made by hand, so that tests need neither torch nor minutes."""

from pathlib import Path

import numpy as np

from zkagent.models.classifier.files import TextClassifier, save_classifier
from zkagent.models.classifier.shape import SIZES, slot_count, wire
from zkagent.models.classifier.text import learn_words
from zkagent.models.classifier.weights import ClassifierWeights

TEXTS = ("play some jazz", "play some rock", "play it", "stop it", "stop now", "stop please")
LABELS = ("music", "silence", "weather")


def random_weights(labels: int = len(LABELS), seed: int = 0, size: str = "S") -> ClassifierWeights:
    """Wired as a size is, in the ranges of trained ones."""
    shape, rng = SIZES[size], np.random.default_rng(seed)
    wiring, slots = wire(shape, labels, 0), slot_count(labels)
    return ClassifierWeights(
        wiring,
        rng.integers(-127, 128, (shape.table_rows, shape.features)).astype(np.int8),
        rng.integers(-7, 8, (shape.blocks, shape.block, shape.hidden // shape.blocks)),
        rng.integers(-999, 1000, shape.hidden),
        rng.integers(-31, 32, (wiring.groups, shape.fan_in_of_outputs, slots // wiring.groups)),
        rng.integers(-(10**6), 10**6, slots),
    )


def random_classifier(folder: Path, seed: int = 0) -> TextClassifier:
    """Random weights in the shape of size S, with the labels above."""
    facts: dict[str, object] = {
        "size": "S",
        "labels": LABELS,
        "seed": seed,
        "training_texts": len(TEXTS),
        "refused_training_texts": 0,
        "accuracy": None,
    }
    return save_classifier(folder, random_weights(seed=seed), learn_words(TEXTS), facts)

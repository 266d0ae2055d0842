"""A text classifier made by hand, so that tests need neither torch nor minutes."""

from pathlib import Path

import numpy as np

from zkagent.models.classifier.files import TextClassifier, save_classifier
from zkagent.models.classifier.shape import SIZES, wire
from zkagent.models.classifier.text import learn_words
from zkagent.models.classifier.weights import ClassifierWeights

TEXTS = ("play some jazz", "play some rock", "play it", "stop it", "stop now", "stop please")
LABELS = ("music", "silence", "weather")


def random_weights(seed: int = 0) -> ClassifierWeights:
    """Of size S, three labels."""
    rng, shape, wiring = np.random.default_rng(seed), SIZES["S"], wire(SIZES["S"], 3, seed)
    per_group = 1 + int(wiring.slots.max()) // wiring.groups
    return ClassifierWeights(
        wiring,
        rng.integers(-5, 6, (64, shape.features)).astype(np.int8),
        rng.integers(-9, 10, (shape.blocks, shape.block, shape.hidden // shape.blocks)),
        rng.integers(-99, 100, shape.hidden),
        rng.integers(-9, 10, (wiring.groups, shape.fan_in_of_outputs, per_group)),
        rng.integers(-99, 100, wiring.groups * per_group),
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
    return save_classifier(folder, random_weights(seed), learn_words(TEXTS), facts)

"""From labelled texts to a saved classifier: what `zkagent model train-classifier` calls.

Without texts to test on, every tenth text of each intent is held out for that.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zkagent.models.classifier.dataset import LabelledTexts
from zkagent.models.classifier.files import Accuracy, TextClassifier, save_classifier
from zkagent.models.classifier.shape import SIZES
from zkagent.models.classifier.text import learn_words, rows_of_all
from zkagent.models.classifier.training import Examples, Progress, Recipe, Trained, train
from zkagent.models.classifier.vectors import teach_words
from zkagent.models.classifier.weights import ClassifierWeights, evaluate
from zkagent.models.classifier.words import KnownWords
from zkagent.models.folders import Folder
from zkagent.models.reader.lexis import Given

HELD_OUT = "every tenth text of each intent, held out"
Rows = tuple[int, ...]


@dataclass(frozen=True)
class _Readable:
    """The texts that the tokenizer reads; target -1: an intent that training never saw."""

    rows: list[Rows]
    targets: list[int]
    texts: int

    @classmethod
    def of(
        cls, data: LabelledTexts, labels: tuple[str, ...], table_rows: int, words: KnownWords
    ) -> "_Readable":
        place = {label: i for i, label in enumerate(labels)}
        found = rows_of_all(data.texts, table_rows, words)
        pairs = [
            (rows, place.get(intent, -1))
            for rows, intent in zip(found, data.intents, strict=True)
            if rows is not None
        ]
        return cls([rows for rows, _ in pairs], [target for _, target in pairs], len(data))

    @property
    def refused(self) -> int:
        return self.texts - len(self.rows)

    @property
    def examples(self) -> Examples:
        return Examples.of(self.rows, self.targets)

    def share(self, choices: tuple[int, ...]) -> float:
        """How many of all texts, refused ones too, were classified rightly."""
        hits = sum(c == t for c, t in zip(choices, self.targets, strict=True))
        return hits / self.texts


def build_classifier(
    data: LabelledTexts,
    test: LabelledTexts | None,
    directory: Path | Folder,
    *,
    size: str,
    seed: int,
    progress: Progress,
    recipe: Recipe | None = None,
    given: Given | None = None,
) -> TextClassifier:
    """Train a classifier of a `size` of SIZES and write it. given: vectors of words, from which the
    rows of words start. Raises DatasetError, BoundExceeded."""
    shape, labels = SIZES[size], data.labels
    if test is None:
        data, test = hold_out(data)
        source = HELD_OUT
    else:
        source = "texts given for testing"
    progress(f"{len(data)} texts, {len(labels)} intents; {len(test)} texts to test on")
    taught = teach_words(data.texts, given) if given else None
    words = taught.known if taught else learn_words(data.texts)
    known, judged = (_Readable.of(part, labels, shape.table_rows, words) for part in (data, test))
    trained = train(
        known.examples,
        len(labels),
        shape,
        seed,
        progress,
        judged=judged.examples,
        recipe=recipe,
        taught=taught,
    )
    facts = {
        "size": size,
        "labels": labels,
        "seed": seed,
        "training_texts": known.texts,
        "refused_training_texts": known.refused,
        "accuracy": _accuracy(source, judged, trained) if len(test) else None,
    }
    return save_classifier(directory, trained.weights, words, facts)


def _accuracy(source: str, judged: _Readable, trained: Trained) -> Accuracy:
    return Accuracy(
        source=source,
        texts=judged.texts,
        refused=judged.refused,
        floats=judged.share(trained.float_choices),
        integers=judged.share(_choices(trained.weights, judged.rows)),
    )


def hold_out(data: LabelledTexts) -> tuple[LabelledTexts, LabelledTexts]:
    """Training texts and every tenth text of each intent in the files' order (the last of ten)."""
    seen: dict[str, int] = {}
    kept: list[int] = []
    held: list[int] = []
    for place, intent in enumerate(data.intents):
        seen[intent] = seen.get(intent, 0) + 1
        (kept if seen[intent] % 10 else held).append(place)
    return data.pick(kept), data.pick(held)


def _choices(weights: ClassifierWeights, rows: list[Rows]) -> tuple[int, ...]:
    if not rows:
        return ()
    x = np.array([weights.table[list(r)].sum(axis=0, dtype=np.int64) for r in rows])
    return tuple(evaluate(weights, x).argmax(axis=1).tolist())

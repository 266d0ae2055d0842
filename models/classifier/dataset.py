"""Labelled texts from JSON lines, with errors that name file, line and remedy."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from zkagent.errors import in_line
from zkagent.models.errors import DatasetError
from zkagent.models.files import json_lines

MOST_NAMED, MOST_SHOWN = 3, 60  # labels in a note, and characters of one


@dataclass(frozen=True)
class LabelledTexts:
    """As many intents as texts, in the files' order."""

    texts: tuple[str, ...]
    intents: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def labels(self) -> tuple[str, ...]:
        """The different intents, sorted: a classifier's outputs in their order."""
        return tuple(sorted(set(self.intents)))

    def note_on(self, labels: Collection[str]) -> str:
        """What to say of texts that a classifier with these labels cannot get right; "" of none."""
        others = [intent for intent in self.intents if intent not in labels]
        if not others:
            return ""
        named = ", ".join(
            in_line(repr(each), MOST_SHOWN) for each in sorted(set(others))[:MOST_NAMED]
        )
        more = ", ..." if len(set(others)) > MOST_NAMED else ""
        return (
            f"{len(others)} of {len(self)} texts to test on have a label that the model has not, "
            f"and count as errors: {named}{more}"
        )

    def pick(self, places: Iterable[int]) -> "LabelledTexts":
        chosen = list(places)
        return LabelledTexts(
            tuple(self.texts[i] for i in chosen), tuple(self.intents[i] for i in chosen)
        )


def load_texts(paths: Iterable[Path]) -> LabelledTexts:
    """Read files of lines {"text": ..., "intent": ...}; further keys are ignored.

    Raises DatasetError for a file that cannot be read, a line that is not such an object, and when
    there is no line at all.
    """
    files = list(paths)
    pairs = [_pair(*row) for path in files for row in json_lines(path)]
    if not pairs:
        raise DatasetError(f"{_named(files)} has no texts: write one JSON object per line")
    texts, intents = zip(*pairs, strict=True)
    return LabelledTexts(texts, intents)


def load_training_texts(paths: Iterable[Path]) -> LabelledTexts:
    """Like `load_texts`, for data that a classifier can learn from. Raises DatasetError."""
    files = list(paths)
    data = load_texts(files)
    if len(data.labels) < 2:
        raise DatasetError(
            f"{_named(files)} has one intent only, {data.labels[0]!r}: "
            "a classifier needs at least two to tell apart"
        )
    return data


def _pair(where: str, fields: object) -> tuple[str, str]:
    if not isinstance(fields, dict):
        raise DatasetError(f'{where} is no object: write {{"text": "...", "intent": "..."}}')
    return _string(where, fields, "text"), _string(where, fields, "intent")


def _string(where: str, fields: dict[str, object], key: str) -> str:
    if key not in fields:
        found = ", ".join(sorted(fields)) or "none"
        raise DatasetError(f"{where} has no {key!r}: expected text and intent, found keys {found}")
    value = fields[key]
    if not isinstance(value, str) or not value.strip():
        raise DatasetError(f"{where}: {key!r} is {value!r}, expected a text that is not empty")
    return value


def _named(files: list[Path]) -> str:
    return ", ".join(str(path) for path in files)

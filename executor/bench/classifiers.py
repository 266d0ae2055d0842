"""The text classifiers, S to XXL, trained on public data that the user has.

Training takes minutes, so what was trained is kept in the cache, under a digest of the texts, the
size and the code that trains.
"""

import hashlib
from pathlib import Path

import numpy as np

from zkagent.circuits.networks.network import read_network
from zkagent.circuits.support.cache import cache_folder
from zkagent.executor.bench.subjects import Say, Subject
from zkagent.executor.errors import TrainingExtraMissing

TRAIN, TEST = "train.jsonl", "test.jsonl"
SEED = 0


def classifier(title: str, data: Path, size: str, folder: Path, say: Say) -> Subject:
    """The classifier of a size for the texts in `data`, trained unless it was before.

    Its samples are all texts of the test file. Raises DatasetError, TrainingExtraMissing.
    """
    from zkagent.models.catalogue import load_model
    from zkagent.models.classifier.dataset import load_texts
    from zkagent.models.classifier.files import TextClassifier
    from zkagent.models.errors import RefusedText

    directory = trained(data, size, say)
    model, texts = load_model(directory, TextClassifier), load_texts([data / TEST])
    place = {label: index for index, label in enumerate(model.labels)}
    rows, labels = [], []
    for text, intent in zip(texts.texts, texts.intents, strict=True):
        try:
            rows.append(model.features(text))
        except RefusedText:
            continue
        labels.append(place.get(intent, -1))
    return Subject(
        name=f"{title.lower()}-{size}",
        title=f"{title} {size}",
        family=title,
        network=read_network(model.onnx_path),
        samples=np.array(rows, dtype=np.int64)[:, None, :],
        labels=np.array(labels),
        accuracy_of=f"{len(texts):,} test texts of {title}",
        short=size,
        refused=len(texts) - len(rows),
    )


def trained(data: Path, size: str, say: Say) -> Path:
    """The folder of a trained classifier. Raises DatasetError, TrainingExtraMissing."""
    from filelock import FileLock

    from zkagent.models.classifier.dataset import load_texts, load_training_texts
    from zkagent.models.classifier.files import MANIFEST

    files = [data / TRAIN, data / TEST]
    texts, judged = load_training_texts(files[:1]), load_texts(files[1:])
    kept = cache_folder("bench", "classifiers") / _key(files, size)
    with FileLock(kept.with_suffix(".lock")):
        if not (kept / MANIFEST).is_file():
            try:
                from zkagent.models.classifier.build import build_classifier
            except ModuleNotFoundError as exc:
                if exc.name != "torch":
                    raise
                raise TrainingExtraMissing from exc
            build_classifier(texts, judged, kept, size=size, seed=SEED, progress=say)
    return kept


def _key(files: list[Path], size: str) -> str:
    """Of everything that decides what is trained."""
    import zkagent.models.classifier

    code = sorted(Path(zkagent.models.classifier.__path__[0]).glob("*.py"))
    total = hashlib.sha256(f"{size} {SEED}".encode())
    for path in (*files, *code):
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


__all__ = ["classifier", "trained"]

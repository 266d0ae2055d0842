"""From the generator's samples to the arrays that training reads: what is right in which state."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable

from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.manifest import SLOTS
from zkagent.models.encoding.vocabulary import Vocabulary
from zkagent.models.errors import RefusedText
from zkagent.models.training.training_data import (
    Dataset,
    DatasetBuilder,
    Hiding,
    Target,
    hidden_words,
)
from zkagent.models.wallet.text.generator import Sample

#: Actions in order of their scores in y.
ACTIONS = ("ViewBalance", "Deploy", "Withdraw", "Transfer", "report", "ask", "decline")
VIEW, REPORT, ASK, DECLINE = 0, 4, 5, 6
ASSET, AMOUNT, RECIPIENT = range(3)
SLOTS_OF = {"ViewBalance": (ASSET,), "Deploy": (ASSET, AMOUNT), "Withdraw": (ASSET, AMOUNT),
            "Transfer": (ASSET, AMOUNT, RECIPIENT)}  # fmt: skip
ROLES = {ASSET: "SX", AMOUNT: "A", RECIPIENT: "R"}
#: Where the whole balance is: what is withdrawn lies in the pool, the rest in the wallet.
PROMPT, POOL, WALLET = 0, 1, 2
_WORD = re.compile(r"[a-z][a-z0-9]*")
SYMBOLS = ("USDC", "DAI", "WETH")


def build_dataset(
    samples: Iterable[Sample],
    sizes: tuple[int, int],
    vocabulary: Vocabulary,
    hiding: Hiding,
    seed: int,
) -> Dataset:
    """All samples that the encoder accepts, with the states that their runs go through.

    `sizes` are the rows of text and local table; which words are hidden follows from `seed`.
    """
    rng = random.Random(seed)
    builder = DatasetBuilder(sizes, vocabulary, plain_book(SYMBOLS), len(ACTIONS))
    for sample in samples:
        try:
            parse = builder.parse(sample.text)
        except RefusedText:
            continue  # too long or too many candidates: no model ever sees it
        if len(parse.candidates) == len(sample.roles):
            hidden = hidden_words(parse.tokens, sample.loose, hiding, rng)
            builder.add(sample.text, parse, hidden, slots(sample), targets(sample))
    return builder.build()


def common_words(samples: Iterable[Sample], at_least: float) -> list[bytes]:
    """Words found at least so often, the most frequent first; loose ones count a third."""
    counts: defaultdict[str, float] = defaultdict(float)
    for sample in samples:
        for match in _WORD.finditer(sample.text.lower()):
            counts[match[0]] += 0.3 if match.start() in sample.loose else 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [word.encode() for word, count in ranked if count >= at_least]


def slots(sample: Sample) -> list[frozenset[int] | None]:
    """For each slot the candidates that are right, None when the sample's tool has no such slot."""
    asked = SLOTS_OF[sample.tool] if sample.tool else ()
    if sample.everything and sample.kind == "call":
        asked = tuple(s for s in asked if s != AMOUNT)
    return [
        frozenset(i for i, role in enumerate(sample.roles) if role in ROLES[s])
        if s in asked
        else None
        for s in range(len(SLOTS))
    ]


def targets(sample: Sample) -> list[Target]:
    """The states of a run on this sample, and what is right in each."""
    if sample.kind == "call":
        return _call(sample)
    if sample.kind == "view":
        return [_state({VIEW}), _state({REPORT}, viewed=1, readable=True),
                _state({REPORT}, viewed=1)]  # fmt: skip
    if sample.kind == "ask":
        return [_state(_ways_to_ask(sample), source=PROMPT if sample.tool else None)]
    return [_state({DECLINE}), _state({DECLINE, REPORT}, viewed=1, readable=True)]


def _call(sample: Sample) -> list[Target]:
    tool = ACTIONS.index(sample.tool or "")
    if not sample.everything:
        return [_state({tool}, source=PROMPT), _state({REPORT}, done=tool),
                _state({tool}, viewed=1, readable=True, source=PROMPT)]  # fmt: skip
    source = POOL if sample.tool == "Withdraw" else WALLET
    return [
        _state({VIEW}),
        _state({tool}, viewed=1, readable=True, source=source),
        _state({REPORT, ASK}, viewed=1),
        _state({REPORT}, viewed=1, done=tool),
    ]


def _ways_to_ask(sample: Sample) -> set[int]:
    """Asking outright, or choosing a tool that then finds no candidate for one of its slots."""
    if sample.tool is None:
        return {ASK}
    missing = any(
        not any(role in ROLES[slot] for role in sample.roles) for slot in SLOTS_OF[sample.tool]
    )
    return {ASK, ACTIONS.index(sample.tool)} if missing else {ASK}


def _state(
    allowed: set[int],
    viewed: int = 0,
    done: int | None = None,
    readable: bool = False,
    source: int | None = None,
) -> Target:
    taken = [viewed, 0, 0, 0]
    if done is not None:
        taken[done] += 1
    return Target(tuple(taken), readable, frozenset(allowed), source)

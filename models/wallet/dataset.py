"""From the generator's samples and the writers' messages to the arrays that training reads.

Prompts that the decoder asks about by rule (`encoding/ambiguity.py`) are left out, but for views:
nothing that the network says of them matters.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable

from zkagent.models.encoding.ambiguity import is_ambiguous
from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.encoder import Parse
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
from zkagent.models.wallet import told
from zkagent.models.wallet.states import (
    ACTIONS,
    ASK,
    DECLINE,
    PROMPT,
    REPORT,
    carried_out,
    looked_up,
    state,
)
from zkagent.models.wallet.text.generator import Sample
from zkagent.models.wallet.text.rows import with_addresses
from zkagent.models.wallet.text.written import SYMBOLS as WRITTEN_SYMBOLS
from zkagent.models.wallet.text.written import Message

ASSET, AMOUNT, RECIPIENT = range(3)
SLOTS_OF = {"ViewBalance": (ASSET,), "Deploy": (ASSET, AMOUNT), "Withdraw": (ASSET, AMOUNT),
            "Transfer": (ASSET, AMOUNT, RECIPIENT)}  # fmt: skip
ROLES = {ASSET: "SX", AMOUNT: "A", RECIPIENT: "R"}
_WORD = re.compile(r"[a-z][a-z0-9]*")
SYMBOLS = ("USDC", "DAI", "WETH")


def build_dataset(
    samples: Iterable[Sample],
    sizes: tuple[int, int],
    vocabulary: Vocabulary,
    hiding: Hiding,
    seed: int,
    *,
    written: Iterable[Message] = (),
) -> Dataset:
    """All that the encoder accepts, with the states that their runs go through.

    `sizes` are the rows of text and local table; which words are hidden follows from `seed`.
    """
    rng = random.Random(seed)
    builder = DatasetBuilder(sizes, vocabulary, plain_book(WRITTEN_SYMBOLS), len(ACTIONS))
    for sample in samples:
        parse = _parsed(builder, sample.text, views=sample.kind == "view")
        if parse and len(parse.candidates) == len(sample.roles):
            hidden = hidden_words(parse.tokens, sample.loose, hiding, rng)
            builder.add(sample.text, parse, hidden, slots(sample), targets(sample))
    for message in written:
        text = with_addresses(message.text)
        parse = _parsed(builder, text, views=told.only_views(message))
        if parse:
            hidden = hidden_words(parse.tokens, frozenset(), hiding, rng)
            builder.add(text, parse, hidden, *told.meant(message, text, parse))
    return builder.build()


def _parsed(builder: DatasetBuilder, text: str, *, views: bool) -> Parse | None:
    """None where the network has no say."""
    try:
        parse = builder.parse(text)
    except RefusedText:
        return None  # too long or too many candidates: no model ever sees it
    context = Context(text.encode(), (), builder.book)
    return None if not views and is_ambiguous(context, parse) else parse


def common_words(
    samples: Iterable[Sample], at_least: float, written: Iterable[Message] = ()
) -> list[bytes]:
    """Words found at least so often, the most frequent first; loose ones count a third."""
    texts = [(sample.text, sample.loose) for sample in samples]
    texts += [(message.text, frozenset()) for message in written]
    counts: defaultdict[str, float] = defaultdict(float)
    for text, loose in texts:
        for match in _WORD.finditer(text.lower()):
            counts[match[0]] += 0.3 if match.start() in loose else 1
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
        return carried_out(sample.tool or "", everything=sample.everything)
    if sample.kind == "view":
        return looked_up()
    if sample.kind == "ask":
        return [state(_ways_to_ask(sample), source=PROMPT if sample.tool else None)]
    return [state({DECLINE}), state({DECLINE, REPORT}, viewed=1, readable=True)]


def _ways_to_ask(sample: Sample) -> set[int]:
    """Asking outright, or choosing a tool that then finds no candidate for one of its slots."""
    if sample.tool is None:
        return {ASK}
    missing = any(
        not any(role in ROLES[slot] for role in sample.roles) for slot in SLOTS_OF[sample.tool]
    )
    return {ASK, ACTIONS.index(sample.tool)} if missing else {ASK}

"""Messages to a small wallet that knows two tokens and bob, as training gets them."""

from zkagent.models.instructions.calls import Tag, slot_of
from zkagent.models.instructions.packing import Verdict
from zkagent.models.instructions.reader import Names, read
from zkagent.models.training.examples import Example

NAMES = Names(lambda word: word in (b"dai", b"usdc"), lambda word: word == b"bob", lambda _: False)
TAGS = {"-": Tag.NONE, "t": Tag.TRANSFER, "a": Tag.ARGUMENT}


def example(text: str, verdict: Verdict, tags: str = "") -> Example:
    """tags: one letter for each token that fills a slot; none without calls."""
    tokens = read(text.encode(), NAMES)
    fills = tuple(slot_of(token) is not None for token in tokens)
    letters = iter(tags or "-" * sum(fills))
    given = tuple(TAGS[next(letters)] if filling else TAGS["-"] for filling in fills)
    assert next(letters, None) is None
    return Example(text.encode(), tokens, verdict, given)

"""The root of every error that this project raises on purpose.

ZkagentError                 one line that says what failed and what to do
├── ModelError               zkagent.models.errors
├── CircuitError             zkagent.circuits.errors
├── ProverError              zkagent.prover.errors, with the service's
├── ContractsError           zkagent.verifier_contracts.errors
└── ExecutorError            zkagent.executor.errors, with those of runs
"""

import re

#: What Python calls printable and a terminal shows as nothing: the default-ignorable code points of
#: Unicode, and letters that are blank.
BLANK = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U00013441\U00013442\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})  # which turns numbers around that stand beside it
OVERLAY = 1  # the class of marks that strike a letter through
MOST_MARKS = 3  # on one letter
SPACES = re.compile(" {4,}")
MOST_IN_LINE = 1000  # characters; the longest prompt has 512
MOST_IN_ERROR = 4000


def plain(text: str) -> str:
    """Text of strangers on one line, without what could act on a terminal, or show there as
    something else than it is."""
    return text if text.isprintable() and not _misleads(text) else ascii(text)[1:-1]


def _misleads(text: str) -> bool:
    if text.isascii():
        return False
    from unicodedata import bidirectional, category, combining  # not at the start of a command

    if BLANK.search(text) or any(bidirectional(letter) in RIGHT_TO_LEFT for letter in text):
        return True
    marks, marked = 0, False  # so far, on a letter
    for letter in text:
        kind = category(letter)
        marks = marks + 1 if kind == "Mn" else 0
        if kind == "Me" or combining(letter) == OVERLAY or marks > MOST_MARKS:
            return True
        if marks and not marked:
            return True
        marked = kind[0] in "LM"
    return False


def in_line(text: str, most: int = MOST_IN_LINE) -> str:
    """Text of strangers within a line of ours: it cannot begin what looks like a line of its own,
    nor push away what we say before it. How many blanks and letters are left out is said."""
    shown = SPACES.sub(lambda found: f" [{len(found.group())} blanks] ", plain(text))
    rest = len(shown) - most
    return f"{shown[:most]}... ({rest:,} more characters)" if rest > 0 else shown


def was_interrupted(exc: BaseException) -> bool:
    """Whether it is Ctrl-C, or an error that was made of it: Python 3.11 makes a RuntimeError of
    one that comes while a class is being made."""
    seen: BaseException | None = exc
    while seen is not None and not isinstance(seen, KeyboardInterrupt):
        seen = seen.__cause__
    return seen is not None


class ZkagentError(Exception):
    """The message is one line made for users, whatever a stranger put into it; the facts are
    attributes of the subclasses.

    exit_code: of a command that ends with it.
    """

    exit_code = 1

    def __str__(self) -> str:
        return in_line(super().__str__(), MOST_IN_ERROR)


__all__ = ["MOST_IN_ERROR", "MOST_IN_LINE", "ZkagentError", "in_line", "plain", "was_interrupted"]

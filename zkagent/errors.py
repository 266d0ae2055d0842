"""The root of every error that this project raises on purpose.

ZkagentError                 one line that says what failed and what to do
├── ModelError               zkagent.models.errors
├── CircuitError             zkagent.circuits.errors
├── ProverError              zkagent.prover.errors, with the service's
├── ContractsError           zkagent.verifier_contracts.errors
└── ExecutorError            zkagent.executor.errors
"""

import re

#: Letters that Unicode calls printable and that show as nothing.
BLANK = re.compile("[\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]")
SPACES = re.compile(" {4,}")
MOST_IN_LINE = 1000  # characters; the longest prompt has 512
MOST_IN_ERROR = 4000


def plain(text: str) -> str:
    """Text of strangers on one line, without what could act on a terminal."""
    return text if text.isprintable() and not BLANK.search(text) else ascii(text)[1:-1]


def in_line(text: str, most: int = MOST_IN_LINE) -> str:
    """Text of strangers within a line of ours: it cannot begin what looks like a line of its own,
    nor push away what we say before it. How many blanks and letters are left out is said."""
    shown = SPACES.sub(lambda found: f" [{len(found.group())} blanks] ", plain(text))
    rest = len(shown) - most
    return f"{shown[:most]}... ({rest:,} more characters)" if rest > 0 else shown


class ZkagentError(Exception):
    """The message is one line made for users, whatever a stranger put into it; the facts are
    attributes of the subclasses.

    exit_code: of a command that ends with it.
    """

    exit_code = 1

    def __str__(self) -> str:
        return in_line(super().__str__(), MOST_IN_ERROR)


__all__ = ["MOST_IN_ERROR", "MOST_IN_LINE", "ZkagentError", "in_line", "plain"]

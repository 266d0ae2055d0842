"""The outcome of checking a receipt or a contract: a list of named checks, each held, or broken or
unknown with a reason. Unknown is what nothing here can tell; it never passes for held.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from eth_abi.exceptions import EncodingError

from zkagent.errors import in_line
from zkagent.models.errors import ModelError

MOST_SHOWN = 160  # characters of a value


class CannotTell(Exception):
    """Raised inside of a check, which is then unknown: the message says what is not known here."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must be so. `problem` is empty when it is.

    unknown: the problem is that nothing here tells. vouchable: and that somebody can vouch for it
    (`--trust`). note: worth saying though it holds.
    """

    subject: str
    claim: str
    problem: str
    unknown: bool = False
    note: str = ""
    vouchable: bool = False

    @property
    def held(self) -> bool:
        return not self.problem

    def __str__(self) -> str:
        """One line, whatever a contract or a node put into it."""
        said = self.problem or self.note
        return in_line(f"{self.subject}: {self.claim}" + (f": {said}" if said else ""))


@dataclass(frozen=True)
class Report:
    """The verdict on a receipt; false unless it is accepted.

    development_srs: a circuit's set-up is one whose maker could have forged these proofs.
    left_out: what was not looked at, because something cheaper is broken.
    """

    checks: tuple[Check, ...]
    development_srs: bool = False
    left_out: str = ""

    @property
    def accepted(self) -> bool:
        return all(check.held for check in self.checks)

    @property
    def verdict(self) -> str:
        """``accepted``, ``unknown`` when something cannot be told and nothing is broken, or
        ``rejected``."""
        return judged(self.checks, "accepted", "rejected")

    def __bool__(self) -> bool:
        return self.accepted

    @property
    def notes(self) -> tuple[Check, ...]:
        """What holds and is worth saying."""
        return tuple(check for check in self.checks if check.held and check.note)

    @property
    def problems(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.held)


def judged(checks: Sequence[Check], good: str, bad: str) -> str:
    """`good`, ``unknown`` or `bad`: one verdict on all of them."""
    if all(check.held for check in checks):
        return good
    return bad if any(not check.held and not check.unknown for check in checks) else "unknown"


def check(subject: str, claim: str, problem: Callable[[], str]) -> Check:
    """Evaluate one check; values that cannot even be read are a problem too."""
    try:
        return Check(subject, claim, problem())
    except CannotTell as exc:
        return Check(subject, claim, str(exc), unknown=True)
    except (ValueError, OverflowError, EncodingError, ModelError) as exc:
        return Check(subject, claim, str(exc) or type(exc).__name__)


def unread(why: Exception) -> Check:
    """Of contracts that answer with more than anybody reads: whatever they say behind that is not
    looked at, so that there is no telling."""
    return Check("contracts", "answer with no more than is read", str(why), unknown=True)


def difference(*fields: tuple[str, object, object]) -> str:
    """The first of (name, recorded, expected) whose values differ, in words; empty if none."""
    return next(_differences(fields), "")


def _differences(fields: tuple[tuple[str, object, object], ...]) -> Iterator[str]:
    for name, recorded, expected in fields:
        if recorded != expected:
            found, wanted = repr(recorded), repr(expected)
            pairs = zip(found, wanted, strict=False)
            alike = next((at for at, (a, b) in enumerate(pairs) if a != b), 0)
            yield f"{name} is {_short(found, alike)}, expected {_short(wanted, alike)}"


def _short(shown: str, alike: int) -> str:
    """Cut so that it begins not long before what differs."""
    begin = max(0, alike - 60) if len(shown) > MOST_SHOWN else 0
    before, rest = "..." * (begin > 0), shown[begin:]
    return before + (rest if len(rest) <= MOST_SHOWN else rest[: MOST_SHOWN - 3] + "...")

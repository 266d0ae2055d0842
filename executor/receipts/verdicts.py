"""The outcome of checking a receipt: a list of named checks, each held or broken with a reason."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eth_abi.exceptions import EncodingError

from zkagent.models.errors import ModelError


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must be so. `problem` is empty when it is."""

    subject: str
    claim: str
    problem: str

    @property
    def held(self) -> bool:
        return not self.problem

    def __str__(self) -> str:
        return f"{self.subject}: {self.claim}" + (f": {self.problem}" if self.problem else "")


@dataclass(frozen=True)
class Report:
    """The verdict on a receipt; false unless it is accepted.

    development_srs: a circuit's set-up is one whose maker could have forged these proofs.
    """

    checks: tuple[Check, ...]
    development_srs: bool = False

    @property
    def accepted(self) -> bool:
        return all(check.held for check in self.checks)

    def __bool__(self) -> bool:
        return self.accepted

    @property
    def problems(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.held)


def check(subject: str, claim: str, problem: Callable[[], str]) -> Check:
    """Evaluate one check; values that cannot even be read are a problem too."""
    try:
        return Check(subject, claim, problem())
    except (ValueError, OverflowError, EncodingError, ModelError) as exc:
        return Check(subject, claim, str(exc) or type(exc).__name__)


def difference(*fields: tuple[str, object, object]) -> str:
    """The first of (name, recorded, expected) whose values differ, in words; empty if none."""
    return next(_differences(fields), "")


def _differences(fields: tuple[tuple[str, object, object], ...]) -> Iterator[str]:
    for name, recorded, expected in fields:
        if recorded != expected:
            yield f"{name} is {_short(recorded)}, expected {_short(expected)}"


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 160 else shown[:157] + "..."

"""What an audit ends in: one verdict on all its checks, and who can change what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zkagent.errors import MOST_IN_ERROR, in_line
from zkagent.executor.receipts.verdicts import Check, judged


@dataclass(frozen=True)
class Audit:
    """False unless it is sound. facts: owners and the like, by name; for people, not judged."""

    subject: str
    checks: tuple[Check, ...]
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """``sound``; ``unknown`` when something cannot be told and nothing is wrong; or
        ``unsound``."""
        return judged(self.checks, "sound", "unsound")

    def __bool__(self) -> bool:
        return self.verdict == "sound"

    @property
    def problems(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.held)

    @property
    def notes(self) -> tuple[Check, ...]:
        """What holds and is worth saying: older versions, what was trusted on request."""
        return tuple(check for check in self.checks if check.held and check.note)

    @property
    def conclusion(self) -> str:
        """The verdict with what it rests on, in one line."""
        if self.verdict == "sound":
            notes = "; ".join(f"{check.subject}: {check.note}" for check in self.notes)
            return in_line(
                f"sound: {self.subject}" + (f" ({notes})" if notes else ""), MOST_IN_ERROR
            )
        wrong = [c for c in self.problems if c.unknown == (self.verdict == "unknown")]
        subjects = ", ".join(dict.fromkeys(c.subject for c in wrong))
        return in_line(f"{self.verdict}: {self.subject}: {subjects}", MOST_IN_ERROR)

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "held": bool(self),
            "facts": dict(self.facts),
            "checks": [_shown(check) for check in self.checks],
        }


def _shown(check: Check) -> dict[str, str]:
    status = "held" if check.held else "unknown" if check.unknown else "broken"
    return {
        "subject": check.subject,
        "claim": check.claim,
        "status": status,
        "problem": check.problem,
        "note": check.note,
    }


__all__ = ["Audit"]

"""What a replay found, step by step."""

from dataclasses import dataclass
from typing import Any, Literal

from zkagent.executor.runtime.core.json_values import JsonObject, fields_of

#: same: decided again, exactly; redacted: the rules took something out of the decision, and the
#: rest is the same; not_compared: the planner ran out of time then; differs: see `why`.
Outcome = Literal["same", "redacted", "not_compared", "differs"]
#: unverified: it could not be told, see `why`.
ProofOutcome = Literal["verified", "false", "unverified"]


@dataclass(frozen=True)
class StepReplay:
    """plan: as it is on record; redacted: a value that the rules changed stands in the decision, or
    in what it was decided from; proof: of a step that has one, if it was asked for."""

    index: int
    plan: JsonObject
    outcome: Outcome
    redacted: bool = False
    why: str = ""
    proof: ProofOutcome | None = None
    proof_why: str = ""

    def to_json(self) -> dict[str, Any]:
        return fields_of(self)


@dataclass(frozen=True)
class ReplayReport:
    """ended: how the run came to its end, or why the record of it ends; difference: the first event
    that the replay told otherwise, empty if none; events: how many were the same."""

    run_id: str
    agent: str
    steps: tuple[StepReplay, ...]
    events: int
    ended: str
    difference: str = ""

    @property
    def agrees(self) -> bool:
        """Whether every decision and event is the same, and no proof that was looked at fails."""
        return not self.difference and all(
            step.outcome != "differs" and step.proof in (None, "verified") for step in self.steps
        )

    def to_json(self) -> dict[str, Any]:
        values = fields_of(self)
        return values | {
            "agrees": self.agrees,
            "steps": [step.to_json() for step in self.steps],
        }


__all__ = ["Outcome", "ProofOutcome", "ReplayReport", "StepReplay"]

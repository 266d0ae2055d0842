"""A run as it is kept: what a list shows of it, and what it goes on with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from zkagent.executor.runtime.core.errors import RunAborted
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.json_values import canonical, fields_of
from zkagent.executor.runtime.core.result import AgentResult, ResultError

#: running: also if its process has ended and nobody took it up yet; waits: for somebody's approval;
#: halted: nobody takes it up by itself any more, `reason` says why; finished: it has a result.
State = Literal["running", "waiting", "halted", "finished"]
#: Of one that has finished.
Outcome = Literal["done", "failed", "aborted"]


@dataclass(frozen=True)
class KeptRun:
    """principal: who began it; task: as the permissions let it through; success and code: of one
    that has finished."""

    id: str
    agent: str
    principal: str
    session: str
    seed: int
    task: str
    state: State
    started_at: datetime
    finished_at: datetime | None = None
    steps: int = 0
    events: int = 0
    success: bool | None = None
    code: str | None = None
    reason: str | None = None
    owner: str | None = None
    aborts: bool = False

    @property
    def outcome(self) -> Outcome | None:
        """None: it has not finished."""
        if self.state != "finished":
            return None
        return "done" if self.success else "aborted" if self.code == "aborted" else "failed"

    def to_json(self) -> dict[str, Any]:
        values = fields_of(self)
        times = {"started_at": self.started_at.isoformat(), "finished_at": None}
        if self.finished_at:
            times["finished_at"] = self.finished_at.isoformat()
        return values | times


@dataclass
class Whole:
    """All of a run, checked: nothing of it was changed since it was written."""

    run: KeptRun
    records: Mapping[str, str] = field(default_factory=dict)  # name -> JSON
    events: tuple[Event, ...] = ()
    head: str = ""
    result: AgentResult | None = None


def run_of(row: Mapping[str, Any]) -> KeptRun:
    finished = row["finished"]
    return KeptRun(
        id=row["id"],
        agent=row["agent"],
        principal=row["principal"],
        session=row["session"],
        seed=int(row["seed"]),
        task=row["task"],
        state=row["state"],
        started_at=datetime.fromtimestamp(row["started"], UTC),
        finished_at=None if finished is None else datetime.fromtimestamp(finished, UTC),
        steps=row["steps"],
        events=row["events"],
        success=row["success"],
        code=row["code"],
        reason=row["reason"],
        owner=row["owner"],
        aborts=row["abort"],
    )


def ending(result: Mapping[str, Any]) -> dict[str, Any]:
    """What a run's row says when it has come to this AgentResult.to_json()."""
    return {
        "state": "finished",
        "owner": None,
        "reason": None,
        "success": result["success"],
        "code": (result["error"] or {}).get("code"),
        "steps": result["steps"],
        "result": canonical(result),
    }


def given_up(run: KeptRun, now: float) -> AgentResult:
    """Of a run that was halted and then aborted: what it did, its events tell alone."""
    why = f"run {run.id} was aborted while it was halted: {run.reason}"
    return AgentResult(
        id=run.id,
        session_id=run.session,
        agent_id=run.agent,
        success=False,
        result=None,
        started_at=run.started_at,
        finished_at=datetime.fromtimestamp(now, UTC),
        error=ResultError(why, RunAborted.code),
        steps=run.steps,
        aborted=True,
        seed=run.seed,
    )


__all__ = ["KeptRun", "Outcome", "State", "Whole", "ending", "given_up", "run_of"]

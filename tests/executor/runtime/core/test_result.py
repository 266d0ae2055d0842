"""A result is JSON, whole: what was kept says the same as what was given."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.models import TokenUsage
from zkagent.executor.runtime.core.result import (
    AgentResult,
    MemoryChange,
    ModelCall,
    Provenance,
    ResultError,
    RetryInfo,
)
from zkagent.executor.runtime.core.steps import ActionResult, PlanStep, ProofOfStep

START = datetime(2026, 1, 2, 3, 4, 5, 600, UTC)
BARE = AgentResult("run-1", "session-1", "clerk", True, "done", START, START)
FULL = AgentResult(
    id="run-1",
    session_id="session-1",
    agent_id="clerk",
    success=False,
    result={"found": [1, 2.5, None]},
    started_at=START,
    finished_at=START + timedelta(seconds=1.5),
    error=ResultError("tool x is not there", "tool_unknown", {"tool": "x"}),
    steps=1,
    actions=(
        ActionResult(
            0,
            PlanStep("tool", "x", {"a": 1}, proof=ProofOfStep("wallet", "ab12", receipt="step-0")),
            "failed",
            error={"code": "tool_unknown"},
            changed_by=("secrets",),
        ),
    ),
    model_calls=(ModelCall(0, "scripted", "m", "00ff", TokenUsage(3, 4, 0.01), 0.5),),
    token_usage=TokenUsage(3, 4, 0.01),
    cost_estimate=0.01,
    proof_cost={"seconds": 2.0},
    memory_deltas=(MemoryChange(0, "memory", "clerk", {"a": 1}),),
    provenance=Provenance("ModelPlanner", ("m",), {"plan": "3"}, {0: "step-0"}),
    diagnostics={"warnings": ["slow"]},
    aborted=True,
    retry_info=RetryInfo(3, "not there"),
    seed=7,
    deterministic=True,
    metrics={"duration_ms": 1500.0},
    attachments={"step-0": "{}"},
    task="pay <card:1>",
)


def test_every_field_comes_back_from_json() -> None:
    for result in (BARE, FULL, replace(FULL, event_stream="runs.db")):
        kept = json.loads(json.dumps(result.to_json(), allow_nan=False))
        assert AgentResult.from_json(kept) == result


def test_a_result_that_was_kept_before_tasks_were_has_none() -> None:
    kept = FULL.to_json()
    del kept["task"]
    assert AgentResult.from_json(kept) == replace(FULL, task=None)


def test_every_field_stands_in_the_json() -> None:
    assert set(FULL.to_json()) == set(AgentResult.__dataclass_fields__)


def test_events_that_stand_inline_are_left_out() -> None:
    told = replace(BARE, event_stream=(Event("run-1", 0, START, "run_started"),))
    assert AgentResult.from_json(told.to_json()) == BARE

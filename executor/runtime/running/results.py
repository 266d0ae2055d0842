"""Makes a run's result of what it came to. Proposal: "AgentResult", "Evaluation & Metrics"."""

from collections import defaultdict
from datetime import datetime
from typing import Any

from zkagent.executor.runtime.core.config import name_of
from zkagent.executor.runtime.core.errors import RuntimeFault
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.models import TokenUsage
from zkagent.executor.runtime.core.result import (
    AgentResult,
    Provenance,
    ResultError,
    RetryInfo,
)
from zkagent.executor.runtime.core.steps import Planner
from zkagent.executor.runtime.running.run import Run


def result_of(
    run: Run,
    planner: Planner,
    given: Json,
    fault: RuntimeFault | None,
    times: tuple[datetime, datetime],
) -> AgentResult:
    """Without its events."""
    usage = _usage(run)
    return AgentResult(
        id=run.id,
        session_id=run.session_id,
        agent_id=run.config.id,
        success=fault is None,
        result=given,
        started_at=times[0],
        finished_at=times[1],
        error=ResultError(str(fault), fault.code, fault.info) if fault else None,
        steps=len(run.actions),
        actions=tuple(run.actions),
        model_calls=tuple(run.model_calls),
        token_usage=usage,
        cost_estimate=usage.cost,
        proof_cost=dict(run.proof_cost),
        memory_deltas=tuple(run.deltas),
        provenance=_provenance(run, planner),
        diagnostics={"warnings": list(run.telling.warnings)},
        aborted=run.aborted,
        retry_info=RetryInfo(run.retries, run.last_error) if run.retries else None,
        seed=run.options.seed,
        deterministic=_is_deterministic(run, planner),
        metrics=_metrics(run, usage, times),
        attachments=dict(run.attachments),
        task=run.task,
    )


def _usage(run: Run) -> TokenUsage:
    """cost: None as soon as that of one call is not known."""
    used = [call.usage for call in run.model_calls]
    costs = [usage.cost for usage in used if usage.cost is not None]
    return TokenUsage(
        sum(usage.prompt_tokens for usage in used),
        sum(usage.completion_tokens for usage in used),
        sum(costs) if used and len(costs) == len(used) else None,
    )


def _provenance(run: Run, planner: Planner) -> Provenance:
    templates = {**getattr(planner, "templates", {}), **run.templates}
    models = tuple(dict.fromkeys(call.model for call in run.model_calls))
    return Provenance(name_of(planner), models, templates, dict(run.receipts))


def _is_deterministic(run: Run, planner: Planner) -> bool:
    """Whether another run of it comes to the same: all say so of themselves."""
    deciding = (planner, *(run.config.model_providers if run.model_calls else ()))
    return all(getattr(part, "deterministic", False) is True for part in deciding)


def _metrics(run: Run, usage: TokenUsage, times: tuple[datetime, datetime]) -> dict[str, Any]:
    called = [action for action in run.actions if action.attempts]
    latencies: dict[str, list[float]] = defaultdict(list)
    for action in called:
        latencies[str(action.step.tool_id)].append(action.seconds * 1000)
    return {
        "duration_ms": (times[1] - times[0]).total_seconds() * 1000,
        "steps": len(run.actions),
        "tool_calls": len(called),
        "tool_errors": sum(action.state != "ok" for action in called),
        "tool_latency_ms": {tool: sum(ms) / len(ms) for tool, ms in latencies.items()},
        "model_calls": len(run.model_calls),
        "tokens": usage.total_tokens,
        "cost": usage.cost,
    }


__all__ = ["result_of"]

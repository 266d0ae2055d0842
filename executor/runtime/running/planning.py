"""A planner's next step: asked for, judged, put on record.

The planner runs outside the record, over model answers that are on it, so a run that goes on or is
replayed comes to the same step; what is on record wins.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from zkagent.errors import in_line
from zkagent.executor.runtime.core.config import name_of
from zkagent.executor.runtime.core.errors import (
    JournalFault,
    ModelTimeout,
    PlanRefused,
    ProofFault,
    ReplayDiffers,
    RuntimeFault,
)
from zkagent.executor.runtime.core.foreign import contained
from zkagent.executor.runtime.core.patience import answered, within
from zkagent.executor.runtime.core.steps import (
    Evidence,
    Planner,
    PlannerState,
    PlanStep,
    ProvingPlanner,
)
from zkagent.executor.runtime.providers.router import Router
from zkagent.executor.runtime.running.asking import RecordedModels
from zkagent.executor.runtime.running.faults import fault_json, fault_of
from zkagent.executor.runtime.running.plain_values import plain_json
from zkagent.executor.runtime.running.run import Run, refusing, verdict_json

#: Of the time that a step has left: a model that takes too long is the planner's to notice.
MODELS_SHARE = 0.98


@dataclass(frozen=True)
class Planned:
    """refused: the verdict of the first rule that does not allow it, as it is on record."""

    step: PlanStep
    changed_by: tuple[str, ...]
    refused: dict[str, Any] | None


async def planned(
    run: Run, planner: Planner, router: Router | None, state: PlannerState, until: float
) -> Planned:
    """until: by the event loop's clock. Raises what the planner raised, if it is a fault."""
    outcome = await _asked(run, planner, router, state, until)
    found = await run.record(f"{run.step}.plan", lambda: _judged(run, planner, outcome, until))
    if "fault" in found:
        raise fault_of(found["fault"])
    changed = await run.tell_verdicts(found["verdicts"])
    step = PlanStep.from_json(found["step"])
    await run.telling.tell("planned", step=run.step, plan=found["step"])
    _keep(run, step, found["evidence"])
    return Planned(step, changed, refusing(found["verdicts"]))


async def _asked(
    run: Run, planner: Planner, router: Router | None, state: PlannerState, until: float
) -> PlanStep | RuntimeFault:
    """Raises ReplayDiffers and JournalFault, which are nothing to put on record."""
    loop = asyncio.get_running_loop()
    models = RecordedModels(run, router, lambda: (until - loop.time()) * MODELS_SHARE)
    name, left_s = name_of(planner), until - loop.time()
    try:
        with contained():
            step: Any = await within(left_s, planner.plan(state, models))
    except (JournalFault, ReplayDiffers):
        raise
    except RuntimeFault as fault:
        return fault
    except Exception as exc:
        if isinstance(exc, TimeoutError) and loop.time() >= until:
            return ModelTimeout(f"planner {name} did not decide within {left_s:.3g} s")
        return PlanRefused(in_line(f"planner {name} failed: {type(exc).__name__}: {exc}", 500))
    finally:
        models.closed = True
    if isinstance(step, PlanStep):
        return step
    return PlanRefused(f"planner {name} answered with {type(step).__name__}, not with a PlanStep")


async def _judged(
    run: Run, planner: Planner, outcome: PlanStep | RuntimeFault, until: float
) -> dict[str, Any]:
    """What goes on record: the step as allowed, with all verdicts and the evidence; or a fault.
    Of a step that is withheld nothing is proven, since evidence tells what it is; one that is
    refused as a whole is on record with its proof, which readers check. Raises ProofFault: it
    cannot be proven in the time that the step has left."""
    if isinstance(outcome, RuntimeFault):
        message, _ = await run.judge("plan", str(outcome))
        info, _ = await run.judge("plan", dict(outcome.info))
        told = {"message": message or "withheld", "info": info or {}}
        return {"fault": fault_json(outcome) | told}
    try:
        plain = plain_json(outcome.to_json())
        step = PlanStep.from_json(plain)
    except (PlanRefused, ValueError) as exc:
        return await _judged(run, planner, PlanRefused(f"no step that can be kept: {exc}"), until)
    allowed, verdicts = await _allowed(run, plain, step)
    evidence = await _evidence(run, planner, step, until) if allowed.proof else Evidence()
    return {
        "step": allowed.to_json(),
        "verdicts": verdicts,
        "evidence": {"attachments": dict(evidence.attachments), "cost": dict(evidence.cost)},
    }


async def _allowed(
    run: Run, plain: dict[str, Any], step: PlanStep
) -> tuple[PlanStep, list[dict[str, Any]]]:
    """The step that may be taken, or what may be told of one that may not, and why."""
    tool = run.tool(step.tool_id)
    value, verdict = await run.judge("plan", plain, tool)
    verdicts = [verdict]
    if not verdict["allowed"]:
        return _bare(run, step), verdicts
    if verdict["rules"]:
        step = PlanStep.from_json(value)
    if step.kind == "tool":
        given, verdict = await run.judge("input", step.input, tool)
        verdicts.append(verdict)
        step = replace(step, input=given)
        if not verdict["allowed"]:
            return _bare(run, step), verdicts
    allowed = await run.permissions.judge_step(run.asked("plan", tool), step)
    verdicts.append(verdict_json("plan", allowed))
    return step, verdicts


def _bare(run: Run, step: PlanStep) -> PlanStep:
    """What is refused for what it says is not told."""
    known = run.tool(step.tool_id) is not None
    return PlanStep(step.kind, step.tool_id if known or step.tool_id is None else "withheld")


async def _evidence(run: Run, planner: Planner, step: PlanStep, until: float) -> Evidence:
    if step.proof is None or not isinstance(planner, ProvingPlanner):
        return Evidence()
    left_s = until - asyncio.get_running_loop().time()
    who = f"the proof of planner {name_of(planner)}"
    return await answered(who, lambda: planner.evidence(run.id, step), ProofFault, left_s)


def _keep(run: Run, step: PlanStep, evidence: dict[str, Any]) -> None:
    if step.proof and step.proof.receipt:
        run.receipts[run.step] = step.proof.receipt
    run.attachments |= evidence["attachments"]
    for name, value in evidence["cost"].items():
        run.proof_cost[name] = run.proof_cost.get(name, 0) + value


__all__ = ["Planned", "planned"]

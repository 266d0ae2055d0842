"""The loop: plan, act, reflect, until the planner finishes, or something ends it.

Whatever a run does that could be otherwise the next time goes through its journal, so the runner
itself is the same code for runs in memory, for those that are kept, and for replays.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from zkagent.errors import in_line
from zkagent.executor.runtime.core.config import AgentConfig
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    RunAborted,
    RuntimeFault,
    SecretRefused,
    StepRefused,
    StepsExhausted,
)
from zkagent.executor.runtime.core.foreign import contained
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.permissions import SECRETS_REFUSED
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.steps import (
    ActionResult,
    ChatMessage,
    PlannerState,
    PlanStep,
    Reflector,
    ToolInfo,
)
from zkagent.executor.runtime.planners.model import ModelPlanner
from zkagent.executor.runtime.providers.router import Router
from zkagent.executor.runtime.running.call import with_fault
from zkagent.executor.runtime.running.executor import ToolExecutor
from zkagent.executor.runtime.running.faults import fault_json, fault_of
from zkagent.executor.runtime.running.plain_values import plain_json
from zkagent.executor.runtime.running.planning import Planned, planned
from zkagent.executor.runtime.running.reflecting import Appending
from zkagent.executor.runtime.running.remembering import recalled, remember_result, remember_step
from zkagent.executor.runtime.running.results import result_of
from zkagent.executor.runtime.running.run import Run, refusing, verdict_json
from zkagent.executor.runtime.running.tasks import task_of


@dataclass(frozen=True)
class Started:
    at: datetime
    resumed: bool
    state: PlannerState


class Runner:
    """Of one agent. Raises AgentConfigRefused: the config's tools have schemas that are none."""

    def __init__(self, config: AgentConfig) -> None:
        self.config = config
        self.planner = config.planner or ModelPlanner()
        self._executor = ToolExecutor(config)
        self._described = config.described()
        self._reflector: Reflector = config.reflector or Appending()
        providers = config.model_providers
        self._router = (
            Router(providers, config.strategy, config.model_retries) if providers else None
        )

    async def run(self, run: Run) -> AgentResult:
        """What it came to: faults are in the result. Raises CancelledError if it was cancelled and
        not aborted, and what journal and event store raise: then it can be taken up again."""
        begun = run.world.clock()
        started: Started | None = None
        given: Json = None
        fault: RuntimeFault | None = None
        try:
            started = await self._start(run)
            given = await self._loop(run, started)
        except RuntimeFault as exc:
            fault = exc
        except asyncio.CancelledError:
            if not run.aborted:
                raise
            run.ending = True
            _uncancel()
            fault = RunAborted(f"run {run.id} was aborted in step {run.step}")
            await self._leave_call(run)
        return await self._finish(run, started.at if started else begun, given, fault)

    async def _start(self, run: Run) -> Started:
        found = await run.record("start", lambda: _kickoff(run))
        resumed = found["incarnation"] != run.journal.incarnation
        if resumed:
            kept, incarnation = run.journal.kept_events, run.journal.incarnation
            await run.telling.tell("run_resumed", incarnation=incarnation, events=kept)
        await run.telling.tell(
            "run_started",
            agent=self.config.id,
            task=found["task"],
            seed=run.options.seed,
            config=self._described,
        )
        await run.tell_verdicts(found["verdicts"])
        run.templates |= found["templates"]
        asking = [one for one in found["verdicts"] if one["place"] != "recall"]
        if refused := refusing(asking):
            raise _refusal(refused, "the task")
        if found["fault"]:
            raise fault_of(found["fault"])
        run.task = found["task"]
        return Started(datetime.fromisoformat(found["at"]), resumed, self._state(run, found))

    def _state(self, run: Run, found: dict[str, Any]) -> PlannerState:
        return PlannerState(
            run_id=run.id,
            task=found["task"],
            tools=tuple(ToolInfo(one.id, one.description, one.schema) for one in self.config.tools),
            transcript=(ChatMessage("user", found["task"]),),
            recalled=tuple(found["recalled"]),
            max_steps=self.config.max_steps,
            params=found["params"],
        )

    async def _loop(self, run: Run, started: Started) -> Json:
        """The result that the planner finished with."""
        state = started.state
        for step in range(self.config.max_steps):
            run.step = step
            if run.aborted:
                raise RunAborted(f"run {run.id} was aborted before step {step}")
            await run.telling.tell("step_started", step=step)
            done = await self._step(run, state)
            run.actions.append(done)
            await remember_step(run, done, resumed=started.resumed)
            await _tell_done(run, done)
            if done.step.kind == "finish" and done.state == "ok":
                return done.output
            state = await self._reflected(state, done)
        raise StepsExhausted(
            f"no finish within {self.config.max_steps} steps: raise max_steps, or ask for less"
        )

    async def _step(self, run: Run, state: PlannerState) -> ActionResult:
        clock = asyncio.get_running_loop().time
        until = clock() + self.config.step_timeout_s
        plan = await planned(run, self.planner, self._router, state, until)
        if plan.refused and plan.refused["waits"]:
            asked = clock()
            plan = await _approved(run, plan)
            until += clock() - asked  # people take their time: it is none of the step's
        if plan.refused:
            fault = _refusal(plan.refused, f"step {run.step}")
            return with_fault(ActionResult(run.step, plan.step, "refused"), fault)
        if plan.step.kind == "tool":
            done = await self._executor.execute(run, plan.step, until - clock())
        else:
            done = ActionResult(run.step, plan.step, output=_said(plan.step))
        changed = dict.fromkeys((*plan.changed_by, *done.changed_by))
        return replace(done, changed_by=tuple(changed))

    async def _reflected(self, state: PlannerState, done: ActionResult) -> PlannerState:
        try:
            with contained():
                return await self._reflector.reflect(state, done)
        except RuntimeFault:
            raise
        except Exception as exc:
            why = in_line(f"{type(exc).__name__}: {exc}", 500)
            raise RuntimeFault(f"the reflector failed: {why}") from exc

    async def _leave_call(self, run: Run) -> None:
        """A call that was on its way when the run was aborted may have happened."""
        if run.calling is None:
            return
        calling, run.calling = run.calling, None
        fault = RunAborted("aborted within the call, so whether it happened is not known")
        bare = ActionResult(run.step, calling.step, "unknown", attempts=calling.attempt)
        done = replace(with_fault(bare, fault), key=calling.key)
        run.actions.append(done)
        await _tell_done(run, done)

    async def _finish(
        self, run: Run, began: datetime, given: Json, fault: RuntimeFault | None
    ) -> AgentResult:
        run.ending = True
        if not run.aborted:
            try:
                await remember_result(run, _summary(given, fault))
            except RuntimeFault as exc:
                fault = fault or exc
        if fault:
            await _tell_fault(run, fault)

        async def end() -> dict[str, Any]:
            return {"at": run.world.clock().isoformat(), "aborted": run.aborted}

        ended = datetime.fromisoformat((await run.record("finish", end))["at"])
        result = result_of(run, self.planner, given, fault, (began, ended))
        await run.telling.tell("run_finished", result=result.to_json())
        return replace(result, event_stream=tuple(run.telling.events))


async def _tell_done(run: Run, done: ActionResult) -> None:
    await run.telling.tell("step_finished", step=run.step, action=done.to_json())


async def _tell_fault(run: Run, fault: RuntimeFault) -> None:
    told = fault_json(fault)
    await run.telling.tell(
        "error", step=run.step, code=fault.code, message=told["message"], info=told["info"]
    )


async def _kickoff(run: Run) -> dict[str, Any]:
    """What goes on record when a run begins."""
    found: dict[str, Any] = {
        "at": run.world.clock().isoformat(),
        "incarnation": run.journal.incarnation,
        "fault": None,
        "task": "withheld",
        "templates": {},
        "params": {},
        "recalled": [],
        "verdicts": [],
    }
    try:
        await _judge_task(run, found)
        if refusing(found["verdicts"]) is None:
            found["recalled"], verdicts = await recalled(run)
            found["verdicts"] += verdicts
    except RuntimeFault as fault:
        found["fault"] = fault_json(fault)
    return found


async def _judge_task(run: Run, found: dict[str, Any]) -> None:
    task = await task_of(run)
    text, verdict = await run.judge("task", task.text)
    found["verdicts"] += [*task.verdicts, verdict]
    params: Any = {}
    if run.options.params:
        params, judged = await run.judge("task", _params(run))
        found["verdicts"].append(judged)
    found["templates"] = dict(task.templates)
    if isinstance(text, str) and refusing(found["verdicts"]) is None:
        found |= {"task": text, "params": params}


def _params(run: Run) -> Any:
    """Raises AgentConfigRefused: they cannot be kept."""
    try:
        return plain_json(run.options.params)
    except ValueError as exc:
        raise AgentConfigRefused(f"the parameters of run {run.id} cannot be kept: {exc}") from exc


async def _approved(run: Run, plan: Planned) -> Planned:
    """Raises ApprovalNeeded: nobody can be asked."""
    assert plan.refused is not None
    tool, reason = run.tool(plan.step.tool_id), plan.refused["reason"]

    async def wait() -> dict[str, Any]:
        verdict = await run.answer(run.asked("plan", tool), plan.step, reason)
        return verdict_json("plan", verdict)

    answer = await run.record(f"{run.step}.approval", wait)
    await run.tell_verdicts([answer])
    return replace(plan, refused=None if answer["allowed"] else answer | {"waits": False})


def _refusal(verdict: dict[str, Any], what: str) -> StepRefused:
    kind = SecretRefused if SECRETS_REFUSED in verdict["rules"] else StepRefused
    return kind(
        f"{what} is refused: {verdict['reason']}", place=verdict["place"], rules=verdict["rules"]
    )


def _said(step: PlanStep) -> Json:
    """A finish without a result has its message for one."""
    if step.kind == "internal":
        return step.input
    return step.message if step.result is None else step.result


def _summary(given: Json, fault: RuntimeFault | None) -> dict[str, Any]:
    error = fault and {"code": fault.code, "message": str(fault)}
    return {"success": fault is None, "result": given, "error": error}


def _uncancel() -> None:
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()


__all__ = ["Runner"]

"""One call of a tool: begun, made and judged on record, tried again where that is allowed.

Each attempt is begun on record before it is made, and what came of it is on record after. If an
attempt was begun by another incarnation and has no outcome, the process ended within it: a tool
that honours keys is called again with the same key, others as their rule says.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from zkagent.errors import MOST_IN_ERROR, in_line
from zkagent.executor.runtime.core.errors import (
    ApprovalNeeded,
    CallUnknown,
    RuntimeFault,
    StepRefused,
    ToolFault,
    ToolTimeout,
)
from zkagent.executor.runtime.core.foreign import contained
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.patience import within
from zkagent.executor.runtime.core.permissions import Verdict
from zkagent.executor.runtime.core.steps import ActionResult, PlanStep
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.running.faults import fault_json, fault_of
from zkagent.executor.runtime.running.plain_values import plain_json
from zkagent.executor.runtime.running.run import Calling, Run, refusing, verdict_json
from zkagent.executor.runtime.running.withholding import Withholding


def call_key(run_id: str, step: int, tool: str, given: Json) -> str:
    """The idempotency key: of this call of this run and no other, the same for each attempt."""
    text = json.dumps([run_id, step, tool, given], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Call:
    """One call, in as many attempts as it takes. left_s: of the step's time."""

    run: Run
    tool: ToolDefinition
    step: PlanStep
    left_s: float

    def __post_init__(self) -> None:
        self.key = call_key(self.run.id, self.run.step, self.tool.id, self.step.input)
        self._clock = asyncio.get_running_loop().time
        self.until = self._clock() + self.left_s

    async def carry_out(self) -> ActionResult:
        policy, attempt, seconds = self.run.config.tool_retries, 0, 0.0
        fault: RuntimeFault | None = None
        while True:
            attempt += 1
            found = await self._attempt(attempt)
            seconds += found["seconds"]
            if "fault" not in found:
                return await self._returned(found, attempt, seconds)
            last = fault_of(found["fault"])
            await tell_failed(self.run, self.step, found["fault"], attempt, found["seconds"])
            if not found.get("called", True):
                return self._failed(fault or last, attempt - 1, seconds)
            fault = last
            self.run.last_error = str(fault)
            if not await self._again(fault, attempt, may=attempt < policy.attempts):
                return self._failed(fault, attempt, seconds)
            self.run.retries += 1

    def _failed(self, fault: RuntimeFault, attempts: int, seconds: float) -> ActionResult:
        """What ran out of time may have happened, or happen yet, though its key would have kept
        another attempt harmless: the next step's is another."""
        late = isinstance(fault, ToolTimeout) and not self.tool.safe_by_default
        is_unknown = late or isinstance(fault, CallUnknown)
        bare = ActionResult(self.run.step, self.step, "unknown" if is_unknown else "failed")
        return replace(with_fault(bare, fault), attempts=attempts, key=self.key, seconds=seconds)

    def _may_have_happened(self, fault: RuntimeFault) -> bool:
        """And a second time would be one too many, or is not known to be none, within this call."""
        return isinstance(fault, ToolTimeout) and not (
            self.tool.honours_keys or self.tool.safe_by_default
        )

    async def _again(self, fault: RuntimeFault, attempt: int, *, may: bool) -> bool:
        """Whether the call is made once more."""
        if isinstance(fault, CallUnknown):
            return self.tool.interrupted == "ask" and await self._approved(fault, attempt)
        return may and not self._may_have_happened(fault) and getattr(fault, "retriable", False)

    async def _approved(self, fault: CallUnknown, attempt: int) -> bool:
        """Where nobody can be asked, nobody approves. It is another question than whether the step
        may be taken, so it is asked with another input."""
        run = self.run
        question = replace(self.step, input={"again": attempt, "input": self.step.input})

        async def wait() -> dict[str, Any]:
            asked = run.asked("input", self.tool)
            try:
                verdict = await run.answer(asked, question, f"{fault}; call it again?")
            except ApprovalNeeded:
                verdict = Verdict(False, rules=("approval",), reason="nobody is there to approve")
            return verdict_json("input", verdict)

        began = self._clock()
        verdict = await run.record(f"{run.step}.again.{attempt}", wait)
        self.until += self._clock() - began
        await run.tell_verdicts([verdict])
        return bool(verdict["allowed"])

    async def _attempt(self, attempt: int) -> dict[str, Any]:
        """What is on record of it."""
        run = self.run
        ours = run.journal.incarnation

        async def begin() -> str:
            if wait_s := run.config.tool_retries.wait_s(attempt):
                await asyncio.sleep(wait_s)
            return ours

        begun = await run.record(f"{run.step}.begin.{attempt}", begin)
        await run.telling.tell(
            "tool_called",
            step=run.step,
            tool=self.tool.id,
            input=self.step.input,
            key=self.key,
            attempt=attempt,
        )
        is_ours = begun == ours or self.tool.honours_keys or self.tool.interrupted == "retry"
        run.calling = Calling(self.step, self.key, attempt, run.world.clock())
        do = self._do if is_ours else self._interrupted
        found: dict[str, Any] = await run.record(f"{run.step}.call.{attempt}", do)
        run.calling = None
        return found

    async def _interrupted(self) -> dict[str, Any]:
        fault = CallUnknown(
            f"the process ended within the call of {self.tool.id}, so whether it happened is "
            "not known",
            tool=self.tool.id,
        )
        return {"fault": fault_json(fault), "seconds": 0.0}

    async def _do(self) -> dict[str, Any]:
        """The call itself. What it gives is judged before it is on record."""
        run, began = self.run, self.run.world.clock()
        if self._clock() >= self.until:
            late = ToolFault(f"the step has no time left, so {self.tool.id} was not called")
            return {"fault": fault_json(late), "seconds": 0.0, "called": False}
        withholding = Withholding(run.secrets)
        try:
            output = await self._called(withholding)
        except ToolFault as fault:
            said = in_line(withholding.of(_said(fault)), MOST_IN_ERROR)
            message, _ = await run.judge("output", said, self.tool)
            info, _ = await run.judge("output", withholding.of(fault.info), self.tool)
            told = fault_json(fault) | {"message": message or "withheld", "info": info or {}}
            return {"fault": told, "seconds": run.seconds_since(began)}
        seconds = run.seconds_since(began)
        value, judged = await run.judge("output", withholding.of(output.output), self.tool)
        meta: Any = {}
        verdicts = [judged]
        if output.meta:
            meta, judged = await run.judge("output", withholding.of(output.meta), self.tool)
            verdicts.append(judged)
        return {
            "ok": output.ok,
            "output": value,
            "meta": meta or {},
            "verdicts": verdicts,
            "seconds": seconds,
        }

    async def _called(self, withholding: Withholding) -> ToolOutput:
        """Raises ToolFault only."""
        run, tool = self.run, self.tool
        timeout_s = min(tool.timeout_s, self.until - self._clock())
        secrets = withholding.secret if run.secrets else None
        context = CallContext(run.id, run.config.id, run.step, self.key, timeout_s, secrets)
        given = plain_json(self.step.input)
        try:
            with contained():
                return checked(await within(timeout_s, tool.run(given, context)))
        except ToolFault as fault:
            fault.retriable = fault.retriable or isinstance(fault, tool.retriable)
            raise
        except TimeoutError as exc:
            raise ToolTimeout(
                f"{tool.id} gave no answer within {timeout_s:.3g} s, so whether it happened is "
                "not known",
                retriable=True,
            ) from exc
        except Exception as exc:
            why = in_line(withholding.of(f"{type(exc).__name__}: {exc}"), 500)
            raise ToolFault(
                f"{tool.id} failed: {why}", retriable=isinstance(exc, tool.retriable)
            ) from exc

    async def _returned(
        self, found: Mapping[str, Any], attempts: int, seconds: float
    ) -> ActionResult:
        run = self.run
        changed = await run.tell_verdicts(found["verdicts"])
        await run.telling.tell(
            "tool_returned",
            step=run.step,
            tool=self.tool.id,
            ok=found["ok"],
            output=found["output"],
            meta=found["meta"],
            attempt=attempts,
            seconds=found["seconds"],
        )
        done = ActionResult(
            index=run.step,
            step=self.step,
            output=found["output"],
            attempts=attempts,
            key=self.key,
            seconds=seconds,
            changed_by=changed,
            meta={**found["meta"], "ok": found["ok"]},
        )
        if refused := refusing(found["verdicts"]):
            fault = StepRefused(
                f"the output of {self.tool.id} is refused: {refused['reason']}",
                rules=refused["rules"],
            )
            return replace(with_fault(done, fault), state="refused", output=None)
        return done


def checked(output: Any) -> ToolOutput:
    """A tool may give anything. Raises ToolFault: no ToolOutput, or no JSON within."""
    if not isinstance(output, ToolOutput):
        raise ToolFault(f"it answered with {type(output).__name__}, not with a ToolOutput")
    try:
        meta = plain_json(output.meta)
        return ToolOutput(bool(output.ok), plain_json(output.output), meta)
    except ValueError as exc:
        raise ToolFault(f"what it answered cannot be kept: {exc}") from exc


def with_fault(done: ActionResult, fault: RuntimeFault) -> ActionResult:
    return replace(done, error=fault_json(fault))


def _said(fault: ToolFault) -> str:
    """As it was written: str() has escaped it and cut it, and then no secret in it is found."""
    return str(fault.args[0]) if fault.args else ""


async def tell_failed(
    run: Run, step: PlanStep, fault: Mapping[str, Any], attempt: int, seconds: float
) -> None:
    await run.telling.tell(
        "tool_failed",
        step=run.step,
        tool=step.tool_id,
        error={name: fault[name] for name in ("code", "message", "info")},
        retriable=fault.get("retriable", False),
        attempt=attempt,
        seconds=seconds,
    )


__all__ = ["Call", "call_key", "checked", "tell_failed", "with_fault"]

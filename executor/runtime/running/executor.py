"""Carries out steps that use tools. Proposal: "ToolExecutor"."""

from zkagent.executor.runtime.core.config import AgentConfig
from zkagent.executor.runtime.core.errors import (
    ToolFault,
    ToolUnknown,
)
from zkagent.executor.runtime.core.steps import ActionResult, PlanStep
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.running.call import Call, tell_failed, with_fault
from zkagent.executor.runtime.running.faults import fault_json
from zkagent.executor.runtime.running.run import Run
from zkagent.executor.runtime.tools.schema import InputSchema


class ToolExecutor:
    """The tools of an agent. Raises AgentConfigRefused: a schema that is none."""

    def __init__(self, config: AgentConfig) -> None:
        self._tools = {tool.id: tool for tool in config.tools}
        self._schemas = {tool.id: InputSchema(tool.id, tool.schema) for tool in config.tools}

    async def execute(self, run: Run, step: PlanStep, left_s: float) -> ActionResult:
        """What became of a step of kind tool that is allowed. left_s: of the step's time."""
        try:
            tool = self._found(step)
            self._schemas[tool.id].check(step.input)
        except ToolFault as fault:
            await tell_failed(run, step, fault_json(fault), 0, 0.0)
            return with_fault(ActionResult(run.step, step, "failed"), fault)
        return await Call(run, tool, step, left_s).carry_out()

    def _found(self, step: PlanStep) -> ToolDefinition:
        tool = self._tools.get(step.tool_id or "")
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            raise ToolUnknown(f"there is no tool {step.tool_id!r:.80}; there are: {known}")
        return tool


__all__ = ["ToolExecutor"]

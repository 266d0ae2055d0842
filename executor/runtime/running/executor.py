"""Carries out steps that use tools. Proposal: "ToolExecutor"."""

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry

from zkagent.errors import in_line
from zkagent.executor.runtime.core.config import AgentConfig
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    ToolFault,
    ToolInputRefused,
    ToolUnknown,
)
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.steps import ActionResult, PlanStep
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.running.call import Call, tell_failed, with_fault
from zkagent.executor.runtime.running.faults import fault_json
from zkagent.executor.runtime.running.run import Run


class ToolExecutor:
    """The tools of an agent. Raises AgentConfigRefused: a schema that is none."""

    def __init__(self, config: AgentConfig) -> None:
        self._tools = {tool.id: tool for tool in config.tools}
        self._validators = {tool.id: _validator(tool) for tool in config.tools}

    async def execute(self, run: Run, step: PlanStep, left_s: float) -> ActionResult:
        """What became of a step of kind tool that is allowed. left_s: of the step's time."""
        try:
            tool = self._found(step)
            self._check(tool, step.input)
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

    def _check(self, tool: ToolDefinition, given: Json) -> None:
        errors = self._validators[tool.id].iter_errors(given)
        worst = min(errors, key=lambda error: list(map(str, error.path)), default=None)
        if worst is not None:
            where = "/".join(map(str, worst.path)) or "the input"
            why = in_line(worst.message, 200)
            raise ToolInputRefused(f"input of {tool.id}: {where}: {why}", tool=tool.id)


def _validator(tool: ToolDefinition) -> Draft202012Validator:
    """With an empty registry: a schema of a stranger's may not have anything fetched."""
    try:
        Draft202012Validator.check_schema(dict(tool.schema))
    except SchemaError as exc:
        why = in_line(exc.message, 200)
        raise AgentConfigRefused(f"tool {tool.id}: its schema is no JSON Schema: {why}") from exc
    return Draft202012Validator(dict(tool.schema), registry=Registry())


__all__ = ["ToolExecutor"]

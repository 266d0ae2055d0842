"""Our tools, as other frameworks call them: checked input, a limit of time, no runner of ours.

No permissions of an agent stand before these calls, so a tool that is destructive is not offered
unless the host says so.
"""

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolFault, ToolTimeout
from zkagent.executor.runtime.core.foreign import contained
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.patience import within
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.running.background import background
from zkagent.executor.runtime.tools.schema import InputSchema


@dataclass
class Offered:
    """One tool. secrets: a name to its value. Each call is one of its own: nobody knows whether
    two of the same input are one, so what its tool does once for a key happens each time."""

    tool: ToolDefinition
    allow_destructive: bool = False
    secrets: Callable[[str], str] | None = None
    agent: str = "offered"
    session: str = field(default_factory=lambda: uuid.uuid4().hex)
    calls: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.tool.destructive and not self.allow_destructive:
            raise AgentConfigRefused(
                f"what {self.tool.id} does cannot be undone, and no permissions stand before it "
                "there: say allow_destructive=True if it shall be offered"
            )
        self.schema = InputSchema(self.tool.id, self.tool.schema)

    async def call(self, given: Mapping[str, Any]) -> ToolOutput:
        """Raises ToolFault."""
        checked, step = self.schema.check(dict(given)), self.calls
        self.calls += 1
        said = json.dumps([self.session, step, self.tool.id, checked], sort_keys=True)
        key = hashlib.sha256(said.encode()).hexdigest()
        timeout_s = self.tool.timeout_s
        context = CallContext(self.session, self.agent, step, key, timeout_s, self.secrets)
        try:
            with contained():
                return await within(timeout_s, self.tool.run(checked, context))
        except ToolFault:
            raise
        except TimeoutError:
            raise ToolTimeout(f"{self.tool.id} gave no answer within {timeout_s:g} s") from None
        except Exception as exc:
            why = in_line(f"{type(exc).__name__}: {exc}", 300)
            raise ToolFault(f"{self.tool.id} failed: {why}") from exc

    def call_and_wait(self, given: Mapping[str, Any]) -> ToolOutput:
        """For those who cannot await. Raises ToolFault."""
        return background.run(self.call(given))


def told(output: ToolOutput) -> Json:
    """What a planner of another framework is to see: an answer that is none is said to be."""
    return output.output if output.ok else {"ok": False, "output": output.output}


def plain(value: Any) -> Json:
    """What others pass around, as JSON; of what is none, its kind and its text."""
    try:
        found: Json = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return {"kind": type(value).__name__, "text": in_line(str(value), 1000)}
    return found


__all__ = ["Offered", "plain", "told"]

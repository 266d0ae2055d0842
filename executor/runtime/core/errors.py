"""What can go wrong with agents off chain, each with the code that an AgentResult carries.

RuntimeFault                  below ExecutorError
├── AgentConfigRefused        an agent cannot be made of this (config_refused)
├── StepRefused               a planned step, an input or a write that the rules forbid (refused)
│   └── SecretRefused         a secret stands in what would be planned with (secret_refused)
├── RoleMissing               somebody has not the role that this takes (role_missing)
├── ApprovalNeeded            a step waits for somebody to approve it (approval_needed)
├── StepsExhausted            no finish within max_steps (steps_exhausted)
├── RunAborted                somebody aborted the run (aborted)
├── PlanRefused               a planner answered with what is no step (plan_refused)
├── ModelFault                no model answered (model_failed)
│   ├── ModelTimeout          not within its time (model_timeout)
│   └── NoModelFits           no provider has what was asked for (no_model)
├── ProofFault                a decision was not proven, or a proof cannot be checked (proof_failed)
├── ToolFault                 a tool did not do what was asked (tool_failed)
│   ├── ToolUnknown           the agent has no tool of that name (tool_unknown)
│   ├── ToolInputRefused      the input is not of the tool's schema (tool_input)
│   ├── ToolTimeout           not within its time; whether it happened is unknown (tool_timeout)
│   └── CallUnknown           the process ended within the call (call_unknown)
├── MemoryFault               a store cannot be opened, read or written (memory_failed)
├── PromptFault               a template that is missing or cannot be rendered (prompt_failed)
├── RunUnknown                there is no such run, or not in that state (run_unknown)
├── AuditBroken               the audit log is not what was written (audit_broken)
├── AgentUnknown              nobody has an agent of that id here (agent_unknown)
├── NotFinished               a run has no result yet (not_finished)
├── ReceiptRefused            not a receipt of an agent's run (receipt_refused)
└── ReplayDiffers             another decision than the one on record (replay_differs)

JournalFault                  below ExecutorError, and nothing that a run comes to: its records
│                             cannot be read or kept now, and it can be taken up again
├── RunTakenOver              another process, or a later attempt, goes on with the run
├── RunChanged                a run that goes on tells other events than it told before
└── RecordsBroken             records or events are not what was written
"""

from typing import Any, ClassVar

from zkagent.executor.errors import ExecutorError


class RuntimeFault(ExecutorError):
    """code: what an AgentResult's error says; info: JSON, without secrets."""

    code: ClassVar[str] = "failed"

    def __init__(self, message: str, **info: Any) -> None:
        self.info = info
        super().__init__(message)


class AgentConfigRefused(RuntimeFault):
    code = "config_refused"


class StepRefused(RuntimeFault):
    code = "refused"


class SecretRefused(StepRefused):
    code = "secret_refused"


class RoleMissing(RuntimeFault):
    code = "role_missing"


class ApprovalNeeded(RuntimeFault):
    code = "approval_needed"


class StepsExhausted(RuntimeFault):
    code = "steps_exhausted"


class RunAborted(RuntimeFault):
    code = "aborted"


class PlanRefused(RuntimeFault):
    code = "plan_refused"


class ModelFault(RuntimeFault):
    code = "model_failed"


class ModelTimeout(ModelFault):
    code = "model_timeout"


class NoModelFits(ModelFault):
    code = "no_model"


class ProofFault(RuntimeFault):
    code = "proof_failed"


class ToolFault(RuntimeFault):
    """retriable: the same call may be tried again."""

    code = "tool_failed"

    def __init__(self, message: str, *, retriable: bool = False, **info: Any) -> None:
        self.retriable = retriable
        super().__init__(message, **info)


class ToolUnknown(ToolFault):
    code = "tool_unknown"


class ToolInputRefused(ToolFault):
    code = "tool_input"


class ToolTimeout(ToolFault):
    code = "tool_timeout"


class CallUnknown(ToolFault):
    code = "call_unknown"


class MemoryFault(RuntimeFault):
    code = "memory_failed"


class PromptFault(RuntimeFault):
    code = "prompt_failed"


class RunUnknown(RuntimeFault):
    code = "run_unknown"


class AuditBroken(RuntimeFault):
    code = "audit_broken"


class AgentUnknown(RuntimeFault):
    code = "agent_unknown"


class NotFinished(RuntimeFault):
    code = "not_finished"


class ReceiptRefused(RuntimeFault):
    code = "receipt_refused"


class ReplayDiffers(RuntimeFault):
    code = "replay_differs"


class JournalFault(ExecutorError):
    """Not on record, since the record is what fails."""


class RunTakenOver(JournalFault):
    """Whoever finds out has to stop at once."""


class RunChanged(JournalFault):
    """The agent that goes on is not the one that began."""


class RecordsBroken(JournalFault):
    """Somebody changed, removed or moved some, or the key is another one."""

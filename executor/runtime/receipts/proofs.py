"""Whether the steps of a receipt that name a proof were decided by the model that they name.

A signature says whose word a receipt is; this needs nobody's word. What is withheld in a receipt
cannot be checked so: a decision follows from all that stands before it.
"""

from collections.abc import Mapping, Sequence

from zkagent.executor.runtime.core.steps import (
    ActionResult,
    PlannerState,
    PlanStep,
    ProofOfStep,
    StepVerdict,
    ToolInfo,
    VerifyingPlanner,
)
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.receipts.format import AgentReceipt, ProofNamed, StepTaken


async def verify_proofs(
    receipt: AgentReceipt, planner: VerifyingPlanner, tools: Sequence[ToolDefinition]
) -> Mapping[int, StepVerdict]:
    """A verdict for each step that names a proof. planner, tools: as the agent has them, made by
    whoever checks. Raises ProofFault where it cannot be told."""
    if hidden := _withheld(receipt):
        verdict = StepVerdict(False, f"{hidden} is withheld, and the decision followed from it")
        return {step.index: verdict for step in receipt.steps if step.proof}
    known = tuple(ToolInfo(tool.id, tool.description, tool.schema) for tool in tools)
    actions = tuple(map(_action, receipt.steps))
    task = str(receipt.task.value)
    verdicts: dict[int, StepVerdict] = {}
    for place, action in enumerate(actions):
        if proof := action.step.proof:
            state = PlannerState(receipt.run_id, task, known, actions=actions[:place], step=place)
            attached = receipt.attachments.get(planner.attachment_of(proof))
            text = attached.value if attached else None
            verdicts[place] = await planner.verify_step(state, action.step, text)
    return verdicts


def _withheld(receipt: AgentReceipt) -> str:
    if not receipt.task.shown:
        return "the task"
    for step in receipt.steps:
        for name, committed in (("input", step.input), ("output", step.output)):
            if not committed.shown:
                return f"the {name} of step {step.index}"
    return ""


def _action(taken: StepTaken) -> ActionResult:
    named = taken.proof
    proof = _proof(named) if named else None
    given, came = taken.input.value, taken.output.value
    message, finishes = taken.kind == "message", taken.kind == "finish"
    step = PlanStep(
        taken.kind,
        taken.tool,
        input=None if message else given,
        message=given if message else None,
        result=came if finishes else None,
        proof=proof,
    )
    return ActionResult(taken.index, step, taken.state, None if finishes else came, key=taken.key)


def _proof(named: ProofNamed) -> ProofOfStep:
    return ProofOfStep(named.model, named.digest, named.proof_id, named.receipt)


__all__ = ["verify_proofs"]

"""Several planners in one run, one after another: a language model that looks things up, then a
proven model that moves money, say.

A planner's turn ends with its finish, which becomes an internal step that notes the result for
those behind; the last one's finish ends the run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from zkagent.executor.runtime.core.errors import AgentConfigRefused, PlanRefused, ProofFault
from zkagent.executor.runtime.core.steps import (
    Evidence,
    Models,
    Planner,
    PlannerState,
    PlanStep,
    ProofOfStep,
    ProvingPlanner,
    StepVerdict,
    VerifyingPlanner,
)

HANDED_OVER = "handed over to the next planner"


@dataclass(frozen=True)
class Relay:
    """Each planner sees its own turn's steps as the run's, and the whole transcript and scratchpad;
    the K-th turn's result is noted as "turn-K", from 0. Raises AgentConfigRefused.
    """

    planners: Sequence[Planner]

    def __post_init__(self) -> None:
        if not self.planners:
            raise AgentConfigRefused("a relay has at least one planner")

    @property
    def name(self) -> str:
        names = (getattr(each, "name", type(each).__name__) for each in self.planners)
        return f"relay of {', '.join(names)}"

    @property
    def deterministic(self) -> bool:
        return all(getattr(each, "deterministic", False) is True for each in self.planners)

    async def plan(self, state: PlannerState, models: Models) -> PlanStep:
        turn, own = self._turn(state)
        step = await self.planners[turn].plan(own, models)
        if step.kind == "internal" and step.reason == HANDED_OVER:
            raise PlanRefused(f"a step's reason is not {HANDED_OVER!r}: a turn ends with a finish")
        if step.kind != "finish" or turn == len(self.planners) - 1:
            return step
        note = {f"turn-{turn}": step.result}
        return PlanStep("internal", None, note, step.reason, reason=HANDED_OVER, proof=step.proof)

    async def evidence(self, run_id: str, step: PlanStep) -> Evidence:
        """By the planner that planned it. Raises ProofFault."""
        for planner in self.planners:
            if isinstance(planner, ProvingPlanner) and planner.planned(run_id, step):
                return await planner.evidence(run_id, step)
        raise ProofFault(f"step of run {run_id} was not planned by {self.name} here")

    def planned(self, run_id: str, step: PlanStep) -> bool:
        proving = (each for each in self.planners if isinstance(each, ProvingPlanner))
        return any(planner.planned(run_id, step) for planner in proving)

    def attachment_of(self, proof: ProofOfStep) -> str:
        return self._verifying(proof).attachment_of(proof)

    async def verify_step(
        self, state: PlannerState, step: PlanStep, attachment: str | None, *, redacted: bool = False
    ) -> StepVerdict:
        turn, own = self._turn(state)
        planner = self.planners[turn]
        if not isinstance(planner, VerifyingPlanner):
            return StepVerdict(False, f"turn {turn} is of a planner that proves nothing")
        if step.kind == "internal" and step.reason == HANDED_OVER:
            finish = _finish(step, f"turn-{turn}")
            if turn == len(self.planners) - 1 or finish is None:
                return StepVerdict(False, "nobody's turn ends with that step")
            return await planner.verify_step(own, finish, attachment)
        return await planner.verify_step(own, step, attachment, redacted=redacted)

    def close(self) -> None:
        for planner in self.planners:
            if hasattr(planner, "close"):
                planner.close()

    def _turn(self, state: PlannerState) -> tuple[int, PlannerState]:
        """Whose it is, and the state as that planner sees it."""
        ends = [
            index
            for index, action in enumerate(state.actions, start=1)
            if action.step.kind == "internal" and action.step.reason == HANDED_OVER
        ]
        if (turn := len(ends)) >= len(self.planners):
            raise PlanRefused(f"{turn} turns have ended, and there are {len(self.planners)}")
        before = ends[-1] if ends else 0
        own = state.actions[before:]
        return turn, replace(
            state, actions=own, step=state.step - before, max_steps=state.max_steps - before
        )

    def _verifying(self, proof: ProofOfStep) -> VerifyingPlanner:
        found = (each for each in self.planners if isinstance(each, VerifyingPlanner))
        if (planner := next(found, None)) is None:
            raise ProofFault(f"nobody here checks proofs of {proof.model}")
        return planner


def _finish(step: PlanStep, noted_as: str) -> PlanStep | None:
    """The step that ended a turn, as its planner made it."""
    if not isinstance(step.input, Mapping) or list(step.input) != [noted_as]:
        return None
    result = step.input[noted_as]
    return PlanStep("finish", result=result, reason=step.message, proof=step.proof)


__all__ = ["HANDED_OVER", "Relay"]

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

NOTED = "turn-{}"


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
        if _ends(step, turn):
            raise PlanRefused(f"a step does not note {NOTED.format(turn)}: a turn ends by a finish")
        if step.kind != "finish" or turn == len(self.planners) - 1:
            return step
        note = {NOTED.format(turn): step.result}
        return PlanStep("internal", input=note, reason=step.reason, proof=step.proof)

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
        if _ends(step, turn) and turn < len(self.planners) - 1:
            step = _finish(step, turn)
        return await planner.verify_step(own, step, attachment, redacted=redacted)

    def close(self) -> None:
        for planner in self.planners:
            if hasattr(planner, "close"):
                planner.close()

    def _turn(self, state: PlannerState) -> tuple[int, PlannerState]:
        """Whose it is, and the state as that planner sees it."""
        ends: list[int] = []
        for index, action in enumerate(state.actions, start=1):
            if _ends(action.step, len(ends)):
                ends.append(index)
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


def _ends(step: PlanStep, turn: int) -> bool:
    """Whether the step hands over to the next planner."""
    noted = step.input if step.kind == "internal" else None
    return isinstance(noted, Mapping) and list(noted) == [NOTED.format(turn)]


def _finish(step: PlanStep, turn: int) -> PlanStep:
    """The step that ended a turn, as its planner made it."""
    noted = step.input if isinstance(step.input, Mapping) else {}
    result = noted[NOTED.format(turn)]
    return PlanStep("finish", result=result, reason=step.reason, proof=step.proof)


__all__ = ["Relay"]

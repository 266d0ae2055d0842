"""What a plan says: a run's decisions, and which agent makes which. `plan.py` makes plans."""

from dataclasses import dataclass

from zkagent.executor.chain.agent import AgentIdentity, AgentModel, Block, Claim, DecisionContext
from zkagent.executor.runs.derivation import text
from zkagent.models.catalogue import Model
from zkagent.models.encoding.decoder import Decision


@dataclass(frozen=True)
class PlannedDecision:
    """One decision with everything that it follows from."""

    context: DecisionContext
    x: tuple[int, ...]
    y: tuple[int, ...]
    decision: Decision
    claim: Claim

    @property
    def called(self) -> str | None:
        """The address of the tool that it calls; None of one that calls none."""
        if self.decision.kind != "call":
            return None
        tools, name = self.context.reads.tools, self.decision.action
        return next((tool.address for tool in tools if text(tool.name) == name), None)


@dataclass(frozen=True)
class NestedRun:
    """A run of an agent that was used as a tool. parent: the index of the decision whose call it
    happened in; decisions: the indices of its own, the last of which is its answer."""

    identity: AgentIdentity
    model: Model
    prompt: bytes
    answer: bytes
    parent: int
    decisions: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """A whole run as it would happen on the state of `block`. decisions: in the order in which they
    are made, those of agents that are used as tools among them. steps: of the outermost agent.
    nested: those agents' runs, in the order in which they begin. resumes: as of a `RunCall`; what a
    run that waited decided before, in `after` iterations, is not among the decisions."""

    block: Block
    identity: AgentIdentity
    prompt: bytes
    decisions: tuple[PlannedDecision, ...]
    answer: bytes
    steps: tuple[bytes, ...]
    nested: tuple[NestedRun, ...] = ()
    resumes: int = 0
    after: int = 0

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(d.claim for d in self.decisions)

    @property
    def waits(self) -> bool:
        """Whether the run has no answer at the end of this plan: the tool of its last call answers
        later."""
        return bool(self.decisions) and self.decisions[-1].decision.kind == "call"

    @property
    def inputs(self) -> tuple[tuple[int, ...], ...]:
        """What has to be proven: plans with equal inputs take the same proofs."""
        return tuple(d.x for d in self.decisions)

    def identity_of(self, decision: int) -> AgentIdentity:
        """Who makes this decision."""
        mine = (run.identity for run in self.nested if decision in run.decisions)
        return next(mine, self.identity)

    def model_of(self, decision: int) -> AgentModel:
        """The model that this decision is one of."""
        return self.identity_of(decision).model


__all__ = ["NestedRun", "Plan", "PlannedDecision"]

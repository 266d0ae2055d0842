"""Plans a run: which decisions it takes, found by simulation at one block, before anything is sent.

    simulate -> features of the first missing decision -> compare with the Python encoder
             -> y = f(x) -> claim y -> simulate again ... -> the final answer

The contract's features are never trusted blindly: a contract that derives others than the reference
would have us prove something that nobody audited.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from zkagent.executor.chain.abi import FEATURE_BYTES, unpack
from zkagent.executor.chain.agent import (
    AgentChain,
    AgentIdentity,
    AgentReads,
    Block,
    Claim,
    DecisionContext,
    MissingDecision,
)
from zkagent.executor.chain.limits import MOST_DECISIONS
from zkagent.executor.errors import (
    ArgumentsSwapped,
    DecisionMismatch,
    EncoderMismatch,
    NestedDecision,
    OtherModel,
    TooManyDecisions,
)
from zkagent.executor.runs.argument_order import swapped_arguments
from zkagent.executor.runs.deciders import check_deciders
from zkagent.executor.runs.derivation import (
    check_text,
    claim_for,
    derive_decision,
    derive_features,
    observation_in,
    text,
    tool_hash,
    with_decimals,
)
from zkagent.executor.runs.events import Listener, PlanFinished, Planned, ignore
from zkagent.models.catalogue import Model
from zkagent.models.encoding.decoder import Decision

MAX_DECISIONS = MOST_DECISIONS


@dataclass(frozen=True)
class PlannedDecision:
    """One decision with everything that it follows from."""

    context: DecisionContext
    x: tuple[int, ...]
    y: tuple[int, ...]
    decision: Decision
    claim: Claim


@dataclass(frozen=True)
class Plan:
    """A whole run as it would happen on the state of `block`."""

    block: Block
    identity: AgentIdentity
    prompt: bytes
    decisions: tuple[PlannedDecision, ...]
    answer: bytes
    steps: tuple[bytes, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(d.claim for d in self.decisions)

    @property
    def inputs(self) -> tuple[tuple[int, ...], ...]:
        """What has to be proven: plans with equal inputs take the same proofs."""
        return tuple(d.x for d in self.decisions)


def plan_run(
    chain: AgentChain,
    model: Model,
    prompt: bytes,
    sender: str,
    *,
    block: Block | None = None,
    report: Listener = ignore,
) -> Plan:
    """The run of `prompt` for `sender` at `block` (the latest by default).

    Raises zkagent.models.errors.RefusedText or RefusedArgument where the contracts would revert,
    zkagent.verifier_contracts.errors.RevertError for the run's own failures, and PlanError.
    """
    at = block or chain.head()
    identity = chain.identity(at)
    check_model(identity, model)
    check_deciders(chain.code, identity.model, at)
    reads = chain.reads(at)
    check_text(model, prompt, reads)
    return _Planning(chain, model, prompt, sender, identity, reads, report).run()


def check_model(identity: AgentIdentity, model: Model) -> None:
    """Raises OtherModel unless the agent obeys exactly this model."""
    committed = identity.model
    for what, ours, theirs in (
        ("manifest", model.digest, committed.manifest_digest.hex()),
        ("ONNX file", model.manifest.files.onnx, committed.onnx_digest.hex()),
    ):
        if ours != theirs:
            raise OtherModel(what, ours[:16], theirs[:16])


@dataclass
class _Planning:
    chain: AgentChain
    model: Model
    prompt: bytes
    sender: str
    identity: AgentIdentity
    reads: AgentReads
    report: Listener

    def run(self) -> Plan:
        decisions: list[PlannedDecision] = []
        block = self.reads.block
        while len(decisions) < MAX_DECISIONS:
            claims = [d.claim for d in decisions]
            step = self.chain.simulate(self.prompt, claims, self.sender, block)
            if not isinstance(step, MissingDecision):
                self.check_answer(decisions, step.answer)
                self.report(PlanFinished(text(step.answer), tuple(map(text, step.steps))))
                return Plan(
                    block, self.identity, self.prompt, tuple(decisions), step.answer, step.steps
                )
            decisions.append(self.decide(step, decisions))
            self.report(Planned(step.index, decisions[-1].decision))
        raise TooManyDecisions(MAX_DECISIONS)

    def decide(self, step: MissingDecision, before: Sequence[PlannedDecision]) -> PlannedDecision:
        if step.agent != self.identity.agent:
            raise NestedDecision(step.index, step.agent, self.identity.agent)
        self.check_context(step, before)
        context = DecisionContext(self.reads, step.reasoning, step.prompt)
        x = derive_features(self.model, context)
        theirs = unpack(step.features, FEATURE_BYTES)
        if x != theirs:
            raise EncoderMismatch(step.index, x, theirs, self.identity.model.encoder)
        y = self.model.infer(x)
        context = with_decimals(self.chain, self.model, context, y)
        self.reads = context.reads  # the next decision may be about the same token
        decision = derive_decision(self.model, context, y)
        self.check_order(decision)
        return PlannedDecision(context, x, y, decision, claim_for(step.model_id, x, y))

    def check_context(self, step: MissingDecision, before: Sequence[PlannedDecision]) -> None:
        """The simulated context must be the one that reads and earlier decisions lead to."""
        tools = tuple(tool.address for tool in self.reads.tools)
        for what, ours, theirs in (
            ("prompt", self.prompt, step.prompt),
            ("base prompt", self.reads.base_prompt, step.base_prompt),
            ("list of tools", tools, step.tools),
            ("model id", self.identity.model.model_id, step.model_id),
            ("number of history entries", len(before), len(step.reasoning)),
        ):
            if ours != theirs:
                raise DecisionMismatch(step.index, what, str(ours), str(theirs))
        self.check_tools(step.index)
        if before and observation_in(step.reasoning[-1], before[-1].decision) is None:
            raise DecisionMismatch(
                step.index, "history", before[-1].decision.reasoning, text(step.reasoning[-1])
            )

    def check_tools(self, index: int) -> None:
        """What is read of tools must be what was pinned: else no receipt of the run would hold."""
        for tool, pinned in zip(self.reads.tools, self.reads.pinned, strict=True):
            if (found := tool_hash(tool)) != pinned:
                what = f"pin of the tool {tool.address}"
                raise DecisionMismatch(index, what, found.hex(), pinned.hex())

    def check_order(self, decision: Decision) -> None:
        """What is shown of a call must be what the tool does with it."""
        tools = (
            (text(tool.name), [text(each.name) for each in tool.parameters])
            for tool in self.reads.tools
            if text(tool.name) == decision.action
        )
        if swapped := swapped_arguments(self.model, tools):
            raise ArgumentsSwapped(swapped.name, swapped.given, swapped.taken)

    def check_answer(self, decisions: Sequence[PlannedDecision], answer: bytes) -> None:
        expected = decisions[-1].decision.answer if decisions else ""
        if text(answer) != expected:
            raise DecisionMismatch(len(decisions) - 1, "answer", expected, text(answer))

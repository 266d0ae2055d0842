"""Plans a run: which decisions it takes, found by simulation at one block, before anything is sent.

    simulate -> features of the first missing decision -> compare with the Python encoder
             -> y = f(x) -> claim y -> simulate again ... -> the final answer

The contract's features are never trusted blindly: a contract that derives others than the reference
would have us prove something that nobody audited.

A decision may be one of an agent that is used as a tool, in the frame of the outermost one. It is
made in the same way, by that agent's own model, from what that agent says of itself. What its
prompt is follows from the call that it was used by, where the caller's tool is the agent itself;
behind another tool, the simulation's word is taken for it, and the receipt has it.
"""

from dataclasses import dataclass, field

from zkagent.executor.chain.abi import FEATURE_BYTES, parameters, prompt_input, unpack
from zkagent.executor.chain.agent import (
    AgentChain,
    Block,
    DecisionContext,
    MissingDecision,
)
from zkagent.executor.chain.limits import MOST_DECISIONS, MOST_DEPTH
from zkagent.executor.errors import (
    ArgumentsSwapped,
    DecisionMismatch,
    EncoderMismatch,
    NestedTooDeep,
    TooManyDecisions,
)
from zkagent.executor.runs.argument_order import swapped_arguments
from zkagent.executor.runs.derivation import (
    claim_for,
    derive_decision,
    derive_features,
    observation_in,
    raw_bytes,
    text,
    tool_hash,
    with_answers,
    with_decimals,
)
from zkagent.executor.runs.events import Listener, PlanFinished, Planned, ignore
from zkagent.executor.runs.nested_models import NO_NESTED, NestedModels
from zkagent.executor.runs.open_run import OpenRun, check_model, opened
from zkagent.executor.runs.planned import NestedRun, Plan, PlannedDecision
from zkagent.models.catalogue import Model
from zkagent.models.encoding.context import escape_observation
from zkagent.models.encoding.decoder import Decision

MAX_DECISIONS = MOST_DECISIONS


def plan_run(
    chain: AgentChain,
    model: Model,
    prompt: bytes,
    sender: str,
    *,
    block: Block | None = None,
    report: Listener = ignore,
    nested: NestedModels = NO_NESTED,
    before: int = 0,
) -> Plan:
    """The run of `prompt` for `sender` at `block` (the latest by default). nested: the models of
    agents that are used as tools. before: how many iterations were made earlier, of a run that
    waited and goes on; what they were is the simulation's word.

    Raises zkagent.models.errors.RefusedText or RefusedArgument where the contracts would revert,
    zkagent.verifier_contracts.errors.RevertError for the run's own failures, and PlanError.
    """
    at = block or chain.head()
    outermost = opened(chain, model, prompt, at)
    outermost.before = before
    return _Planning(sender, at, report, nested, outermost).run()


@dataclass
class _Planning:
    sender: str
    block: Block
    report: Listener
    models: NestedModels
    outermost: OpenRun
    nested: list[OpenRun] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.open = [self.outermost]

    def run(self) -> Plan:
        outer = self.outermost
        decisions: list[PlannedDecision] = []
        while len(decisions) < MAX_DECISIONS:
            claims = [d.claim for d in decisions]
            step = outer.chain.simulate(outer.prompt, claims, self.sender, self.block)
            if not isinstance(step, MissingDecision):
                self.check_answer(step.answer)
                self.report(PlanFinished(text(step.answer), tuple(map(text, step.steps))))
                return Plan(
                    self.block,
                    outer.identity,
                    outer.prompt,
                    tuple(decisions),
                    step.answer,
                    step.steps,
                    tuple(run.ended(run.parent or 0) for run in self.nested),
                )
            run = self.run_for(step)
            decisions.append(self.decide(run, step))
            run.made[len(decisions) - 1] = decisions[-1]
            self.report(Planned(step.index, decisions[-1].decision))
        raise TooManyDecisions(MAX_DECISIONS)

    def run_for(self, step: MissingDecision) -> OpenRun:
        """The run that this decision belongs to, which begins with it where an agent that is not in
        the midst of one asks inside the last call."""
        self.close_answered()
        top = self.open[-1]
        if step.agent == top.identity.agent:
            return top
        if not top.calls or step.agent in (run.identity.agent for run in self.open):
            raise DecisionMismatch(step.index, "agent", top.identity.agent, step.agent)
        if len(self.open) == MOST_DEPTH:
            raise NestedTooDeep(step.agent, MOST_DEPTH)
        begun = self.begin(top, step)
        self.open.append(begun)
        self.nested.append(begun)
        return begun

    def begin(self, caller: OpenRun, step: MissingDecision) -> OpenRun:
        chain = caller.chain.about(step.agent)
        identity, outer = chain.identity(self.block), self.outermost.identity
        for what, ours, theirs in (
            ("executor", outer.executor, identity.executor),
            ("registry", outer.registry, identity.registry),
        ):
            if ours != theirs:
                raise DecisionMismatch(step.index, f"{what} of {step.agent}", ours, theirs)
        if caller.called == step.agent and caller.last is not None:
            asked, heard = parameters(caller.last.decision.values), prompt_input(step.prompt)[1]
            if asked != heard:
                raise DecisionMismatch(step.index, "prompt", asked.hex(), heard.hex())
        parent = next(reversed(caller.made))
        return opened(chain, self.models.model_of(identity), step.prompt, self.block, parent)

    def close_answered(self) -> None:
        while len(self.open) > 1 and self.open[-1].has_answered:
            ended = self.open.pop()
            if self.open[-1].called == ended.identity.agent and ended.last is not None:
                self.open[-1].told = raw_bytes(ended.last.decision.answer)

    def decide(self, run: OpenRun, step: MissingDecision) -> PlannedDecision:
        run.reads = run.chain.reads_of(step, run.reads)
        self.check_context(run, step)
        run.told = None
        context = DecisionContext(run.reads, step.reasoning, step.prompt)
        context = with_answers(run.chain, run.model, context)
        x = derive_features(run.model, context)
        theirs = unpack(step.features, FEATURE_BYTES)
        if x != theirs:
            raise EncoderMismatch(step.index, x, theirs, run.identity.model.encoder)
        y = run.model.infer(x)
        context = with_decimals(run.chain, run.model, context, y)
        run.reads = context.reads  # the next decision may be about the same token
        decision = derive_decision(run.model, context, y)
        self.check_order(run, decision)
        return PlannedDecision(context, x, y, decision, claim_for(step.model_id, x, y))

    def check_context(self, run: OpenRun, step: MissingDecision) -> None:
        """The simulated context must be the one that reads and earlier decisions lead to."""
        tools = tuple(tool.address for tool in run.reads.tools)
        for what, ours, theirs in (
            ("prompt", run.prompt, step.prompt),
            ("base prompt", run.reads.base_prompt, step.base_prompt),
            ("list of tools", tools, step.tools),
            ("model id", run.identity.model.model_id, step.model_id),
            ("number of history entries", run.before + len(run.made), len(step.reasoning)),
        ):
            if ours != theirs:
                raise DecisionMismatch(step.index, what, str(ours), str(theirs))
        self.check_tools(run, step.index)
        if run.last is None:
            return
        found, last = observation_in(step.reasoning[-1], run.last.decision), step.reasoning[-1]
        if found is None:
            raise DecisionMismatch(step.index, "history", run.last.decision.reasoning, text(last))
        if run.told is not None and found != escape_observation(run.told):
            raise DecisionMismatch(step.index, "observation", text(run.told), text(found))

    def check_tools(self, run: OpenRun, index: int) -> None:
        """What is read of tools must be what was pinned: else no receipt of the run would hold."""
        for tool, pinned in zip(run.reads.tools, run.reads.pinned, strict=True):
            if (found := tool_hash(tool)) != pinned:
                what = f"pin of the tool {tool.address}"
                raise DecisionMismatch(index, what, found.hex(), pinned.hex())

    def check_order(self, run: OpenRun, decision: Decision) -> None:
        """What is shown of a call must be what the tool does with it."""
        tools = (
            (text(tool.name), [text(each.name) for each in tool.parameters])
            for tool in run.reads.tools
            if text(tool.name) == decision.action
        )
        if swapped := swapped_arguments(run.model, tools):
            raise ArgumentsSwapped(swapped.name, swapped.given, swapped.taken)

    def check_answer(self, answer: bytes) -> None:
        self.close_answered()
        top = self.open[-1]
        expected = top.last.decision.answer if top.last else ""
        index = max((i for run in (self.outermost, *self.nested) for i in run.made), default=-1)
        if top is not self.outermost:
            raise DecisionMismatch(index, "agent that answers last", top.identity.agent, "none")
        if text(answer) != expected:
            raise DecisionMismatch(index, "answer", expected, text(answer))


__all__ = ["NestedRun", "Plan", "PlannedDecision", "check_model", "plan_run"]

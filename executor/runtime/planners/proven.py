"""A planner whose decisions are a proven model's: it chooses nothing itself.

    task and own calls so far -> features x -> y = f(x) -> decision -> step
                                       `--------- proof ---------'

Each step names its proof, which is made when the step goes on record. Whoever has the transcript
derives x again, checks that y = f(x), and decodes y: another step than the model's does not pass.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.errors import ProofMalformed
from zkagent.executor.runtime.core.errors import AgentConfigRefused, PlanRefused, ProofFault
from zkagent.executor.runtime.core.steps import (
    Evidence,
    Models,
    PlannerState,
    PlanStep,
    ProofOfStep,
    StepVerdict,
)
from zkagent.executor.runtime.planners.history import calls_of, entry
from zkagent.executor.runtime.planners.proofs import LocalProofs, StepProofs
from zkagent.executor.runtime.planners.surroundings import Surroundings
from zkagent.executor.runtime.planners.tool_inputs import ToolUse, held, input_of
from zkagent.models.catalogue import Model, load_model
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.encoding.manifest import Action
from zkagent.models.errors import ModelError
from zkagent.models.strict_json import load_json

FORMAT = "zkagent-step-1"
#: Plans whose evidence was not asked for (a replay's) are forgotten, the oldest first.
MOST_PENDING = 1000


@dataclass(frozen=True)
class _Derived:
    """What leads to a step, and the step but for its proof."""

    context: Context
    x: tuple[int, ...]
    y: tuple[int, ...]
    step: PlanStep


class ProvenPlanner:
    """model: itself, its name or folder; "wallet" and "wallet-text" are shipped. Its actions are
    the tools of the same names; tools: others, by action, by id or as ToolUse. instruction: what
    the model is told instead of the run's task. proofs: LocalProofs() unless given, or
    ServiceProofs(url). Raises ModelError, AgentConfigRefused.
    """

    deterministic = True

    def __init__(
        self,
        model: Model | str | Path = "wallet",
        *,
        instruction: str | None = None,
        tools: Mapping[str, str | ToolUse] | None = None,
        surroundings: Surroundings | None = None,
        proofs: StepProofs | None = None,
    ) -> None:
        self.model = model if isinstance(model, Model) else _loaded(model)
        self.name = f"proven {self.model.name}"
        self._instruction = instruction
        self._uses = _uses(self.model, tools or {})
        self._surroundings = _with_caution(surroundings or Surroundings(), self.model)
        self._proofs = proofs or LocalProofs()
        self._pending: OrderedDict[tuple[str, PlanStep], _Derived] = OrderedDict()

    async def plan(self, state: PlannerState, models: Models) -> PlanStep:
        """Raises PlanRefused, ProofFault."""
        derived = await asyncio.to_thread(self._derive, state)
        about = f"{self.model.name}-{_digest(self._told(derived.context))[:16]}"
        named = await asyncio.to_thread(self._proofs.named, self.model, derived.x, about)
        step = replace(derived.step, proof=named)
        self._pending[state.run_id, _key(step)] = derived
        while len(self._pending) > MOST_PENDING:
            self._pending.popitem(last=False)
        return step

    def planned(self, run_id: str, step: PlanStep) -> bool:
        return (run_id, _key(step)) in self._pending

    async def evidence(self, run_id: str, step: PlanStep) -> Evidence:
        """The proof, made now, with what it is about. Raises ProofFault."""
        named, derived = step.proof, self._pending.pop((run_id, _key(step)), None)
        if named is None or derived is None:
            raise ProofFault(f"step of run {run_id} was not planned by {self.name} here")
        made = await asyncio.to_thread(self._proofs.make, self.model, derived.x, named)
        if made.proof and (made.proof.inputs, made.proof.outputs) != (derived.x, derived.y):
            raise ProofFault(f"what was proven is another decision than {self.name} made")
        content = self._told(derived.context) | {"proof": made.proof and made.proof.document}
        cost = {"proofs": 1, "prove_seconds": made.seconds}
        return Evidence({_attachment_of(named): json.dumps(content)}, cost)

    def attachment_of(self, proof: ProofOfStep) -> str:
        """Of the evidence, which has the proof itself unless a service has it."""
        return _attachment_of(proof)

    async def verify_step(
        self, state: PlannerState, step: PlanStep, attachment: str | None, *, redacted: bool = False
    ) -> StepVerdict:
        """Whether the model decided this step in this state, by its proof. attachment: the text of
        the one that `attachment_of(step.proof)` names. redacted: the rules have changed the step's
        input, so it is not compared; nor is a reason that is not there, as in receipts. Raises
        ProofFault where it cannot be told."""
        return await asyncio.to_thread(self._verified, state, step, attachment, redacted)

    def close(self) -> None:
        self._proofs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _verified(
        self, state: PlannerState, step: PlanStep, attachment: str | None, redacted: bool
    ) -> StepVerdict:
        named = step.proof
        if named is None or named.model != self.model.name:
            return StepVerdict(False, f"the step carries no proof of {self.model.name}")
        try:
            context, x = self._context(state)
            found, proof = _read(attachment, named)
            if difference := _difference(self._told(context), found):
                return StepVerdict(False, f"the evidence is of another context: {difference}")
            verdict, proven = self._proofs.check(self.model, x, named, proof)
            if not verdict or proven is None:
                return verdict
            expected = replace(self._step(state, context, proven.outputs), proof=named)
        except (ModelError, PlanRefused) as exc:
            return StepVerdict(False, f"nothing can be decided there: {exc}")
        expected = replace(expected, reason=step.reason and expected.reason)
        if redacted:
            expected = replace(expected, input=step.input)
        decided = _difference(expected.to_json(), step.to_json())
        return StepVerdict(not decided, decided and f"the model decided otherwise: {decided}")

    def _derive(self, state: PlannerState) -> _Derived:
        try:
            context, x = self._context(state)
            y = self.model.infer(x)
            return _Derived(context, x, y, self._step(state, context, y))
        except ModelError as exc:
            raise PlanRefused(f"{self.name} cannot decide: {exc}") from exc

    def _context(self, state: PlannerState) -> tuple[Context, tuple[int, ...]]:
        """After the calls so far, of which each has to be what the model decided then."""
        prompt = (self._instruction or state.task).encode("utf-8", "backslashreplace")
        context = self._surroundings.context(prompt, ())
        for call in calls_of(state, self.model.name):
            decision = self._decision(state, context, self.model.infer(self.model.encode(context)))
            if decision.kind != "call" or self._use(decision).tool_id != call.step.tool_id:
                raise PlanRefused(
                    f"step {call.index} is {call.step.tool_id}, and {self.model.name} decided "
                    f"{decision.words!r:.200} there"
                )
            context = replace(context, reasoning=(*context.reasoning, entry(decision, call)))
        return context, self.model.encode(context)

    def _decision(self, state: PlannerState, context: Context, y: Sequence[int]) -> Decision:
        tools = self._tools(state)
        return self.model.decode(context, y, tools, dict(self._surroundings.decimals))

    def _tools(self, state: PlannerState) -> tuple[ToolSignature, ...]:
        return tuple(
            ToolSignature(action.name, tuple(p.type for p in action.parameters))
            for action in self.model.manifest.actions
            if held(state, action, self._uses[action.name])
        )

    def _step(self, state: PlannerState, context: Context, y: Sequence[int]) -> PlanStep:
        decision = self._decision(state, context, y)
        if decision.kind != "call":
            return PlanStep("finish", result=decision.answer, reason=decision.kind)
        action, use = self._action(decision.action), self._use(decision)
        tool = held(state, action, use)
        if tool is None:  # the decoder calls no tool that is not there
            raise PlanRefused(f"{self.model.name} called {decision.action}, which is not there")
        given = input_of(decision, action, tool, use, self._surroundings)
        return PlanStep("tool", use.tool_id, given, reason=action.thought)

    def _action(self, name: str) -> Action:
        return next(action for action in self.model.manifest.actions if action.name == name)

    def _use(self, decision: Decision) -> ToolUse:
        return self._uses[decision.action]

    def _told(self, context: Context) -> dict[str, Any]:
        """All that x follows from, as JSON."""
        return {
            "format": FORMAT,
            "model": self.model.name,
            "manifest": self.model.digest,
            "prompt": context.prompt.decode("utf-8", "surrogateescape"),
            "reasoning": [entry.decode() for entry in context.reasoning],
            "surroundings": self._surroundings.to_json(),
        }


def _attachment_of(proof: ProofOfStep) -> str:
    return proof.receipt or f"{proof.proof_id}.json"


def _digest(told: Mapping[str, Any]) -> str:
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _key(step: PlanStep) -> PlanStep:
    """Steps by what identifies their evidence: inputs may be no keys, and may be redacted."""
    return PlanStep("internal", proof=step.proof)


def _read(attachment: str | None, named: ProofOfStep) -> tuple[dict[str, Any], Proof | None]:
    """Raises PlanRefused: it is no such evidence."""
    if attachment is None:
        raise PlanRefused(f"the attachment {_attachment_of(named)} is not there")
    try:
        found = load_json(attachment)
        content = found.pop("proof")
        proof = None if content is None else Proof.from_json(json.dumps(content))
    except (AttributeError, KeyError, TypeError, ValueError, ProofMalformed) as exc:
        raise PlanRefused(f"the attachment {_attachment_of(named)} is no evidence: {exc}") from exc
    return found, proof


def _difference(expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """The first field that differs, without long values; empty where none does."""
    for name in (*expected, *found):
        if expected.get(name) != found.get(name):
            return f"{name} is {found.get(name)!r:.120}, expected {expected.get(name)!r:.120}"
    return ""


def _loaded(name: str | Path) -> Model:
    return load_model(name, Model)


def _with_caution(known: Surroundings, model: Model) -> Surroundings:
    return known if known.caution is not None else replace(known, caution=model.caution or 0)


def _uses(model: Model, given: Mapping[str, str | ToolUse]) -> dict[str, ToolUse]:
    names = [action.name for action in model.manifest.actions]
    if unknown := sorted(set(given) - set(names)):
        raise AgentConfigRefused(f"{model.name} has no action {unknown[0]!r:.80}, only {names}")
    uses = {name: given.get(name, name) for name in names}
    made = {name: ToolUse(use) if isinstance(use, str) else use for name, use in uses.items()}
    for action in model.manifest.actions:
        known = {parameter.name for parameter in action.parameters}
        use = made[action.name]
        if unknown := sorted({*use.parameters, *use.only} - known):
            raise AgentConfigRefused(
                f"{model.name}'s {action.name} has no parameter {unknown[0]!r:.80}, only "
                f"{sorted(known)}"
            )
    return made


__all__ = ["ProvenPlanner"]

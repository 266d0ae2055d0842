"""Carries a run out: plan, prove, send; again when the state moved in between.

One transaction holds all claims and proofs, so a run happens as a whole or not at all.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.systems import HALO2, system_id
from zkagent.executor.chain.abi import Groups, divide, rows_of, size_for, spread
from zkagent.executor.chain.agent import (
    AgentChain,
    AgentModel,
    Inclusion,
    RunCall,
    RunSender,
    RunTerms,
)
from zkagent.executor.errors import PlanError
from zkagent.executor.runs.agreement import listed_anew, moved
from zkagent.executor.runs.errors import RunReverted, StateKeepsChanging
from zkagent.executor.runs.events import (
    Estimated,
    Included,
    Listener,
    Proved,
    Proving,
    StateChanged,
    ignore,
)
from zkagent.executor.runs.known_tokens import check_known
from zkagent.executor.runs.nested_models import NO_NESTED, NestedModels
from zkagent.executor.runs.plan import Plan, plan_run
from zkagent.executor.runs.provers import BatchProver, DecisionProver
from zkagent.executor.runs.terms import DEFAULT_LIMITS, RunLimits, deadline_on, terms_of
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import Listing
from zkagent.prover.errors import TransientProverError
from zkagent.verifier_contracts.errors import RevertError

PLANS = 3
CALL_NOT_AGREED, RUN_EXPIRED, FACT_CHANGED = "CallNotAgreed", "RunExpired", "FactChanged"
Rows = tuple[tuple[int, ...], ...]
#: What a proof is about: the hash of the circuit, and the inputs.
Proven = tuple[bytes, Rows]
GAS_MARGIN_PERCENT = 10  # the state may move between estimate and inclusion


@dataclass(frozen=True)
class ProvenRun:
    """A plan with its proofs and terms: all that a transaction needs.

    groups: the decisions that each proof covers, by index; seconds: for each proof.
    """

    plan: Plan
    groups: tuple[tuple[int, ...], ...]
    proofs: tuple[Proof, ...]
    seconds: tuple[float, ...]
    terms: RunTerms

    @property
    def call(self) -> RunCall:
        proofs = spread(self.groups, [proof.proof for proof in self.proofs])
        plan = self.plan
        return RunCall(plan.prompt, plan.claims, proofs, self.terms, plan.resumes)

    def proof_of(self, decision: int) -> int:
        """The index of the proof that covers this decision."""
        return next(index for index, group in enumerate(self.groups) if decision in group)


@dataclass(frozen=True)
class CompletedRun:
    """A run that happened; `plans` says how many it took."""

    proven: ProvenRun
    inclusion: Inclusion
    plans: int


class AgentRunner:
    """Runs prompts of one agent from one account. All methods raise what `plan_run` raises, and
    zkagent.prover.errors.ProverError.

    batches: to prove a run's decisions together, as far as the model has batch verifiers. limits:
    how far a run may stray from its plan, and for how long it is good. known: tokens as the owner
    knows them, who gets no plan by a node that tells of others. nested: models and provers of
    agents that are used as tools.
    """

    def __init__(
        self,
        chain: AgentChain,
        sender: RunSender,
        model: Model,
        prover: DecisionProver,
        report: Listener = ignore,
        *,
        batches: BatchProver | None = None,
        limits: RunLimits = DEFAULT_LIMITS,
        known: Sequence[Listing] = (),
        nested: NestedModels = NO_NESTED,
    ) -> None:
        self.chain, self.sender, self.model = chain, sender, model
        self.prover, self.report, self.batches = prover, report, batches
        self.limits, self.known, self.nested = limits, known, nested
        self._proofs: dict[Proven, tuple[Proof, float]] = {}

    def for_agent(self, chain: AgentChain, sender: RunSender) -> "AgentRunner":
        """A runner for another agent of the same model, with the same prover and its proofs."""
        other = AgentRunner(
            chain,
            sender,
            self.model,
            self.prover,
            self.report,
            batches=self.batches,
            limits=self.limits,
            nested=self.nested,
        )
        other._proofs = self._proofs
        return other

    def plan(self, prompt: bytes, before: int = 0) -> Plan:
        """The run as it would happen now. before: see `plan_run`."""
        plan = plan_run(
            self.chain,
            self.model,
            prompt,
            self.sender.account,
            report=self.report,
            nested=self.nested,
            before=before,
        )
        check_known(plan, self.known)
        return plan

    def prove(self, plan: Plan) -> ProvenRun:
        """Proofs for every decision, and terms that hold from now on; a proof that an earlier plan
        needed is used again. Decisions by the same output for the same features have one proof.

        Raises PlanError when decisions should share proofs and the model has no batch verifier, or
        when the chain's clock cannot be right.
        """
        groups = self._groups(plan)
        found = [self._proof_of(plan, group) for group in groups]
        proofs, seconds = tuple(p for p, _ in found), tuple(s for _, s in found)
        return ProvenRun(plan, groups, proofs, seconds, self.terms(plan))

    def terms(self, plan: Plan) -> RunTerms:
        """What a sender agrees to who signs now."""
        deadline = deadline_on(self.chain, self.limits.lifetime_s)
        return terms_of(plan, self.limits.tolerance, deadline)

    def proof(self, x: tuple[int, ...]) -> tuple[Proof, float]:
        """The proof for one input of the outermost agent's model and the seconds that it took,
        remembered."""
        return self._remembered((b"", (x,)), lambda: self.prover.prove(x))

    def _remembered(self, key: Proven, prove: Callable[[], Proof]) -> tuple[Proof, float]:
        if key not in self._proofs:
            self._proofs[key] = _timed(prove)
        return self._proofs[key]

    def _proof_of(self, plan: Plan, group: Sequence[int]) -> tuple[Proof, float]:
        rows = tuple(plan.inputs[index] for index in rows_of(group, plan.claims))
        identity = plan.identity_of(group[0])
        inside = identity.model.model_id != plan.identity.model.model_id
        key = (identity.model.circuit_hash if inside else b"", rows)
        if key not in self._proofs:
            for index in group:
                self.report(Proving(index, len(plan.inputs)))
        if inside:
            prover = self.nested.prover_of(identity)
            found = self._remembered(key, lambda: prover.prove(rows[0]))
        elif rows[1:]:
            found = self._together(identity.model, rows)
        else:
            found = self.proof(rows[0])
        for index in group:
            self.report(Proved(index, found[1]))
        return found

    def _together(self, model: AgentModel, rows: Rows) -> tuple[Proof, float]:
        assert self.batches
        prove, batch = self.batches.prove_rows, model.batch(size_for(len(rows), model.batch_sizes))
        return self._remembered((b"", rows), lambda: prove(batch, rows))

    def _groups(self, plan: Plan) -> Groups:
        """The decisions that each proof covers: those of the outermost agent's model as far as
        its batch verifiers take them together, others one by one, equal ones together. In the order
        in which each group begins, as a call has its proofs."""
        by_model: dict[int, list[int]] = {}
        for index, claim in enumerate(plan.claims):
            by_model.setdefault(claim.model_id, []).append(index)
        found: list[tuple[int, ...]] = []
        for number, indices in by_model.items():
            outermost = number == plan.identity.model.model_id
            sizes = self._batch_sizes(plan) if outermost else ()
            groups = divide([plan.claims[index] for index in indices], sizes)
            found += [tuple(indices[place] for place in group) for group in groups]
        return tuple(sorted(found))

    def _batch_sizes(self, plan: Plan) -> tuple[int, ...]:
        if self.batches is None:
            return ()
        if plan.identity.proves_first:
            raise PlanError(
                f"agent {plan.identity.agent} has each decision proven before it acts on it, and a "
                "proof that covers later ones comes too late for that: leave out --batch"
            )
        model = plan.identity.model
        if not model.batches:
            remedy = "prove them one by one, or have its owner register one"
            if model.proof_system_id != system_id(HALO2.name):
                remedy = "leave out --batch, which its proofs do not need"
            raise PlanError(
                f"model {model.model_id} has no verifier for several decisions: {remedy}"
            )
        return model.batch_sizes

    def estimate(self, proven: ProvenRun) -> int:
        """Gas units of the whole transaction. Raises RevertError, InsufficientFunds."""
        gas = self.sender.estimate_gas(proven.call)
        self.report(Estimated(gas))
        return gas

    def send(self, proven: ProvenRun) -> Inclusion:
        """One attempt. Raises RevertError, InsufficientFunds."""
        limit = self.estimate(proven) * (100 + GAS_MARGIN_PERCENT) // 100
        inclusion = self.sender.send(proven.call, limit)
        result = inclusion.result
        self.report(Included(inclusion.hash, result.block.number, result.gas_used))
        return inclusion

    def run(self, prompt: bytes) -> CompletedRun:
        """Plan, prove and send until it happens, three times at most.

        Raises RunReverted for the run's own failure and StateKeepsChanging.
        """
        plan = self.planned(prompt)
        for attempt in range(1, PLANS + 1):
            proven = self.prove(plan)
            try:
                return CompletedRun(proven, self.send(proven), attempt)
            except RevertError as exc:
                reason, plan = exc, self.plan_anew(plan, exc)
                self.report(StateChanged(attempt, str(exc)))
        raise StateKeepsChanging(PLANS, str(reason)) from reason

    def planned(self, prompt: bytes) -> Plan:
        """The same; its own failure as RunReverted."""
        try:
            return self.plan(prompt)
        except RevertError as exc:
            raise run_reverted(exc) from exc

    def plan_anew(self, outdated: Plan, exc: RevertError) -> Plan:
        """The plan on the state of now; a failure that the state does not explain is the run's.

        Where the calls were in the way, other amounts are what a new plan is for, other tools,
        tokens or recipients are not: nobody agreed to them. Nor is it for other decisions where the
        symbol book is another one now.
        """
        fresh = self.planned(outdated.prompt)
        if exc.name == RUN_EXPIRED:
            explained = True
        elif exc.name == CALL_NOT_AGREED:
            explained = moved(outdated, fresh)
        elif exc.name == FACT_CHANGED:
            explained = listed_anew(outdated, fresh)
        else:
            explained = fresh.inputs != outdated.inputs
        if not explained:
            raise run_reverted(exc) from exc
        return fresh


def run_reverted(exc: RevertError) -> RunReverted:
    return RunReverted(str(exc), exc.name, dict(exc.arguments))


def _timed(prove: Callable[[], Proof]) -> tuple[Proof, float]:
    """The proof and the seconds it took. What may pass, such as a crash, is tried once more."""
    started = time.perf_counter()
    try:
        proof = prove()
    except TransientProverError as exc:
        time.sleep(exc.delay_s)
        proof = prove()
    return proof, time.perf_counter() - started

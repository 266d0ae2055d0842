"""A run that happened, made whole again from its transaction and the chain: after an interruption
nothing else is left of plan and proofs."""

from collections.abc import Iterator

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.networks.batch import fill
from zkagent.executor.chain.abi import OUTPUT_BYTES, covered_by, rows_of, size_for, unpack
from zkagent.executor.chain.agent import (
    AgentChain,
    AgentIdentity,
    AgentModel,
    AgentReads,
    DecisionContext,
    Inclusion,
    RunCall,
)
from zkagent.executor.chain.calls import run_of
from zkagent.executor.errors import DecimalsRefused, NoAgentThere, NotReproducible
from zkagent.executor.runs.deciders import not_reproducible
from zkagent.executor.runs.derivation import (
    derive_decision,
    derive_features,
    features_hash,
    has_facts,
    with_answers,
    with_decimals,
    with_tokens,
)
from zkagent.executor.runs.obeyed import obeyed, states_around
from zkagent.executor.runs.plan import Plan, PlannedDecision, check_model
from zkagent.executor.runs.runner import CompletedRun, ProvenRun
from zkagent.models.catalogue import Model
from zkagent.models.errors import ModelError
from zkagent.verifier_contracts.errors import RevertError

NESTED = (
    "agents that were used as tools decided in it, too, and such a run is not made whole again "
    "from the chain alone"
)


def recovered(chain: AgentChain, model: Model, inclusion: Inclusion, plans: int) -> CompletedRun:
    """The run of a transaction that was included. Seconds of proving are unknown, and 0.

    Raises NotReproducible when the states around its block do not lead to it, OtherModel when it
    obeyed another model.
    """
    call, block = run_of(inclusion.raw), inclusion.result.block
    identity = obeyed(chain, inclusion)
    check_model(identity, model)
    for reads in states_around(chain, block.number, back=True):
        decisions = tuple(_decisions(chain, model, reads, call, inclusion))
        each = [(made.context.reads, made.decision) for made in decisions]
        if len(decisions) == len(call.claims) and has_facts(call.terms.facts, each):
            result = inclusion.result
            plan = Plan(reads.block, identity, call.prompt, decisions, result.answer, result.steps)
            return CompletedRun(_proven(plan, call), inclusion, plans)
    if _is_nested(chain, identity, inclusion):
        raise NotReproducible(inclusion.hash, block.number, NESTED)
    raise not_reproducible(chain, inclusion, identity.model)


def _decisions(
    chain: AgentChain, model: Model, reads: AgentReads, call: RunCall, inclusion: Inclusion
) -> Iterator[PlannedDecision]:
    """Up to the first that these reads do not lead to, with what the decisions asked beside: an
    encoder other contracts, an agent without a book tokens."""
    for index, claim in enumerate(call.claims):
        y = unpack(claim.output, OUTPUT_BYTES)
        try:
            reads = reads if index else with_tokens(chain, reads, call.prompt)
            context = DecisionContext(reads, inclusion.result.steps[:index], call.prompt)
            context = with_answers(chain, model, context)
            x = derive_features(model, context)
            context = with_decimals(chain, model, context, y)
            decision = derive_decision(model, context, y)
        except (DecimalsRefused, ModelError, NoAgentThere, RevertError):
            return
        if features_hash(x) != claim.features_hash:
            return
        reads = context.reads
        yield PlannedDecision(context, x, y, decision, claim)


def _is_nested(chain: AgentChain, identity: AgentIdentity, inclusion: Inclusion) -> bool:
    """Whether agents that were used as tools decided in it, too."""
    verified = chain.happened(inclusion.hash).verified
    return any(e.executor == identity.executor and e.agent != identity.agent for e in verified)


def _proven(plan: Plan, call: RunCall) -> ProvenRun:
    groups = covered_by([claim.said for claim in call.claims], call.proofs)
    proofs = tuple(_proof(plan, group, call.proofs[group[0]]) for group in groups)
    return ProvenRun(plan, groups, proofs, (0.0,) * len(groups), call.terms)


def _proof(plan: Plan, group: tuple[int, ...], proof: bytes) -> Proof:
    model = plan.identity.model
    rows = [plan.decisions[index] for index in rows_of(group, plan.claims)]
    size = size_for(len(rows), model.batch_sizes)
    x, y = fill([row.x for row in rows], size), fill([row.y for row in rows], size)
    return Proof(_circuit(model, size), x, y, proof)


def _circuit(model: AgentModel, size: int) -> str:
    circuit = model.circuit_hash if size == 1 else model.batch(size).circuit_hash
    return circuit.hex()


__all__ = ["recovered"]

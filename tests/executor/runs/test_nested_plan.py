"""Runs in which an agent uses another one: whose decision each is, in which order, its proof."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.executor.drain import AGENT, CIRCUIT, PROMPT, drain_prover
from tests.executor.nested import INNER, INNER_CIRCUIT, INNER_PROMPT, InnerModels, nested_agents
from tests.support.fakes.memory_agent import MemoryAgent, made_up_address
from tests.support.fakes.memory_prover import MemoryProver
from zkagent.executor.chain.agent import Claim, Finished, MissingDecision, RunCall
from zkagent.executor.errors import DecisionMismatch, NestedDecision, NestedTooDeep
from zkagent.executor.runs.plan import Plan, plan_run
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.errors import RevertError

Step = MissingDecision | Finished


@pytest.fixture
def outer(drain: Model) -> MemoryAgent:
    return nested_agents(drain)


@pytest.fixture
def models(drain: Model) -> InnerModels:
    return InnerModels(drain, MemoryProver(drain.infer, INNER_CIRCUIT))


@pytest.fixture
def runner(outer: MemoryAgent, drain: Model, models: InnerModels) -> AgentRunner:
    return AgentRunner(outer, outer, drain, drain_prover(drain), nested=models)


@pytest.fixture
def plan(runner: AgentRunner) -> Plan:
    return runner.plan(PROMPT)


def planned_by(
    outer: MemoryAgent,
    models: InnerModels,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[MissingDecision], MissingDecision],
) -> Plan:
    """The plan with a node that simulates otherwise."""
    changed(outer, monkeypatch, lambda s: change(s) if isinstance(s, MissingDecision) else s)
    return plan_run(outer, outer.model, PROMPT, outer.account, nested=models)


def changed(
    outer: MemoryAgent, monkeypatch: pytest.MonkeyPatch, change: Callable[[Step], Step]
) -> None:
    """A node that simulates otherwise."""
    simulate = outer.simulate
    monkeypatch.setattr(outer, "simulate", lambda *given: change(simulate(*given)))


def test_the_inner_agents_decisions_stand_inside_the_call(plan: Plan) -> None:
    assert [d.context.reads.agent for d in plan.decisions] == [AGENT] * 2 + [INNER] * 3 + [AGENT]
    (inner,) = plan.nested
    assert (inner.parent, inner.decisions, inner.prompt) == (1, (2, 3, 4), INNER_PROMPT)
    assert inner.answer == b"Successfully withdrawn"


def test_claims_are_for_the_model_of_whoever_decides(plan: Plan) -> None:
    assert [claim.model_id for claim in plan.claims] == [1, 1, 2, 2, 2, 1]


def test_each_model_is_proven_by_its_own_circuit(runner: AgentRunner, plan: Plan) -> None:
    proven = runner.prove(plan)
    circuits = {i: proven.proofs[proven.proof_of(i)].circuit for i in range(6)}
    assert [circuits[i] for i in range(6)] == [CIRCUIT] * 2 + [INNER_CIRCUIT] * 3 + [CIRCUIT]


def test_a_nested_run_happens_as_planned(runner: AgentRunner, outer: MemoryAgent) -> None:
    completed = runner.run(PROMPT)
    assert completed.inclusion.result.answer == b"Successfully withdrawn"
    assert outer.state["pool"] == 0


@pytest.mark.parametrize(
    "rearranged",
    [
        lambda claims: [*claims[:2], *claims[5:], *claims[2:5]],  # the outer agent's first
        lambda claims: [*claims[:2], *claims[5:]],  # the inner agent left out
        lambda claims: [*claims[:3], claims[4], claims[3], claims[5]],
        lambda claims: [replace(c, model_id=3 - c.model_id) for c in claims],
        lambda claims: [*claims, claims[5]],
    ],
    ids=["wrong order", "left out", "swapped inside", "swapped models", "one more"],
)
def test_claims_of_several_agents_are_good_in_their_order_alone(
    runner: AgentRunner,
    outer: MemoryAgent,
    plan: Plan,
    rearranged: Callable[[list[Claim]], list[Claim]],
) -> None:
    call = runner.prove(plan).call
    claims = rearranged(list(call.claims))
    calls, proofs = (list(each) + list(each)[-1:] for each in (call.terms.calls, call.proofs))
    terms = replace(call.terms, calls=tuple(calls[: len(claims)]))
    forged = RunCall(call.prompt, tuple(claims), tuple(proofs[: len(claims)]), terms)
    with pytest.raises(RevertError, match="Claim"):
        outer.estimate_gas(forged)
    outer.estimate_gas(call)


def test_the_terms_name_the_agent_of_each_call(
    runner: AgentRunner, outer: MemoryAgent, plan: Plan
) -> None:
    call = runner.prove(plan).call
    calls = list(call.terms.calls)
    calls[0], calls[2] = calls[2], calls[0]  # the same tool, viewed by the other agent
    forged = replace(call, terms=replace(call.terms, calls=tuple(calls)))
    with pytest.raises(RevertError, match="CallNotAgreed"):
        outer.estimate_gas(forged)


def test_without_its_model_a_nested_agent_is_not_planned(outer: MemoryAgent, drain: Model) -> None:
    with pytest.raises(NestedDecision, match=INNER):
        plan_run(outer, drain, PROMPT, outer.account)


def test_an_agent_inside_a_call_is_none_of_an_answer(
    outer: MemoryAgent, models: InnerModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node that has the inner agent decide before the outermost called anything."""

    def early(step: MissingDecision) -> MissingDecision:
        return replace(step, agent=INNER) if step.index == 0 else step

    with pytest.raises(DecisionMismatch, match="agent"):
        planned_by(outer, models, monkeypatch, early)


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("agent", lambda step: replace(step, agent=AGENT) if step.index == 3 else step),
        ("model id", lambda step: replace(step, model_id=1) if step.index == 2 else step),
        ("prompt", lambda step: replace(step, prompt=b"hi") if step.index == 3 else step),
        ("base prompt", lambda step: replace(step, base_prompt=b"") if step.index == 2 else step),
    ],
)
def test_what_is_simulated_of_an_inner_agent_is_compared(
    what: str,
    change: Callable[[MissingDecision], MissingDecision],
    outer: MemoryAgent,
    models: InnerModels,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(DecisionMismatch) as caught:
        planned_by(outer, models, monkeypatch, change)
    assert what in (caught.value.what, "agent")


def test_an_agent_of_another_executor_is_none_of_the_frame(
    outer: MemoryAgent, drain: Model, models: InnerModels
) -> None:
    inner, prompt = outer.inside["Withdraw"]
    inner.identity_now = replace(inner.identity_now, executor=made_up_address(0x77))
    outer.inside = {"Withdraw": (inner, prompt)}
    with pytest.raises(DecisionMismatch, match="executor"):
        plan_run(outer, drain, PROMPT, outer.account, nested=models)


def test_depth_is_limited(
    outer: MemoryAgent, drain: Model, models: InnerModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runs.plan.MOST_DEPTH", 1)
    with pytest.raises(NestedTooDeep, match="more than 1"):
        plan_run(outer, drain, PROMPT, outer.account, nested=models)

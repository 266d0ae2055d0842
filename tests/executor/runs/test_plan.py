"""Planning against the agent in memory."""

from dataclasses import replace

import pytest

from tests.executor.drain import PROMPT, USDC, without_tool
from tests.support.fakes.memory_agent import MemoryAgent, made_up_address
from zkagent.executor.chain.abi import FEATURE_BYTES, pack, unpack
from zkagent.executor.chain.agent import Claim, Finished, MissingDecision
from zkagent.executor.errors import (
    DecisionMismatch,
    EncoderMismatch,
    OtherModel,
    TooManyDecisions,
)
from zkagent.executor.runs.plan import Plan, plan_run
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model
from zkagent.models.errors import (
    AddressChecksum,
    AmountTooPrecise,
    EmptyPrompt,
    PromptNotAscii,
    PromptTooLong,
)


@pytest.fixture
def plan(runner: AgentRunner) -> Plan:
    return runner.plan(PROMPT)


def test_a_run_is_planned_to_its_answer(plan: Plan) -> None:
    called = [(d.decision.kind, d.decision.action) for d in plan.decisions]
    assert called == [("call", "ViewBalance"), ("call", "Withdraw"), ("report", "answer")]
    assert plan.decisions[1].decision.values == (int(USDC, 16), 120_500_000)
    assert plan.answer == b"Successfully withdrawn"


def test_each_decision_sees_what_the_one_before_led_to(plan: Plan) -> None:
    assert [len(d.context.reasoning) for d in plan.decisions] == [0, 1, 2]
    assert plan.decisions[2].context.reasoning == plan.steps
    assert b"120.5 USDC in the pool" in plan.steps[0]


def test_planning_changes_nothing(agent: MemoryAgent, plan: Plan) -> None:
    assert agent.state == {"pool": 120_500_000, "wallet": 30_000_000}
    assert agent.head().number == plan.block.number


def test_a_missing_tool_ends_in_an_answer(agent: MemoryAgent, runner: AgentRunner) -> None:
    without_tool(agent, "Withdraw")
    plan = runner.plan(PROMPT)
    assert plan.answer == b"I have no tool named Withdraw."
    assert len(plan.decisions) == 2


@pytest.mark.parametrize(
    ("prompt", "error"),
    [
        (b"", EmptyPrompt),
        (b"withdraw all my \xc3\xa9", PromptNotAscii),
        (b"withdraw " + b"a" * 504, PromptTooLong),
        (b"send 5 USDC to 0xAbcdef0123456789abcdef0123456789abcdef01", AddressChecksum),
    ],
)
def test_prompts_that_the_encoder_refuses_are_refused(
    runner: AgentRunner, prompt: bytes, error: type[Exception]
) -> None:
    with pytest.raises(error):
        runner.plan(prompt)


def test_a_balance_with_too_many_decimals_is_refused(
    agent: MemoryAgent, runner: AgentRunner
) -> None:
    agent.tools = {
        **agent.tools,
        "ViewBalance": lambda state, values: "The balance is: 0.1234567 USDC",
    }
    with pytest.raises(AmountTooPrecise, match="more than the asset's 6 decimals"):
        runner.plan(PROMPT)


def test_decimals_of_a_token_outside_the_book_are_read(
    agent: MemoryAgent, runner: AgentRunner
) -> None:
    other = "0x" + "0c" * 20
    agent.reads_now = replace(agent.reads_now, decimals=((other, 3),))
    agent.tools = {
        "ViewBalance": lambda state, values: f"The balance is: 2.5 {other}",
        "Withdraw": lambda state, values: "Done",
    }
    plan = runner.plan(f"withdraw all of {other}".encode())
    assert plan.decisions[1].decision.values == (int(other, 16), 2_500)
    assert plan.decisions[0].context.reads.decimals == ((other, 3),)


class Liar(MemoryAgent):
    """A contract that says something else than the rules demand."""

    def simulate(
        self, prompt: bytes, claims: object, sender: str, block: object
    ) -> MissingDecision | Finished:
        assert isinstance(claims, list)
        return self.lie(MemoryAgent.simulate(self, prompt, claims, sender, self.head()))

    def lie(self, step: MissingDecision | Finished) -> MissingDecision | Finished:
        raise NotImplementedError


def plan_with(lie: object, agent: MemoryAgent, model: Model) -> Plan:
    liar = Liar(**vars(agent))
    liar.lie = lie  # type: ignore[assignment,method-assign]
    return plan_run(liar, model, PROMPT, agent.account)


def test_other_features_than_the_reference_are_not_proven(agent: MemoryAgent, drain: Model) -> None:
    def one_more(step: MissingDecision | Finished) -> MissingDecision | Finished:
        assert isinstance(step, MissingDecision)
        x = list(unpack(step.features, FEATURE_BYTES))
        x[7] += 1
        return replace(step, features=pack(x, FEATURE_BYTES))

    with pytest.raises(EncoderMismatch, match="feature 7 is") as caught:
        plan_with(one_more, agent, drain)
    assert (caught.value.index, caught.value.position) == (0, 7)


def test_features_of_another_length_are_not_proven(agent: MemoryAgent, drain: Model) -> None:
    with pytest.raises(EncoderMismatch, match="137 features here, 138 there"):
        plan_with(lambda step: replace(step, features=step.features + b"\0\0"), agent, drain)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"prompt": b"withdraw all my DAI"}, "prompt"),
        ({"base_prompt": b"You obey anyone."}, "base prompt"),
        ({"tools": ()}, "list of tools"),
        ({"model_id": 2}, "model id"),
        ({"reasoning": (b"Thought: none\n",)}, "number of history entries"),
    ],
)
def test_a_context_that_is_not_the_runs_is_refused(
    agent: MemoryAgent, drain: Model, change: dict[str, object], what: str
) -> None:
    with pytest.raises(DecisionMismatch) as caught:
        plan_with(lambda step: replace(step, **change), agent, drain)
    assert caught.value.what == what


def test_a_history_that_the_decision_did_not_write_is_refused(
    agent: MemoryAgent, drain: Model
) -> None:
    def forged(step: MissingDecision) -> MissingDecision:
        return replace(step, reasoning=tuple(b"Thought: forged\n" for _ in step.reasoning))

    with pytest.raises(DecisionMismatch, match="history"):
        plan_with(forged, agent, drain)


def test_another_answer_than_the_decoders_is_refused(agent: MemoryAgent, drain: Model) -> None:
    def boasting(step: MissingDecision | Finished) -> MissingDecision | Finished:
        return replace(step, answer=b"You are rich") if isinstance(step, Finished) else step

    with pytest.raises(DecisionMismatch, match="answer"):
        plan_with(boasting, agent, drain)


def test_a_strangers_decision_is_not_planned(agent: MemoryAgent, drain: Model) -> None:
    with pytest.raises(DecisionMismatch, match="agent"):
        plan_with(lambda step: replace(step, agent=made_up_address(99)), agent, drain)


def test_planning_ends_even_when_the_run_does_not(
    runner: AgentRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runs.plan.MAX_DECISIONS", 2)
    with pytest.raises(TooManyDecisions, match="did not end within 2 decisions"):
        runner.plan(PROMPT)


def test_an_agent_of_another_model_is_refused(agent: MemoryAgent, runner: AgentRunner) -> None:
    committed = replace(agent.identity_now.model, manifest_digest=bytes(32))
    agent.identity_now = replace(agent.identity_now, model=committed)
    with pytest.raises(OtherModel, match="manifest"):
        runner.plan(PROMPT)


def test_claims_are_bound_to_their_features(plan: Plan) -> None:
    hashes = [claim.features_hash for claim in plan.claims]
    assert len(set(hashes)) == 3
    assert all(isinstance(claim, Claim) and len(claim.output) == 28 * 8 for claim in plan.claims)

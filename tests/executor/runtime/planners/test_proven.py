"""A proven model decides: its steps, what they carry, and which of them are believed later."""

import asyncio
import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.executor.runtime.planners.wallets import (
    BALANCE,
    CIRCUIT,
    TEXT,
    HashedProofs,
    evidence,
    states,
    wallet_agent,
    wallet_tool,
    wallet_tools,
)
from tests.support.hasty_loop import passes
from zkagent.executor.runtime import (
    Agent,
    AgentConfig,
    AgentResult,
    AllowAll,
    CallContext,
    PlannerState,
    PlanStep,
    ToolOutput,
)
from zkagent.executor.runtime.core.errors import AgentConfigRefused, PlanRefused, ProofFault
from zkagent.executor.runtime.core.permissions import Asked, Verdict
from zkagent.executor.runtime.core.steps import (
    ActionResult,
    Evidence,
    ProofOfStep,
    ProvingPlanner,
    VerifyingPlanner,
)
from zkagent.executor.runtime.planners.proven import ProvenPlanner
from zkagent.executor.runtime.planners.surroundings import Surroundings
from zkagent.executor.runtime.planners.tool_inputs import ToolUse
from zkagent.models.encoding.book import Listing

TASK = "withdraw all my USDC from the pool"
DAI = "0x" + "da" * 20


def planner(**wishes: Any) -> ProvenPlanner:
    return ProvenPlanner(**{"proofs": HashedProofs(), **wishes})


def run(task: str, of: ProvenPlanner | None = None, tools: Any = None) -> AgentResult:
    return wallet_agent(of or planner(), wallet_tools() if tools is None else tools).run(task)


@pytest.fixture(scope="module")
def done() -> AgentResult:
    return run(TASK)


def judged(done: AgentResult, step: int = 1, **changed: Any) -> str:
    """Why the step is not believed; changed: its plan, its attachment, the state, the planner."""
    state = changed.get("state") or states(done, wallet_tools(), TASK)[step]
    planned = changed.get("plan") or done.actions[step].step
    attachment = changed.get("attachment", evidence(done, step))
    by = changed.get("by") or planner()
    redacted = changed.get("redacted", False)
    return asyncio.run(by.verify_step(state, planned, attachment, redacted=redacted)).reason


def test_a_run_is_what_the_model_decides_each_step_with_a_proof(done: AgentResult) -> None:
    called = [(action.step.tool_id, action.step.input) for action in done.actions[:-1]]
    withdraw = ("Withdraw", {"asset": "USDC", "amount": "2.5"})
    assert called == [("ViewBalance", {"asset": "USDC"}), withdraw]
    assert (done.success, done.result) == (True, "Successfully withdrawn")
    proofs = [action.step.proof for action in done.actions]
    assert [(proof.model, proof.digest) for proof in proofs if proof] == [("wallet", CIRCUIT)] * 3
    receipts = [proof.receipt for proof in proofs if proof]
    assert list(done.provenance.receipts.values()) == receipts == list(done.attachments)
    assert len(set(receipts)) == 3
    assert done.proof_cost == {"proofs": 3, "prove_seconds": 1.5}


def test_it_is_a_planner_that_proves_and_verifies() -> None:
    assert isinstance(planner(), ProvingPlanner)
    assert isinstance(planner(), VerifyingPlanner)


def test_each_step_of_the_run_is_believed(done: AgentResult) -> None:
    assert [judged(done, step) for step in range(3)] == ["", "", ""]


@pytest.mark.parametrize(
    "changed",
    [
        {"tool_id": "Deploy"},
        {"input": {"asset": "USDC", "amount": "2.6"}},
        {"kind": "finish", "tool_id": None, "input": None, "result": "done"},
        {"reason": "because"},
    ],
)
def test_a_step_that_the_model_did_not_decide_is_not(
    done: AgentResult, changed: dict[str, Any]
) -> None:
    reason = judged(done, plan=replace(done.actions[1].step, **changed))
    assert reason.startswith("the model decided otherwise: ")


def test_a_redacted_input_is_not_compared_and_anything_else_is(done: AgentResult) -> None:
    hidden = replace(done.actions[1].step, input={"asset": "USDC", "amount": "[hidden]"})
    assert judged(done, plan=hidden, redacted=True) == ""
    assert "input is" in judged(done, plan=hidden)
    assert "tool_id is" in judged(done, plan=replace(hidden, tool_id="Other"), redacted=True)


def test_a_proof_of_another_step_s_context_is_not_believed(done: AgentResult) -> None:
    assert "another context" in judged(done, attachment=evidence(done, 0))
    other = states(done, wallet_tools(), "withdraw 5 DAI")[0]
    assert "prompt is" in judged(done, 0, state=other)


def test_other_observations_are_another_context(done: AgentResult) -> None:
    state = states(done, wallet_tools(), TASK)[1]
    told = replace(state.actions[0], output=BALANCE.replace("2.5", "3.5"))
    assert "reasoning is" in judged(done, state=replace(state, actions=(told,)))


def test_other_surroundings_are_another_context(done: AgentResult) -> None:
    poorer = planner(surroundings=Surroundings.of(USDC=6))
    assert "surroundings is" in judged(done, by=poorer)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("proof", "0x" + "00" * 32, "the proof does not hold"),
        ("outputs", [0] * 28, "the proof does not hold"),
        ("inputs", [0] * 137, "another circuit or context"),
        ("circuit", "00" * 32, "another circuit or context"),
    ],
)
def test_an_altered_proof_is_not_believed(
    done: AgentResult, field: str, value: Any, reason: str
) -> None:
    altered = json.loads(evidence(done, 1))
    altered["proof"][field] = value
    assert judged(done, attachment=json.dumps(altered)) == reason


@pytest.mark.parametrize("attachment", [None, "", "{}", "[]", '{"proof": 5}', '{"proof": null}'])
def test_what_is_no_evidence_proves_nothing(done: AgentResult, attachment: str | None) -> None:
    assert judged(done, attachment=attachment)


def test_a_step_of_another_model_or_without_a_proof_is_not_believed(done: AgentResult) -> None:
    step = done.actions[1].step
    other = replace(step, proof=ProofOfStep("other", CIRCUIT, receipt="step-1.json"))
    for plan in (other, replace(step, proof=None)):
        assert judged(done, plan=plan) == "the step carries no proof of wallet"


def test_a_model_s_texts_that_were_not_its_calls_are_none_of_its_history() -> None:
    state = states(run(TASK), wallet_tools(), TASK)[1]
    foreign = ActionResult(1, PlanStep("tool", "Withdraw", {}), output="ok")
    both = replace(state, actions=(*state.actions, foreign), step=2)
    assert asyncio.run(planner().plan(both, None)).tool_id == "Withdraw"  # type: ignore[arg-type]


def test_a_transcript_that_the_model_did_not_lead_to_is_refused(done: AgentResult) -> None:
    state = states(done, wallet_tools(), TASK)[2]
    forged = replace(state.actions[0], step=replace(state.actions[0].step, tool_id="Withdraw"))
    with pytest.raises(PlanRefused, match="wallet decided 'ViewBalance"):
        asyncio.run(planner().plan(replace(state, actions=(forged,)), None))  # type: ignore[arg-type]


def test_a_tool_that_failed_ends_the_run_as_a_revert_would() -> None:
    def fail(asset: str) -> str:
        raise LookupError("no such account")

    result = run(TASK, tools=[wallet_tool("ViewBalance", fail, asset=TEXT), wallet_tools()[1]])
    assert result.error is not None
    assert result.error.code == "plan_refused"
    assert "ViewBalance, ended as failed" in result.error.message


def test_an_answer_of_a_tool_that_is_not_what_was_asked_for_ends_the_run_as_well() -> None:
    async def refuse(given: dict[str, Any], context: CallContext) -> ToolOutput:
        return ToolOutput(False, "no such account")

    tool = replace(wallet_tools()[0], run=refuse)
    result = run(TASK, tools=[tool, wallet_tools()[1]])
    assert result.error is not None
    assert result.error.message.endswith(
        "ViewBalance, ended as failed, and wallet has learned nothing of that: no such account"
    )


def test_a_tool_that_is_not_there_is_an_answer() -> None:
    result = run("withdraw 5 USDC", tools=wallet_tools()[:1])
    assert (result.result, result.success) == ("This agent has no tool Withdraw.", True)
    assert result.actions[0].step.reason == "no_tool"


def test_a_text_that_no_agent_reads_ends_the_run() -> None:
    result = run("withdraw 5 USDC " + "x" * 600)
    assert result.error is not None
    assert result.error.message.startswith("proven wallet cannot decide: ")


def test_what_cannot_be_proven_ends_the_run() -> None:
    given: list[dict[str, Any]] = []
    failing = planner(proofs=HashedProofs(fails=ProofFault("no memory")))
    result = run("withdraw 5 USDC", failing, wallet_tools(given))
    assert result.error is not None
    assert (result.error.code, result.error.message, given) == ("proof_failed", "no memory", [])


@dataclass
class Refusing(AllowAll):
    """content: a step's input that is refused for what it says; tool: one that is denied."""

    content: str = "nothing"
    tool: str = "nothing"

    async def judge_value(self, asked: Asked, value: Any) -> Verdict:
        if asked.place == "input" and self.content in str(value):
            return Verdict(False, rules=("content",), reason="not that")
        return Verdict(True, value)

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        if step.tool_id == self.tool:
            return Verdict(False, rules=("deny",), reason="not that one")
        return Verdict(True)


@pytest.mark.parametrize(
    ("permissions", "made"),
    [(Refusing(), 2), (Refusing(tool="Withdraw"), 1), (Refusing(content="USDC"), 0)],
)
def test_nothing_is_proven_of_a_step_that_is_withheld(permissions: Refusing, made: int) -> None:
    hashed = HashedProofs()
    config = AgentConfig(
        "wallet",
        "unused",
        wallet_tools(),
        planner(proofs=hashed),
        permissions=permissions,
        max_steps=2,
    )
    result = Agent(config).run("withdraw 5 USDC")
    assert len(result.attachments) == len(hashed.made) == made
    for action in result.actions:
        assert (action.step.proof is None) == (permissions.content == "USDC")


@pytest.mark.parametrize(("takes_s", "code"), [(0.0, None), (1200.0, "proof_failed")])
def test_a_proof_that_takes_longer_than_the_step_has_ends_the_run(
    takes_s: float, code: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.core.patience.GRACE_S", 0.01)

    class Slow(ProvenPlanner):
        async def evidence(self, run_id: str, step: PlanStep) -> Evidence:
            await passes(takes_s)
            return await super().evidence(run_id, step)

    slow = Slow(proofs=HashedProofs())
    config = AgentConfig(
        "wallet", "unused", wallet_tools(), slow, permissions=AllowAll(), step_timeout_s=600.0
    )
    result = asyncio.run(Agent(config).arun("withdraw 5 USDC"))
    assert (result.error and result.error.code) == code


def test_evidence_is_given_once_and_of_own_steps_only(done: AgentResult) -> None:
    with pytest.raises(ProofFault, match="was not planned by proven wallet here"):
        asyncio.run(planner().evidence("run", done.actions[0].step))


#: As pydantic describes a Decimal.
DECIMAL = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\d*\.?\d*$"}]}
INTEGER, ADDRESS = {"type": "integer"}, {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"}
DIGITS = {"type": "string", "pattern": "^[0-9]+$"}


@pytest.mark.parametrize(
    ("asset", "amount", "given"),
    [
        (TEXT, TEXT, {"asset": "DAI", "amount": "0.5"}),
        (TEXT, DECIMAL, {"asset": "DAI", "amount": "0.5"}),
        (ADDRESS, {"type": ["integer", "string"]}, {"asset": DAI, "amount": str(5 * 10**17)}),
        (TEXT, INTEGER, {"asset": "DAI", "amount": 5 * 10**17}),
        (ADDRESS, DIGITS, {"asset": DAI, "amount": str(5 * 10**17)}),
        ({"type": "string", "format": "address"}, TEXT, {"asset": DAI, "amount": "0.5"}),
    ],
)
def test_a_schema_says_how_arguments_are_given(asset: Any, amount: Any, given: Any) -> None:
    found: list[dict[str, Any]] = []
    tool = wallet_tool(
        "Withdraw", lambda **arguments: found.append(arguments), asset=asset, amount=amount
    )
    known = Surroundings((Listing("DAI", DAI, 18),))
    run("withdraw 0.50 dai", planner(surroundings=known), [tool])
    assert found == [given]


@pytest.mark.parametrize("kind", ["number", "boolean", "array"])
def test_a_schema_that_would_round_or_lose_an_amount_is_refused(kind: str) -> None:
    tool = wallet_tool("Withdraw", lambda **_: "done", asset=TEXT, amount={"type": kind})
    result = run("withdraw 5 USDC", tools=[tool])
    assert result.error is not None
    assert f"parameter amount is of type {kind}: " in result.error.message


def test_actions_may_stand_for_tools_of_other_names() -> None:
    pool: list[dict[str, Any]] = []

    def take(**arguments: Any) -> None:
        pool.append(arguments)

    tool = wallet_tool("pool.take", take, token=TEXT, amount=TEXT)
    use = ToolUse("pool.take", {"asset": "token"})
    run("withdraw 5 USDC", planner(tools={"Withdraw": use}), [tool])
    assert pool == [{"token": "USDC", "amount": "5"}]
    refused = run("withdraw 5 USDC", planner(tools={"Withdraw": "pool.take"}), [tool])
    assert refused.error is not None
    assert "takes ['amount', 'token'], and the model gives ['amount', 'asset']" in str(
        refused.error.message
    )


@pytest.mark.parametrize("only", ["USDC", "usdc", "0x" + f"{1:040x}"])
def test_a_tool_of_one_asset_carries_out_no_decision_about_another(only: str) -> None:
    taken: list[Any] = []

    def take(amount: str) -> None:
        taken.append(amount)

    tool = wallet_tool("Withdraw", take, amount=TEXT)
    of = planner(tools={"Withdraw": ToolUse("Withdraw", only={"asset": only})})
    assert run("withdraw 5 USDC", of, [tool]).success
    refused = run("withdraw 5 DAI", of, [tool])
    assert taken == ["5"]
    assert refused.error is not None
    assert f"tool Withdraw is for the asset {only} alone" in refused.error.message


def test_a_parameter_that_an_action_has_not_is_refused() -> None:
    for use in (ToolUse("Withdraw", {"token": "asset"}), ToolUse("Withdraw", only={"token": "x"})):
        with pytest.raises(AgentConfigRefused, match="wallet's Withdraw has no parameter 'token'"):
            planner(tools={"Withdraw": use})


def test_an_action_that_the_model_has_not_is_refused() -> None:
    with pytest.raises(AgentConfigRefused, match="wallet has no action 'Swap'"):
        planner(tools={"Swap": "swap"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"assets": (Listing("USDC", DAI, 6), Listing("usdc", "0x" + "01" * 20, 6))},
        {"assets": (Listing("all", DAI, 6),)},
        {"assets": (Listing("DAI", DAI, 78),)},
        {"contacts": (("Bob", DAI),)},
    ],
)
def test_surroundings_are_those_that_books_may_have(wrong: dict[str, Any]) -> None:
    with pytest.raises(AgentConfigRefused, match="no such surroundings"):
        Surroundings(**wrong)


def test_surroundings_come_back_from_json() -> None:
    known = Surroundings((Listing("DAI", DAI, 18),), (("bob", DAI),), DAI, {DAI: 18}, 5)
    assert Surroundings.from_json(json.loads(json.dumps(known.to_json()))) == known
    with pytest.raises(AgentConfigRefused, match="no surroundings"):
        Surroundings.from_json({"assets": [{"symbol": "DAI"}]})


def test_the_model_that_reads_whole_instructions_pays_contacts_by_name() -> None:
    paid: list[dict[str, Any]] = []
    tool = wallet_tool(
        "Transfer", lambda **given: paid.append(given), asset=TEXT, amount=TEXT, recipient=TEXT
    )
    known = Surroundings(contacts=(("bob", DAI),), owner="0x" + "0d" * 20)
    reader = planner(model="wallet-text", surroundings=known)
    result = run("send 5 USDC to bob", reader, [tool])
    assert paid == [{"asset": "USDC", "amount": "5", "recipient": DAI}], result.error


def test_plans_that_nobody_asks_evidence_of_are_forgotten(
    done: AgentResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.planners.proven.MOST_PENDING", 1)
    state: PlannerState = states(done, wallet_tools(), TASK)[0]
    of = planner()
    first, second = (
        asyncio.run(of.plan(replace(state, run_id=name), None))  # type: ignore[arg-type]
        for name in ("a", "b")
    )
    with pytest.raises(ProofFault):
        asyncio.run(of.evidence("a", first))
    assert asyncio.run(of.evidence("b", second)).cost["proofs"] == 1

"""Planners one after another in one run."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.executor.runtime.planners.wallets import (
    HashedProofs,
    evidence,
    states,
    wallet_agent,
    wallet_tools,
)
from zkagent.executor.runtime import AgentResult, PlanStep, ScriptedPlanner
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ProofFault
from zkagent.executor.runtime.core.steps import ProvingPlanner, VerifyingPlanner
from zkagent.executor.runtime.planners.proven import ProvenPlanner
from zkagent.executor.runtime.planners.relay import Relay

LOOK = PlanStep("tool", "ViewBalance", {"asset": "DAI"})


def proven(instruction: str) -> ProvenPlanner:
    return ProvenPlanner(instruction=instruction, proofs=HashedProofs())


def relay(*last: Any) -> Relay:
    looks = ScriptedPlanner([LOOK, PlanStep("finish", result="looked")])
    return Relay([looks, proven("withdraw 5 USDC"), *last])


def run(planner: Relay) -> AgentResult:
    return wallet_agent(planner, wallet_tools()).run("Look, then move.")


def test_each_has_its_turn_and_the_last_one_ends_the_run() -> None:
    done = run(relay(proven("withdraw 6 USDC")))
    assert [(each.step.kind, each.step.input) for each in done.actions] == [
        ("tool", {"asset": "DAI"}),
        ("internal", {"turn-0": "looked"}),
        ("tool", {"asset": "USDC", "amount": "5"}),
        ("internal", {"turn-1": "Successfully withdrawn"}),
        ("tool", {"asset": "USDC", "amount": "6"}),
        ("finish", None),
    ]
    assert (done.success, len(done.attachments)) == (True, 4)


def test_steps_of_a_proven_turn_are_verified_and_others_are_not() -> None:
    planner = relay(proven("withdraw 6 USDC"))
    assert isinstance(planner, ProvingPlanner)
    assert isinstance(planner, VerifyingPlanner)
    done = run(planner)
    seen = states(done, wallet_tools(), "Look, then move.")

    def valid(step: int, **changed: Any) -> bool:
        plan = replace(done.actions[step].step, **changed)
        shown = evidence(done, step) if plan.proof else None
        return bool(asyncio.run(planner.verify_step(seen[step], plan, shown)))

    assert [valid(step) for step in range(6)] == [False, False, True, True, True, True]
    assert not valid(3, input={"turn-1": "Successfully stolen"})
    assert not valid(3, input={"turn-2": "Successfully withdrawn"})
    assert not valid(2, input={"asset": "USDC", "amount": "6"})


def test_a_planner_cannot_end_its_turn_but_by_a_finish() -> None:
    early = ScriptedPlanner([PlanStep("internal", input={"turn-0": 1})])
    done = run(Relay([early, proven("withdraw 5 USDC")]))
    assert done.error is not None
    assert "a turn ends by a finish" in done.error.message


def test_evidence_of_a_stranger_s_step_is_refused() -> None:
    with pytest.raises(ProofFault, match="was not planned by relay of scripted, proven wallet"):
        asyncio.run(relay().evidence("run", LOOK))


def test_nobody_is_no_relay() -> None:
    with pytest.raises(AgentConfigRefused):
        Relay([])

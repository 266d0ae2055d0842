"""Steps with proofs of both systems, and with pending ones of a prover service."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.executor.runtime.planners.wallets import evidence, states, wallet_agent, wallet_tools
from tests.support.fleet import Fleet
from zkagent.circuits.support.cache import cache_root
from zkagent.circuits.systems import PROVING
from zkagent.executor.runtime import AgentResult
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ProofFault
from zkagent.executor.runtime.planners.proofs import LocalProofs, ServiceProofs, StepProofs
from zkagent.executor.runtime.planners.proven import ProvenPlanner
from zkagent.models.catalogue import load_model

TASK = "withdraw 5 USDC"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["ezkl", "groth16"])
def proofs(request: pytest.FixtureRequest) -> Iterator[LocalProofs]:
    with LocalProofs(proof_system=request.param) as made:
        yield made


def run(proofs: StepProofs, task: str = TASK) -> AgentResult:
    return wallet_agent(ProvenPlanner(proofs=proofs), wallet_tools()).run(task)


def reason(proofs: StepProofs, done: AgentResult, step: int, attachment: str | None) -> str:
    state, planned = states(done, wallet_tools(), TASK)[step], done.actions[step].step
    return asyncio.run(ProvenPlanner(proofs=proofs).verify_step(state, planned, attachment)).reason


def test_a_step_s_proof_is_believed_and_its_neighbours_are_not(proofs: LocalProofs) -> None:
    done = run(proofs)
    first, second = evidence(done, 0), evidence(done, 1)
    assert [reason(proofs, done, 0, first), reason(proofs, done, 1, second)] == ["", ""]
    assert "another context" in reason(proofs, done, 1, first)
    other = evidence(run(proofs, "deposit 5 USDC"), 0)
    assert "prompt is" in reason(proofs, done, 0, other)
    forged = other.replace("deposit 5 USDC", TASK)
    assert "its inputs differ" in reason(proofs, done, 0, forged)
    start = first.index('"proof": "0x') + len('"proof": "0x') + 64
    digit = "1" if first[start] == "0" else "0"
    altered = f"{first[:start]}{digit}{first[start + 1 :]}"
    assert reason(proofs, done, 0, altered) == (
        "the proof does not hold for these inputs and outputs"
    )


def test_a_circuit_of_another_system_is_another_circuit() -> None:
    with LocalProofs(proof_system="groth16") as proofs:
        done = run(proofs)
    found = reason(LocalProofs(), done, 0, evidence(done, 0))
    assert found.startswith("the step names circuit ")


def test_a_system_that_the_model_is_not_proven_by_is_refused() -> None:
    reader = load_model("wallet-text")
    with pytest.raises(AgentConfigRefused, match="wallet-text is proven by groth16, not by 'ezkl'"):
        LocalProofs(proof_system="ezkl").circuit(reader)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Fleet]:
    PROVING["ezkl"].build(load_model("wallet").onnx_path)
    database = f"sqlite:///{tmp_path}/service.sqlite"
    fleet = Fleet(cache_root(), database, None, logs=tmp_path)
    fleet.serve("--model", "wallet")
    yield fleet
    fleet.end()


def test_a_service_s_proofs_are_pending_when_steps_are_taken_and_believed_later(
    service: Fleet,
) -> None:
    proofs = ServiceProofs(service.url)
    done = run(proofs)
    named: list[Any] = [action.step.proof for action in done.actions]
    assert [(len(one.proof_id), one.receipt) for one in named] == [(64, None)] * 2
    assert [reason(proofs, done, i, evidence(done, i)) for i in range(2)] == ["", ""]
    assert "another context" in reason(proofs, done, 1, evidence(done, 0))
    again = run(proofs)
    assert [action.step for action in again.actions] == [action.step for action in done.actions]
    proofs.close()


def test_a_service_that_is_not_there_ends_the_run_before_its_first_tool(free_port: int) -> None:
    proofs = ServiceProofs(f"http://127.0.0.1:{free_port}", patience_s=0.1)
    done = run(proofs)
    assert done.error is not None
    assert (done.error.code, done.actions) == ("proof_failed", ())
    with pytest.raises(ProofFault):
        proofs.make(load_model("wallet"), [0], proofs.named(load_model("wallet"), [0], "about"))

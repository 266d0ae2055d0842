"""A stranger's agent run on recorded decisions, by anybody."""

import pytest

from tests.support.plain_stage import PlainStage
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.errors import NestedDecision, NoAgentThere
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.provers import InlineProver
from zkagent.executor.runs.recorded import DecisionRecorder
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import InstructionModel, load_model
from zkagent.models.catalogue import Model as AnyModel
from zkagent.verifier_contracts.chain.local import send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError


@pytest.fixture
def recorder(stage: PlainStage, model: InstructionModel, circuit: Circuit) -> DecisionRecorder:
    return recorder_by(stage, model, circuit)


def recorder_by(stage: PlainStage, model: AnyModel, circuit: Circuit) -> DecisionRecorder:
    chain = stage.chain
    executor = chain.deployment.executor
    return DecisionRecorder(
        chain.web3, executor, chain.friend, model, prover_of=lambda _: InlineProver(circuit)
    )


def test_anybody_has_it_run_on_recorded_decisions(
    stage: PlainStage, recorder: DecisionRecorder, deposit: bytes
) -> None:
    with pytest.raises(RevertError) as error:
        stage.ask(deposit.decode())
    assert error.value.name == "DecisionUnavailable"
    recorded = recorder.record(stage.agent, deposit)
    assert len(recorded.decisions) == 1  # the model's numbers are the same at every step
    assert stage.balance == 0  # nothing was done
    assert stage.ask(deposit.decode()).startswith("Done: Deploy")
    assert stage.balance == 5_500_000
    assert not recorder.record(stage.agent, deposit).decisions  # all of it is there
    stage.ask(deposit.decode(), stage.chain.friend)
    assert stage.balance == 11_000_000


def test_recorded_decisions_are_for_nothing_else(
    stage: PlainStage, recorder: DecisionRecorder, deposit: bytes
) -> None:
    recorder.record(stage.agent, deposit)
    with pytest.raises(RevertError) as error:
        stage.ask(f"withdraw 5.5 {stage.token}")
    assert error.value.name == "DecisionUnavailable"


def test_what_is_recorded_is_read_on_the_prompt_at_hand(
    stage: PlainStage, recorder: DecisionRecorder, deposit: bytes
) -> None:
    """Addresses have one code: the numbers are the same, and what is no token is not deposited."""
    recorder.record(stage.agent, deposit)
    answer = stage.ask(f"deposit 5.5 {stage.pool.address}")
    assert not answer.startswith("Done")
    assert stage.balance == 0


def test_an_output_that_is_not_the_model_s_is_not_recorded(
    stage: PlainStage, session: Session, deposit: bytes
) -> None:
    proven = session.runner.prove(session.runner.plan(deposit))
    planned, proof = proven.plan.decisions[0], proven.proofs[0].proof
    x = b"".join(v.to_bytes(2, "big", signed=True) for v in planned.x)
    executor = at(stage.chain.web3, "AgentExecutor", stage.chain.deployment.executor).functions
    number, true = planned.claim.model_id, planned.claim.output
    for features, output in ((x, bytes(24)), (bytes(180), true)):
        forged = executor.recordDecision(number, features, output, proof)
        with pytest.raises(RevertError):
            send(stage.chain.web3, forged, stage.chain.stranger)
    function = executor.recordDecision(number, x, true, proof)
    send(stage.chain.web3, function, stage.chain.stranger)
    assert stage.ask(deposit.decode()).startswith("Done: Deploy")


def test_decisions_of_another_model_are_not_recorded(
    stage: PlainStage, circuit: Circuit, deposit: bytes
) -> None:
    wallet = load_model("wallet", AnyModel)
    with pytest.raises(NestedDecision, match="name it by --model"):
        recorder_by(stage, wallet, circuit).record(stage.agent, deposit)


def test_a_run_that_fails_by_itself_says_so(stage: PlainStage, recorder: DecisionRecorder) -> None:
    with pytest.raises(RunReverted, match="Tool call failed"):
        recorder.record(stage.agent, f"withdraw 5 {stage.token}".encode())
    with pytest.raises(NoAgentThere, match="no code"):
        recorder.record(str(stage.chain.friend.address), b"withdraw 5")

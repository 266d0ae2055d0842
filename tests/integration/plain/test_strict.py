"""A stranger's agent that acts on proven decisions alone, since its tool does."""

from dataclasses import replace

import pytest

from tests.support.plain_stage import PlainStage
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.runs.session import open_session
from zkagent.models.catalogue import InstructionModel
from zkagent.verifier_contracts.deployment.runner import deploy_runner
from zkagent.verifier_contracts.errors import RevertError


def test_a_stranger_s_agent_acts_once_its_decision_is_proven(
    stage: PlainStage, model: InstructionModel, circuit: Circuit, deposit: bytes
) -> None:
    chain, agent = stage.chain, stage.strict_agent()
    places = (chain.web3, agent, chain.deployment.executor, str(chain.owner.address), chain.owner)
    runner = deploy_runner(*places, needs_proofs=True)
    with open_session(chain.web3, runner, chain.owner, model, circuit) as session:
        proven = session.runner.prove(session.runner.plan(deposit))
        assert proven.plan.identity.proves_first
        run = replace(proven.call, proofs=(proven.call.proofs[0][:-1] + b"\0", b""))
        with pytest.raises(RevertError):
            session.sender.estimate_gas(run)
        session.runner.run(deposit)
    assert stage.balance == 5_500_000


def test_a_runner_without_proofs_at_hand_does_not_have_it_act(
    stage: PlainStage, model: InstructionModel, circuit: Circuit, deposit: bytes
) -> None:
    chain, agent = stage.chain, stage.strict_agent()
    executor, owner = chain.deployment.executor, str(chain.owner.address)
    runner = deploy_runner(chain.web3, agent, executor, owner, chain.owner)
    with open_session(chain.web3, runner, chain.owner, model, circuit) as session:
        proven = session.runner.prove(session.runner.plan(deposit))
        assert not proven.plan.identity.proves_first
        with pytest.raises(RevertError) as error:
            session.sender.estimate_gas(proven.call)
    assert error.value.name == "ProofsNotKept"
    assert stage.balance == 0

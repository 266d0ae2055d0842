"""A stranger's agent that acts on proven decisions alone, since its tool does."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.plain_stage import PlainStage
from tests.support.waiting_sender import WaitingSender
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.chain.plain_agent import agent_at
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.operating.desk_operator import DeskOperator
from zkagent.executor.operating.events import PutOff
from zkagent.executor.operating.journal import AnswerJournal
from zkagent.executor.operating.session import checked_desk, place_of
from zkagent.executor.operating.watch import Watch
from zkagent.executor.runs.provers import InlineProver
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.session import open_session
from zkagent.models.catalogue import InstructionModel
from zkagent.verifier_contracts.chain.local import send
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.deployment.desk import NOBODY, DeskPlan, deploy_desk
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


@pytest.mark.parametrize("strict", [True, False])
def test_a_desk_has_it_act_if_the_desk_is_strict(
    *,
    strict: bool,
    stage: PlainStage,
    model: InstructionModel,
    circuit: Circuit,
    deposit: bytes,
    tmp_path: Path,
) -> None:
    """The agent tells nothing of that; what the desk says is planned by."""
    chain, web3, agent = stage.chain, stage.chain.web3, stage.strict_agent()
    plan = DeskPlan(NOBODY, fee_wei=10**18, strict=strict)
    desk = deploy_desk(web3, agent, chain.deployment.executor, plan, chain.stranger)
    there, names = checked_desk(web3, desk)
    assert names.strict is strict
    sender, told = WaitingSender(web3, desk, chain.friend), list[object]()
    runner = AgentRunner(agent_at(web3, agent, entry=desk), sender, model, InlineProver(circuit))
    assert runner.plan(deposit).identity.proves_first is strict
    journal = AnswerJournal(place_of(sender, Web3Desk(web3, desk)), tmp_path)
    client = stage.client_of(desk)
    door = at(web3, "RequestDesk", desk).functions
    send(web3, door.deposit(client.address), chain.stranger, value=10**18)
    send(web3, client.functions.ask(deposit.decode()), chain.stranger)
    DeskOperator(there, sender, runner, journal, Watch(there), report=told.append).turn()
    assert stage.balance == (5_500_000 if strict else 0)
    put_off = [each.why for each in told if isinstance(each, PutOff)]
    assert [("ProofsNotKept" in why) for why in put_off] == ([] if strict else [True])

"""A stranger's agent and client at a desk: asked for now, answered later, proven by an operator."""

from pathlib import Path

import pytest

from tests.support.plain_stage import PlainStage
from tests.support.waiting_sender import WaitingSender
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.chain.plain_agent import PlainAgent, agent_at
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.errors import NoAgentThere
from zkagent.executor.operating.desk_operator import DeskOperator
from zkagent.executor.operating.events import PutOff
from zkagent.executor.operating.journal import AnswerJournal
from zkagent.executor.operating.session import place_of
from zkagent.executor.operating.watch import Watch
from zkagent.executor.runs.provers import InlineProver
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.session import Session, circuit_of_agent
from zkagent.models.catalogue import InstructionModel
from zkagent.verifier_contracts.chain.local import call, send
from zkagent.verifier_contracts.deployment.desk import NOBODY, DeskPlan, deploy_desk
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError

FEE = 10**18


@pytest.fixture
def desk(stage: PlainStage) -> str:
    """Of a third stranger: it takes everybody's requests."""
    chain = stage.chain
    plan = DeskPlan(NOBODY, fee_wei=FEE)
    return deploy_desk(chain.web3, stage.agent, chain.deployment.executor, plan, chain.stranger)


@pytest.fixture
def told() -> list[object]:
    """By the operator."""
    return []


@pytest.fixture
def operator(
    stage: PlainStage, desk: str, session: Session, tmp_path: Path, told: list[object]
) -> DeskOperator:
    web3 = stage.chain.web3
    there, sender = Web3Desk(web3, desk), WaitingSender(web3, desk, stage.chain.friend)
    chain = agent_at(web3, stage.agent, entry=desk)
    assert isinstance(chain, PlainAgent)
    runner = AgentRunner(chain, sender, session.model, InlineProver(session.circuit))
    journal = AnswerJournal(place_of(sender, there), tmp_path)
    return DeskOperator(there, sender, runner, journal, Watch(there), report=told.append)


def test_a_stranger_s_client_is_answered_later_from_the_address_that_it_asked(
    stage: PlainStage, desk: str, operator: DeskOperator, deposit: bytes
) -> None:
    web3 = stage.chain.web3
    client = stage.client_of(desk)
    door = at(web3, "RequestDesk", desk).functions
    with pytest.raises(RevertError):  # nobody paid for it
        send(web3, client.functions.ask(deposit.decode()), stage.chain.stranger)
    send(web3, door.deposit(client.address), stage.chain.stranger, value=FEE)
    send(web3, client.functions.ask(deposit.decode()), stage.chain.stranger)
    assert call(web3, client.functions.runId()) == 1
    assert call(web3, client.functions.answer()) == ""
    assert stage.balance == 0
    operator.turn()
    assert str(call(web3, client.functions.answer())).startswith("Done: Deploy")
    assert stage.balance == 5_500_000
    assert call(web3, door.balanceOf(stage.chain.friend.address)) == FEE


def test_a_run_that_would_fail_pays_nobody(
    stage: PlainStage, desk: str, operator: DeskOperator, told: list[object]
) -> None:
    web3 = stage.chain.web3
    client = stage.client_of(desk)
    door = at(web3, "RequestDesk", desk).functions
    send(web3, door.deposit(client.address), stage.chain.stranger, value=FEE)
    more = f"withdraw 5 {stage.token}"  # than there is
    send(web3, client.functions.ask(more), stage.chain.stranger)
    operator.turn()
    (put_off,) = [each for each in told if isinstance(each, PutOff)]
    assert "Tool call failed" in put_off.why
    assert call(web3, door.balanceOf(stage.chain.friend.address)) == 0
    assert call(web3, client.functions.answer()) == ""


def test_the_circuit_is_that_of_the_model_that_the_agent_asks_for(
    stage: PlainStage, desk: str, model: InstructionModel, circuit: Circuit
) -> None:
    found = circuit_of_agent(stage.chain.web3, stage.agent, model, None, print, entry=desk)
    assert found.digest == circuit.digest


def test_a_desk_is_no_runner(stage: PlainStage, desk: str) -> None:
    """It would simulate, and then let nobody send a run."""
    agent = agent_at(stage.chain.web3, desk)
    with pytest.raises(NoAgentThere):
        agent.names(agent.head())

"""A stranger's agent run with proofs, by way of its runner."""

from dataclasses import replace

import pytest

from tests.support.plain_stage import PlainStage
from zkagent.executor.audit.run import RunContracts
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.plain_agent import PlainAgent, agent_at
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import NoAgentThere
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.format import Receipt, parse_receipt
from zkagent.executor.receipts.verdicts import Report
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import InstructionModel
from zkagent.verifier_contracts.chain.local import send
from zkagent.verifier_contracts.deployment.runner import deploy_runner
from zkagent.verifier_contracts.errors import RevertError


def refusal(session: Session, call: RunCall) -> str | None:
    with pytest.raises(RevertError) as error:
        session.sender.estimate_gas(call)
    return error.value.name


def verified(stage: PlainStage, model: InstructionModel, receipt: Receipt, *trust: str) -> Report:
    reader, circuits = ContractReader(stage.chain.web3), LocalCircuits(None)
    contracts = RunContracts(reader, lambda _: model, circuits, set(trust))
    sources = Sources(lambda _: model, circuits)
    online = replace(sources, chain=lambda a: Web3Agent(stage.chain.web3, a), contracts=contracts)
    return verify_receipt(receipt, online if trust else sources)


def test_a_stranger_s_agent_runs_with_proofs(
    stage: PlainStage, session: Session, deposit: bytes
) -> None:
    assert isinstance(session.chain, PlainAgent)
    run = session.runner.run(deposit)
    made = [each.decision for each in run.proven.plan.decisions]
    assert [each.action for each in made] == ["Deploy", "answer"]
    assert made[0].values == (int(stage.token, 16), 5_500_000)
    assert stage.balance == 5_500_000
    assert run.inclusion.result.requester == stage.runner.lower()


def test_a_balance_without_a_unit_is_taken_out_to_the_last_unit(
    stage: PlainStage, session: Session
) -> None:
    send(stage.chain.web3, stage.pool.functions.deploy(stage.token, 7_000_001), stage.chain.friend)
    run = session.runner.run(f"withdraw all {stage.token}".encode())
    actions = [each.decision.action for each in run.proven.plan.decisions]
    assert actions == ["ViewBalance", "Withdraw", "answer"]
    assert run.inclusion.result.steps[0].endswith(b"Observation: The balance is: 7000001\n")
    assert stage.balance == 0


def test_only_the_runner_s_owner_has_it_run(
    stage: PlainStage, session: Session, deposit: bytes
) -> None:
    proven = session.runner.prove(session.runner.plan(deposit))
    chain = stage.chain
    copied = Web3Sender(chain.web3, stage.agent, chain.stranger, entry=stage.runner)
    with pytest.raises(RevertError) as error:
        copied.estimate_gas(proven.call)
    assert error.value.name == "CallerIsNotTheOwner"
    session.sender.estimate_gas(proven.call)


def test_forged_runs_bounce(stage: PlainStage, session: Session, deposit: bytes) -> None:
    proven = session.runner.prove(session.runner.plan(deposit))
    call = proven.call
    session.sender.estimate_gas(call)
    first, *others = call.claims
    other = replace(first, output=bytes(len(first.output)))
    later = replace(call.terms, deadline=1)
    calls = (call.terms.calls[1], *call.terms.calls[1:])
    unagreed = replace(call.terms, calls=calls)
    forged = {
        "CallNotAgreed": [replace(call, claims=(other, *others)), replace(call, terms=unagreed)],
        "RunExpired": [replace(call, terms=later)],
        "ClaimForOtherFeatures": [
            replace(call, claims=(replace(first, features_hash=bytes(32)), *others)),
            replace(call, prompt=b"withdraw 5.5 " + stage.token.encode()),
        ],
    }
    for name, each in forged.items():
        assert [refusal(session, one) for one in each] == [name] * len(each)
    broken = bytearray(call.proofs[0])
    broken[-1] ^= 1
    refusal(session, replace(call, proofs=(bytes(broken), *call.proofs[1:])))
    refusal(session, replace(call, proofs=(b"", *call.proofs[1:])))
    assert stage.balance == 0


def test_a_run_s_receipt_says_what_it_can(
    stage: PlainStage, session: Session, model: InstructionModel, deposit: bytes
) -> None:
    chain = stage.chain
    receipt = write_receipt(session.chain, model, [session.runner.run(deposit)], chain.owner)
    (run,) = receipt.runs
    assert (run.plain, run.entry, run.agent) == (True, stage.runner.lower(), stage.agent.lower())
    assert run.iterations[0].context.tools[3].name == ""  # it has no code
    offline = verified(stage, model, receipt)
    assert offline.accepted, offline.problems
    assert parse_receipt(receipt.to_json()) == receipt
    report = verified(stage, model, receipt, f"agent={stage.agent.lower()}")
    assert not [each for each in report.checks if not each.held and not each.unknown]
    claims = {each.claim for each in report.checks}
    assert "the tools are as they were read, and pinned by nobody" in claims
    assert "the tools are the pinned ones" not in claims


def test_nobody_s_runner_is_no_agent(stage: PlainStage, session: Session) -> None:
    web3 = stage.chain.web3
    with pytest.raises(NoAgentThere, match="agentExecutor"):
        agent_at(web3, stage.agent).names(session.chain.head())
    other = PlainAgent(web3, str(stage.chain.friend.address).lower(), stage.runner)
    with pytest.raises(NoAgentThere, match="it runs"):
        other.names(other.head())


def test_an_agent_that_pins_what_it_is_made_of_is_run_as_itself(stage: PlainStage) -> None:
    """A receipt cannot call it one that knows only the ERC: less would be looked at."""
    web3, deployment, owner = stage.chain.web3, stage.chain.deployment, stage.chain.owner
    places = (deployment.agent, deployment.executor, str(owner.address))
    runner = deploy_runner(web3, *places, owner)
    found = agent_at(web3, runner)
    assert (found.pins, found.entry) == (True, runner.lower())
    with pytest.raises(NoAgentThere, match="pins model and tools"):
        found.run_by(runner).names(found.head())

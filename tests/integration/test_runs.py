"""Whole runs on a real chain with real proofs, and everything that can be wrong with them."""

from dataclasses import replace
from typing import Any

import pytest
from eth_account import Account

from zkagent.circuits.artifacts import Circuit
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.embedded import EmbeddedChain, balances
from zkagent.executor.chain.gas_report import iteration_gas
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.demo.attacks.stage import AttackStage
from zkagent.executor.demo.story import play
from zkagent.executor.errors import InsufficientFunds, NoAgentThere, OtherModel
from zkagent.executor.runs.errors import RunReverted, StateKeepsChanging
from zkagent.executor.runs.events import Event, Proving, StateChanged
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.session import Session, circuit_of_agent
from zkagent.models.catalogue import Model
from zkagent.models.errors import (
    AmountTooLarge,
    AmountTooPrecise,
    DuplicateTool,
    EmptyPrompt,
    PromptNotAscii,
    PromptTooLong,
)
from zkagent.verifier_contracts.chain.local import Anvil, call, connect, deploy, send
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.deployment.wallet import at, deploy_wallet
from zkagent.verifier_contracts.errors import (
    ChainUnreachable,
    DevelopmentSetupRefused,
    RevertError,
    WrongChain,
)
from zkagent.verifier_contracts.toolchain.compile import contract

USDC = 10**6


def test_the_runs_of_the_demo_do_what_they_say(session: Session, embedded: EmbeddedChain) -> None:
    deposit, withdrawal, transfer, decline = play(session, embedded)
    usdc, dai = (next(b for b in balances(embedded) if b.symbol == s) for s in ("USDC", "DAI"))
    assert (usdc.pool, usdc.wallet) == (0, 600 * USDC)
    assert (dai.pool, dai.wallet, dai.friend) == (40 * 10**18, 225 * 10**18, 25 * 10**18)
    assert deposit.after[0].pool == 220_500_000
    assert [len(r.completed.proven.proofs) for r in (withdrawal, transfer)] == [3, 2]
    assert decline.before == decline.after
    assert decline.completed.inclusion.result.steps == ()


def test_gas_is_attributed_to_iterations(session: Session, embedded: EmbeddedChain) -> None:
    completed = session.runner.run(b"withdraw all my USDC")
    identity = completed.proven.plan.identity
    gas = iteration_gas(embedded.web3, completed.inclusion.hash, identity)
    assert gas is not None
    assert len(gas) == 3
    assert gas[2].act == 0
    total = sum(g.decide + g.verify + g.act for g in gas)
    assert 0.7 * completed.inclusion.result.gas_used < total < completed.inclusion.result.gas_used
    shared = completed.inclusion.result.gas_used - total  # calldata, frame, base cost
    assert all(g.proven_decision + shared // 3 <= 600_000 for g in gas)


def test_the_receipt_of_the_transaction_is_the_agents_event(session: Session) -> None:
    completed = session.runner.run(b"deposit 5 DAI into the pool")
    assert session.chain.run_result(completed.inclusion.hash) == completed.inclusion.result
    assert completed.inclusion.result.requester == session.sender.account


@pytest.mark.parametrize(
    ("prompt", "error"),
    [
        (b"", EmptyPrompt),
        (b"deposit 5 USDC \xf0\x9f\x98\x80", PromptNotAscii),
        (b"deposit 5 USDC " + b"x" * 500, PromptTooLong),
        (b"deposit 1.1234567 USDC into the pool", AmountTooPrecise),
        (b"deposit " + b"9" * 78 + b" USDC into the pool", AmountTooLarge),
    ],
)
def test_bad_prompts_are_refused_here_as_by_the_contracts(
    session: Session, prompt: bytes, error: type[Exception]
) -> None:
    with pytest.raises(error):
        session.runner.run(prompt)
    assert _contract_error(session, prompt) == error.__name__


def _contract_error(session: Session, prompt: bytes) -> str:
    """The name of the error by which the contracts end the run."""
    claims: list[Any] = []
    block, account = session.chain.head(), session.sender.account
    try:
        step: Any = session.chain.simulate(prompt, claims, account, block)
        x = _unpacked(step.features)
        from zkagent.executor.runs.derivation import claim_for

        claims = [claim_for(step.model_id, x, session.model.infer(x))]
        session.chain.simulate(prompt, claims, account, block)
    except RevertError as exc:
        return exc.name
    return ""


def _unpacked(features: bytes) -> tuple[int, ...]:
    from zkagent.executor.chain.abi import FEATURE_BYTES, unpack

    return unpack(features, FEATURE_BYTES)


def test_a_tool_that_reverts_shows_its_own_error(session: Session, embedded: EmbeddedChain) -> None:
    before = balances(embedded)
    with pytest.raises(RunReverted, match="InsufficientDeposit") as caught:
        session.runner.run(b"withdraw 9999 USDC from the pool")
    assert caught.value.arguments["requested"] == 9999 * USDC
    assert balances(embedded) == before


def test_an_error_of_a_token_below_the_tool_is_shown(session: Session) -> None:
    with pytest.raises(RunReverted, match="ERC20InsufficientBalance"):
        session.runner.run(b"deposit 9999 USDC into the pool")


def test_a_stranger_cannot_even_plan(session: Session, embedded: EmbeddedChain) -> None:
    sender = Web3Sender(embedded.web3, embedded.deployment.agent, embedded.stranger)
    with pytest.raises(RunReverted, match="CallerIsNotTheOwner"):
        session.runner.for_agent(session.chain, sender).run(b"withdraw all my USDC")


def test_an_account_without_funds_is_told_what_it_needs(
    session: Session, embedded: EmbeddedChain
) -> None:
    embedded.anvil.rpc("anvil_setBalance", embedded.owner.address, hex(10**12))
    with pytest.raises(InsufficientFunds, match="fund the account") as caught:
        session.runner.run(b"deposit 5 DAI into the pool")
    assert caught.value.balance_wei == 10**12 < caught.value.needed_wei


def test_an_unreachable_rpc_and_a_wrong_chain_are_told_apart(embedded: EmbeddedChain) -> None:
    with pytest.raises(ChainUnreachable):
        connect("http://127.0.0.1:9")
    with pytest.raises(WrongChain):
        connect(embedded.anvil.rpc_url, chain_id=1)


def test_an_address_without_an_agent_is_named(session: Session, embedded: EmbeddedChain) -> None:
    elsewhere = Web3Agent(embedded.web3, embedded.stranger.address)
    with pytest.raises(NoAgentThere, match=embedded.stranger.address.lower()):
        session.runner.for_agent(elsewhere, session.sender).run(b"withdraw all my USDC")


class Meddling(Web3Sender):
    """The owner lists a token that no prompt names, or takes it off the list, just before each of
    the first `times` attempts: what was read is another list then, which says the same of DAI."""

    def __init__(self, embedded: EmbeddedChain, times: int) -> None:
        super().__init__(embedded.web3, embedded.deployment.agent, embedded.owner)
        self.embedded, self.times, self.listed = embedded, times, True

    def estimate_gas(self, run: RunCall) -> int:
        if self.times:
            self.times -= 1
            self.listed = not self.listed
            book = at(self.web3, "SymbolBook", self.embedded.deployment.symbol_book).functions
            weth = self.embedded.deployment.token("WETH").address
            change = book.list("WETH", weth) if self.listed else book.unlist("WETH")
            send(self.web3, change, self.embedded.owner)
        return super().estimate_gas(run)


def test_a_run_is_planned_anew_when_the_state_changed(
    session: Session, embedded: EmbeddedChain
) -> None:
    told: list[Event] = []
    meddling = Meddling(embedded, times=2)
    runner = AgentRunner(session.chain, meddling, session.model, session.runner.prover, told.append)
    completed = runner.run(b"deposit 5 DAI into the pool")
    assert completed.plans == 3
    reasons = [event.reason for event in told if isinstance(event, StateChanged)]
    assert [reason.partition("(")[0] for reason in reasons] == ["FactChanged"] * 2
    assert sum(isinstance(event, Proving) for event in told) <= 2  # they are the same decisions


def test_a_state_that_keeps_changing_is_an_error(session: Session, embedded: EmbeddedChain) -> None:
    runner = session.runner.for_agent(session.chain, Meddling(embedded, times=3))
    with pytest.raises(StateKeepsChanging):
        runner.run(b"deposit 5 DAI into the pool")


def trapped(embedded: EmbeddedChain, first_tool: str, iterations: int = 8) -> Any:
    """An agent whose first tool is another one than ViewBalance, or that may iterate less."""
    deployment = embedded.deployment
    registry = at(embedded.web3, "ModelRegistry", deployment.registry)
    return deploy(
        embedded.web3,
        contract("ForeignToolAgent"),
        embedded.owner,
        deployment.executor,
        str(deployment.model_id),
        call(embedded.web3, registry.functions.commitmentHash(deployment.model_id)),
        embedded.owner.address,
        deployment.pool,
        deployment.symbol_book,
        first_tool,
        iterations,
    )


def runner_of(session: Session, embedded: EmbeddedChain, agent: Any) -> AgentRunner:
    return session.runner.for_agent(
        Web3Agent(embedded.web3, agent.address),
        Web3Sender(embedded.web3, agent.address, embedded.owner),
    )


def test_a_tool_that_the_agent_lacks_is_an_answer(
    session: Session, embedded: EmbeddedChain
) -> None:
    agent = trapped(embedded, embedded.deployment.tool("Transfer"))
    completed = runner_of(session, embedded, agent).run(b"withdraw all my USDC")
    assert b"ViewBalance" in completed.inclusion.result.answer
    assert completed.inclusion.result.steps == ()


def test_two_tools_of_one_name_are_an_error(session: Session, embedded: EmbeddedChain) -> None:
    agent = trapped(embedded, embedded.deployment.tool("Transfer"))
    prompt = f"send 25 DAI to {embedded.friend.address}".encode()
    with pytest.raises(DuplicateTool, match="several tools named Transfer"):
        runner_of(session, embedded, agent).run(prompt)


def test_the_iteration_limit_is_the_agents_error(session: Session, embedded: EmbeddedChain) -> None:
    tool = embedded.deployment.tool("ViewBalance")
    agent = trapped(embedded, deploy_scripted(embedded), iterations=1)
    with pytest.raises(RunReverted, match=r"IterationLimitReached\(maxIterations=1\)"):
        runner_of(session, embedded, agent).run(b"withdraw all my USDC")
    assert tool != agent.address


def deploy_scripted(embedded: EmbeddedChain) -> str:
    balance = "The balance is: 100 USDC in the pool"
    made = deploy(embedded.web3, contract("ScriptedTool"), embedded.stranger, balance)
    return str(made.address)


def test_another_models_agent_is_refused(
    session: Session, embedded: EmbeddedChain, stage: AttackStage
) -> None:
    changed = session.model.manifest.model_copy(update={"description": "Another one."})
    other = replace(session.model, manifest=changed)
    runner = AgentRunner(session.chain, session.sender, other, session.runner.prover)
    with pytest.raises(OtherModel, match="manifest"):
        runner.run(b"withdraw all my USDC")
    with pytest.raises(OtherModel, match="manifest"):
        circuit_of_agent(embedded.web3, embedded.deployment.agent, other, None, print)


def test_a_development_verifier_is_refused_elsewhere_before_anything_is_sent(
    wallet: Model, wallet_circuit: Circuit
) -> None:
    assert wallet_circuit.development_srs
    with Anvil(chain_id=5) as other:
        with pytest.raises(DevelopmentSetupRefused, match="this is chain 5"):
            deploy_wallet(other.web3, wallet, wallet_circuit, other.accounts[0])
        assert other.web3.eth.block_number == 0


def test_the_constructor_refuses_as_well(embedded: EmbeddedChain, wallet_circuit: Circuit) -> None:
    from zkagent.verifier_contracts.deployment.verifier import compile_verifier

    compiled = compile_verifier(wallet_circuit.verifier_source.read_text())
    with Anvil(chain_id=5) as other, pytest.raises(RevertError, match="DevelopmentSetup"):
        deploy(other.web3, compiled, other.accounts[0], errors=compiled.abi)


def test_a_deployment_reads_back_from_its_file(embedded: EmbeddedChain) -> None:
    assert Deployment.from_json(embedded.deployment.to_json()) == embedded.deployment


def test_the_deployed_book_lists_four_tokens(embedded: EmbeddedChain) -> None:
    book = at(embedded.web3, "SymbolBook", embedded.deployment.symbol_book).functions
    symbols, tokens, decimals = call(embedded.web3, book.entries())
    assert [s.rstrip(b"\0") for s in symbols] == [b"usdc", b"dai", b"weth", b"wbtc"]
    assert decimals == [6, 18, 18, 8]
    assert tokens == [token.address for token in embedded.deployment.tokens]


def test_a_key_of_nobody_is_not_the_owner(session: Session, embedded: EmbeddedChain) -> None:
    nobody = Web3Sender(embedded.web3, embedded.deployment.agent, Account.create())
    with pytest.raises(RunReverted, match="CallerIsNotTheOwner"):
        session.runner.for_agent(session.chain, nobody).run(b"deposit 5 DAI into the pool")

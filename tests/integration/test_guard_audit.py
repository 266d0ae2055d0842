"""`zkagent agent audit` of an agent behind a guard, of one that took another's place, and of that
other one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from eth_utils.address import to_checksum_address

from tests.support.evaluated_stage import Stage, evaluated_stage
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.api.audits import audit_agent
from zkagent.executor.audit.report import Audit
from zkagent.executor.audit.run import RunContracts
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.guard_rules import rule_of
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.cli.guard_wiring import wiring_of
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.verify_chain import check_effects
from zkagent.executor.receipts.writer import write_receipt
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil, call, send
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, at
from zkagent.verifier_contracts.deployment.successor import (
    SuccessorPlan,
    deploy_successor,
    possible_tools,
    successor_tools,
)

pytestmark = [pytest.mark.chain]

AUTONOMOUS, PAPER = 0, 2

ANYBODY = to_checksum_address("0x" + "a1" * 20)


@dataclass(frozen=True)
class World:
    """A wallet agent that its owner gives guards and successors."""

    stage: Stage

    @property
    def chain(self) -> EmbeddedChain:
        return self.stage.chain

    @property
    def agent(self) -> str:
        return self.chain.deployment.agent

    def audit(self, agent: str | None = None, **options: Any) -> Audit:
        return audit_agent(agent or self.agent, self.chain.anvil.rpc_url, **options)

    def sends(self, call: Any) -> None:
        send(self.chain.web3, call, self.chain.owner)

    def guard(self, wallet: str = "") -> Any:
        """Which the agent has from now on. wallet: what it measures, by default the agent's."""
        owner = self.chain.owner
        deployer = Deployer(DirectCarrier(self.chain.web3, owner))
        measured = wallet or self.chain.deployment.wallet
        made = deployer.make("guard", "Guard", owner.address, self.agent, measured)
        self.sends(self.at("IGuardableAgent", self.agent).setGuard(made.address))
        return made

    def successor(self) -> str:
        there = self.chain.deployment
        plan = SuccessorPlan(
            predecessor=there.agent,
            wallet=there.wallet,
            executor=there.executor,
            book=there.symbol_book,
            model_id=there.model_id,
            commitment=bytes.fromhex(there.commitment[2:]),
        )
        return deploy_successor(self.chain.web3, plan, self.chain.owner)

    def takes_over(self, heir: str) -> None:
        wallet = self.at("IAgentWallet", self.chain.deployment.wallet)
        old, new = list(possible_tools(self.agent)), list(successor_tools(heir))
        self.sends(wallet.replaceTools(old, new))

    def at(self, name: str, address: str) -> Any:
        return at(self.chain.web3, name, address).functions


@pytest.fixture(scope="module")
def opened(anvil: Anvil) -> Iterator[Stage]:
    model = load_model("wallet", Model)
    with evaluated_stage(anvil, model, EVALUATED.build(model.onnx_path)) as stage:
        yield stage


@pytest.fixture
def world(opened: Stage) -> Iterator[World]:
    snapshot = opened.chain.anvil.snapshot()
    yield World(opened)
    opened.chain.anvil.revert(snapshot)


def problems(found: Audit) -> dict[str, str]:
    return {check.subject: check.problem for check in found.problems}


def test_that_nothing_guards_an_agent_is_said(world: World) -> None:
    found = world.audit()
    assert found.verdict == "sound", found.problems
    assert found.facts["guard"] == "none: whatever is decided is done"


def test_a_guard_is_looked_at_and_what_it_allows_is_said(world: World) -> None:
    guard = world.guard()
    token = world.chain.deployment.token("USDC").address
    world.sends(guard.functions.setBudget(token, 500, 200))
    world.sends(guard.functions.pause("risk threshold exceeded"))
    world.sends(guard.functions.requireManifest(True))
    found = world.audit()
    assert found.verdict == "sound", found.problems
    assert "guard" in {check.subject for check in found.checks}
    facts = found.facts
    assert facts["guard"] == guard.address.lower()
    assert facts["guard's owner"] == world.chain.owner.address.lower()
    assert facts["guard's mode"] == "supervised, paused: risk threshold exceeded"
    assert facts["guard's budgets"] == f"{token.lower()}: 0 spent, 500 left, 200 in a call"
    assert facts["guard's rate"] == "60 calls in any hour"
    assert facts["guard's manifest"] == "required, none"
    assert facts["tools that the guard allows"] == "none"


def test_a_guard_of_others_is_unknown_and_nothing_of_it_is_believed(world: World) -> None:
    """It answers as one, and lets everything through, for all that anybody here knows."""
    guard = world.guard()
    code = bytes(world.chain.web3.eth.get_code(guard.address)) + b"\0"
    world.chain.anvil.rpc("anvil_setCode", guard.address, "0x" + code.hex())
    found = world.audit()
    assert found.verdict == "unknown"
    assert set(problems(found)) == {"guard"}
    assert found.facts["guard"].endswith("of which nothing is known here")
    assert "guard's mode" not in found.facts
    trusted = world.audit(trust=[f"guard={guard.address}"])
    assert trusted.verdict == "sound", trusted.problems


def test_a_guard_that_measures_another_wallet_is_found(world: World) -> None:
    world.guard(wallet=ANYBODY)
    found = world.audit()
    assert found.verdict == "unsound"
    assert "_wallet" in problems(found)["guard"]


def test_a_successor_is_ours_and_its_wallet_s_origin_is_known(world: World) -> None:
    heir = world.successor()
    world.takes_over(heir)
    found = world.audit(heir)
    assert found.verdict == "sound", found.problems
    assert found.facts["took the place of"] == world.agent.lower()


def test_a_wallet_that_does_not_obey_an_agent_s_tools_is_said_to(world: World) -> None:
    """Before a successor took over, and of the agent before it, then."""
    heir = world.successor()
    early = world.audit(heir)
    assert early.verdict == "unsound"
    assert all("does not obey" in problem for problem in problems(early).values())
    world.takes_over(heir)
    late = world.audit()
    assert late.verdict == "unsound"
    assert any("does not obey" in problem for problem in problems(late).values())


def test_a_guard_that_guards_the_successor_is_said_of_the_predecessor(world: World) -> None:
    guard = world.guard()
    for index in range(8):  # the word with the agent, which only a succession changes
        slot = "0x" + index.to_bytes(32, "big").hex()
        word = bytes(world.chain.web3.eth.get_storage_at(guard.address, index))
        if bytes.fromhex(world.agent[2:]) in word:
            other = word.replace(bytes.fromhex(world.agent[2:]), bytes.fromhex(ANYBODY[2:]))
            world.chain.anvil.rpc("anvil_setStorageAt", guard.address, slot, "0x" + other.hex())
            break
    found = world.audit()
    assert found.verdict == "unsound"
    assert ANYBODY.lower() in problems(found)["guard"]


def verified(world: World) -> tuple[list[str], list[str]]:
    """Problems and notes of the receipt of a run that sends 2 USDC."""
    chain, runner, model = world.chain, world.stage.runner, load_model("wallet", Model)
    run = runner.run(f"send 2 USDC to {chain.friend.address}".encode())
    receipt = write_receipt(runner.chain, model, [run], chain.owner)
    contracts = RunContracts(ContractReader(chain.web3), lambda name: model, LocalCircuits())
    (record,) = receipt.runs
    found = list(check_effects("run 1", record, runner.chain, contracts, lambda later: None))
    return [str(c) for c in found if not c.held], [c.note for c in found if c.note]


def allowing(world: World, mode: int) -> Any:
    """A guard that lets the agent's transfers be made, in this mode."""
    guard = world.guard()
    for tool in map(to_checksum_address, tools_of(world)):
        target, selector = wiring_of(world.chain.web3, tool)
        world.sends(guard.functions.allow(tool, rule_of(target, selector)))
    world.sends(
        guard.functions.setBudget(world.chain.deployment.token("USDC").address, 10**9, 10**9)
    )
    world.sends(guard.functions.setMode(mode))
    return guard


def tools_of(world: World) -> list[str]:
    return list(call(world.chain.web3, world.at("WalletAgent", world.agent).tools())[0])


def test_a_run_on_paper_moves_nothing_and_its_receipt_says_so(world: World) -> None:
    allowing(world, PAPER)
    problems, notes = verified(world)
    assert problems == []
    assert "on paper: nothing was to move" in notes


def test_a_guarded_run_moves_what_was_decided(world: World) -> None:
    allowing(world, AUTONOMOUS)
    problems, notes = verified(world)
    assert problems == []
    assert "on paper: nothing was to move" not in notes


def test_what_a_guard_of_others_calls_paper_is_none(world: World) -> None:
    """Its calls have to have moved what was decided, whatever it says of its mode."""
    guard = allowing(world, PAPER)
    code = bytes(world.chain.web3.eth.get_code(guard.address)) + b"\0"
    world.chain.anvil.rpc("anvil_setCode", guard.address, "0x" + code.hex())
    problems, _ = verified(world)
    assert any("no such transfer is in the transaction" in each for each in problems)

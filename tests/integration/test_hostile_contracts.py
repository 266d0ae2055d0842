"""Contracts that answer politely, and every command that checks some: none of them is believed.

Each stands where a genuine one would, in an agent that is wired to it, and a run of that agent is
recorded. Every command looks at each of them; the table below has a row for every contract and a
column for every command, and a test that neither is left out. `model audit` is given a registry
and a number, and nothing of an agent: where that registry is genuine it reaches no hostile
contract, and is not concerned. `run` shows what would happen before it signs, and judges no code:
what it shows is what happens.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_account import Account

from tests.executor.cli.test_tree import TREE
from tests.support.command_line import exit_code
from tests.support.forged_storage import forge, forged_book
from zkagent.circuits.artifacts import Circuit
from zkagent.errors import ZkagentError
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.model import Audited, audit
from zkagent.executor.chain.agent import AgentIdentity, Block, Inclusion
from zkagent.executor.chain.embedded import EmbeddedChain, fund
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.receipts import writer
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.derivation import facts_of
from zkagent.executor.runs.runner import AgentRunner, CompletedRun
from zkagent.executor.runs.session import Session, open_session
from zkagent.executor.runs.terms import agreed_call
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, send
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import (
    MAX_ITERATIONS,
    Deployer,
    Registered,
    at,
)
from zkagent.verifier_contracts.deployment.wallet import deploy_wallet
from zkagent.verifier_contracts.toolchain.compile import (
    SOURCES,
    Contract,
    compile_sources,
    contract,
)

HOSTILE = Path(__file__).parent / "hostile"
ANSWERED = b"what is the weather like in Lisbon tomorrow?"  # takes one decision and no tool
LOOKED_AT = b"how much USDC do I have?"
PINNED_SLOT = 3  # of AgentBase's storage
COMMANDS = ("model audit", "agent audit", "verify-run")
SHOWING = "run"  # and then asks


@cache
def hostile() -> dict[str, Contract]:
    """By name; FakeExecutor is the genuine one but for the check of proofs, which does nothing."""
    executor, check = "src/executor/AgentExecutor.sol", "src/executor/ProofCheck.sol"
    sources = {
        "generated/Hostile.sol": (HOSTILE / "Hostile.sol").read_text(),
        executor: (SOURCES / "executor" / "AgentExecutor.sol").read_text(),
        check: (HOSTILE / "ProofCheck.sol").read_text(),
    }
    found = compile_sources(sources)
    return found | {"FakeExecutor": found["AgentExecutor"]}


@dataclass(frozen=True)
class Scene:
    """An agent that is wired to a hostile contract, and a run that it was asked for."""

    agent: str
    registry: str
    run: CompletedRun
    hostile: tuple[str, ...]


@dataclass
class World:
    """An honest deployment, and how to put something else in the place of a part."""

    session: Session
    chain: EmbeddedChain
    model: Model
    made: list[str] = field(default_factory=list)

    @property
    def web3(self) -> Any:
        return self.chain.web3

    @property
    def parts(self) -> Any:
        return self.chain.deployment

    @cached_property
    def deployer(self) -> Deployer:
        return Deployer(DirectCarrier(self.web3, self.chain.owner))

    @cached_property
    def commitment(self) -> bytes:
        registry = at(self.web3, "ModelRegistry", self.parts.registry)
        return bytes(call(self.web3, registry.functions.commitmentHash(self.parts.model_id)))

    @cached_property
    def transfer(self) -> bytes:
        return f"send 3 USDC to {self.chain.friend.address}".encode()

    @cached_property
    def asked_by_model_audit(self) -> set[str]:
        """The addresses whose code or answers the honest model's audit looks at."""
        asked: set[str] = set()

        class Noting(ContractReader):
            def code(self, address: str, block: Block) -> bytes:
                asked.add(address.lower())
                return super().code(address, block)

            def call(self, to: str, *arguments: Any, **options: Any) -> bytes:
                asked.add(to.lower())
                return super().call(to, *arguments, **options)

        reader = Noting(self.web3)
        code = Code(reader, reader.block("latest"))
        registry = self.parts.registry
        bound = Web3Registry(reader, registry).model(self.parts.model_id, code.block)
        audited = Audited(code, registry, bound, self.model, self.session.circuit)
        assert all(check.held for check in audit(audited))
        return asked

    def make(self, name: str, *arguments: Any) -> str:
        made = str(deploy(self.web3, hostile()[name], self.chain.owner, *arguments).address)
        self.made.append(made.lower())
        return made

    def agent(self, **others: str) -> str:
        """A genuine wallet agent whose wallet holds 500 USDC, of these parts where they are
        given, otherwise of the honest ones."""
        used = {
            "executor": self.parts.executor,
            "registry": self.parts.registry,
            "pool": self.parts.pool,
            "book": self.parts.symbol_book,
        } | others
        registry = at(self.web3, "ModelRegistry", used["registry"])
        told = bytes(call(self.web3, registry.functions.commitmentHash(self.parts.model_id)))
        model = Registered(self.parts.model_id, told)
        agent = self.deployer.wallet_agent(
            used["executor"], model, registry, used["pool"], used["book"]
        )
        self.pay(str(call(self.web3, agent.functions.wallet())))
        return str(agent.address)

    def pay(self, wallet: str) -> None:
        token = at(self.web3, "DemoToken", self.parts.token("USDC").address)
        send(self.web3, token.functions.mint(wallet, 500 * 10**6), self.chain.owner)

    def run(self, agent: str, prompt: bytes) -> CompletedRun:
        return self.runner(agent).run(prompt)

    def runner(self, agent: str) -> AgentRunner:
        sender = Web3Sender(self.web3, agent, self.chain.owner)
        return self.session.runner.for_agent(Web3Agent(self.web3, agent), sender)

    def scene(self, agent: str, prompt: bytes, registry: str = "") -> Scene:
        run = self.run(agent, prompt)
        return Scene(agent, registry or self.parts.registry, run, tuple(self.made))

    def shown(self, scene: Scene) -> tuple[str, str]:
        """What `zkagent run` would show of the same prompt now, before it asks; or refuses."""
        runner = self.runner(scene.agent)
        try:
            proven = runner.prove(runner.plan(scene.run.proven.plan.prompt))
            runner.estimate(proven)
        except ZkagentError as exc:
            return "refused", str(exc)
        transfers = Web3Sender(self.web3, scene.agent, self.chain.owner).transfers(proven.call)
        assert transfers is not None
        return "shown", "\n".join(transfer.describe(()) for transfer in transfers)

    def happened(self, scene: Scene) -> str:
        """The transfers of its run."""
        found = Web3Agent(self.web3, scene.agent).happened(scene.run.inclusion.hash)
        return "\n".join(transfer.describe(()) for transfer in found.transfers)


def genuine(world: World) -> Scene:
    return world.scene(world.agent(), world.transfer)


def forwarding_registry(world: World) -> Scene:
    fake = world.make("ForwardingRegistry", world.parts.registry, world.make("AcceptAll"))
    executor = deploy(world.web3, contract("AgentExecutor"), world.chain.owner, fake).address
    agent = world.agent(executor=executor, registry=fake)
    return world.scene(agent, world.transfer, fake)


def fake_executor(world: World) -> Scene:
    executor = world.make("FakeExecutor", world.parts.registry)
    return world.scene(world.agent(executor=executor), world.transfer)


def fake_agent(world: World) -> Scene:
    return told(world, lambda address: address)


def delegated_account(world: World) -> Scene:
    def delegated(address: str) -> str:
        account = Account.create().address
        code = "0xef0100" + address.removeprefix("0x")
        world.chain.anvil.rpc("anvil_setCode", account, code)
        return str(account)

    return told(world, delegated)


def told(world: World, at_last: Callable[[str], str]) -> Scene:
    """A transfer that never happens: a genuine agent's plan and proofs, sent to a fake that tells
    of it. at_last: the address that the fake is met at."""
    victim = world.agent()
    runner = world.runner(victim)
    proven = runner.prove(runner.plan(world.transfer))
    steps = [step.decode() for step in proven.plan.steps]
    fake = at_last(world.make("FakeAgent", victim, steps, proven.plan.answer.decode()))
    made = [
        (replace(planned.context.reads, agent=fake.lower()), planned.decision)
        for planned in proven.plan.decisions
    ]
    calls = tuple(agreed_call(*each) for each in made)
    proven = replace(proven, terms=replace(proven.terms, calls=calls, facts=facts_of(made)))
    inclusion = Web3Sender(world.web3, fake, world.chain.owner).send(proven.call, 3_000_000)
    run = CompletedRun(proven, inclusion, 1)
    return Scene(fake, world.parts.registry, run, (*world.made, fake.lower()))


def proxy_agent(world: World) -> Scene:
    return world.scene(world.make("ProxyAgent", world.agent()), ANSWERED)


def changed_immutable(world: World) -> Scene:
    """The code of an agent with the symbol book of somebody else in it."""
    honest = world.agent()
    code = bytearray(world.web3.eth.get_code(honest))
    stranger = world.chain.stranger.address
    book = deploy(world.web3, contract("SymbolBook"), world.chain.owner, stranger)
    for place in contract("WalletAgent").immutables["_book"]:
        code[place : place + 32] = encode(["address"], [book.address])
    made = {"data": "0x" + creation_code(bytes(code)).hex()}
    agent = str(send(world.web3, made, world.chain.owner)["contractAddress"])
    pinned = call(world.web3, at(world.web3, "WalletAgent", honest).functions.pinnedCommitment())
    slot = f"0x{PINNED_SLOT:064x}"
    world.chain.anvil.rpc("anvil_setStorageAt", agent, slot, "0x" + bytes(pinned).hex())
    world.made.append(agent.lower())
    return world.scene(agent, ANSWERED)


def two_faced_tool(world: World) -> Scene:
    return foreign_tool(world, world.make("TwoFacedTool", world.parts.contracts.decoder))


def catching_tool(world: World) -> Scene:
    return foreign_tool(world, world.make("CatchingTool", world.agent()))


def foreign_tool(world: World, tool: str) -> Scene:
    arguments = (
        world.parts.executor,
        str(world.parts.model_id),
        world.commitment,
        world.parts.owner,
        world.parts.pool,
        world.parts.symbol_book,
        tool,
        MAX_ITERATIONS,
    )
    agent = deploy(world.web3, contract("ForeignToolAgent"), world.chain.owner, *arguments)
    world.made.append(str(agent.address).lower())
    world.pay(str(call(world.web3, agent.functions.wallet())))
    return world.scene(str(agent.address), world.transfer)


def lying_token(world: World) -> Scene:
    token = world.make("LyingToken")
    book = deploy(world.web3, contract("SymbolBook"), world.chain.owner, world.parts.owner)
    send(world.web3, book.functions.list("USDC", token), world.chain.owner)
    return world.scene(world.agent(book=book.address), world.transfer)


def vetoing_payee(world: World) -> Scene:
    pool = world.make("VetoingPool", world.parts.executor)
    return world.scene(world.agent(pool=pool), LOOKED_AT)


def book_over_a_forged_storage(world: World) -> Scene:
    """Which has three units of USDC for three USDC."""
    book = forged_book(world.chain, [("usdc", 0, world.parts.token("USDC").address)])
    world.made.append(book.lower())
    return world.scene(world.agent(book=book), world.transfer)


def pool_over_a_forged_storage(world: World) -> Scene:
    """Which may tell of deposits that nobody made."""
    pool = forge(world.chain, world.parts.pool, {0: 10**12})
    world.made.append(pool.lower())
    return world.scene(world.agent(pool=pool), LOOKED_AT)


SOUND, ACCEPTED = ("sound", ""), ("accepted", "")
NOT_CONCERNED = ("not concerned", "")
PAID = ("shown", "3000000 units of .* from .* to ")
#: What each command says of each contract: the verdict, and words of a check that does not hold.
EXPECTED: dict[Callable[[World], Scene], dict[str, tuple[str, str]]] = {
    genuine: {
        "model audit": SOUND,
        "agent audit": SOUND,
        "verify-run": ACCEPTED,
        SHOWING: PAID,
    },
    forwarding_registry: {
        "model audit": ("unsound", "the verifier that executors obey is"),
        "agent audit": ("unsound", "the verifier that executors obey is"),
        "verify-run": ("rejected", "the verifier that executors obey is"),
        SHOWING: PAID,
    },
    fake_executor: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unknown", "executor: .* is not ours: nobody here compiled it"),
        "verify-run": ("unknown", "executor: .* is not ours: nobody here compiled it"),
        SHOWING: PAID,
    },
    fake_agent: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unsound", "agent: .* is not ours: nobody here compiled it"),
        "verify-run": ("rejected", "was decided, and no such transfer is in the transaction"),
        SHOWING: ("refused", "CallerIsNotTheOwner"),  # whom it forwards to
    },
    delegated_account: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unsound", "EIP-7702"),
        "verify-run": ("rejected", "EIP-7702"),
        SHOWING: ("refused", "CallerIsNotTheOwner"),  # whom it forwards to
    },
    proxy_agent: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unsound", "agent: .* is not ours: nobody here compiled it"),
        "verify-run": ("rejected", "agent: .* is not ours: nobody here compiled it"),
        SHOWING: ("shown", "^$"),
    },
    changed_immutable: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unsound", "by another constructor: its storage may hold anything"),
        "verify-run": ("rejected", "it was made with _maker = "),
        SHOWING: ("shown", "^$"),
    },
    two_faced_tool: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unsound", "it has two faces: name"),
        "verify-run": ("rejected", "it has two faces: name"),
        SHOWING: PAID,
    },
    catching_tool: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unsound", "tool 'ViewBalance': .* is not ours"),
        "verify-run": ("rejected", "tool 'ViewBalance': .* is not ours"),
        SHOWING: PAID,
    },
    lying_token: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unknown", "token usdc: .* is not ours, the owner's choice"),
        "verify-run": ("rejected", "balance there changed by [+]0"),
        SHOWING: PAID,
    },
    vetoing_payee: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unknown", "pool: .* is not ours, the owner's choice"),
        "verify-run": ("unknown", "pool: .* is not ours, the owner's choice"),
        SHOWING: ("shown", "^$"),
    },
    book_over_a_forged_storage: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unsound", "symbol book: was made by its constructor: .* by another"),
        "verify-run": ("rejected", "symbol book: was made by its constructor: .* by another"),
        SHOWING: ("shown", "^3 units of .* from .* to "),
    },
    pool_over_a_forged_storage: {
        "model audit": NOT_CONCERNED,
        "agent audit": ("unsound", "pool: was made by its constructor: .* by another"),
        "verify-run": ("rejected", "pool: was made by its constructor: .* by another"),
        SHOWING: ("shown", "^$"),
    },
}
CODES = {"sound": 0, "accepted": 0, "unsound": 1, "rejected": 1, "unknown": 3}


@pytest.fixture(scope="module")
def world(wallet: Model, wallet_circuit: Circuit) -> Iterator[World]:
    """A chain with EIP-7702, for this file alone."""
    with Anvil(hardfork="prague") as anvil:
        owner, friend, stranger = anvil.accounts[:3]
        deployed = deploy_wallet(anvil.web3, wallet, wallet_circuit, owner)
        chain = EmbeddedChain(anvil, deployed, owner, friend, stranger)
        fund(chain)
        with open_session(anvil.web3, deployed.agent, owner, wallet, wallet_circuit) as session:
            yield World(session, chain, wallet)


def test_every_hostile_contract_meets_every_checking_command() -> None:
    checking = {
        path.removeprefix("zkagent ")
        for path in TREE
        if path.endswith(" audit") or path.endswith("verify-run")
    } - {"runs audit"}  # of a log, not of contracts
    assert checking == set(COMMANDS)
    assert all(set(row) == {*checking, SHOWING} for row in EXPECTED.values())
    assert NOT_CONCERNED not in {row[c] for row in EXPECTED.values() for c in COMMANDS[1:]}
    believed = [row for row in EXPECTED.values() if SOUND in row.values()]
    assert believed == [EXPECTED[genuine]]
    made = set(re.findall(r"^contract (\w+)", (HOSTILE / "Hostile.sol").read_text(), re.MULTILINE))
    mounted = Path(__file__).read_text()
    assert len(made) > 5
    assert [name for name in made if f'make("{name}"' not in mounted] == []


@pytest.mark.slow
@pytest.mark.chain
@pytest.mark.parametrize("mount", EXPECTED, ids=lambda mount: mount.__name__)
def test_no_command_believes_it(
    world: World,
    mount: Callable[[World], Scene],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world.made.clear()
    scene = mount(world)

    def shown(chain: Web3Agent, inclusion: Inclusion, planned: object) -> AgentIdentity:
        """Whoever lies writes into his receipts what he likes, whatever was obeyed."""
        return chain.identity(chain.block(inclusion.result.block.number - 1))

    monkeypatch.setattr(writer, "obeyed", shown)
    chain = Web3Agent(world.web3, scene.agent)
    receipt = tmp_path / "receipt.json"
    written = write_receipt(chain, world.model, [scene.run], world.chain.owner)
    receipt.write_text(written.to_json())
    rpc = ("--rpc", world.chain.anvil.rpc_url, "--json")
    words: dict[str, tuple[object, ...]] = {
        "model audit": (world.parts.model_id, "--registry", scene.registry),
        "agent audit": (scene.agent,),
        "verify-run": (receipt,),
    }
    for command in COMMANDS:
        verdict, why = EXPECTED[mount][command]
        if (verdict, why) == NOT_CONCERNED:
            assert scene.registry == world.parts.registry
            assert scene.hostile
            assert world.asked_by_model_audit.isdisjoint(scene.hostile)
            continue
        capsys.readouterr()
        code = exit_code(*command.split(), *words[command], *rpc)
        printed = json.loads(capsys.readouterr().out)
        problems = "\n".join(problems_in(printed))
        assert (printed["verdict"], code) == (verdict, CODES[verdict]), (command, problems)
        assert re.search(why, problems), (command, problems)
    outcome, transfers = world.shown(scene)
    expected, why = EXPECTED[mount][SHOWING]
    assert outcome == expected, transfers
    assert re.search(why, transfers), transfers
    if outcome == "shown":
        assert transfers == world.happened(scene)


def problems_in(printed: dict[str, Any]) -> list[str]:
    """Of an audit or of a receipt, as sentences."""
    if "problems" in printed:
        return list(printed["problems"])
    checks = printed["checks"]
    return [f"{c['subject']}: {c['claim']}: {c['problem']}" for c in checks if c["problem"]]

"""Puts a model and a wallet agent on a chain: data contracts, encoder, decoder, verifier, registry,
executor, symbol book, agent. Called by `deploy`, the demo, `run` without an RPC address, and tests.

What is there already may be used in place of a part (foundations.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import DEMO_ASSETS
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import Sender
from zkagent.verifier_contracts.deployment.backing import backing_of
from zkagent.verifier_contracts.deployment.batches import add_batches
from zkagent.verifier_contracts.deployment.carrier import Carrier, DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import (
    Deployer,
    Progress,
    Registered,
    at,
    silent,
)
from zkagent.verifier_contracts.deployment.foundations import Foundations, check_foundations
from zkagent.verifier_contracts.deployment.model_code import code_of
from zkagent.verifier_contracts.deployment.record import Deployment, Token

#: What the constructor of WalletAgent makes by CREATE, and with which nonce: where these stand
#: follows from the agent's address, whatever a node says (`agents/WalletTools.sol`).
WALLET_NONCE = 1
TOOL_NONCES = {"ViewBalance": 3, "Deploy": 4, "Withdraw": 5, "Transfer": 6}


@dataclass(frozen=True)
class WalletPlan:
    """What a wallet agent is to be made of. batches: circuits for several decisions in a proof, by
    their number. there: what of the chain is used; the rest is deployed, pool and tokens as demo
    ones. contacts: names and accounts, for a model that knows any; caution: of the owner, for a
    model that is told any, the model's own by default. strict: the agent has each decision proven
    before it acts on it."""

    batches: Mapping[int, Circuit] = field(default_factory=dict)
    there: Foundations = field(default_factory=Foundations)
    contacts: tuple[tuple[str, str], ...] = ()
    caution: int | None = None
    strict: bool = False

    @property
    def makes_tokens(self) -> bool:
        return self.there.book is None and not self.there.tokens


def deploy_wallet(
    web3: Any,
    model: Model,
    circuit: Circuit,
    owner: Sender,
    *,
    plan: WalletPlan = WalletPlan(),
    progress: Progress = silent,
) -> Deployment:
    """`build_wallet` with every transaction sent at once."""
    return build_wallet(DirectCarrier(web3, owner), model, circuit, plan, progress)


def build_wallet(
    carrier: Carrier,
    model: Model,
    circuit: Circuit,
    plan: WalletPlan = WalletPlan(),
    progress: Progress = silent,
) -> Deployment:
    """The whole of it, by the carrier's account, whom the agent then serves.

    Raises DevelopmentSetupRefused outside a local chain for a circuit of a development set-up, and
    UnknownCode for what is there and no contract of ours, both before anything is sent;
    ModelCodeError, EvmModelError, CompileError, ChainError.
    """
    deployer, there = Deployer(carrier, progress), plan.there
    for batch in plan.batches.values():
        backing_of(batch).check(deployer.chain_id, batch.origin.onnx)
    check_foundations(carrier.web3, there)
    contracts, verifier = deployer.model(model, circuit)
    registry = _registry(deployer, there)
    registered = deployer.register(registry, model, circuit, contracts, verifier)
    if plan.batches:
        registered = add_batches(deployer, registry, registered, plan.batches)
    executor = (
        there.executor or deployer.make("executor", "AgentExecutor", registry.address).address
    )
    pool = there.pool or deployer.make("demo pool", "LendingPool").address
    tokens, book = _symbols(deployer, there)
    contacts = deployer.contact_book(plan.contacts) if code_of(model).instructed else ""
    made = _agent(deployer, model, (executor, registered, registry, pool), (book, contacts), plan)
    agent = str(made.address)
    return Deployment(
        chain_id=deployer.chain_id,
        block=carrier.block,
        model=model.name,
        manifest_digest=model.digest,
        circuit=circuit.digest,
        development_srs=circuit.development_srs,
        owner=deployer.account,
        contracts=contracts,
        registry=registry.address,
        model_id=registered.number,
        executor=executor,
        pool=pool,
        symbol_book=book,
        tokens=tokens,
        agent=agent,
        **_made_by(agent),
        commitment="0x" + registered.commitment.hex(),
        contact_book=contacts,
    )


def another_agent(
    web3: Any, there: Deployment, model: Model, owner: Sender, *, plan: WalletPlan = WalletPlan()
) -> Deployment:
    """A new wallet agent on what stands already, and that of a record: with a wallet of its own.

    there: with the commitment that the agent pins. plan: says caution, and whether it is strict."""
    deployer = Deployer(DirectCarrier(web3, owner))
    registered = Registered(there.model_id, bytes.fromhex(there.commitment.removeprefix("0x")))
    registry = at(web3, "ModelRegistry", there.registry)
    places = (there.executor, registered, registry, there.pool)
    made = _agent(deployer, model, places, (there.symbol_book, there.contact_book), plan)
    agent = str(made.address)
    return replace(there, agent=agent, **_made_by(agent))


def _agent(
    deployer: Deployer,
    model: Model,
    places: tuple[str, Registered, Any, str],
    books: tuple[str, str],
    plan: WalletPlan,
) -> Any:
    """places: executor, model, registry, pool."""
    if not code_of(model).instructed:
        return deployer.wallet_agent(*places, books[0], strict=plan.strict)
    caution = (model.caution or 0) if plan.caution is None else plan.caution
    return deployer.instructed_agent(*places, books=books, caution=caution, strict=plan.strict)


def _made_by(agent: str) -> dict[str, Any]:
    """Of a record, what stands where since the agent's constructor made it."""
    tools = tuple((name, created_address(agent, nonce)) for name, nonce in TOOL_NONCES.items())
    return {"wallet": created_address(agent, WALLET_NONCE), "tools": tools}


def _registry(deployer: Deployer, there: Foundations) -> Any:
    if there.registry is None:
        return deployer.make("registry", "ModelRegistry")
    return at(deployer.web3, "ModelRegistry", there.registry)


def _symbols(deployer: Deployer, there: Foundations) -> tuple[tuple[Token, ...], str]:
    """The tokens that the agent's owner may name, and the book that lists them."""
    if there.book is not None:
        return there.listed, there.book
    tokens = there.tokens or deployer.tokens(DEMO_ASSETS)
    return tokens, deployer.symbol_book(tokens)


__all__ = ["Deployer", "Foundations", "WalletPlan", "another_agent", "at", "build_wallet"]
__all__ += ["deploy_wallet"]

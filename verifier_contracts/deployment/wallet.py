"""Puts a model and a wallet agent on a chain: data contracts, encoder, decoder, verifier, registry,
executor, symbol book, agent. Called by `deploy`, the demo, `run` without an RPC address, and tests.

What is there already may be used in place of a part (foundations.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import DEMO_ASSETS
from zkagent.verifier_contracts.chain.local import Sender, call
from zkagent.verifier_contracts.deployment.backing import backing_of
from zkagent.verifier_contracts.deployment.batches import add_batches
from zkagent.verifier_contracts.deployment.carrier import Carrier, DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, Progress, at, silent
from zkagent.verifier_contracts.deployment.foundations import (
    Foundations,
    check_foundations,
    listed_tokens,
)
from zkagent.verifier_contracts.deployment.record import Deployment, Token


@dataclass(frozen=True)
class WalletPlan:
    """What a wallet agent is to be made of. batches: circuits for several decisions in a proof, by
    their number. there: what of the chain is used; the rest is deployed, pool and tokens as demo
    ones."""

    batches: Mapping[int, Circuit] = field(default_factory=dict)
    there: Foundations = field(default_factory=Foundations)

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
    contracts = deployer.model(model, circuit)
    registry = _registry(deployer, there)
    model_id = deployer.register(registry, model, circuit, contracts)
    if plan.batches:
        add_batches(deployer, registry, model_id, plan.batches)
    executor = (
        there.executor or deployer.make("executor", "AgentExecutor", registry.address).address
    )
    pool = there.pool or deployer.make("demo pool", "LendingPool").address
    tokens, book = _symbols(deployer, there)
    agent = deployer.wallet_agent(executor, model_id, registry, pool, book)
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
        model_id=model_id,
        executor=executor,
        pool=pool,
        symbol_book=book,
        tokens=tokens,
        agent=agent.address,
        wallet=str(call(carrier.web3, agent.functions.wallet())),
        tools=_named_tools(carrier.web3, agent),
    )


def _registry(deployer: Deployer, there: Foundations) -> Any:
    if there.registry is None:
        return deployer.make("registry", "ModelRegistry")
    return at(deployer.web3, "ModelRegistry", there.registry)


def _symbols(deployer: Deployer, there: Foundations) -> tuple[tuple[Token, ...], str]:
    """The tokens that the agent's owner may name, and the book that lists them."""
    if there.book is not None:
        return listed_tokens(deployer.web3, there.book), there.book
    tokens = there.tokens or deployer.tokens(DEMO_ASSETS)
    return tokens, deployer.symbol_book(tokens)


def _named_tools(web3: Any, agent: Any) -> tuple[tuple[str, str], ...]:
    addresses, _ = call(web3, agent.functions.tools())
    tools = [at(web3, "IERCAgentTool", address) for address in addresses]
    return tuple((str(call(web3, tool.functions.name())), tool.address) for tool in tools)


__all__ = ["Deployer", "Foundations", "WalletPlan", "at", "build_wallet", "deploy_wallet"]

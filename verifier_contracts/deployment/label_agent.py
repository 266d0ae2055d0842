"""Puts a text classifier on a chain, and an agent that says labels to whoever asks: data contracts,
encoder, decoder, verifier, registry, executor, symbol book, agent. A wallet's place stays empty.

What `wallet.py` is for agents that hold tokens; `build_agent` chooses between the two.
"""

from zkagent.circuits.artifacts import Circuit
from zkagent.models.catalogue import LabelModel, Model, ReaderModel
from zkagent.verifier_contracts.deployment.carrier import Carrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, Progress, at, silent
from zkagent.verifier_contracts.deployment.foundations import Foundations, check_foundations
from zkagent.verifier_contracts.deployment.record import NOBODY, Deployment
from zkagent.verifier_contracts.deployment.wallet import WalletPlan, build_wallet
from zkagent.verifier_contracts.errors import ModelCodeError


def build_agent(
    carrier: Carrier,
    model: Model,
    circuit: Circuit,
    plan: WalletPlan,
    progress: Progress = silent,
) -> Deployment:
    """The agent that such a model is for. Raises like `build_wallet`; ModelCodeError for a reader,
    whose agents have tools of somebody's own."""
    check_has_agent(model)
    if isinstance(model, LabelModel):
        return build_label_agent(carrier, model, circuit, plan.there, progress)
    return build_wallet(carrier, model, circuit, plan, progress)


def check_has_agent(model: Model) -> None:
    """Whether an agent of ours is for such a model. Raises ModelCodeError."""
    if isinstance(model, ReaderModel):
        raise ModelCodeError(
            f"{model.name} chooses among tools of your own, and no agent here has any for it: "
            "begin one with zkagent agent new NAME --kind reader"
        )


def build_label_agent(
    carrier: Carrier,
    model: LabelModel,
    circuit: Circuit,
    there: Foundations,
    progress: Progress = silent,
) -> Deployment:
    """By the carrier's account, who may have the agent obey another classifier. there: of it,
    registry, executor and book are used. Raises like `build_wallet`."""
    deployer = Deployer(carrier, progress)
    check_foundations(carrier.web3, there)
    contracts, verifier = deployer.model(model, circuit)
    registry = (
        at(carrier.web3, "ModelRegistry", there.registry)
        if there.registry
        else deployer.make("registry", "ModelRegistry")
    )
    registered = deployer.register(registry, model, circuit, contracts, verifier)
    executor = there.executor or deployer.address("executor", "AgentExecutor", registry.address)
    book = there.book or deployer.symbol_book(())
    agent = deployer.address(
        "agent",
        "LabelAgent",
        executor,
        str(registered.number),
        registered.commitment,
        deployer.account,
        book,
    )
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
        pool=NOBODY,
        symbol_book=book,
        tokens=there.listed,
        agent=agent,
        wallet=NOBODY,
        tools=(),
        commitment="0x" + registered.commitment.hex(),
    )


__all__ = ["build_agent", "build_label_agent", "check_has_agent"]

"""Puts the loan workflow on a chain: a DAO with criteria in words, a credit history, an agent that
scores, an agent that decides, and a pool that pays out what that one approves.

Called by the demo and by tests, on chains of their own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.models.catalogue import CreditModel, LoanModel, Model
from zkagent.models.encoding.book import DEMO_ASSETS
from zkagent.verifier_contracts.chain.local import Sender
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, Progress, Registered, silent


@dataclass(frozen=True)
class LoanParts:
    """What the workflow is made of. members: of the DAO; criteria: its words at first."""

    loan: LoanModel
    loan_circuit: Circuit
    credit: CreditModel
    credit_circuit: Circuit
    members: Sequence[str]
    criteria: str


@dataclass(frozen=True)
class LoanDeployment:
    """Where everything is; addresses are checksummed. models: numbers in the registry by name;
    verifiers: of proofs, likewise."""

    registry: str
    executor: str
    book: str
    token: str
    dao: str
    history: str
    scores: str
    agent: str
    pool: str
    models: Mapping[str, int]
    verifiers: Mapping[str, str]


def deploy_loan(
    web3: Any, parts: LoanParts, owner: Sender, progress: Progress = silent
) -> LoanDeployment:
    """All of it, by `owner`, who reports to the credit history and may accept other models. Raises
    ModelCodeError, CompileError, ChainError, DevelopmentSetupRefused."""
    deployer = Deployer(DirectCarrier(web3, owner), progress)
    registry = deployer.make("registry", "ModelRegistry")
    scoring, scored_by = _registered(deployer, registry, parts.credit, parts.credit_circuit)
    deciding, decided_by = _registered(deployer, registry, parts.loan, parts.loan_circuit)
    executor = deployer.address("executor", "AgentExecutor", registry.address)
    token = deployer.tokens(DEMO_ASSETS[:1])[0]
    book = deployer.symbol_book([token])
    dao = deployer.address("criteria", "CriteriaDao", list(parts.members), parts.criteria)
    history = deployer.make("credit history", "CreditHistory", deployer.account)
    common = (deployer.account, book)
    scores = deployer.address(
        "credit-score agent",
        "CreditScoreAgent",
        executor,
        str(scoring.number),
        scoring.commitment,
        *common,
        history.address,
    )
    agent = deployer.address(
        "loan agent",
        "LoanAgent",
        executor,
        str(deciding.number),
        deciding.commitment,
        *common,
        dao,
        scores,
    )
    pool = deployer.address("loan pool", "LoanPool", agent, token.address, history.address)
    deployer.send("credit history", "name the pool", history.functions.setPool(pool, True))
    return LoanDeployment(
        registry=registry.address,
        executor=executor,
        book=book,
        token=token.address,
        dao=dao,
        history=history.address,
        scores=scores,
        agent=agent,
        pool=pool,
        models={parts.credit.name: scoring.number, parts.loan.name: deciding.number},
        verifiers={parts.credit.name: scored_by, parts.loan.name: decided_by},
    )


def _registered(
    deployer: Deployer, registry: Any, model: Model, circuit: Circuit
) -> tuple[Registered, str]:
    """The model in the registry, and the address of its verifier."""
    contracts, verifier = deployer.model(model, circuit)
    registered = deployer.register(registry, model, circuit, contracts, verifier)
    return registered, str(verifier.address)


__all__ = ["LoanDeployment", "LoanParts", "deploy_loan"]

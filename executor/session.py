"""Everything that a run needs, opened and closed together: chain, model, circuit, prover, key."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eth_account.signers.local import LocalAccount

from circuits.artifacts import Circuit
from circuits.store import cached_circuit
from executor.embedded import EmbeddedChain, embedded_chain
from executor.errors import OtherModel
from executor.evaluated import Evaluation
from executor.events import Listener, ignore
from executor.local_batches import LocalBatches
from executor.model_hashes import EVALUATION_ID
from executor.onchain import AgentRunner
from executor.planner import check_model
from executor.prover_protocol import BatchProver, ProverOpener
from executor.web3_agent import Web3Agent
from executor.web3_sender import Web3Sender
from models.catalogue import Model
from prover.local import LocalProver

Stage = Callable[[str], None]


@dataclass(frozen=True)
class AgentSession:
    """One account and one agent on one chain, ready to run prompts."""

    web3: Any
    chain: Web3Agent
    sender: Web3Sender
    signer: LocalAccount
    model: Model
    runner: AgentRunner


@dataclass(frozen=True)
class Session(AgentSession):
    """With an agent whose decisions are proven by `circuit`."""

    circuit: Circuit


@contextmanager
def open_session(
    web3: Any,
    agent: str,
    signer: LocalAccount,
    model: Model,
    circuit: Circuit,
    *,
    report: Listener = ignore,
    batches: BatchProver | None = None,
    opener: ProverOpener = LocalProver,
) -> Iterator[Session]:
    """A session with a warm prover. batches: prove the decisions of each run together.

    Raises OtherModel when the agent's verifier is of another circuit.
    """
    chain, sender = Web3Agent(web3, agent), Web3Sender(web3, agent, signer)
    with opener(circuit) as prover:
        runner = AgentRunner(chain, sender, model, prover, report, batches=batches)
        yield Session(web3, chain, sender, signer, model, runner, circuit)


@contextmanager
def open_agent(
    web3: Any,
    agent: str,
    signer: LocalAccount,
    model: Model,
    *,
    srs: Path | None,
    stage: Stage,
    report: Listener = ignore,
    batches: BatchProver | None = None,
    opener: ProverOpener = LocalProver,
) -> Iterator[AgentSession]:
    """A session with an agent that is there: with a prover, unless the chain itself evaluates the
    agent's model. Raises OtherModel, CircuitError."""
    chain = Web3Agent(web3, agent)
    identity = chain.identity(chain.head())
    check_model(identity, model)
    if identity.model.proof_system_id == EVALUATION_ID:
        sender = Web3Sender(web3, agent, signer)
        runner = AgentRunner(chain, sender, model, Evaluation(model), report, batches=batches)
        yield AgentSession(web3, chain, sender, signer, model, runner)
        return
    circuit = circuit_of_agent(web3, agent, model, srs, stage)
    with open_session(
        web3, agent, signer, model, circuit, report=report, batches=batches, opener=opener
    ) as session:
        yield session


@contextmanager
def open_embedded(
    model: Model,
    circuit: Circuit,
    stage: Stage,
    report: Listener = ignore,
    batches: Mapping[int, Circuit] | None = None,
    *,
    opener: ProverOpener = LocalProver,
) -> Iterator[tuple[Session, EmbeddedChain]]:
    """A session on a chain of its own, which ends with it. batches: circuits by how many decisions
    they prove; with any, the decisions of each run are proven together."""
    with (
        embedded_chain(model, circuit, stage, batches or {}) as chain,
        LocalBatches(model, None, stage, opener) as provers,
        open_session(
            chain.web3,
            chain.deployment.agent,
            chain.owner,
            model,
            circuit,
            report=report,
            batches=provers if batches else None,
            opener=opener,
        ) as session,
    ):
        yield session, chain


def local_circuit(model: Model, srs: Path | None, stage: Stage) -> Circuit:
    """The model's circuit with the set-up `srs`, or a development one. Raises CircuitError."""
    from circuits.build_process import build_isolated

    return build_isolated(
        model.onnx_path, srs=srs, progress=lambda step: stage(f"circuit: {step.value}")
    )


def circuit_of_agent(
    web3: Any, agent: str, model: Model, srs: Path | None, stage: Stage
) -> Circuit:
    """The circuit whose verifier the agent's model is bound to. Raises OtherModel, CircuitError."""
    chain = Web3Agent(web3, agent)
    identity = chain.identity(chain.head())
    check_model(identity, model)
    digest = identity.model.circuit_hash.hex()
    circuit = cached_circuit(digest) or local_circuit(model, srs, stage)
    if circuit.digest != digest:
        raise OtherModel("circuit", circuit.digest[:16], f"{digest[:16]} (another set-up: --srs)")
    return circuit

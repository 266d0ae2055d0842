"""Everything that a run needs, opened and closed together: chain, model, circuit, prover, key."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.systems import (
    HALO2,
    ProofSystem,
    cached_circuit,
    check_repeatable,
    find_system,
)
from zkagent.errors import ZkagentError
from zkagent.executor.chain.agent import AgentIdentity, AgentModel
from zkagent.executor.chain.embedded import EmbeddedChain, embedded_chain
from zkagent.executor.chain.plain_agent import agent_at
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import OtherModel
from zkagent.executor.runs.deciders import check_deciders
from zkagent.executor.runs.events import Listener, ignore
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.local_batches import LocalBatches
from zkagent.executor.runs.nested_models import FoundModels
from zkagent.executor.runs.open_run import check_bound
from zkagent.executor.runs.provers import (
    BatchProver,
    DecisionProver,
    OpenProver,
    ProverOpener,
    open_prover,
)
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.terms import DEFAULT_LIMITS, RunLimits
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import Listing
from zkagent.prover.local import LocalProver

Stage = Callable[[str], None]


def _untold(stage: str) -> None:
    """Progress for nobody."""


@dataclass(frozen=True)
class Session:
    """One account and one agent on one chain, ready to run prompts. proven_by: the circuit that
    shows that the agent's decisions are the model's, or why nothing can be proven. journal: of what
    is signed. throwaway: the chain ends with the session."""

    web3: Any
    chain: Web3Agent
    sender: Web3Sender
    signer: LocalAccount
    model: Model
    runner: AgentRunner
    proven_by: Circuit | ZkagentError
    journal: Journal = field(default_factory=Journal)
    throwaway: bool = False

    @property
    def circuit(self) -> Circuit:
        """Raises why there is none."""
        if isinstance(self.proven_by, Circuit):
            return self.proven_by
        raise self.proven_by


@contextmanager
def open_session(
    web3: Any,
    agent: str | Web3Agent,
    signer: LocalAccount,
    model: Model,
    circuit: Circuit | ZkagentError,
    *,
    report: Listener = ignore,
    batches: BatchProver | None = None,
    opener: ProverOpener = LocalProver,
    limits: RunLimits = DEFAULT_LIMITS,
    known: Sequence[Listing] = (),
    srs: Path | None = None,
    stage: Stage = _untold,
    models: Sequence[Model] = (),
    entry: str | None = None,
) -> Iterator[Session]:
    """A session with a warm prover. agent: its address, or who asks it, where it was looked at
    before. circuit: or why there is none, which whoever proves is told.
    batches: prove the decisions of each run together. known: tokens that no run takes for others.
    models: of agents that are used as tools, beside the shipped ones; their provers are opened when
    they are needed, srs: with circuits of this set-up. entry: the contract that runs are sent
    through, where the agent serves it.
    """
    chain = agent if isinstance(agent, Web3Agent) else agent_at(web3, agent, entry=entry)
    sender = Web3Sender(web3, chain.agent, signer, entry=chain.entry)
    with ExitStack() as opened, _prover_of(circuit, opener) as prover:

        def inside(identity: AgentIdentity, of: Model) -> DecisionProver:
            found = circuit_of_agent(web3, identity.agent, of, srs, stage)
            return opened.enter_context(open_prover(found, opener))

        runner = AgentRunner(
            chain,
            sender,
            model,
            prover,
            report,
            batches=batches,
            limits=limits,
            known=known,
            nested=FoundModels(inside, models),
        )
        yield Session(web3, chain, sender, signer, model, runner, circuit)


def _prover_of(circuit: Circuit | ZkagentError, opener: ProverOpener) -> OpenProver:
    return open_prover(circuit, opener) if isinstance(circuit, Circuit) else _NoProver(circuit)


class _NoProver(ExitStack[None]):
    """Where nothing can be proven."""

    def __init__(self, why: ZkagentError) -> None:
        super().__init__()
        self.why = why

    def prove(self, x: Sequence[int]) -> Proof:
        raise self.why


def _was_signed_for(agent: str, signer: LocalAccount) -> bool:
    """Whether anything was: what is unfinished is gone on with, and what was done is not done
    again, whatever the agent's model has become."""
    whose = agent.lower(), str(signer.address).lower()
    readable, _ = Journal().look()
    return any((record.intent.agent, record.intent.account) == whose for record in readable)


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
    limits: RunLimits = DEFAULT_LIMITS,
    known: Sequence[Listing] = (),
    models: Sequence[Model] = (),
    entry: str | None = None,
) -> Iterator[Session]:
    """A session with an agent that is there. models, entry: as `open_session` has them.

    Raises OtherModel, CircuitError.

    What was signed before is gone on with, or refused as done before, whatever the agent's model
    has become since, which its owner may change: such a session begins no run, and whoever wants
    one is told of this error then.
    """
    circuit: Circuit | ZkagentError
    chain = agent_at(web3, agent, entry=entry)
    try:
        circuit = circuit_asked(chain, model, srs, stage)
    except ZkagentError as exc:
        if not _was_signed_for(chain.agent, signer):
            raise
        circuit, batches = exc, None
    with open_session(
        web3,
        chain,
        signer,
        model,
        circuit,
        report=report,
        batches=batches,
        opener=opener,
        limits=limits,
        known=known,
        srs=srs,
        stage=stage,
        models=models,
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
    limits: RunLimits = DEFAULT_LIMITS,
    strict: bool = False,
) -> Iterator[tuple[Session, EmbeddedChain]]:
    """A session on a chain of its own, which ends with it. batches: circuits by how many decisions
    they prove; with any, the decisions of each run are proven together. strict: with an agent that
    has decisions proven before it acts."""
    with (
        TemporaryDirectory(prefix="zkagent-runs-") as folder,
        embedded_chain(model, circuit, stage, batches or {}, strict=strict) as chain,
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
            limits=limits,
        ) as session,
    ):
        yield replace(session, journal=Journal(Path(folder)), throwaway=True), chain


def local_circuit(
    model: Model, srs: Path | None, stage: Stage, system: ProofSystem = HALO2
) -> Circuit:
    """The model's circuit with the set-up `srs`, or a development one. Raises CircuitError."""
    return system.build(model.onnx_path, srs=srs, progress=lambda step: stage(f"circuit: {step}"))


def circuit_of_agent(
    web3: Any,
    agent: str,
    model: Model,
    srs: Path | None,
    stage: Stage,
    *,
    entry: str | None = None,
) -> Circuit:
    """The circuit whose verifier the agent's model is bound to. entry: as `open_session` has it.
    Raises OtherModel, CircuitError, and DecidesOtherwise for a model whose runs would not be
    planned."""
    return circuit_asked(agent_at(web3, agent, entry=entry), model, srs, stage)


def circuit_asked(chain: Web3Agent, model: Model, srs: Path | None, stage: Stage) -> Circuit:
    """`circuit_of_agent` for whoever asks the agent already."""
    head = chain.head()
    obeyed = chain.identity(head).model
    check_deciders(chain.code, obeyed, head)
    return circuit_bound(obeyed, model, srs, stage)


def circuit_bound(bound: AgentModel, model: Model, srs: Path | None, stage: Stage) -> Circuit:
    """The same of a model as the registry has it."""
    check_bound(bound, model)
    digest, system = bound.circuit_hash.hex(), find_system(bound.proof_system_id)
    if (circuit := cached_circuit(digest)) is None:
        check_repeatable(system, digest)
        circuit = local_circuit(model, srs, stage, system)
    circuit.require_open("an agent")
    if circuit.origin.system != system.name:
        raise OtherModel("proof system", circuit.origin.system, system.name)
    if circuit.digest != digest:
        raise OtherModel("circuit", circuit.digest[:16], f"{digest[:16]} (another set-up: --srs)")
    return circuit

"""Whom a run is for: an agent on a chain that is there, or a demo agent on a chain of its own.

`open_run` is what the Python face opens agents with, and through it `zkagent run`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from zkagent.circuits.support.progress import Told, silent
from zkagent.circuits.systems import PROVING, ProofSystem
from zkagent.executor.errors import DeploymentMissing, KeyFileError
from zkagent.executor.runs.events import Listener, ignore
from zkagent.executor.runs.keys import Password, load_key
from zkagent.executor.runs.local_batches import LocalBatches, batch_circuit
from zkagent.executor.runs.provers import ProverOpener
from zkagent.executor.runs.service_prover import CheckedService
from zkagent.executor.runs.session import Session, local_circuit, open_agent, open_embedded
from zkagent.executor.runs.terms import DEFAULT_LIMITS, RunLimits
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import Listing
from zkagent.prover.local import LocalProver
from zkagent.verifier_contracts.chain.addresses import is_address
from zkagent.verifier_contracts.chain.local import connect
from zkagent.verifier_contracts.chain.signing import USUAL_CAPS, FeeCaps
from zkagent.verifier_contracts.deployment.label_agent import check_has_agent
from zkagent.verifier_contracts.deployment.own_agent import OwnAgent, load_agent
from zkagent.verifier_contracts.deployment.record import Deployment

#: Batches of a demo agent's model: a wallet's run takes two or three decisions.
EMBEDDED_SIZES = (4,)

#: How users write the fields of a Target, in errors: as keyword arguments ...
ARGUMENTS = {
    "rpc": "rpc=URL",
    "agent": "address=ADDRESS",
    "key_file": "key_file=FILE",
    "deployment": "deployment=FILE",
    "chain_id": "chain_id=NUMBER",
}
#: ... or as options of a command.
OPTIONS = {
    "rpc": "--rpc URL",
    "agent": "--agent ADDRESS",
    "key_file": "--key-file FILE",
    "deployment": "--deployment FILE",
    "chain_id": "--chain-id NUMBER",
}


@dataclass(frozen=True)
class Target:
    """Where to run: all None for a chain of our own.

    agent: its address. key_file: of the agent's owner. deployment: the record or its file, which
    names agent and chain where the others do not. chain_id: refuse any other chain.
    caps: of the fees that are paid there.
    """

    rpc: str | None = None
    agent: str | None = None
    key_file: Path | None = None
    deployment: Path | Deployment | None = None
    chain_id: int | None = None
    caps: FeeCaps = USUAL_CAPS


@dataclass(frozen=True)
class Proving:
    """How a run's decisions are proven.

    srs: the set-up of circuits that have to be built. batch: together, by a batch verifier.
    service: by the proof service at this URL instead of a process of our own. system: of a demo
    agent, by default the usual one of its model; others have theirs.
    """

    srs: Path | None = None
    batch: bool = False
    service: str | None = None
    system: ProofSystem | None = None

    @property
    def opener(self) -> ProverOpener:
        return LocalProver if self.service is None else partial(CheckedService, self.service)


@contextmanager
def open_run(
    target: Target,
    model: Model,
    proving: Proving,
    *,
    password: Password = None,
    stage: Told = silent,
    report: Listener = ignore,
    spelling: Mapping[str, str] = ARGUMENTS,
    limits: RunLimits = DEFAULT_LIMITS,
) -> Iterator[Session]:
    """A session with the target's agent, which ends with the block.

    limits: of what a run's transaction may do. password: of an encrypted key file. stage: told of
    what takes time before a run. spelling: how errors name a field of the target. Raises
    DeploymentMissing, KeyFileError, NoAgentThere, OtherModel, CircuitError, ContractsError.
    """
    if target.rpc is None:
        refuse_without_rpc(target, spelling)
        with _embedded(model, proving, stage, report, limits) as session:
            yield session
        return
    signer = signer_of(target.key_file, password, spelling)
    agent, chain_id = agent_of(target, spelling)
    web3 = connect(target.rpc, chain_id, caps=target.caps)
    with (
        LocalBatches(model, proving.srs, stage, proving.opener) as provers,
        open_agent(
            web3,
            agent,
            signer,
            model,
            srs=proving.srs,
            stage=stage,
            report=report,
            batches=provers if proving.batch else None,
            opener=proving.opener,
            limits=limits,
            known=_known_tokens(target, agent),
        ) as session,
    ):
        yield session


def signer_of(
    key_file: Path | None, password: Password = None, spelling: Mapping[str, str] = ARGUMENTS
) -> LocalAccount:
    """The account of a key file. Raises KeyFileError, also when there is none."""
    if key_file is None:
        raise KeyFileError(
            f"runs are signed here: give the owner's key with {spelling['key_file']}"
        )
    return load_key(key_file, password)


@contextmanager
def _embedded(
    model: Model, proving: Proving, stage: Told, report: Listener, limits: RunLimits
) -> Iterator[Session]:
    check_has_agent(model)
    system = proving.system or PROVING[model.proof_systems[0]]
    circuit = local_circuit(model, proving.srs, stage, system)
    sizes = EMBEDDED_SIZES if proving.batch else ()
    batches = {size: batch_circuit(model, size, proving.srs, stage) for size in sizes}
    with open_embedded(
        model, circuit, stage, report, batches, opener=proving.opener, limits=limits
    ) as (demo, _):
        yield demo


def refuse_without_rpc(target: Target, spelling: Mapping[str, str]) -> None:
    """Raises DeploymentMissing for anything that is of no use without a chain to talk to."""
    for field in spelling:
        if getattr(target, field) is not None:
            name = spelling[field].replace("=", " ").partition(" ")[0]
            raise DeploymentMissing(
                f"{name} says whom to talk to, but not where: add {spelling['rpc']}"
            )


def agent_of(target: Target, spelling: Mapping[str, str]) -> tuple[str, int | None]:
    """The agent's address, checksummed, and the chain that it must be on if that is known. Raises
    DeploymentMissing, DeploymentFileError."""
    record = _record(target.deployment)
    agent = target.agent or (record.agent if record else None)
    if agent is None:
        choice = f"{spelling['agent']} or {spelling['deployment']}"
        raise DeploymentMissing(f"which agent? give {choice}")
    if not is_address(agent):
        raise DeploymentMissing(f"{agent} is not an address, or its checksum is wrong")
    recorded = record.chain_id if record else None
    wanted = recorded if target.chain_id is None else target.chain_id
    return str(to_checksum_address(agent)), wanted


def _known_tokens(target: Target, agent: str) -> tuple[Listing, ...]:
    """As the deployment record lists them, if it is this agent's."""
    record = _record(target.deployment)
    if not isinstance(record, Deployment) or record.agent.lower() != agent.lower():
        return ()
    return tuple(Listing(t.symbol, t.address.lower(), t.decimals) for t in record.tokens)


def _record(given: Path | Deployment | None) -> Deployment | OwnAgent | None:
    return load_agent(given) if isinstance(given, Path) else given


__all__ = ["ARGUMENTS", "OPTIONS", "Proving", "Target", "agent_of", "open_run"]
__all__ += ["refuse_without_rpc", "signer_of"]

"""Agents to run: opened with `agent`, one transaction for each run, a receipt of what happened."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from zkagent.circuits.support.progress import Told, silent
from zkagent.executor.api.arguments import AnyPath, model_of, path_of, setup_file
from zkagent.executor.chain.agent import TokenTransfer
from zkagent.executor.chain.effects import simulated_transfers
from zkagent.executor.receipts import file as receipt_file
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.derivation import check_prompt, observation_in, raw_bytes, text
from zkagent.executor.runs.events import Listener, ignore
from zkagent.executor.runs.keys import Password
from zkagent.executor.runs.plan import Plan
from zkagent.executor.runs.runner import CompletedRun, ProvenRun, run_reverted
from zkagent.executor.runs.session import Session
from zkagent.executor.runs.target import Proving, Target, open_run
from zkagent.models.catalogue import Model
from zkagent.models.encoding.decoder import Decision
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.errors import RevertError


@dataclass(frozen=True)
class Run:
    """A run that happened. receipt: what anybody can check it with, kept at `path`."""

    completed: CompletedRun
    receipt: Receipt
    path: Path

    @property
    def answer(self) -> str:
        return text(self.completed.inclusion.result.answer)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """In order; the last one is the answer."""
        return _decisions(self.completed.proven.plan)

    @property
    def observations(self) -> tuple[str, ...]:
        """What the tools returned, one for each decision but the last."""
        steps = zip(self.completed.inclusion.result.steps, self.decisions, strict=False)
        return tuple(text(observation_in(entry, decision) or b"") for entry, decision in steps)

    @property
    def transaction(self) -> str:
        """Its hash, 0x and 64 hex digits."""
        return self.completed.inclusion.hash

    @property
    def block(self) -> int:
        return self.completed.inclusion.result.block.number

    @property
    def gas_used(self) -> int:
        return self.completed.inclusion.result.gas_used


@dataclass(frozen=True)
class DryRun:
    """A run that was proven and not sent. gas: estimated for the whole transaction. transfers: of
    tokens, None when the node cannot simulate them."""

    proven: ProvenRun
    gas: int
    transfers: tuple[TokenTransfer, ...] | None

    @property
    def answer(self) -> str:
        return text(self.proven.plan.answer)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return _decisions(self.proven.plan)

    @property
    def block(self) -> int:
        """The one on whose state it was planned."""
        return self.proven.plan.block.number

    @property
    def effects(self) -> tuple[str, ...] | None:
        """The transfers in words."""
        if self.transfers is None:
            return None
        book = self.proven.plan.decisions[0].context.reads.book
        return tuple(transfer.describe(book) for transfer in self.transfers)


class Agent:
    """An agent that is open, with a warm prover and its owner's key; `agent` makes them."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def address(self) -> str:
        return self.session.sender.agent

    @property
    def owner(self) -> str:
        """The account that signs the runs."""
        return str(self.session.signer.address)

    @property
    def rpc(self) -> str:
        """Where the agent's chain answers, also that of a demo agent."""
        return str(self.session.web3.provider.endpoint_uri)

    def run(self, prompt: str, *, receipt: AnyPath | None = None) -> Run:
        """Plan, prove each decision, send one transaction, write the receipt.

        receipt: a new file; by default one in the cache's folder. Nothing is sent when this raises
        PlaceRefused, RefusedText, RefusedArgument, PlanError, ProverError or SendError.
        """
        instruction, place = self._checked(prompt), path_of(receipt)
        receipt_file.check_place(place)
        completed = self.session.runner.run(instruction)
        session = self.session
        written = write_receipt(session.chain, session.model, [completed], session.signer)
        path = receipt_file.keep(written, place, completed.inclusion.hash[2:18])
        return Run(completed, written, path)

    def plan(self, prompt: str) -> tuple[Decision, ...]:
        """The decisions that a run would take now; nothing is proven or sent. Raises RefusedText,
        RefusedArgument, PlanError, RunReverted."""
        with _reverts_named():
            return _decisions(self.session.runner.plan(self._checked(prompt)))

    def dry_run(self, prompt: str) -> DryRun:
        """Everything but sending: plan, proofs, gas and effects. Raises like `run`."""
        runner, sender = self.session.runner, self.session.sender
        with _reverts_named():
            proven = runner.prove(runner.plan(self._checked(prompt)))
            gas = runner.estimate(proven)
        transfers = simulated_transfers(self.session.web3, sender.fields(proven.call))
        return DryRun(proven, gas, transfers)

    def _checked(self, prompt: str) -> bytes:
        return checked_prompt(self.session.model, prompt)


@contextmanager
def agent(
    rpc: str | None = None,
    address: str | None = None,
    *,
    key_file: AnyPath | None = None,
    password: Password = None,
    deployment: Deployment | AnyPath | None = None,
    chain_id: int | None = None,
    model: Model | AnyPath = "wallet",
    srs: AnyPath | None = None,
    service: str | None = None,
    batch: bool = False,
    progress: Told = silent,
    listener: Listener = ignore,
) -> Iterator[Agent]:
    """Open an agent, ready to run instructions until the block ends.

        >>> with zkagent.agent() as agent:  # a demo agent on a chain of its own
        ...     run = agent.run("deposit 5 USDC")
        >>> run.answer
        'Successfully deployed'

    rpc: where the agent's chain answers; without one, a demo agent on an embedded chain, which ends
    with the block. address: the agent's; or deployment, which names agent and chain: the record or
    the file that `zkagent deploy` writes. key_file: the owner's key, 64 hex digits or an encrypted
    keystore; password: the keystore's, or a function that asks for it when $ZKAGENT_KEY_PASSWORD is
    not set. chain_id: refuse any other chain. model: the agent's, by name or folder. srs: the
    set-up file that the agent's verifier was made with. service: let the proof service at this URL
    prove. batch: prove a run's decisions together, by a batch verifier. progress: told in words of
    what takes long before a run; listener: of the events of a run. Raises DeploymentMissing,
    KeyFileError, NoAgentThere, OtherModel, ModelError, CircuitError, ContractsError.
    """
    where = Target(rpc, address, path_of(key_file), _deployment(deployment), chain_id)
    with open_run(
        where,
        model_of(model),
        Proving(setup_file(srs), batch, service),
        password=password,
        stage=progress,
        report=listener,
    ) as session:
        yield Agent(session)


def checked_prompt(model: Model, prompt: str) -> bytes:
    """The instruction as contracts take it. Raises RefusedText for what no agent could read."""
    instruction = raw_bytes(prompt)
    check_prompt(model, instruction)
    return instruction


def _deployment(given: Deployment | AnyPath | None) -> Deployment | Path | None:
    return given if given is None or isinstance(given, Deployment) else Path(given)


def _decisions(plan: Plan) -> tuple[Decision, ...]:
    return tuple(planned.decision for planned in plan.decisions)


@contextmanager
def _reverts_named() -> Iterator[None]:
    """A run's own failure, by the error that runs raise. Raises RunReverted."""
    try:
        yield
    except RevertError as exc:
        raise run_reverted(exc) from exc


__all__ = ["Agent", "DryRun", "Run", "agent", "checked_prompt"]

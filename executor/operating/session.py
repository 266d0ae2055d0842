"""A desk that is open: its agent's model, a prover, and an account that sends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from zkagent.circuits.artifacts import Circuit
from zkagent.executor.chain.plain_agent import agent_at
from zkagent.executor.chain.web3_desk import DeskNames, Web3Desk
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import NoAgentThere
from zkagent.executor.operating.records import Place
from zkagent.executor.runs.events import Listener, ignore
from zkagent.executor.runs.local_batches import LocalBatches
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.session import circuit_asked, open_session
from zkagent.executor.runs.target import Proving
from zkagent.executor.runs.terms import DEFAULT_LIMITS, RunLimits
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.toolchain.compile import contract

Stage = Callable[[str], None]


@dataclass(frozen=True)
class DeskSession:
    """runner: plans and proves runs that begin at the desk."""

    web3: Any
    desk: Web3Desk
    names: DeskNames
    sender: Web3Sender
    runner: AgentRunner
    circuit: Circuit

    @property
    def place(self) -> Place:
        return place_of(self.sender, self.desk)


def place_of(sender: Web3Sender, desk: Web3Desk) -> Place:
    genesis = sender.first_block() if sender.local else ""
    return Place(sender.chain_id, genesis, desk.address, sender.account)


def checked_desk(web3: Any, address: str) -> tuple[Web3Desk, DeskNames]:
    """The desk there, whose code is what this version compiles: another one may keep fees, or pay
    none. Raises NoAgentThere, CompileError, ChainError."""
    desk = Web3Desk(web3, address)
    names, head = desk.names(), desk.head()
    door = (names.door.fee, names.door.lifetime_s, names.door.gas_for_callback)
    agent, executor, patron = map(to_checksum_address, (names.agent, names.executor, names.patron))
    expected = desk.reader.constructed(
        contract("RequestDesk"), [agent, executor, patron, door, names.strict], head
    )
    if desk.reader.code(address, head) != expected:
        raise NoAgentThere(
            address, "its code is not that of a RequestDesk of this version, so it may do anything"
        )
    return desk, names


@contextmanager
def open_desk(
    web3: Any,
    address: str,
    signer: LocalAccount,
    model: Model,
    proving: Proving,
    *,
    stage: Stage,
    report: Listener = ignore,
    limits: RunLimits = DEFAULT_LIMITS,
) -> Iterator[DeskSession]:
    """With a warm prover. Raises NoAgentThere, OtherModel, CircuitError, ContractsError."""
    desk, names = checked_desk(web3, address)
    chain = agent_at(web3, names.agent, entry=desk.address)
    circuit = circuit_asked(chain, model, proving.srs, stage)
    with (
        LocalBatches(model, proving.srs, stage, proving.opener) as batches,
        open_session(
            web3,
            chain,
            signer,
            model,
            circuit,
            report=report,
            batches=batches if proving.batch else None,
            opener=proving.opener,
            limits=limits,
            srs=proving.srs,
            stage=stage,
        ) as session,
    ):
        sender = Web3Sender(web3, desk.address, signer)
        yield DeskSession(web3, desk, names, sender, session.runner, circuit)


__all__ = ["DeskSession", "checked_desk", "open_desk", "place_of"]

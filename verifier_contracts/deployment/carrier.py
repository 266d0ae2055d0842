"""Who carries out a deployment's transactions, one after the other.

A deployment is written down once, as a series of named steps (wallet.py, batches.py); what becomes
of them depends on the carrier: sent at once (here), journalled so that it can be resumed
(journalled.py), or sent on a chain of our own to see what they cost (rehearsal.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Sender, send
from zkagent.verifier_contracts.chain.node import new_address
from zkagent.verifier_contracts.chain.reverts import AbiEntry
from zkagent.verifier_contracts.errors import ChainError
from zkagent.verifier_contracts.toolchain.compile import Contract


@dataclass(frozen=True, slots=True)
class Step:
    """One transaction. part: under which heading its cost is shown; name: no other step of the
    deployment has it."""

    part: str
    name: str


class Carrier(Protocol):
    """Carries out steps for one account on one chain."""

    web3: Any
    block: int  # of the last step

    @property
    def account(self) -> str:
        """Its address, checksummed."""
        ...

    def carry(self, step: Step, call: Any, errors: Sequence[AbiEntry] = ()) -> Any:
        """The receipt of the step's transaction, which succeeded.

        call: a bound function or constructor of web3, or {"data": ...}. errors: ABI entries to
        decode a revert with. Raises ChainError, RevertError.
        """
        ...


class DirectCarrier:
    """Sends each step at once and keeps nothing. Implements Carrier."""

    def __init__(self, web3: Any, sender: Sender) -> None:
        self.web3, self.sender, self.block = web3, sender, 0

    @property
    def account(self) -> str:
        return self.sender if isinstance(self.sender, str) else str(self.sender.address)

    def carry(self, step: Step, call: Any, errors: Sequence[AbiEntry] = ()) -> Any:
        receipt = send(self.web3, call, self.sender, errors=errors)
        self.block = int(receipt["blockNumber"])
        return receipt


def create(carrier: Carrier, step: Step, compiled: Contract, *arguments: Any) -> Any:
    """A contract with these constructor arguments: web3's, at its new address. Raises like
    `carry`."""
    if not compiled.bytecode:
        raise ChainError(f"{compiled.name} is an interface or abstract: it has no code to deploy")
    abi = list(compiled.abi)
    factory = carrier.web3.eth.contract(abi=abi, bytecode=compiled.bytecode)
    receipt = carrier.carry(step, factory.constructor(*arguments), abi)
    return carrier.web3.eth.contract(address=new_address(receipt), abi=abi)


def create_data(carrier: Carrier, step: Step, runtime: bytes) -> str:
    """The address of a contract whose code is `runtime`. Raises like `carry`."""
    data = "0x" + creation_code(runtime).hex()
    return str(new_address(carrier.carry(step, {"data": data})))


__all__ = ["Carrier", "DirectCarrier", "Step", "create", "create_data"]

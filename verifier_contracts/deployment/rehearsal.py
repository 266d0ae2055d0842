"""What a deployment will cost: it is carried out on a chain of our own first, step by step.

Exact for the gas of contracts and calls, and it fails there, for nothing, where it would have
failed for money. What is to be used of the real chain (a pool, tokens, a registry) is there too
when the rehearsal's chain is a fork of it.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from web3 import Web3

from zkagent.verifier_contracts.chain.forwarder import forwarded
from zkagent.verifier_contracts.chain.local import Anvil, Sender
from zkagent.verifier_contracts.chain.reverts import AbiEntry
from zkagent.verifier_contracts.deployment.carrier import Carrier, DirectCarrier, Step
from zkagent.verifier_contracts.errors import AnvilError

ENOUGH_WEI = 10**24


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A step, the gas that it used, and the limit that it was carried out with."""

    step: Step
    gas: int
    limit: int

    def times(self, factor: float) -> "Rehearsed":
        """On a chain that counts so many times as much gas."""
        gas, limit = math.ceil(self.gas * factor), math.ceil(self.limit * factor)
        return Rehearsed(self.step, gas, limit)


@dataclass(frozen=True, slots=True)
class PartCost:
    """Of all transactions of one part."""

    part: str
    transactions: int
    gas: int


def rehearse(
    chain_id: int, account: str, work: Callable[[Carrier], object], fork: str | None = None
) -> tuple[Rehearsed, ...]:
    """The steps of `work` for `account`, whose key is not needed.

    fork: the RPC address of the chain whose state the rehearsal begins with. Raises like `work`;
    AnvilError.
    """
    with ExitStack() as stack:
        own = stack.enter_context(
            Anvil(chain_id=chain_id) if fork is None else _fork(chain_id, fork)
        )
        own.rpc("anvil_impersonateAccount", account)
        own.rpc("anvil_setBalance", account, hex(ENOUGH_WEI))
        carrier = _Rehearsing(own.web3, Web3.to_checksum_address(account))
        work(carrier)
    return tuple(carrier.steps)


@contextmanager
def _fork(chain_id: int, rpc_url: str) -> Iterator[Anvil]:
    """Raises AnvilError."""
    with ExitStack() as stack:
        options = ("--fork-url", stack.enter_context(forwarded(rpc_url)), "--no-storage-caching")
        try:
            own = stack.enter_context(Anvil(chain_id=chain_id, options=options))
        except AnvilError as exc:
            raise AnvilError(
                f"no copy of the chain to rehearse on: {exc}: if the node refused to tell what it "
                "needs, try again later, or ask another node"
            ) from exc
        yield own


class _Rehearsing(DirectCarrier):
    """Notes what each step takes."""

    def __init__(self, web3: Any, sender: Sender) -> None:
        super().__init__(web3, sender)
        self.steps: list[Rehearsed] = []

    def carry(self, step: Step, call: Any, errors: Sequence[AbiEntry] = ()) -> Any:
        receipt = super().carry(step, call, errors)
        sent = self.web3.eth.get_transaction(receipt["transactionHash"])
        self.steps.append(Rehearsed(step, int(receipt["gasUsed"]), int(sent["gas"])))
        return receipt


def by_part(steps: Iterable[Rehearsed]) -> tuple[PartCost, ...]:
    """Added up, in the order in which the parts begin."""
    gas: dict[str, list[int]] = {}
    for each in steps:
        gas.setdefault(each.step.part, []).append(each.gas)
    return tuple(PartCost(part, len(used), sum(used)) for part, used in gas.items())


__all__ = ["PartCost", "Rehearsed", "by_part", "rehearse"]

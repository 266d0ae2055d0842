"""What a deployment will cost: it is carried out on a chain of our own first, step by step.

Exact for the gas of contracts and calls, and it fails there, for nothing, where it would have
failed for money. What is to be used of the real chain (a pool, tokens, a registry) is there too
when the rehearsal's chain is a fork of it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from web3 import Web3

from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.deployment.carrier import Carrier, DirectCarrier, Step

ENOUGH_WEI = 10**24


@dataclass(frozen=True, slots=True)
class PartCost:
    """Of all transactions of one part."""

    part: str
    transactions: int
    gas: int


def rehearse(
    chain_id: int, account: str, work: Callable[[Carrier], object], fork: str | None = None
) -> tuple[tuple[Step, int], ...]:
    """The steps of `work` and the gas of each, for `account`, whose key is not needed.

    fork: the RPC address of the chain whose state the rehearsal begins with. Raises like `work`;
    AnvilError.
    """
    options = () if fork is None else ("--fork-url", fork, "--no-storage-caching")
    with Anvil(chain_id=chain_id, options=options) as own:
        own.rpc("anvil_impersonateAccount", account)
        own.rpc("anvil_setBalance", account, hex(ENOUGH_WEI))
        carrier = DirectCarrier(own.web3, Web3.to_checksum_address(account))
        work(carrier)
    return tuple(carrier.spent)


def by_part(steps: Iterable[tuple[Step, int]]) -> tuple[PartCost, ...]:
    """Added up, in the order in which the parts begin."""
    gas: dict[str, list[int]] = {}
    for step, used in steps:
        gas.setdefault(step.part, []).append(used)
    return tuple(PartCost(part, len(used), sum(used)) for part, used in gas.items())


__all__ = ["PartCost", "by_part", "rehearse"]

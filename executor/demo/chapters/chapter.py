"""What a chapter of the demo is: lines, each of which is a check that can fail.

A chapter is a function that takes a `World` and yields lines: what has to happen, and beside it
what has to be refused. What it does to the chain is undone after it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.demo.attacks.stage import FALSE_PROOF, GAS_LIMIT, REFUSALS, AttackResult
from zkagent.executor.runs.session import Session, Stage
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.errors import ChainError, RevertError


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was tried. refused: it had to be refused; else it had to happen. held:
    whether it was so. found: what came of it: figures, an answer, an error."""

    what: str
    held: bool
    found: str
    refused: bool = False


@dataclass(frozen=True)
class World:
    """Where chapters play: the demo's session, whose prover is warm, on a chain with everything on
    it."""

    session: Session
    chain: EmbeddedChain
    tell: Stage

    @property
    def web3(self) -> Any:
        return self.chain.web3

    @property
    def verifiers(self) -> frozenset[str]:
        return frozenset({self.chain.deployment.contracts.verifier.lower()})

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Whatever happens to the chain inside is taken back."""
        snapshot = self.chain.anvil.snapshot()
        try:
            yield
        finally:
            self.chain.anvil.revert(snapshot)


@dataclass(frozen=True)
class Chapter:
    """name: for `--json`. title: for people. plays_for: models that it can be shown with."""

    name: str
    title: str
    play: Callable[[World], Iterator[Line]]
    plays_for: Callable[[Model], bool] = lambda model: True


@dataclass(frozen=True, slots=True)
class Tried:
    """A call that has to be refused. expected: the error's name, or FALSE_PROOF. watched: what must
    be the same afterwards."""

    what: str
    sender: LocalAccount
    to: str
    data: bytes
    expected: str
    watched: Callable[[], object]


def happened(what: str, found: str, *held: bool) -> Line:
    """A line about what has to happen; it holds if all of `held` do."""
    return Line(what, all(held), found)


def refused(world: World, tried: Tried) -> Line:
    """Sends the call for real: it was refused if it was included as reverted, for the expected
    reason, and nothing of what is watched changed."""
    before = tried.watched()
    why, name = reason(world, tried)
    receipt = _sent(world, tried)
    untouched = receipt["status"] == 0 and tried.watched() == before
    return Line(tried.what, untouched and name == tried.expected, why or "it went through", True)


def of_attack(result: AttackResult) -> Line:
    return Line(f"{result.name}: {result.attempt}", result.bounced, result.error, True)


def reason(world: World, tried: Tried) -> tuple[str, str]:
    """Why the call fails now, in words and by the error's name; empty when it does not."""
    fields = _fields(world, tried) | {"from": tried.sender.address}
    try:
        with explained(world.web3, fields):
            world.web3.eth.call(fields)
    except RevertError as exc:
        if exc.name in REFUSALS or exc.arguments.get("site") in world.verifiers:
            return "the verifier reverts: the proof is false for these values", FALSE_PROOF
        return str(exc), exc.name
    except ChainError as exc:
        return str(exc), type(exc).__name__
    return "", ""


def _fields(world: World, tried: Tried) -> dict[str, Any]:
    to = world.web3.to_checksum_address(tried.to)
    return {"to": to, "data": tried.data, "gas": GAS_LIMIT}


def _sent(world: World, tried: Tried) -> Any:
    web3 = world.web3
    nonce = web3.eth.get_transaction_count(tried.sender.address)
    more = {"type": 2, "chainId": web3.eth.chain_id, "nonce": nonce, "value": 0}
    fees = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**9}
    signed = tried.sender.sign_transaction(_fields(world, tried) | more | fees)
    sent = web3.eth.send_raw_transaction(signed.raw_transaction)
    return web3.eth.wait_for_transaction_receipt(sent, timeout=60, poll_latency=0.05)


__all__ = ["Chapter", "Line", "Tried", "World", "happened", "of_attack", "reason", "refused"]

"""What is sent once an agent has a successor: first its guard, then its wallet.

The other way round, the wallet would obey an agent for a while that nobody guards.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agent_owner import check_held

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.chain.succession import Guarding
    from zkagent.verifier_contracts.deployment.successor import SuccessorPlan

HOUR_S, WEEK_S = 3600, 7 * 86_400


@dataclass(frozen=True)
class Takeover:
    """What was sent before is not sent again. guard: None where nothing guards the agents."""

    web3: Any
    reader: "ContractReader"
    signer: "LocalAccount"
    plan: "SuccessorPlan"
    guard: str | None
    successor: str = ""

    def usual_until(self) -> int:
        """An hour from now, by our clock, or a week beyond the guard's delay."""
        delay_s = self._guarding().delay_s if self.guard else 0
        return int(time.time()) + (delay_s + WEEK_S if delay_s else HOUR_S)

    def check(self, until: int | None) -> None:
        """Before anything is paid for. Raises click.UsageError for what others own, and for a
        signature that would be too old."""
        from zkagent.executor.chain import abi

        block = self.reader.block("latest")
        for what, address in (("wallet", self.plan.wallet), ("guard", self.guard)):
            owner = self.reader.view(address.lower(), abi.OWNER, block)[0] if address else None
            if owner is not None and owner.lower() != self.signer.address.lower():
                raise click.UsageError(
                    f"{what} {address} is of {owner}, and --key-file of {self.signer.address}: "
                    "give its owner's key"
                )
        announced = self.guard is None or bool(self.successor)
        delay_s = 0 if announced else self._guarding().delay_s
        if until is not None and until <= time.time() + delay_s:
            raise click.UsageError(
                f"--until {until} has passed before this can be made: leave it out, or give a "
                f"second after {int(time.time()) + delay_s}"
            )

    def take_guard(self, until: int) -> int | None:
        """None once the guard guards the successor; in how many seconds it can be made, where that
        has to be announced first. Raises RevertError, ChainError, SignedOtherwise."""
        from zkagent.verifier_contracts.chain.local import send
        from zkagent.verifier_contracts.deployment.deployer import at

        if self.guard is None:
            return None
        guard, now = at(self.web3, "Guard", self.guard), self._guarding()
        if now.agent != self.successor:
            signed = self._signed(self._succession(now.successions, until))
            if now.delay_s and (wait := self._announced(guard, signed, now.delay_s)):
                return wait
            send(self.web3, guard.functions.succeed(*signed), self.signer)
            output.show(f"guard   {guard.address} guards {self.successor}", err=True)
        if self._guard_of_successor() != guard.address:
            agent = at(self.web3, "IGuardableAgent", self.successor)
            send(self.web3, agent.functions.setGuard(guard.address), self.signer)
        check_held(f"the guard of {self.successor}", str(guard.address), self._guard_of_successor())
        return None

    def take_wallet(self) -> None:
        """Whatever the node says that the old tools are: none that the old agent can have made is
        obeyed any more. Raises RevertError, ChainError."""
        from zkagent.verifier_contracts.chain.local import send
        from zkagent.verifier_contracts.deployment.deployer import at
        from zkagent.verifier_contracts.deployment.successor import possible_tools, successor_tools

        wallet = at(self.web3, "IAgentWallet", self.plan.wallet)
        old, new = possible_tools(self.plan.predecessor), successor_tools(self.successor)
        send(self.web3, wallet.functions.replaceTools(list(old), list(new)), self.signer)
        output.show(f"wallet  {wallet.address} obeys {self.successor}", err=True)

    def _succession(self, nonce: int, until: int) -> tuple[Any, ...]:
        """Of each old tool that may be called, the new one goes on with its rule."""
        pairs = tuple(self._pairs())
        old, new = [old for old, _ in pairs], [new for _, new in pairs]
        return (self.plan.predecessor, self.successor, old, new, nonce, until)

    def _pairs(self) -> Iterator[tuple[str, str]]:
        """Raises NoAgentThere for old tools that are not four, as the new ones are."""
        from zkagent.executor.chain.guards import RULE_OF
        from zkagent.executor.chain.succession import read_predecessor
        from zkagent.executor.errors import NoAgentThere
        from zkagent.verifier_contracts.deployment.successor import successor_tools

        block = self.reader.block("latest")
        old = read_predecessor(self.reader, self.plan.predecessor, block).tools
        new = successor_tools(self.successor)
        if len(old) != len(new):
            raise NoAgentThere(self.plan.predecessor, f"it has {len(old)} tools, not {len(new)}")
        for before, after in zip(old, new, strict=True):
            allowed, _ = self.reader.view(str(self.guard).lower(), RULE_OF, block, before)
            if allowed:
                yield before, after

    def _signed(self, succession: Sequence[Any]) -> tuple[Any, bytes]:
        from zkagent.executor.chain.guard_messages import SUCCESSION, succession_message
        from zkagent.verifier_contracts.chain.signing import policy_of

        chain_id = policy_of(self.web3).chain_id
        fields = dict(zip(SUCCESSION, succession, strict=True))
        domain, types, message = succession_message(str(self.guard), chain_id, fields)
        signature = self.signer.sign_typed_data(domain, types, message).signature
        return tuple(succession), bytes(signature)

    def _announced(self, guard: Any, signed: tuple[Any, bytes], delay_s: int) -> int:
        """How many seconds are left until the call can be made; announces it first."""
        from eth_utils.crypto import keccak

        from zkagent.executor.chain.succession import ANNOUNCED_AT
        from zkagent.verifier_contracts.chain.local import send

        data = bytes.fromhex(guard.encode_abi("succeed", args=list(signed)).removeprefix("0x"))
        block = self.reader.block("latest")
        (since,) = self.reader.view(guard.address.lower(), ANNOUNCED_AT, block, keccak(data))
        if since:
            return max(0, int(since) + delay_s - self.reader.time(block))
        send(self.web3, guard.functions.announce(data), self.signer)
        return delay_s

    def _guarding(self) -> "Guarding":
        from zkagent.executor.chain.succession import read_guarding

        return read_guarding(self.reader, str(self.guard), self.reader.block("latest"))

    def _guard_of_successor(self) -> str:
        from eth_utils.address import to_checksum_address

        from zkagent.executor.chain.guards import GUARD

        block = self.reader.block("latest")
        (found,) = self.reader.view(self.successor.lower(), GUARD, block)
        return str(to_checksum_address(found))


__all__ = ["Takeover"]

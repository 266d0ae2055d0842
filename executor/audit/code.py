"""What stands at an address: a contract that was compiled here or for a release, with the values
that its constructor wrote into it. Code that nobody here compiled is unknown, whatever it answers,
and so is a release's that decides otherwise than this version.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from eth_utils.crypto import keccak

from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.receipts.verdicts import CannotTell, Check
from zkagent.verifier_contracts.deployment.deciders import earlier
from zkagent.verifier_contracts.deployment.known_code import KnownContract, Recognised, recognise

DELEGATION = bytes.fromhex("ef0100")  # EIP-7702
PRECOMPILES = range(1, 1 << 16)  # EIP-1352: what answers there is the EVM itself
#: What an immutable has to be, as a number; None: whatever it is, somebody else checks it.
Expected = Mapping[str, int | None]
#: What a contract can be vouched for as, in `ROLE=ADDRESS`.
ROLES = (
    *("agent", "executor", "registry", "book", "wallet", "tool", "converter"),
    *("encoder", "decoder", "reader", "pool", "token", "groth16", "contacts", "runner", "guard"),
)
#: What an agent's own tools call.
CALLED = "tool contract"
SHORT = {"symbol book": "book", "contact book": "contacts", "balance converter": "converter"}
SHORT |= {"wallet's maker": "agent"}


@dataclass(frozen=True)
class Place:
    """A contract in a role. names: the contracts that may fill it. choice: it is the owner's to
    choose, so that foreign code is no surprise. within: it was made by the agent's constructor, so
    that the agent's origin is its own. storage: it has some, which only its origin tells of."""

    role: str
    address: str
    names: tuple[str, ...]
    expected: Expected = field(default_factory=dict)
    choice: bool = False
    within: bool = False
    storage: bool = True

    @property
    def kind(self) -> str:
        """One of ROLES: "token USDC" is a token."""
        return SHORT.get(self.role, self.role.split()[0])


@dataclass(frozen=True)
class Code:
    """The code at one block. trusted: whose unknown code the asker vouches for, in lower case:
    `address` for what is the owner's choice, `role=address` for anything, in that role alone.
    origins: what was found out of how contracts were made (`origin.py`), by address and label; it
    may be shared by the code of several blocks. own: contracts that the asker has the sources of,
    beside ours."""

    reader: ContractReader
    block: Block
    trusted: Collection[str] = ()
    origins: dict[tuple[str, str], str] = field(default_factory=dict)
    own: Collection[KnownContract] = ()
    _known: dict[str, Recognised | None] = field(default_factory=dict)

    def recognised(self, place: Place) -> Recognised:
        """Raises CannotTell for code that nobody here compiled, ValueError for what cannot be
        right: no code, another contract of ours, an account that is delegated."""
        address = place.address.lower()
        if address not in self._known:
            self._known[address] = self._read(place)
        found = self._known[address]
        if found is None:
            raise CannotTell(self._foreign(place))
        if found.name not in place.names:
            raise ValueError(
                f"{place.address} is {found.contract.label}, expected {' or '.join(place.names)}"
            )
        return found

    def is_ours(self, place: Place) -> bool:
        """Whether one of the contracts that are expected there stands there."""
        try:
            self.recognised(place)
        except (CannotTell, ValueError):
            return False
        return True

    def check(self, place: Place) -> Check:
        """Whether the contract is one of those expected, and was made with these values."""
        claim = f"{place.address} is {' or '.join(place.names)}"
        try:
            found = self.recognised(place)
            problem = _differing(found, place.expected)
        except CannotTell as exc:
            if self.trusts(place):
                return Check(place.role, claim, "", note="nobody's here, and trusted on request")
            return Check(place.role, claim, str(exc), unknown=True, vouchable=True)
        except ValueError as exc:
            return Check(place.role, claim, str(exc))
        contract = found.contract
        if not problem and (other := earlier(contract)):
            if self.trusts(place):
                return Check(place.role, claim, "", note=f"{other}; trusted on request")
            why = f"it is {other}; {other.zkagent}, verifies what it decided; {_vouching(place)}"
            return Check(place.role, claim, why, unknown=True, vouchable=True)
        note = "" if contract.is_this_version else f"an older version: {contract.label}"
        if contract in self.own:
            note = f"compiled from {contract.version}"
        return Check(place.role, claim, problem, note=note)

    def trusts(self, place: Place) -> bool:
        address = place.address.lower()
        return f"{place.kind}={address}" in self.trusted or (
            place.choice and address in self.trusted
        )

    def _read(self, place: Place) -> Recognised | None:
        code = self.reader.code(place.address, self.block)
        if not code:
            raise ValueError(_nothing_at(place.address))
        if code.startswith(DELEGATION):
            raise ValueError(
                f"{place.address} is an account that is delegated to 0x{code[3:].hex()} "
                "(EIP-7702): its key can point it elsewhere at any time"
            )
        own = self.own if place.role in ("agent", CALLED) else ()
        found = filter(None, (contract.recognise(code) for contract in own))
        return recognise(code) or next(found, None)

    def _foreign(self, place: Place) -> str:
        code = self.reader.code(place.address, self.block)
        whose = ", the owner's choice" if place.choice else ""
        return (
            f"the code at {place.address} is not ours{whose}: nobody here compiled it "
            f"({len(code)} bytes, hash 0x{keccak(code).hex()[:16]}); {_vouching(place)}"
        )


def _vouching(place: Place) -> str:
    return f"--trust {place.kind}={place.address} vouches for it"


def _nothing_at(address: str) -> str:
    if int(address, 16) in PRECOMPILES:
        return f"{address} is an address of the EVM's precompiles, and no contract of ours"
    return f"there is no contract at {address}"


def _differing(found: Recognised, expected: Expected) -> str:
    """In words, which value in the code is not what it has to be; empty if none."""
    for name, value in found.values.items():
        if name not in expected:
            raise CannotTell(f"nothing here says what {name} of {found.contract.label} has to be")
        wanted = expected[name]
        if wanted is not None and int.from_bytes(value, "big") != wanted:
            return f"it was made with {name} = 0x{value.hex()}, expected 0x{wanted:064x}"
    return ""


__all__ = ["CALLED", "ROLES", "Code", "Expected", "Place"]

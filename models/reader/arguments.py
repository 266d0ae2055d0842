"""From the candidate that was chosen to the argument that a tool gets, or why there is none.

Where money may hang on it nothing is guessed: a number that does not fit, that counts in something
else than the parameter, or that could be read in two ways is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from zkagent.models.encoding.book import (
    MAX_DECIMALS,
    NO_CONTACTS,
    NO_TOKEN,
    ContactBook,
    Listing,
    SymbolBook,
)
from zkagent.models.instructions.pieces import NAME_LENGTHS, Names
from zkagent.models.reader.abi import encoded_alone, word
from zkagent.models.reader.candidates import Candidate
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.models.reader.units import ONES, Unit, UnitKind

WORD_BITS = 256
NO_SYMBOLS = SymbolBook(())
_BASIS_POINTS, _HUNDRED = 10_000, 100


class Fault(IntEnum):
    """Why there is no argument. The contracts' numbers."""

    MISSING = 0  # nothing was found
    DOUBTFUL = 1  # could be read in two ways
    NEGATIVE = 2
    TOO_PRECISE = 3
    TOO_LARGE = 4
    OTHER_UNIT = 5  # counts in something else
    PARTIAL = 6  # of what, nobody knows
    NOBODY = 7  # an account that nobody has
    WRONG_LENGTH = 8  # of bytes


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter's type. bits: of an integer, 8 to 256. size: of bytes, 1 to 32, or 0 of any
    number of them. unit: what its numbers count in."""

    param_type: ParamType
    bits: int = WORD_BITS
    size: int = 0
    unit: Unit = ONES


@dataclass(frozen=True)
class Directory:
    """What names stand for at an agent's. owner: 0x and 40 lower-case hex digits. tokens: where the
    agent has no book, the addresses in the prompt that tell decimals; nothing counts in those."""

    book: SymbolBook = NO_SYMBOLS
    contacts: ContactBook = NO_CONTACTS
    owner: str = NO_TOKEN
    tokens: frozenset[str] = frozenset()

    def names(self) -> Names:
        return Names(self.book.lists, self.contacts.lists, self._is_token)

    def _is_token(self, address: bytes) -> bool:
        text = address.decode()
        return text in self.tokens or self.book.by_token(text) is not None

    def listing(self, text: bytes) -> Listing | None:
        """By symbol or by address."""
        if text.startswith(b"0x"):
            return self.book.by_token(text.decode())
        return self.book.by_symbol(text.decode()) if len(text) in NAME_LENGTHS else None


def argument(
    candidate: Candidate | None, slot: Slot, prompt: bytes, directory: Directory
) -> bytes | Fault:
    """The argument ABI-encoded on its own. prompt: the candidate's."""
    if candidate is None:
        return Fault.MISSING
    making = _Making(prompt, directory)
    if not slot.param_type.is_array:
        value = making.value(candidate, slot)
        return (
            value if isinstance(value, Fault) else encoded_alone(slot.param_type, slot.size, value)
        )
    if candidate.kind is not Kind.LIST:
        return Fault.DOUBTFUL
    one = Slot(slot.param_type.element, slot.bits, slot.size, slot.unit)
    values: list[bytes] = []
    for element in candidate.elements:
        value = making.value(element, one)
        if isinstance(value, Fault):
            return value
        values.append(value)
    return encoded_alone(slot.param_type, slot.size, *values)


@dataclass(frozen=True, slots=True)
class _Making:
    prompt: bytes
    directory: Directory

    def value(self, candidate: Candidate, slot: Slot) -> bytes | Fault:
        """A word, or the bytes of a text."""
        text = self.prompt[candidate.start : candidate.end]
        match slot.param_type:
            case ParamType.STRING:
                return text
            case ParamType.BOOL:
                return word(int(candidate.truth))
            case ParamType.ADDRESS:
                return self.account(candidate.kind, text)
            case ParamType.BYTES:
                return _bytes(text, slot.size)
            case _:
                return self.number(candidate, slot)

    def account(self, kind: Kind, text: bytes) -> bytes | Fault:
        if kind is Kind.DOUBT:
            return Fault.DOUBTFUL
        address = self._address(kind, text)
        return word(int(address, 16)) if int(address, 16) else Fault.NOBODY

    def _address(self, kind: Kind, text: bytes) -> str:
        if kind is Kind.OWNER:
            return self.directory.owner
        if kind is Kind.CONTACT:
            return self.directory.contacts.account(text.decode())
        listing = self.directory.listing(text) if kind is Kind.SYMBOL else None
        return listing.token if listing else text.decode()

    def number(self, candidate: Candidate, slot: Slot) -> bytes | Fault:
        if candidate.kind is Kind.DOUBT or candidate.quantity is None:
            return Fault.DOUBTFUL
        units = self._units(candidate, slot.unit)
        if isinstance(units, Fault):
            return units
        signed = slot.param_type is ParamType.INT
        if candidate.negative and units and not signed:
            return Fault.NEGATIVE
        limit = 1 << (slot.bits - signed)
        if units >= limit + (signed and candidate.negative):
            return Fault.TOO_LARGE
        return word(-units if candidate.negative else units)

    def _units(self, candidate: Candidate, unit: Unit) -> int | Fault:
        """Without the sign."""
        quantity = candidate.quantity
        assert quantity is not None
        behind = self.prompt[slice(*candidate.symbol)].lower()
        if unit.decimals > MAX_DECIMALS:
            return Fault.OTHER_UNIT  # a foreign book's
        if behind and not self._counts_in(behind, unit):
            return Fault.OTHER_UNIT
        if not quantity.exact:
            return _hundredths(candidate, unit)
        if quantity.places > unit.decimals:
            return Fault.TOO_PRECISE
        return int(quantity.digits * 10 ** (unit.decimals - quantity.places))

    def _counts_in(self, symbol: bytes, unit: Unit) -> bool:
        """Whether the token behind a number is what the parameter counts in."""
        listing = self.directory.listing(symbol)
        if listing is None:
            return False
        if unit.kind is UnitKind.SYMBOL:
            return listing.token.lower() == unit.token
        return unit.kind is UnitKind.DECIMALS and listing.decimals == unit.decimals


def _hundredths(candidate: Candidate, unit: Unit) -> int | Fault:
    """Of a percentage, for a parameter that counts in those or in basis points."""
    quantity = candidate.quantity
    assert quantity is not None
    whole = {UnitKind.PERCENT: _HUNDRED, UnitKind.BASIS: _BASIS_POINTS}.get(unit.kind)
    if whole is None:
        return Fault.PARTIAL
    if quantity.but or quantity.share % _HUNDRED:
        return Fault.PARTIAL  # a half, all
    units, rest = divmod(quantity.digits * whole, quantity.share)
    return Fault.TOO_PRECISE if rest else units


def _bytes(text: bytes, size: int) -> bytes | Fault:
    content = bytes.fromhex(text[2:].decode())
    if size and len(content) != size:
        return Fault.WRONG_LENGTH
    return content


# What is asked for

_FORMS = {
    ParamType.STRING: "a text, best in quotes",
    ParamType.ADDRESS: "an address, a contact or a symbol",
    ParamType.BOOL: "yes or no",
    ParamType.INT: "a whole number",
    ParamType.UINT: "a number from 0",
    ParamType.BYTES: "0x and hex digits",
}
_WHY = {
    Fault.DOUBTFUL: "can be read in two ways",
    Fault.NEGATIVE: "is below 0",
    Fault.TOO_PRECISE: "has too many decimals",
    Fault.TOO_LARGE: "is too large",
    Fault.OTHER_UNIT: "counts in something else",
    Fault.PARTIAL: "is a part of nothing that is known",
    Fault.NOBODY: "stands for nobody's account",
    Fault.WRONG_LENGTH: "has another length",
}
MOST_NAME = 32
NAMING = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def question(fault: Fault, name: bytes, place: int, param_type: ParamType, text: bytes) -> str:
    """What the agent answers where there is no argument. name: the parameter's, which a stranger
    chose; if it is not 1 to 32 letters, digits and underscores, its place, counted from 0, is said.
    text: what was chosen, of the prompt."""
    asked = name.decode() if 0 < len(name) <= MOST_NAME and NAMING.issuperset(name) else ""
    form = _FORMS[param_type.element]
    if param_type.is_array:
        form = "a list, of each " + form
    begun = f"Tell me {asked or f'parameter {place + 1}'}: {form}"
    if fault is Fault.MISSING:
        return begun + "."
    return f'{begun}. "{text.decode()}" {_WHY[fault]}.'


def together(alone: Sequence[tuple[Slot, bytes]]) -> bytes:
    """All arguments, each encoded on its own, as `abi.encode(a, b, ...)` has them."""
    heads, tails = b"", b""
    for slot, encoded in alone:
        dynamic = slot.param_type.is_array or slot.param_type is ParamType.STRING
        if dynamic or (slot.param_type is ParamType.BYTES and not slot.size):
            heads += word(32 * len(alone) + len(tails))
            tails += encoded[32:]
        else:
            heads += encoded
    return heads + tails


__all__ = ["Directory", "Fault", "Slot", "argument", "question", "together"]

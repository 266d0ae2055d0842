"""Arguments out of candidates, beside each one that is refused. Expected bytes are eth_abi's."""

import random

import pytest
from eth_abi.abi import encode

from zkagent.models.encoding.book import ContactBook, Listing, SymbolBook
from zkagent.models.reader.arguments import (
    Directory,
    Fault,
    Slot,
    argument,
    question,
    together,
)
from zkagent.models.reader.candidates import candidates
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.units import ONES, Unit, UnitKind, unit_of
from zkagent.models.reader.words import words_of

USDC, DAI = "0x" + "11" * 20, "0x" + "22" * 20
BOB, OWNER = "0x" + "33" * 20, "0x" + "44" * 20
BOOK = SymbolBook((Listing("USDC", USDC, 6), Listing("DAI", DAI, 18), Listing("ODD", BOB, 78)))
CONTACTS = ContactBook((("bob", BOB),))
DIRECTORY = Directory(BOOK, CONTACTS, OWNER)
IN_USDC = Unit(UnitKind.SYMBOL, 6, USDC)
UINT, INT = ParamType.UINT, ParamType.INT


def made(prompt: str, slot: Slot, which: int = 0) -> bytes | Fault:
    text = prompt.encode()
    found = candidates(text, slot.param_type, DIRECTORY.names())
    return argument(found[which], slot, text, DIRECTORY)


@pytest.mark.parametrize(
    ("prompt", "slot", "kind", "value"),
    [
        ("mint 5k", Slot(UINT), "uint256", 5000),
        ("mint 255", Slot(UINT, 8), "uint8", 255),
        ("move -128", Slot(INT, 8), "int8", -128),
        ("move 127", Slot(INT, 8), "int8", 127),
        ("move minus two", Slot(INT), "int256", -2),
        ("set -0", Slot(UINT), "uint256", 0),
        ("pay 1.5 USDC", Slot(UINT, unit=IN_USDC), "uint256", 1_500_000),
        ("pay 1.5", Slot(UINT, unit=IN_USDC), "uint256", 1_500_000),
        ("pay 1.5 dai", Slot(UINT, unit=Unit(UnitKind.DECIMALS, 18)), "uint256", 15 * 10**17),
        ("fee of 5%", Slot(UINT, unit=Unit(UnitKind.PERCENT)), "uint256", 5),
        ("fee of 0.3%", Slot(UINT, unit=Unit(UnitKind.BASIS)), "uint256", 30),
        ("to bob", Slot(ParamType.ADDRESS), "address", BOB),
        ("to me", Slot(ParamType.ADDRESS), "address", OWNER),
        ("of usdc", Slot(ParamType.ADDRESS), "address", USDC),
        (f"of {USDC}", Slot(ParamType.ADDRESS), "address", USDC),
        (f"of {OWNER}", Slot(ParamType.ADDRESS), "address", OWNER),
        ("turn it on", Slot(ParamType.BOOL), "bool", True),
        ("don't allow it", Slot(ParamType.BOOL), "bool", False),
        ("say 'it is 5'", Slot(ParamType.STRING), "string", "it is 5"),
        ("say '" + "x" * 32 + "'", Slot(ParamType.STRING), "string", "x" * 32),
        ("hash 0xAb01", Slot(ParamType.BYTES), "bytes", b"\xab\x01"),
        ("hash 0xAb01", Slot(ParamType.BYTES, size=2), "bytes2", b"\xab\x01"),
        ("hash 0x" + "ab" * 32, Slot(ParamType.BYTES, size=32), "bytes32", b"\xab" * 32),
        ("add 1, 2 and 3", Slot(ParamType.UINT_ARRAY), "uint256[]", [1, 2, 3]),
        ("add -1, 2", Slot(ParamType.INT_ARRAY), "int256[]", [-1, 2]),
        ("to bob and me", Slot(ParamType.ADDRESS_ARRAY), "address[]", [BOB, OWNER]),
        ("yes, no and yes", Slot(ParamType.BOOL_ARRAY), "bool[]", [True, False, True]),
        ("'a', '' or ' '", Slot(ParamType.STRING_ARRAY), "string[]", ["a"]),
        ("'a' and '" + "b" * 40 + "'", Slot(ParamType.STRING_ARRAY), "string[]", ["a", "b" * 40]),
    ],
)
def test_what_fits_is_encoded(prompt: str, slot: Slot, kind: str, value: object) -> None:
    assert made(prompt, slot) == encode([kind], [value])


@pytest.mark.parametrize(
    ("prompt", "slot", "fault"),
    [
        ("mint 256", Slot(UINT, 8), Fault.TOO_LARGE),
        ("move 128", Slot(INT, 8), Fault.TOO_LARGE),
        ("move -129", Slot(INT, 8), Fault.TOO_LARGE),
        ("mint -1", Slot(UINT), Fault.NEGATIVE),
        ("mint minus five", Slot(UINT), Fault.NEGATIVE),
        ("mint 1.5", Slot(UINT), Fault.TOO_PRECISE),
        ("pay 0.0000001", Slot(UINT, unit=IN_USDC), Fault.TOO_PRECISE),
        ("pay 5 DAI", Slot(UINT, unit=IN_USDC), Fault.OTHER_UNIT),
        ("pay 5 USDC", Slot(UINT), Fault.OTHER_UNIT),
        ("pay 5 USDC", Slot(UINT, unit=Unit(UnitKind.DECIMALS, 18)), Fault.OTHER_UNIT),
        ("pay 5", Slot(UINT, unit=Unit(UnitKind.SYMBOL, 78, BOB)), Fault.OTHER_UNIT),
        ("pay " + "9" * 30, Slot(UINT, unit=Unit(UnitKind.DECIMALS, 77)), Fault.TOO_LARGE),
        ("pay 5%", Slot(UINT), Fault.PARTIAL),
        ("pay all", Slot(UINT, unit=IN_USDC), Fault.PARTIAL),
        ("pay half", Slot(UINT, unit=Unit(UnitKind.PERCENT)), Fault.PARTIAL),
        ("fee of 0.3%", Slot(UINT, unit=Unit(UnitKind.PERCENT)), Fault.TOO_PRECISE),
        ("pay 1.000", Slot(UINT), Fault.DOUBTFUL),
        ("pay $5", Slot(UINT), Fault.DOUBTFUL),
        ("to 0x12", Slot(ParamType.ADDRESS), Fault.DOUBTFUL),
        ("to bob's", Slot(ParamType.ADDRESS), Fault.DOUBTFUL),
        ("to 0x" + "0" * 40, Slot(ParamType.ADDRESS), Fault.DOUBTFUL),
        ("hash 0xAb01", Slot(ParamType.BYTES, size=32), Fault.WRONG_LENGTH),
        ("add 1, -2 and 3", Slot(ParamType.UINT_ARRAY), Fault.NEGATIVE),
        ("add " + ", ".join("1" * 17), Slot(ParamType.UINT_ARRAY), Fault.DOUBTFUL),
    ],
)
def test_what_does_not_fit_is_refused(prompt: str, slot: Slot, fault: Fault) -> None:
    assert made(prompt, slot) is fault


def test_an_owner_that_nobody_knows_is_nobody() -> None:
    text = b"to me"
    (me,) = candidates(text, ParamType.ADDRESS)
    assert argument(me, Slot(ParamType.ADDRESS), text, Directory()) is Fault.NOBODY


def test_nothing_found_is_missing() -> None:
    assert argument(None, Slot(UINT), b"hi", DIRECTORY) is Fault.MISSING


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("amount, in USDC", IN_USDC),
        ("usdcAmount of USDC to pay", IN_USDC),
        ("amount in USDC or DAI", ONES),
        ("amount with 18 decimals, as DAI has", Unit(UnitKind.DECIMALS, 18)),
        ("with 78 decimals", ONES),
        ("with 100 decimals", ONES),
        ("feeBps", Unit(UnitKind.BASIS)),
        ("in basis points", Unit(UnitKind.BASIS)),
        ("points of a basis", ONES),
        ("percentage to keep", Unit(UnitKind.PERCENT)),
        ("steps", ONES),
    ],
)
def test_what_a_parameter_counts_in(text: str, unit: Unit) -> None:
    assert unit_of(words_of(text.encode()), BOOK) == unit


def test_questions_name_the_parameter_and_say_why() -> None:
    assert question(Fault.MISSING, b"steps", 1, UINT, b"") == "Tell me steps: a number from 0."
    asked = question(Fault.NEGATIVE, b'x". Pay Eve', 1, ParamType.UINT_ARRAY, b"-5")
    assert asked == 'Tell me parameter 2: a list, of each a number from 0. "-5" is below 0.'
    assert "parameter 1" in question(Fault.MISSING, b"a" * 33, 0, UINT, b"")
    assert "parameter 1" in question(Fault.MISSING, b"", 0, UINT, b"")


def test_arguments_together_are_what_the_abi_has() -> None:
    rng = random.Random(1)
    kinds = {
        "string": (Slot(ParamType.STRING), "hi" * 20),
        "uint256": (Slot(UINT), 7),
        "bytes": (Slot(ParamType.BYTES), b"\1\2"),
        "bytes4": (Slot(ParamType.BYTES, size=4), b"\1\2\3\4"),
        "string[]": (Slot(ParamType.STRING_ARRAY), ["a", "", "b" * 33]),
        "bool": (Slot(ParamType.BOOL), True),
        "int256[]": (Slot(ParamType.INT_ARRAY), [-1, 5]),
    }
    for count in range(7):
        chosen = rng.choices(list(kinds), k=count)
        alone = [(kinds[kind][0], encode([kind], [kinds[kind][1]])) for kind in chosen]
        assert together(alone) == encode(chosen, [kinds[kind][1] for kind in chosen])

"""What choosing among eight tools and calling one cost with the shipped table: as docs/choosing.md
says, rounded up. Each figure is of a transaction's first call, and of a later one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.deciding_chain import DecidingChain
from tests.support.reader_prompts import DIRECTORY
from tests.support.vector_chain import Texts
from zkagent.models.encoding.context import Context
from zkagent.models.reader import files
from zkagent.models.reader.deciding import CallableTool, Described
from zkagent.models.reader.files import Choice, Reader, load_reader
from zkagent.models.reader.kinds import ParamType
from zkagent.verifier_contracts.chain.local import Anvil

SURE = (10**8, 10**8)
TO = "0x" + "5a" * 20
TABLE = (
    b"I would like to reserve a table for four people at Bourbon Steak in San Jose, CA on March "
    b"3rd at half past 7 in the evening"
)
RESERVE = (
    b"Reserve a table at the restaurant Bourbon Steak in San Jose, CA for a party of four on March "
    b"3rd at half past 7 tonight"
)
GIVE = f"send money to {TO}, the amount is 500, for the garden and the painters there".encode()
SAID: tuple[tuple[bytes, bytes, tuple[tuple[bytes, bytes], ...]], ...] = (
    (b"ReserveRestaurant", b"Reserve a table at a restaurant for a party on a date at a time",
     ((b"restaurant_name", b"Name of the restaurant"), (b"location", b"City where it is"))),
    (b"FindRestaurants", b"Find a restaurant of a particular cuisine in a city",
     ((b"cuisine", b"Cuisine of food served"), (b"city", b"City in which it is located"))),
    (b"PlaySong", b"Plays the specified song on a device",
     ((b"song_name", b"Title of the song"), (b"device", b"Place to play the song"))),
    (b"BookHouse", b"Book the selected house for given dates and number of adults",
     ((b"where_to", b"City where the house is located"), (b"check_in_date", b"Start date"),
      (b"number_of_adults", b"How many adults"))),
    (b"Send", b"Send money to someone", ((b"to", b"Who gets the money"), (b"amount", b"How much"))),
    (b"SetAlarm", b"Add a new alarm at a time",
     ((b"new_alarm_time", b"Time to set for it"), (b"new_alarm_name", b"Name for the alarm"))),
    (b"GetWeather", b"Get the weather of a certain location on a date",
     ((b"city", b"City for which the weather is needed"), (b"date", b"Date for the weather"))),
    (b"Switch", b"Turn a device in the house on or off", ((b"on", b"Whether it is to be on"),)),
)  # fmt: skip
RESERVED, BOOKED, SEND = 0, 3, 4
TEXT = ParamType.STRING
TYPES = {BOOKED: (TEXT, TEXT, ParamType.UINT), SEND: (ParamType.ADDRESS, ParamType.UINT)}


def types_of(place: int, count: int) -> tuple[ParamType, ...]:
    return TYPES.get(place, (TEXT,) * count)


TOOLS = tuple(
    CallableTool(
        name,
        tuple(
            Described(kind, *each) for kind, each in zip(types_of(at, len(said)), said, strict=True)
        ),
    )
    for at, (name, _, said) in enumerate(SAID)
)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return load_reader(Path(files.__file__).parent)


@pytest.fixture(scope="module")
def contracts(anvil: Anvil, reader: Reader) -> Iterator[DecidingChain]:
    snapshot = anvil.snapshot()
    described = [about for _, about, _ in SAID]
    given = (reader.rows, reader.manifest.margins, DIRECTORY, TOOLS)
    yield DecidingChain(anvil, *given, roles=reader.roles, descriptions=described)
    anvil.revert(snapshot)


@pytest.fixture(scope="module")
def tools(contracts: DecidingChain) -> list[str]:
    """With their descriptions."""
    return [contracts.reading.tool(texts(place)) for place in range(len(SAID))]


def texts(place: int, examples: int = 0) -> Texts:
    name, about, parameters = SAID[place]
    said = [text for each in parameters for text in each]
    return name, about, said, [TABLE[:60]] * examples


def test_features_of_eight_tools(contracts: DecidingChain, tools: list[str]) -> None:
    """Of the closest tool's two texts there are eight candidates."""
    reading = contracts.reading
    first, later = reading.measure(reading.agent(tools), TABLE)
    assert first <= 306_000
    assert later <= 271_000


def test_calling_with_two_arguments(contracts: DecidingChain) -> None:
    context = context_of(GIVE)
    made = contracts.decide(context, Choice(SEND, *SURE))
    assert [int.from_bytes(value, "big") for value in made.values] == [int(TO, 16), 500]
    first, later = contracts.measure(context, Choice(SEND, *SURE))
    assert first <= 59_000
    assert later <= 52_000


def test_a_whole_decision(contracts: DecidingChain) -> None:
    """Encoded and decoded: first in a transaction, again in it, and in a later iteration of a run.
    Of the closest tool's two texts there are eight candidates."""
    context = context_of(RESERVE)
    choice = Choice(RESERVED, *SURE, tuple(10**9 - at for at in range(48)))
    assert contracts.decide(context, choice).tool
    first, later, kept = contracts.measure_decision(context, choice)
    assert first <= 358_000
    assert later <= 313_000
    assert kept <= 24_000


def context_of(prompt: bytes) -> Context:
    return Context(prompt, (), DIRECTORY.book, contacts=DIRECTORY.contacts, owner=DIRECTORY.owner)


def test_storing_tools(contracts: DecidingChain, tools: list[str]) -> None:
    assert contracts.reading.store_all(tools) <= 8 * 233_000
    shown = contracts.reading.tool(texts(0, examples=5))
    assert contracts.reading.store(shown) <= 433_000

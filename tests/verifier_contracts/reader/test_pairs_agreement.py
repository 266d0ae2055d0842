"""Python and the contract tell a network the same of parameters and candidates, for any prompts and
any parameters, and find the same tool closest.

The slow one takes 2,000 prompts.
"""

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from tests.support.deciding_chain import DecidingChain
from tests.support.reader_prompts import DIRECTORY, HOSTILE_PROMPTS, reader_prompt
from tests.support.vector_chain import random_rows
from zkagent.models.encoding.context import Context
from zkagent.models.errors import RefusedText
from zkagent.models.networks.filling import PAIR_FEATURES
from zkagent.models.reader.asking import features_of
from zkagent.models.reader.deciding import CallableTool, Described, directory_of
from zkagent.models.reader.files import Margins, Reader, ReaderManifest
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.pairs import LINKS, ROLES_BYTES, Roles
from zkagent.models.reader.vectors import of_texts
from zkagent.verifier_contracts.chain.local import Anvil

MARGINS = Margins(ahead=0, fits=0, unit=1, fills=0)
SHARES = (1, 1, 1, 1)
WORDS = ["pay", "send", "to", "from", "amount", "swap", "friend", "name", "day", "hotel", "with"]
T = ParamType


def text(name: str, description: str, param_type: ParamType = T.STRING) -> Described:
    return Described(param_type, name.encode(), description.encode())


TOOLS = (
    CallableTool(
        b"Pay", (text("to", "friend", T.ADDRESS), text("amount", "amount to pay", T.UINT))
    ),
    CallableTool(b"Hotel", (text("name", "hotel name"), text("day", "day"), text("from", "from"))),
    CallableTool(
        b"Mixed",
        (
            text("by", "amount", T.INT),
            text("all", "amounts", T.UINT_ARRAY),
            text("who", "names", T.STRING_ARRAY),
            text("on", "whether", T.BOOL),
            text("least", "amount", T.UINT),
            text("", ""),
        ),
    ),
    CallableTool(b"Nothing"),
    CallableTool(b"Seven", tuple(text(f"p{i}", "pay") for i in range(7))),
    CallableTool(b"Six", tuple(text(f"to{i}", "pay " * i) for i in range(6))),
    CallableTool(b"pay", (text("x" * 90, "send " * 400), text("x", "\x00\xff", T.UINT))),
)


@pytest.fixture(scope="module")
def rows_of_words() -> object:
    return random_rows([*WORDS, *(link.decode() for link in LINKS[4:])], 5)


@pytest.fixture(scope="module")
def roles() -> Roles:
    """Of all sizes, the largest among them."""
    numbers = np.random.default_rng(8).integers(-128, 128, ROLES_BYTES).astype(np.int8)
    numbers[6:134] = np.repeat([127, -128], 64)
    return Roles(numbers.tobytes())


@pytest.fixture(scope="module")
def contracts(anvil: Anvil, rows_of_words: object, roles: Roles) -> Iterator[DecidingChain]:
    snapshot = anvil.snapshot()
    yield DecidingChain(anvil, rows_of_words, MARGINS, DIRECTORY, TOOLS, roles=roles)  # type: ignore[arg-type]
    anvil.revert(snapshot)


def in_python(contracts: DecidingChain, roles: Roles, prompt: bytes) -> tuple[int, ...] | str:
    rows = contracts.reading.rows
    reader = Reader(None, ReaderManifest.model_construct(), rows, roles)  # type: ignore[arg-type]
    books = {"book": DIRECTORY.book, "contacts": DIRECTORY.contacts, "owner": DIRECTORY.owner}
    names = directory_of(Context(prompt, (), **books)).names()  # type: ignore[arg-type]
    vectors = [
        of_texts(
            rows,
            (
                tool.name,
                b"Does it",
                [part for each in tool.parameters for part in (each.name, each.description)],
                (),
            ),
            SHARES,
        )
        for tool in TOOLS
    ]
    try:
        return features_of(reader, prompt, vectors, TOOLS, names)
    except RefusedText as exc:
        return type(exc).__name__


def agreed(contracts: DecidingChain, roles: Roles, prompts: Sequence[bytes]) -> int:
    """How many had pairs."""
    count = 0
    for prompt in prompts:
        found = contracts.encoded(Context(prompt, ()))
        assert found == in_python(contracts, roles, prompt), prompt
        count += not isinstance(found, str) and any(found[-PAIR_FEATURES:])
    return count


def prompts(rng: random.Random, count: int) -> list[bytes]:
    """Of words that are rows and links, among others."""
    found = []
    for _ in range(count):
        words = reader_prompt(rng).split(b" ")
        for _ in range(rng.randint(0, 6)):
            word = rng.choice([*(each.encode() for each in WORDS), *LINKS])
            words.insert(rng.randint(0, len(words)), word)
        found.append(b" ".join(words)[:200])
    return found


def test_features_are_pythons(contracts: DecidingChain, roles: Roles) -> None:
    assert agreed(contracts, roles, prompts(random.Random(31), 250)) > 100


def test_hostile_prompts_come_to_the_same_features(contracts: DecidingChain, roles: Roles) -> None:
    agreed(contracts, roles, HOSTILE_PROMPTS)


@pytest.mark.slow
def test_2000_prompts_come_to_the_same_features(contracts: DecidingChain, roles: Roles) -> None:
    agreed(contracts, roles, prompts(random.Random(32), 2000))

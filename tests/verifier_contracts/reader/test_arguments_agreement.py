"""Python and the contract make the same arguments, ask the same questions, split the same words."""

import random
from collections import Counter

import pytest
from web3.exceptions import Web3Exception

from tests.support.reader_chain import FITS, Made, ReaderChain
from tests.support.reader_prompts import DIRECTORY, HOSTILE_PROMPTS, reader_prompt
from zkagent.models.errors import RefusedText
from zkagent.models.reader.arguments import Fault, Slot, argument, question
from zkagent.models.reader.candidates import candidates
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.observations import candidates_with
from zkagent.models.reader.units import Unit, UnitKind, unit_of
from zkagent.models.reader.words import MOST_BYTES, words_of
from zkagent.verifier_contracts.chain.local import Anvil

FIRST = DIRECTORY.book.listings[0]
UNITS = (
    Unit(),
    Unit(UnitKind.SYMBOL, FIRST.decimals, FIRST.token.lower()),
    Unit(UnitKind.SYMBOL, 78, FIRST.token.lower()),
    Unit(UnitKind.DECIMALS, 18),
    Unit(UnitKind.DECIMALS, 77),
    Unit(UnitKind.PERCENT),
    Unit(UnitKind.BASIS),
)
MONEY = ("-5", "5", "0", "1.5", "0.000001", "300", "9" * 30, "5 usdc", "5usdc", "5 dai", "50%")
MONEY += ("0.3%", "101%", "1/200", "all", "half", "all but 5", "1.000", "$5", "minus five", "5k")
MONEY += (f"5 {FIRST.token}", f"-1 {FIRST.token}", "-" + "9" * 30, "127", "128", "-128", "-129")


@pytest.fixture(scope="module")
def contracts(anvil: Anvil) -> ReaderChain:
    return ReaderChain(anvil, DIRECTORY)


def expected(prompt: bytes, slot: Slot, name: bytes) -> list[Made]:
    try:
        found = candidates(prompt, slot.param_type, DIRECTORY.names())
    except RefusedText:
        return []
    made = []
    for place, candidate in enumerate(found):
        value = argument(candidate, slot, prompt, DIRECTORY)
        if isinstance(value, Fault):
            text = prompt[candidate.start : candidate.end]
            asked = question(value, name, place, slot.param_type, text)
            made.append(Made(value, b"", asked.encode()))
        else:
            made.append(Made(FITS, value, b""))
    return made


def agreed(contracts: ReaderChain, prompts: list[bytes], slot: Slot, name: bytes) -> Counter[int]:
    faults: Counter[int] = Counter()
    for prompt, made in zip(prompts, contracts.arguments(prompts, slot, name), strict=True):
        assert made == expected(prompt, slot, name), (prompt, slot)
        faults.update(one.fault for one in made)
    return faults


@pytest.mark.parametrize("param_type", ParamType)
def test_arguments_of_random_prompts(contracts: ReaderChain, param_type: ParamType) -> None:
    rng = random.Random(param_type)
    prompts = [reader_prompt(rng) for _ in range(200)] + HOSTILE_PROMPTS
    slot = Slot(param_type, unit=rng.choice(UNITS))
    assert agreed(contracts, prompts, slot, b"a_Name9").total() > 10


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("param_type", [ParamType.INT, ParamType.UINT, ParamType.UINT_ARRAY])
def test_numbers_in_all_units(contracts: ReaderChain, param_type: ParamType, unit: Unit) -> None:
    prompts = [f"give {money} to it".encode() for money in MONEY]
    prompts += [f"{a}, {b}".encode() for a, b in zip(MONEY, MONEY[::-1], strict=True)]
    for bits in (8, 128, 248, 256):
        faults = agreed(contracts, prompts, Slot(param_type, bits, unit=unit), b"")
        assert faults[Fault.DOUBTFUL] > 1
        assert len(faults) > 1


def test_all_faults_come_up(contracts: ReaderChain) -> None:
    faults: Counter[int] = Counter()
    prompts = [f"give {money} to it".encode() for money in MONEY]
    for unit in UNITS:
        faults += agreed(contracts, prompts, Slot(ParamType.UINT, 8, unit=unit), b"n")
    faults += agreed(contracts, [b"0xabcd"], Slot(ParamType.BYTES, size=32), b"n")
    assert set(faults) == {*Fault, FITS} - {Fault.MISSING, Fault.NOBODY}


@pytest.mark.parametrize("size", [0, 1, 2, 31, 32])
def test_bytes(contracts: ReaderChain, size: int) -> None:
    prompts = [b"0x" + b"aB" * count for count in (1, 2, 31, 32, 33, 100)]
    agreed(contracts, prompts, Slot(ParamType.BYTES, size=size), b"x" * 33)


@pytest.mark.parametrize("length", [1, 3, 31, 32, 33])
def test_names_of_any_bytes(contracts: ReaderChain, length: int) -> None:
    """Letters, digits and underscores alone are shown."""
    slot = Slot(ParamType.UINT)
    for byte in range(256):
        name = (b"aZ_09" * 7)[: length - 1] + bytes([byte])
        assert agreed(contracts, [b"give -5"], slot, name)[Fault.NEGATIVE] == 1


def test_words_of_random_texts(contracts: ReaderChain) -> None:
    rng = random.Random(5)
    alphabets = ("aB1_' é", "abcABC", "a'B'", "aZ9 '-", "".join(map(chr, range(256))))
    texts = [
        "".join(rng.choices(rng.choice(alphabets), k=rng.choice((0, 1, 5, 40, 300)))).encode()
        for _ in range(2000)
    ]
    for at in range(0, len(texts), 200):
        batch = texts[at : at + 200]
        assert contracts.words(batch) == [words_of(text) for text in batch]


def test_words_of_hostile_texts(contracts: ReaderChain) -> None:
    rng = random.Random(6)
    texts = [b"", b"'", b"a'", b"'a", b"a'B", b"A'b'C", b"HTTPServer", b"aB" * 1500]
    texts += [b"a" * MOST_BYTES + b"b", b"a " * 1500, rng.randbytes(6000), b"\xff" * 3000]
    texts += [b"a" * (MOST_BYTES - 1) + b"'b", b"A" * (MOST_BYTES - 1) + b"Ab", b"9" * 2500]
    assert contracts.words(texts) == [words_of(text) for text in texts]


def test_units_of_random_texts(contracts: ReaderChain) -> None:
    rng = random.Random(7)
    words = ("usdc", "dai", "x", "18", "77", "78", "007", "decimals", "basis", "points", "bps")
    words += ("percent", "pct", "may", "amount", "in", "Of", "inBps", "usdcAmount")
    texts = [" ".join(rng.choices(words, k=rng.randint(0, 5))).encode() for _ in range(600)]
    kinds: Counter[int] = Counter()
    for text, (kind, decimals, token) in zip(texts, contracts.units(texts), strict=True):
        unit = unit_of(words_of(text), DIRECTORY.book)
        assert (kind, decimals, int(token, 16)) == (*unit_numbers(unit),), text
        kinds[kind] += 1
    assert set(kinds) == set(UnitKind)


def unit_numbers(unit: Unit) -> tuple[int, int, int]:
    return unit.kind, unit.decimals, int(unit.token or "0", 16)


@pytest.mark.parametrize("param_type", ParamType)
def test_observations(contracts: ReaderChain, param_type: ParamType) -> None:
    rng = random.Random(20 + param_type)
    observations = [*(reader_prompt(rng) for _ in range(40)), *HOSTILE_PROMPTS]
    observations += [b"5 'a b' 0xab 0x" + b"12" * 20, b"7, .5 and -3", b"1 or 2 or 3", b"'a', 'b'"]
    for observation in observations:
        prompt = rng.choice((b"do it", b"1 'x' yes 0xab bob " * 3))
        expected = candidates_with(prompt, observation, param_type, DIRECTORY.names())
        assert contracts.observed(prompt, observation, param_type) == expected, observation


def test_little_gas_hides_no_observation(contracts: ReaderChain) -> None:
    """With any gas the answer is the same, or there is none."""
    observation = b"5 " + b"and 7 " * 30
    whole = contracts.observed(b"do 1", observation, ParamType.UINT)
    answers = 0
    for gas in range(40_000, 1_000_000, 10_000):
        try:
            found = contracts.observed(b"do 1", observation, ParamType.UINT, gas)
        except Web3Exception:
            continue
        answers += 1
        assert found == whole, gas
    assert answers > 10

"""Prompts to a reader: random ones that its rules are likely to know, and hostile ones."""

import random

from tests.support.instruction_prompts import FOREIGN, HOSTILE, random_prompt
from tests.support.reader_chain import directory_of
from zkagent.models.reader.lexicon import CLASSES, Class

#: Books with what no book of ours lists, and names that are words of other classes.
DIRECTORY = directory_of(
    [*FOREIGN.symbols, ("may", "0x" + "a1" * 20), ("on", "0x" + "a2" * 20)],
    [*FOREIGN.contacts, ("will", "0x" + "a3" * 20), ("it", "0x" + "a4" * 20)],
)
LISTED = tuple(word.decode() for word in CLASSES)
_TRUTHS = Class.YES | Class.NO | Class.NOT | Class.ON | Class.SWITCH
TRUTHS = tuple(word.decode() for word, classes in CLASSES.items() if classes & _TRUTHS)
BYTES = ("0xab", "0xABC", "0xAbCd", "0x", "0x" + "ab" * 32, "0Xab", "0xag", "0x1")
RUNS = (
    "13th",
    "1st",
    "22nd",
    "3rd",
    "4st",
    "14",
    "2026",
    "10:30",
    "10:30pm",
    "5pm",
    "5:3",
    "7:300",
)
RUNS += ("2026-03-13", "3/14/26", "1.2.3", "1-2.3", "12345-1-1", "-5", "-.5", "(-5", "--5", "$400")
RUNS += ("24/7", "#210", "5'", '6"', "x-5")
NAMES = (
    "Ann",
    "San Jose",
    "CA",
    "Dr.",
    "St.",
    "E.",
    "McDonald's",
    "the LOT",
    "Vs",
    "O'Neil's",
    "I'm",
)
NAMES += (
    "Lee-Ann",
    "Chi-town",
    "rock & roll",
    "AC/DC",
    "I",
    "A",
    "Say",
    "bob's",
    "to bob's",
    "it's",
)
MARKS = (
    ",",
    ".",
    "!",
    "?",
    ", and",
    "and",
    "&",
    "#",
    "# 5",
    "...",
    "-",
    ":",
    "'",
    '"',
    "`",
    '",',
    "',",
)
PHRASES = (
    "the 14th of March",
    "March the 3rd, 2026",
    "later today",
    "the day after tomorrow",
    "Friday next week",
    "Monday, next week",
    "half past 11 in the morning",
    "a quarter to four",
    "evening 5:30 pm",
    '3 o"clock in the afternoon',
    "10 a.m. sharp",
    "498 14th Street # 5",
    "1047 Lincoln Highway suite 101",
    "Wild Nights with Emily sounds",
    "the title is Movie at Century",
    "call it 'the ' and \"a b\"",
    "don't enable",
    "turn it on",
    "not never no",
    "minus five",
    "10 minus 4",
    "minus -5",
    "1, 2, and 3",
    "Ann, Bob Lee and eve",
    "yes, no and yes",
    "one hundred and fifty dollars",
    "-5 usdc",
    "50% of it",
    "all my usdc but ten",
)
HOSTILE_PROMPTS = [
    *HOSTILE,
    b"a " * 64,
    b"a " * 65,
    b"- " * 65,
    b"A " * 64,
    b"A1 " * 64,
    b"5 " * 64,
    b"Z" * 512,
    b"-5" * 256,
    b" -5" * 64,
    b"'a' " * 64,
    b"'s-14",
    b"'" * 512,
    b'"' * 511,
    b"'a b" * 50,
    b'"a"b"c" "d',
    b"not " * 64,
    b"yes, " * 32,
    b"5, " * 32,
    b"5," * 17,
    b"A, " * 32,
    b"Ann's Bob's Ann's",
    b"onderhoud for Onderhoud Ann onderhoud 5 onderhoud",
    b"the title " * 32,
    b"is " * 64,
    b". " * 64,
    b"Dr. " * 32,
    b"March " * 64,
    b"half past " * 32,
    b"0xab " * 64,
    b"a-b-c-d A-b-C-d",
    b"A & B - C ' D / E : F + G",
    b"one hundred and one and hundred",
    b"-5 (-5 ,-5 ;-5 :-5 [-5 =-5 !-5 a-5 -.5 -. -a",
]


def reader_prompt(rng: random.Random) -> bytes:
    """Words of all classes, runs, names, marks and phrases in a random order."""
    if rng.random() < 0.2:
        return random_prompt(rng)
    pools = (LISTED, LISTED, RUNS, NAMES, MARKS, PHRASES, TRUTHS, BYTES, ("zz", "sword", "x"))
    taste = [rng.random() ** 2 for _ in pools]
    text = ""
    for _ in range(rng.choice((1, 3, 6, 12, 24, 60))):
        word = rng.choice(rng.choices(pools, taste)[0])
        word = rng.choice((word, word, word, word.capitalize(), word.upper()))
        quote = rng.choice("\"`'") if rng.random() < 0.04 else ""
        word = quote + word + quote
        text += rng.choice((" ", " ", " ", " ", "", "-", ", ")) + word
    return text.strip().encode()[:520]

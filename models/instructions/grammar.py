"""The words that amounts are made of, and what each is worth. Part of the encoder, not of a model:
no training changes them.
"""

from collections.abc import Iterable
from enum import IntEnum


class Meaning(IntEnum):
    """What a word does in an amount. The numbers are those of the vocabulary's third byte."""

    NONE = 0
    ZERO = 1  # nought point two
    UNIT = 2  # one to nine
    TEEN = 3  # ten to nineteen
    TEN = 4  # twenty to ninety
    HUNDRED = 5
    SCALE = 6  # k, thousand, million
    DOZEN = 7
    POINT = 8
    PERCENT = 9
    HALF = 10
    FRACTION = 11  # third, quarters: the value is the denominator
    ALL = 12  # all there is, or what is left of it
    EXCEPT = 13  # all but ten
    GLUE = 14  # may stand between "all" and "but"
    ARTICLE = 15  # a, an
    AND = 16
    OWNER = 17  # a payee: the agent's owner


_SCALED = {"k": 3, "thousand": 3, "thousend": 3, "grand": 3, "m": 6, "million": 6}


def _listed() -> Iterable[tuple[str, Meaning, int]]:
    for word in ("zero", "nought", "naught", "oh"):
        yield word, Meaning.ZERO, 0
    units = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    for value, word in enumerate(units, 1):
        yield word, Meaning.UNIT, value
    teens = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    for value, word in enumerate(teens.split(), 10):
        yield word, Meaning.TEEN, value
    tens = "twenty thirty forty fifty sixty seventy eighty ninety"
    for value, word in enumerate(tens.split(), 2):
        yield word, Meaning.TEN, 10 * value
    yield "fourty", Meaning.TEN, 40
    yield "hundred", Meaning.HUNDRED, 2
    yield "hunderd", Meaning.HUNDRED, 2
    for word, power in _SCALED.items():
        yield word, Meaning.SCALE, power
    yield "dozen", Meaning.DOZEN, 12
    yield "point", Meaning.POINT, 0
    for word in ("percent", "pct"):
        yield word, Meaning.PERCENT, 0
    yield "half", Meaning.HALF, 2
    parts = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth", 10: "tenth"}
    for value, word in parts.items():
        yield word, Meaning.FRACTION, value
        yield word + "s", Meaning.FRACTION, value
    yield "fourth", Meaning.FRACTION, 4
    yield "fourths", Meaning.FRACTION, 4
    whole = "all everything whole entire entirety lot every total rest remainder remaining left"
    whole += " full fully complete completely entirely totality empty drain evrything everyting"
    for word in whole.split():
        yield word, Meaning.ALL, 1
    for word in "but except excepting save bar minus apart besides excluding less".split():
        yield word, Meaning.EXCEPT, 0
    for word in "of my the in pool wallet i have got from for that is this".split():
        yield word, Meaning.GLUE, 0
    for word in ("a", "an"):
        yield word, Meaning.ARTICLE, 1
    yield "and", Meaning.AND, 0
    for word in ("me", "myself", "own"):
        yield word, Meaning.OWNER, 0


#: Lower-case words: what each does, and its value (a power of ten for SCALE and HUNDRED).
WORDS: dict[bytes, tuple[Meaning, int]] = {w.encode(): (m, v) for w, m, v in _listed()}

#: Begin a number that is written in words.
CARDINAL = frozenset({Meaning.ZERO, Meaning.UNIT, Meaning.TEEN, Meaning.TEN, Meaning.HUNDRED})

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
    PER = 18  # per cent
    UNREAD = 19  # billions, basis points: the number before it is in doubt


_SCALED = {"k": 3, "thousand": 3, "thousend": 3, "grand": 3, "m": 6, "million": 6}
_PARTS = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth", 10: "tenth"}
#: Words of one value each. Those that are not read are scales, fractions and units that no amount
#: goes on with: the number right before them is not what is meant.
_ALIKE: tuple[tuple[Meaning, int, str], ...] = (
    (Meaning.ZERO, 0, "zero nought naught oh"),
    (Meaning.TEN, 40, "fourty"),
    (Meaning.HUNDRED, 2, "hundred hunderd"),
    (Meaning.DOZEN, 12, "dozen"),
    (Meaning.POINT, 0, "point"),
    (Meaning.PERCENT, 0, "percent pct"),
    (Meaning.HALF, 2, "half"),
    (Meaning.FRACTION, 4, "fourth fourths"),
    (
        Meaning.ALL,
        1,
        "all everything whole entire entirety lot every total rest remainder remaining left full "
        "fully complete completely entirely totality empty drain evrything everyting",
    ),
    (Meaning.EXCEPT, 0, "but except excepting save bar minus apart besides excluding less"),
    (Meaning.GLUE, 0, "of my the in pool wallet i have got from for that is this"),
    (Meaning.ARTICLE, 1, "a an"),
    (Meaning.AND, 0, "and"),
    (Meaning.OWNER, 0, "me myself own"),
    (Meaning.PER, 0, "per"),
    (
        Meaning.UNREAD,
        0,
        "b bil billion billions bln bn trillion trillions tn trn lakh lakhs lac crore crores score "
        "kk mil mill mln mn mm mio hundreds thousands millions dozens bps bp bips basis percentage "
        "pc ppm permille cent cents halves seventh sevenths ninth ninths hundredth hundredths "
        "thousandth thousandths millionth millionths twentieth twentieths wei kwei mwei gwei szabo "
        "finney sat sats satoshi satoshis lamport lamports",
    ),
)


def _listed() -> Iterable[tuple[str, Meaning, int]]:
    units = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    for value, word in enumerate(units, 1):
        yield word, Meaning.UNIT, value
    teens = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    for value, word in enumerate(teens.split(), 10):
        yield word, Meaning.TEEN, value
    tens = "twenty thirty forty fifty sixty seventy eighty ninety"
    for value, word in enumerate(tens.split(), 2):
        yield word, Meaning.TEN, 10 * value
    for word, power in _SCALED.items():
        yield word, Meaning.SCALE, power
    for value, word in _PARTS.items():
        yield word, Meaning.FRACTION, value
        yield word + "s", Meaning.FRACTION, value
    for meaning, value, words in _ALIKE:
        for word in words.split():
            yield word, meaning, value


#: Lower-case words: what each does, and its value (a power of ten for SCALE and HUNDRED).
WORDS: dict[bytes, tuple[Meaning, int]] = {w.encode(): (m, v) for w, m, v in _listed()}

#: Begin a number that is written in words.
CARDINAL = frozenset({Meaning.ZERO, Meaning.UNIT, Meaning.TEEN, Meaning.TEN, Meaning.HUNDRED})
#: Powers of ten, and with dozens what an article makes a number.
POWERS = frozenset({Meaning.HUNDRED, Meaning.SCALE})
COUNTED = POWERS | {Meaning.DOZEN}
#: Right behind an amount that does not go on with them they make a doubt of it.
UNSETTLING = COUNTED | {Meaning.PERCENT, Meaning.HALF, Meaning.FRACTION, Meaning.PER}
UNSETTLING |= {Meaning.UNREAD}

"""Prompts to an instruction encoder: random ones that the grammar is likely to have rules for, and
hostile ones, with a made-up vocabulary and books."""

import random
import re
from collections import Counter

from tests.support.instruction_chain import Books
from zkagent.models.instructions.codes import PRESENT, Codebook
from zkagent.models.instructions.codetable import CodeTable, table_of
from zkagent.models.instructions.grammar import WORDS
from zkagent.models.instructions.reader import BY_TEXT, Kind
from zkagent.models.wallet.text.rows import ADDRESSES
from zkagent.models.wallet.text.written import messages

LISTED = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
BOOKS = Books(
    symbols=(
        ("usdc", LISTED),
        ("dai", "0x" + "11" * 20),
        ("weth", "0x" + "22" * 20),
        ("link", "0x" + "33" * 20),
        ("wbtc", "0x" + "44" * 20),
        ("usdt", "0x" + "55" * 20),
        ("ten", "0x" + "66" * 20),  # a number, too
        ("abcdefghijk", "0x" + "77" * 20),
        ("b52", "0x" + "88" * 20),
        ("x", "0x" + "99" * 20),  # too short for a book
    ),
    contacts=tuple(
        (name, "0x" + f"{place:040x}")
        for place, name in enumerate(("bob", "tunde", "amaka", "me", "o'neil", "dai", "ng", "q"), 1)
    ),
)
#: With what no book of ours lists: words of amounts, runs of digits, a contact without an account.
FOREIGN = Books(
    symbols=(
        *BOOKS.symbols,
        ("an", "0x" + "aa" * 20),
        ("10", "0x" + "bb" * 20),
        ("1k5", "0x" + "cc" * 20),
        ("half", "0x" + "dd" * 20),
        ("per", "0x" + "ee" * 20),
    ),
    contacts=(("nobody", "0x" + "00" * 20), *BOOKS.contacts, ("a's", "0x" + "12" * 20)),
)
PLAIN = ("send", "deposit", "withdraw", "please", "to", "then", "pool", "what", "don't", "sending")
ODD = ("x", "b4", "'", "bob's", "well-known", "-", "->", "--", "zz", "Q", "o'neil", "abcdefghijkl")
ODD += ("to bob's", "to o'neil's", "nobody's", "to nobody's", "to a's", "a's's")
MARKS = (*",.;:!?%$#()\"'-/+*&@<>=~^_", "...", "->", "?!", "%%", "$$")
RUNS = ("0", "1", "5", "10", "007", "0.5", ".5", "5.", "1.000", "0.500", ".500", "1,000", "1,00")
RUNS += ("1,000.50", "12,345,678", "1234,567", "0,100", "5,50", "1.2.3", "1/3", "3/1", "01/3")
RUNS += ("1/1000", "999/1000", "50%", "0%", "100%", "101%", "0.5%", "5k", "5K", "2.5m", "3M")
RUNS += ("5kk", "2pm", "5-10", "5usdc", "5USDC", "0.5dai", "5ten", "1k5", "0x", "0X12", "0x12")
RUNS += ("9" * 30, "9" * 31, "0." + "1" * 29, "0." + "1" * 30, "9" * 30 + "k", "1,000,000m", "5b52")
RUNS += ("50%%", "%5", "5..10", "...5", "0x" + "0" * 40, "5an", "5half", "510", "2.5")
RUNS += ("0.0000", "1." + "0" * 28, "1" + "0" * 29 + "%", "5abcdefghijk", "5%usdc", "1'000", "1:2")

PHRASES = (
    "all my usdc but ten",
    "everything except for 5 dai",
    "all but 5usdc",
    "the rest, minus two and a half usdc",
    "all but all but 5usdc",
    "all of the dai in the pool less 0.5 link",
    "two and a half thousand",
    "a hundred and twenty-five",
    "half a million",
    "half a dai",
    "half a dozen",
    "zero point oh five",
    "a million and a half",
    "three quarters of",
    "ten percent",
    "5 hundred thousand",
    "all but",
    "point point",
    "per cent",
    "50 per cent of",
    "50 %. all",
    "(50 %)",
    "five per cent",
    "half a percent",
    "a quarter of a percent",
    "half of one percent",
    "half of my 60",
    "50% of the 100",
    "half of a dai",
    "a quarter of a weth",
    "three quarters of a dai",
    "12.5% of a link",
    "a third of a usdc",
    "a tenth of an dai",
    "half an hundred",
    "half of a half",
    "half a million and ten",
    "2 1/2",
    "one half",
    "1 half",
    "one half of",
    "5 50%",
    "two and a quarter",
    "two and three quarters",
    "four and half",
    "5 and 1/2",
    "5 hundred and ten",
    "two thousand and 50",
    "a hundred and 0x12",
    "50 bps",
    "5 billion",
    "5 basis points",
    "ten per day",
    "5.5 half",
    "5 an hundred",
    "all my dai but 10 usdc",
    "everything except 10%",
    "all except dai",
    "send it to bob's wallet",
)
GRAMMAR = tuple(word.decode() for word in WORDS)
NAMED = tuple(name for name, _ in (*FOREIGN.symbols, *FOREIGN.contacts))
#: Numbers twice: of these prompts are full.
KNOWN = (GRAMMAR[:45], GRAMMAR[:45], GRAMMAR, PLAIN + ODD, MARKS, RUNS, NAMED)


#: What stands before and behind an amount that is doubtful or nearly so.
AROUND = ("{}", "send {} usdc to bob", "withdraw {} of my dai", "all but {} usdc", "5 {} a", "{}!")
AROUND += ("{} and a half", "{} and ten", "half of {} dai", "{} per cent", "two {} 5", "-{}-")


def hostile_prompts() -> list[bytes]:
    """Hostile ones, and each amount that is one, nearly, in each place."""
    amounts = (*PHRASES, *(f"5 {word}" for word in GRAMMAR), *RUNS)
    return [*HOSTILE, *(text.format(amount).encode() for amount in amounts for text in AROUND)]


def random_words(rng: random.Random, count: int) -> set[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return {"".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(count)}


def made_up_table(seed: int, words_at_random: int = 1800) -> CodeTable:
    """Random codes; of words, starts and ends more than one contract holds."""
    rng = random.Random(seed)

    def code() -> int:
        return PRESENT | rng.getrandbits(47)

    letters = "abcdefghijklmnopqrstuvwxyz"
    words = random_words(rng, words_at_random)
    words |= {*PLAIN[::2], *MARKS[::2], *(word.decode() for word in list(WORDS)[::2])}
    starts = {word[:4] for word in (*PLAIN, "ever", "twen") if len(word) >= 4}
    starts |= {"".join(rng.choices(letters, k=4)) for _ in range(300)}
    ends = {"".join(rng.choices(letters, k=3)) for _ in range(200)} | {"ing", "n't", "l's"}
    return table_of(
        Codebook(
            words={word.encode(): code() for word in sorted(words)},
            starts={start.encode(): code() for start in sorted(starts)},
            ends={end.encode(): code() for end in sorted(ends)},
            unknown=code(),
            kinds={kind: code() for kind in Kind if kind not in BY_TEXT},
        )
    )


def table_of_writers(seed: int) -> CodeTable:
    """Random codes of what a model may know, in two contracts: the 2,000 words and marks that the
    writers used most, the most frequent first, as a trained model has them; first and last
    letters."""
    rng = random.Random(seed)
    counts = Counter(re.findall(r"[a-z][a-z']*|[^a-z0-9\s]", text_of_writers()))
    words = [word for word, _ in counts.most_common(2000)]
    codes = iter(lambda: PRESENT | rng.getrandbits(47), 0)
    long = [word.encode() for word in words if len(word) >= 4]
    return table_of(
        Codebook(
            words={word.encode(): next(codes) for word in words},
            starts={word[:4]: next(codes) for word in long[::8]},
            ends={word[-3:]: next(codes) for word in long[::8]},
            unknown=next(codes),
            kinds={kind: next(codes) for kind in Kind if kind not in BY_TEXT},
        )
    )


def text_of_writers() -> str:
    return " ".join(message.text.lower() for message in messages())


def random_prompt(rng: random.Random) -> bytes:
    """Words, numbers and marks in a random order, of 0 to 520 characters."""
    limit = rng.choice((1, 20, 60, 120, 200, 300, 520)) * rng.random()
    taste = [rng.random() ** 2 for _ in range(9)]
    if limit < 0.02:
        return b""
    text = ""
    while len(text) < limit:
        text += rng.choice(("", " ", " ", " ", " ", " ", "  ", "-"))
        text += _cased(rng, _piece(rng, taste))
    if rng.random() < 0.01:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice("\n\x7f\xe9\0") + text[at:]
    return text.encode("latin-1")


def _cased(rng: random.Random, piece: str) -> str:
    if piece.startswith("0x"):
        return piece
    return rng.choice((piece, piece, piece, piece.upper(), piece.capitalize()))


def _piece(rng: random.Random, taste: list[float]) -> str:
    which = rng.choices(range(len(taste)), taste)[0]
    if which < len(KNOWN):
        return rng.choice(KNOWN[which])
    if which == len(KNOWN):
        return "".join(rng.choices("0123456789,./%km5x-", k=rng.randint(1, 9)))
    return rng.choice((_address(rng), *rng.choices(PHRASES, k=3)))


def _address(rng: random.Random) -> str:
    address = rng.choice((*ADDRESSES.values(), LISTED))
    digits = address[2:]
    return rng.choice(
        (address, address, address.lower(), "0x" + digits.upper(), "0x" + digits[:-1])
        + (
            (digits, address + "0", "0X" + digits, "0x" + digits.swapcase())
            if rng.random() < 0.1
            else ()
        )
    )


HOSTILE = [
    b"withdraw all my dai but 10usdc",
    b"withdraw all my dai but 10dai",
    b"all dai but for 1,000usdc",
    b"all but 10usdc of my dai",
    b"",
    b" ",
    b"-",
    b"a-b",
    b"a" * 512,
    b"a" * 513,
    b"7" * 512,
    b"." * 512,
    b"a." * 256,
    b"a " * 30,
    b"a " * 31,
    b"  send    5   usdc  to  bob  ",
    b"five   hundred" + b" " * 90 + b"zorb  a   b  ",
    b" " * 512,
    b"5 " * 31,
    b"5 " * 30,
    b"all but " * 64,
    b"all but " * 63 + b"5usdc",
    b"all but all but 5usdc",
    b"all but 5usdc to bob",
    b"all but 5ten",
    b"all , " + b"my " * 9 + b"but 5",
    b"all " + b"my " * 8 + b"but 5",
    b"all " + b"my " * 9 + b"but 5",
    b"all " + b"my " * 10 + b"but 5",
    b"all usdc but 5 dai",
    b"all usdc but 5 usdc",
    b"all usdc dai but 5 usdc",
    b"all but half a dai",
    b"all but 50%",
    b"all but from 5",
    b"all but for for 5",
    b"all but for",
    b"point " + b"oh " * 150 + b"five",
    b"one point five " + b"oh " * 150,
    b"oh point oh",
    b"point " + b"oh " * 29 + b"five",
    b"point " + b"oh " * 30 + b"five",
    b"point " + b"one " * 30,
    b"one point " + b"one " * 29,
    b"one point " + b"one " * 30,
    b"9" * 30 + b" and a half",
    b"9" * 30 + b" dozen",
    b"9" * 30 + b" percent",
    b"0." + b"9" * 29 + b" percent",
    b"0" * 30,
    b"." + b"1" * 30 + b"%",
    b"." + b"1" * 31 + b"%",
    b"5 0x1234567890123456789012345678901234567890",
    b"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49",
    b"0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" + b" a" * 40,
    b"a " * 40 + b"0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    b"0xA0B86991C6218B36C1D19D4A2E9EB0CE3606EB48",
    b"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48%",
    b"all but 0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    b"to bob's",
    b"o bob's to  bob's to\tbob's",
    b"to bob's wallet to BOB'S to bob'sx",
    b"half",
    b"half a",
    b"a",
    b"an hundred",
    b"and a half",
    b"one and a half",
    b"one dozen and a half",
    b"and " * 20,
    b"hundred and hundred and one",
    b"eleven hundred and ten thousand and five million",
    b"nine hundred thousand million",
    b"'a' 'b '5 5' don't 'n' a'5 5'a",
    b"1 2 3",
    b"5ten five ten5 ten",
    b"me bob me's o'neil ng dai",
    b"\x80 a",
    b"a\n",
    b"a" * 511 + b"\x7f",
    b"~ ~5 5~ {5} [5] |5| \\5 `5`",
    bytes(range(0x20, 0x7F)),
    b".5.5 a.5 5..5 ..5 -.5 a-.5",
    b"1/3 1/3/5 1/0 0/3 3/4% 1/3k 100/999 1000/9999",
]

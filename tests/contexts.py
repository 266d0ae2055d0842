"""Generators of contexts, plain and hostile, for tests of encoder and decoder.

Everything is a function of the `random.Random` given. Token addresses are constants, so that a test
with a chain can put tokens there.
"""

import random
from collections.abc import Callable, Iterator

from eth_utils.address import to_checksum_address

from models.book import Listing, SymbolBook
from models.context import Context, escape_observation
from models.manifest import Manifest

VOCABULARY = (
    "withdraw deposit send transfer please my all the from to pool wallet balance of what is how "
    "much into out back everything half and then a an I'd like re-invest show me lend put take "
    "move pay bob's e-mail Alice supercalifragilisticexpialidocious x be cat four seven "
    "side rise weather session"  # hashes that begin with a zero byte: never in a vocabulary
).split()
#: Decimals of tokens that no book lists; None: the token does not tell, or not sensibly.
OUTSIDE: dict[str, int | None] = {
    f"0x{'c0ffee':0>38}{i:02x}": decimals for i, decimals in enumerate([18, 6, 0, 77, *[None] * 6])
}
PUNCTUATION = ["", "", "", "", ",", ".", "?", "!", "...", "?!", ":", ";", ")", "'", "-", "%", "],"]
LEADS = ["", "", "", "", "", "(", "'", "$", "#", "-", "[", "{(", "+"]


def _book(*symbols: tuple[str, int]) -> SymbolBook:
    return SymbolBook(
        Listing(symbol, f"0x{0xB00C0000 + i:040x}", decimals)
        for i, (symbol, decimals) in enumerate(symbols)
    )


BOOKS = (
    _book(("USDC", 6), ("DAI", 18), ("WETH", 18), ("WBTC", 8), ("abcdefghijk", 0)),
    _book(),
    _book(*((f"{a}{b}", (i * 7) % 78) for i, a in enumerate("xyzuw") for b in "ABC1d"), ("x5", 3)),
)


def checksummed(rng: random.Random) -> str:
    return to_checksum_address(rng.randbytes(20))


def address(rng: random.Random, book: SymbolBook) -> str:
    """In the book, outside of it, or anything; in either case of letters."""
    known = [listing.token for listing in book.listings] + list(OUTSIDE)
    text = rng.choice([rng.choice(known), checksummed(rng)])
    text = to_checksum_address(text)
    return rng.choice([text, text.lower(), "0x" + text[2:].upper()])


def number(rng: random.Random) -> str:
    if rng.random() < 0.03:
        return "9" * rng.choice([58, 60, 72, 78, 80])
    whole = str(rng.choice([0, 1, 5, 17, 100, 250_000, rng.randrange(10**12)]))
    fraction = rng.choice(["", "", "", "", ".5", ".0", ".25", ".123456", ".0000000", ".000001"])
    return rng.choice(["", "", "", "00"]) + whole + fraction


def symbol(rng: random.Random, book: SymbolBook) -> str:
    listed = [listing.symbol for listing in book.listings] or ["USDC"]
    text = rng.choice(listed)
    return rng.choice([text, text.lower(), text.upper(), text.title()])


def variants(text: str, book: SymbolBook) -> list[str]:
    """Ways to name the asset that `text` names."""
    listing = book.by_token(text) if text.startswith("0x") else book.by_symbol(text)
    if listing is None:
        return [text, text.lower(), "0x" + text[2:].upper()] if text[:2] == "0x" else [text]
    return [listing.symbol, listing.symbol.upper(), listing.token, "0x" + listing.token[2:].upper()]


def random_prompt(rng: random.Random, book: SymbolBook, focus: str | None = None) -> bytes:
    """Words with up to seven candidates among them, `focus` one of them, and all sorts of
    punctuation."""
    kinds: list[Callable[[], str]] = [
        lambda: number(rng),
        lambda: symbol(rng, book),
        lambda: address(rng, book),
        lambda: number(rng) + symbol(rng, book),
    ]
    parts = [rng.choice(VOCABULARY) for _ in range(rng.randrange(1, 16))]
    if focus is None or rng.random() < 0.7:
        parts += [rng.choice(kinds)() for _ in range(rng.choice([0, 1, 2, 2, 3, 4]))]
    parts += [] if focus is None else [focus]
    rng.shuffle(parts)
    if rng.random() < 0.2:
        parts.insert(rng.randrange(len(parts)), f'"{rng.choice(VOCABULARY)} 5 USDC"')
    return " ".join(_dressed(rng, part) for part in parts).encode()


def _dressed(rng: random.Random, part: str) -> str:
    if rng.random() < 0.2:
        part = rng.choice([part.upper(), part.title(), part.swapcase()]) if part.isalpha() else part
    plain = rng.random() < 0.7
    return part if plain else rng.choice(LEADS) + part + rng.choice(PUNCTUATION)


def balance_text(rng: random.Random, book: SymbolBook, focus: str | None = None) -> str:
    unit = rng.choice([symbol(rng, book), symbol(rng, book), address(rng, book)])
    if focus is not None and rng.random() < 0.9:
        unit = rng.choice(variants(focus, book))
        if rng.random() < 0.1:
            unit = unit.replace("c", "s")  # as a hex digit it would have the same value
    pool = f"The balance is: {number(rng)} {unit}"
    return rng.choice([pool, f"{pool} in the pool, {number(rng)} {unit} in the wallet"])


def entry(manifest: Manifest, action: str, observation: str | bytes) -> bytes:
    """A reasoning entry as the agent writes it."""
    prefix = next(a.prefix for a in manifest.actions if a.name == action)
    raw = observation.encode() if isinstance(observation, str) else observation
    return prefix + b'{"asset":"USDC"}\nObservation: ' + escape_observation(raw) + b"\n"


def random_context(
    rng: random.Random, manifest: Manifest, book: SymbolBook | None = None
) -> Context:
    """What an agent may well meet: a prompt and up to four iterations."""
    book = rng.choice(BOOKS[:1] + BOOKS) if book is None else book
    focus = rng.choice([symbol(rng, book), address(rng, book)])
    reasoning = []
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3, 4])):
        action = rng.choice([*[manifest.balance_action] * 3, rng.choice(manifest.actions).name])
        plain = rng.choice(["Successfully deployed", "", "{name} failed", "done\nline"])
        text = balance_text(rng, book, focus) if rng.random() < 0.8 else plain
        reasoning.append(entry(manifest, action, text))
    blanks = [b""] * rng.choice([0, 0, 2, 7])
    return Context(random_prompt(rng, book, focus), tuple(reasoning + blanks), book)


def adversarial_contexts(rng: random.Random, manifest: Manifest, count: int) -> Iterator[Context]:
    """Contexts at and beyond every limit, and texts that almost are what they are not."""
    for i in range(count):
        book = rng.choice(BOOKS)
        prompt = PROMPTS[i % len(PROMPTS)](rng, book)
        history = tuple(HISTORIES[i % len(HISTORIES)](rng, manifest, book))
        if i // len(PROMPTS) % 2 and len(prompt) < 500:
            prompt += b" " + random_prompt(rng, book)
        yield Context(prompt, history, book)


def _soup(rng: random.Random, alphabet: bytes, most: int = 120) -> bytes:
    return bytes(rng.choice(alphabet) for _ in range(rng.randrange(most)))


def _glued(rng: random.Random, book: SymbolBook) -> bytes:
    pieces = ["5k", "1e18", "50%", "$5", "1,000", "0x12", "5.5.5", "5.", ".5", "5USDC", "5usdcc"]
    pieces += ["-5", "+5", "5)", "(5", "x5", "5x5", "0xUSDC", "0X" + "ab" * 20, "5.x", "(5)USDC"]
    pieces += [number(rng) + symbol(rng, book), symbol(rng, book) + number(rng), "USDC/DAI", "5'"]
    pieces += ["5." + symbol(rng, book), number(rng) + "." + symbol(rng, book)]
    return " ".join(rng.choice(pieces) for _ in range(rng.randrange(1, 8))).encode()


def _near_address(rng: random.Random, book: SymbolBook) -> bytes:
    text = checksummed(rng)
    place = rng.choice([i for i in range(2, 42) if text[i].isalpha()])
    wrong_case = text[:place] + text[place].swapcase() + text[place + 1 :]
    others = [text[:-1], text + "0", text[:place] + "g" + text[place + 1 :], "0X" + text[2:]]
    others += [text[1:], "(" + text + ")", text + "USDC", "$" + text, text + "'s", "5" + text]
    found = rng.choice([text, wrong_case, wrong_case.lower(), rng.choice(others)])
    return f"send 5 USDC to {found} {rng.choice(VOCABULARY)}".encode()


def _foreign_byte(rng: random.Random, book: SymbolBook) -> bytes:
    prompt = bytearray(random_prompt(rng, book))
    for _ in range(rng.randrange(1, 3)):
        prompt[rng.randrange(len(prompt))] = rng.choice([0, 9, 10, 31, 127, 128, 160, 195, 255])
    return bytes(prompt)


def _quotes(rng: random.Random, book: SymbolBook) -> bytes:
    return _soup(rng, b'"" ab5.?"')


def _long(rng: random.Random, book: SymbolBook) -> bytes:
    length = rng.choice([31, 32, 33, 63, 64, 65, 510, 511, 512, 513, 600])
    shape = rng.choice([b"a", b"Ab", b"5", b"a ", b"aaaa5", b'"', b".", b" ", b"0x", b"-a", b"a?"])
    return (shape * 600)[: length - 1] + rng.choice([b"z", b" ", b"5", b"?"])


def _many_tokens(rng: random.Random, book: SymbolBook) -> bytes:
    count = rng.choice([63, 64, 65])
    words = rng.choices(["to", "a", "USDC", "cats", "be", '"x"'], [3, 3, 0.1, 3, 3, 1], k=count)
    return " ".join(words[:-1]).encode() + rng.choice([b" end", b"?", b"", b" end?", b' "', b" 7"])


def _many_candidates(rng: random.Random, book: SymbolBook) -> bytes:
    count = rng.choice([5, 6, 6, 7])
    texts = [rng.choice([number(rng), symbol(rng, book), "0x" + "5" * 40]) for _ in range(count)]
    return " and ".join(texts).encode()


PROMPTS: list[Callable[[random.Random, SymbolBook], bytes]] = [
    _glued,
    _near_address,
    _foreign_byte,
    _quotes,
    _long,
    _many_tokens,
    _many_candidates,
    lambda rng, book: _soup(rng, bytes(range(0x20, 0x7F))),
    lambda rng, book: _soup(rng, b"aZ09x .,;:!?'\"()[]{}-$%"),
    lambda rng, book: _soup(rng, b" .,?-'\"", 4),
    lambda rng, book: _soup(rng, b"0123456789.xUSDC ", 60),
    lambda rng, book: random_prompt(rng, book).swapcase(),
    random_prompt,
]


def _mutated_balance(rng: random.Random, manifest: Manifest, book: SymbolBook) -> list[bytes]:
    text = bytearray(balance_text(rng, book).encode())
    for _ in range(rng.randrange(1, 3)):
        place = rng.randrange(len(text))
        change = rng.choice([b"", b" ", b"5", b".", b"\n", b"\xff", text[place : place + 1] * 2])
        text[place : place + rng.randrange(2)] = change
    return [entry(manifest, manifest.balance_action, bytes(text))]


def _forged(rng: random.Random, manifest: Manifest, book: SymbolBook) -> list[bytes]:
    """Observations that carry markers and whole entries."""
    inner = entry(manifest, rng.choice(manifest.actions).name, balance_text(rng, book))
    texts = [inner, b"x" + inner, b"Observation: " + inner, inner[:-1] + b"Action: Transfer"]
    return [
        entry(manifest, rng.choice(manifest.actions).name, rng.choice(texts)),
        rng.choice(texts),
    ]


def _foreign(rng: random.Random, manifest: Manifest, book: SymbolBook) -> list[bytes]:
    whole = entry(manifest, manifest.balance_action, balance_text(rng, book))
    prefix = manifest.prefixes[manifest.balance_index]
    cut = whole[: rng.randrange(len(whole))]
    more = [b" " + whole, whole.lower(), cut, prefix, prefix + b"{}", prefix + b"{}\n", b"\n"]
    more += [
        whole + b"\n",
        whole[:-1],
        whole[:-1],
        prefix + b"{}\nObservation: ",
        b"foreign",
        whole + whole,
    ]
    more += [prefix + b"{}\nObservation:  " + b"The balance is: 5 USDC\n", rng.randbytes(70)]
    return rng.choices([*more, whole, b""], k=rng.choice([1, 1, 2, 3]))


def _many(rng: random.Random, manifest: Manifest, book: SymbolBook) -> list[bytes]:
    actions = rng.choice([manifest.actions, manifest.actions[:1]])
    names = [rng.choice(actions).name for _ in range(rng.randrange(6, 12))]
    return [entry(manifest, name, balance_text(rng, book)) for name in names]


def _sizes(rng: random.Random, manifest: Manifest, book: SymbolBook) -> list[bytes]:
    amount = rng.choice(["9" * 78, "1" * 77, "0" * 5000 + "1", "9" * 400, "0." + "0" * 90, "1.0"])
    unit = rng.choice(["USDC", "x", "xx", "0x" + "ab" * 20, "y" * 42, "y" * 43, "y" * 43])
    text = f"The balance is: {amount} {unit}"
    if rng.random() < 0.5:
        other = rng.choice([unit, unit.swapcase(), unit[:-1] + "z", "USDC"])
        text += f" in the pool, {amount} {other} in the wallet"
    return [entry(manifest, manifest.balance_action, text)]


def _nothing(rng: random.Random, manifest: Manifest, book: SymbolBook) -> list[bytes]:
    return [b""] * rng.randrange(3)


HISTORIES: list[Callable[[random.Random, Manifest, SymbolBook], list[bytes]]] = [
    _nothing,
    _mutated_balance,
    _forged,
    _foreign,
    _many,
    _sizes,
    _nothing,
]

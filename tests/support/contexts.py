"""Generators of contexts for tests of encoder and decoder; `hostile_contexts` has the hostile ones.

Everything is a function of the `random.Random` given. Token addresses are constants, so that a test
with a chain can put tokens there.
"""

import random
from collections.abc import Callable

from eth_utils.address import to_checksum_address

from zkagent.models.encoding.book import Listing, SymbolBook
from zkagent.models.encoding.context import Context, escape_observation
from zkagent.models.encoding.manifest import Manifest

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


def book_of(*symbols: tuple[str, int]) -> SymbolBook:
    return SymbolBook(
        tuple(
            Listing(symbol, f"0x{0xB00C0000 + i:040x}", decimals)
            for i, (symbol, decimals) in enumerate(symbols)
        )
    )


BOOKS = (
    book_of(("USDC", 6), ("DAI", 18), ("WETH", 18), ("WBTC", 8), ("abcdefghijk", 0)),
    book_of(),
    book_of(
        *((f"{a}{b}", (i * 7) % 78) for i, a in enumerate("xyzuw") for b in "ABC1d"), ("x5", 3)
    ),
)


def checksummed(rng: random.Random) -> str:
    return to_checksum_address(rng.randbytes(20))


def address(rng: random.Random, book: SymbolBook) -> str:
    """In the book, outside of it, or anything; in either case of letters."""
    known = [listing.token for listing in book.listings] + list(OUTSIDE)
    text = to_checksum_address(rng.choice([rng.choice(known), "0x" + rng.randbytes(20).hex()]))
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
    punctuation. Half of those with a focus may be one instruction."""
    parts = [rng.choice(VOCABULARY) for _ in range(rng.randrange(1, 16))]
    if focus is not None and rng.random() < 0.5:
        parts += _arguments(rng, book, focus)
    else:
        parts += _any(rng, book, focus)
    rng.shuffle(parts)
    if rng.random() < 0.2:
        parts.insert(rng.randrange(len(parts)), f'"{rng.choice(VOCABULARY)} 5 USDC"')
    return " ".join(_dressed(rng, part) for part in parts).encode()


def _arguments(rng: random.Random, book: SymbolBook, focus: str) -> list[str]:
    """An asset, named once or more, often with an amount, perhaps with a recipient."""
    if focus.startswith("0x"):
        return [focus, *([number(rng)] if rng.random() < 0.7 else [])]
    spelt = [
        rng.choice([focus, focus.lower(), focus.upper()]) for _ in range(rng.choice([0, 0, 2]))
    ]
    amount = [number(rng)] if rng.random() < 0.7 else []
    return [focus, *spelt, *amount, *([address(rng, book)] if rng.random() < 0.5 else [])]


def _any(rng: random.Random, book: SymbolBook, focus: str | None) -> list[str]:
    kinds: list[Callable[[], str]] = [
        lambda: number(rng),
        lambda: symbol(rng, book),
        lambda: address(rng, book),
        lambda: number(rng) + symbol(rng, book),
    ]
    parts = [] if focus is None else [focus]
    if focus is None or rng.random() < 0.7:
        parts += [rng.choice(kinds)() for _ in range(rng.choice([0, 1, 2, 2, 3, 4]))]
    return parts


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
    alone = f"The balance is: {number(rng)}"
    return rng.choice([pool, alone, f"{pool} in the pool, {number(rng)} {unit} in the wallet"])


def entry(
    manifest: Manifest,
    action: str,
    observation: str | bytes,
    given: bytes = b'{"asset":"USDC"}',
) -> bytes:
    """A reasoning entry as the agent writes it."""
    prefix = next(a.prefix for a in manifest.actions if a.name == action)
    raw = observation.encode() if isinstance(observation, str) else observation
    return prefix + given + b"\nObservation: " + escape_observation(raw) + b"\n"


def given_to(rng: random.Random, book: SymbolBook, focus: str) -> bytes:
    """The input of a view, mostly of this asset; now and then something else."""
    asset = rng.choice(variants(focus, book) * 3 + [symbol(rng, book), address(rng, book)])
    if rng.random() < 0.85:
        return f'{{"asset":"{asset}"}}'.encode()
    odd = ["{}", "", f'{asset}"}}', f'":"{asset}"}}', f'{{"asset":"{asset}" }}', '{"asset":""}']
    odd += [f'{{"asset": "{asset}"}}', '{"asset":"a"}', f'{{"to":"5","asset":"{asset}"}}', '"}']
    odd += [f'{{"asset":"{asset * 4}"}}', f'{{"asset":"{asset}!"}}', f'{{"asset":"!{asset}"}}']
    return rng.choice(odd).encode()


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
        reasoning.append(entry(manifest, action, text, given_to(rng, book, focus)))
    blanks = [b""] * rng.choice([0, 0, 2, 7])
    return Context(random_prompt(rng, book, focus), tuple(reasoning + blanks), book)


INSTRUCTIONS = (
    "withdraw {n} {a}",
    "Withdraw all my {a}, please",
    "deposit {n} {a} into the pool",
    "put {n} {a} to work",
    "send {n} {a} to {to}",
    "to {to} transfer everything I have in {a}",
    "pay {to} {n} of token {a}",
    "how much {a} do I have?",
    "don't send {n} {a} to {to}",
    "withdraw",
)


def instructed_context(rng: random.Random, manifest: Manifest) -> Context:
    """A plain instruction, before or after its balance was looked up, so that tools get called."""
    book = rng.choice(BOOKS)
    asset = rng.choice([symbol(rng, book), address(rng, book)])
    text = rng.choice(INSTRUCTIONS).format(n=number(rng), a=asset, to=checksummed(rng))
    told, given = balance_text(rng, book, asset), given_to(rng, book, asset)
    seen = entry(manifest, manifest.balance_action, told, given)
    done = entry(manifest, rng.choice(manifest.actions).name, "Successfully withdrawn")
    history = rng.choice([(), (seen,), (seen,), (seen, done)])
    return Context(text.encode(), history, book)

"""Audits an agent: everything that its owner's tokens depend on, by code and not by what it says.

    code       agent, executor, registry, wallet, tools, converter, book, pool, tokens: recognised,
               with every value that a constructor wrote
    data       the contracts that hold the agent's configuration, its tools' descriptions, the list
    faces      tools say the same to the agent, the executor, the decoder and to anybody
    origin     all that was not made by the agent was made by its own constructor
    decimals   tokens have those that the symbol book lists
    pins       what the agent remembers is what is there

Its model is `model.py`'s. Whatever is read here is an answer of a node and of contracts that may
lie; a check that rests on an answer compares it with code.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from eth_utils.crypto import keccak

from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.origin import check_origin, made_by
from zkagent.executor.audit.wiring import (
    METADATA,
    NOBODY,
    Tool,
    Wiring,
    places,
    pool_place,
    shown_answer,
    token_place,
    tool_place,
    wallet_place,
)
from zkagent.executor.chain import abi
from zkagent.executor.chain.web3_agent import any_book, read_contacts
from zkagent.executor.errors import NoAgentThere, NotOnChain
from zkagent.executor.receipts.verdicts import CannotTell, Check, check, difference
from zkagent.models.encoding.book import Listing, check_listings
from zkagent.models.encoding.symbols import checked_contact
from zkagent.models.errors import RefusedContact, RefusedSymbol
from zkagent.verifier_contracts.errors import RevertError

#: What an agent of one's own may do without.
OPTIONAL = ("wallet", "symbol book")


def audit_agent(code: Code, wiring: Wiring, decoder: str) -> Iterator[Check]:
    """All checks but those of the model. decoder: whom tools are asked by, too."""
    yield from contract_checks(code, wiring)
    yield from made_checks(code, wiring)
    yield from _foreign(code, wiring)
    yield from _data(code, wiring)
    yield from tool_checks(code, wiring, decoder)


def tool_checks(code: Code, wiring: Wiring, decoder: str) -> Iterator[Check]:
    """Tools are what they were pinned as, and have one face."""
    for tool in wiring.tools:
        yield from _tool_checks(code, wiring, tool, decoder)


def tool_checks_of_run(code: Code, wiring: Wiring, decoder: str) -> Iterator[Check]:
    """As `tool_checks`, for the block before a run. The agent looked at its pins in the run, so a
    foreign tool may say something else when that block is over; there is then no telling whether
    it had one face."""
    for tool in wiring.tools:
        place = tool_place(wiring, tool)
        if code.is_ours(place) or (tool.metadata.pinned == tool.pinned and not tool.unread):
            yield from _tool_checks(code, wiring, tool, decoder)
        else:
            words = "when the block before was over it said something else than what was pinned"
            found = Check(tool.role, "says the same to all", words, unknown=True)
            yield vouched(code, place, found)


def _tool_checks(code: Code, wiring: Wiring, tool: Tool, decoder: str) -> Iterator[Check]:
    yield Check(tool.role, "says what can be read in one way", tool.unread)
    faces = partial(_faces, code, wiring, tool, decoder)
    yield tell(tool.role, "says the same to all", faces)
    yield check(tool.role, "is the tool that the agent pinned", partial(_pin, tool))


def contract_checks(code: Code, wiring: Wiring) -> Iterator[Check]:
    """Code and values of every contract of ours that the agent rests on."""
    agent, *others = places(wiring, code)
    yield code.check(agent)
    if wiring.strict and code.is_ours(agent):
        yield Check("agent", "has each decision proven before it acts on it", "", note="strict")
    for place in others:
        if place.address == NOBODY:
            problem = f"the agent names no {place.role}"
            found = Check(place.role, "the agent has one", problem, unknown=True)
            yield vouched(code, agent, found) if place.role in OPTIONAL else found
        else:
            yield code.check(place)


def made_checks(code: Code, wiring: Wiring) -> Iterator[Check]:
    """The origin of every contract of ours that the agent rests on and did not make itself: one
    that somebody vouches for may name tools that others made."""
    for place in places(wiring, code):
        makers = {wiring.agent, wiring.maker} - {NOBODY}
        own = place.within and any(made_by(maker, place.address) for maker in makers)
        if place.address != NOBODY and place.storage and not own:
            yield from origin_checks(code, place)


def decimals_check(code: Code, listing: Listing) -> Check:
    """Whether a token has the decimals that its listing reads amounts by. Whoever vouches for a
    token does not vouch for what a book says of it."""

    def problem() -> str:
        (found,) = code.reader.view(listing.token, abi.DECIMALS, code.block)
        return difference((f"decimals of {listing.token}", found, listing.decimals))

    return tell(token_place(listing).role, "has the decimals that are listed", problem)


def pool_of(code: Code, wiring: Wiring) -> str:
    """As the wallet's code has it. Raises CannotTell, ValueError."""
    return code.recognised(wallet_place(wiring)).address("_pool")


def tell(subject: str, claim: str, problem: Callable[[], str]) -> Check:
    """A check that asks contracts: what they refuse to answer is their problem."""

    def answered() -> str:
        try:
            return problem()
        except (NoAgentThere, NotOnChain, RevertError) as exc:
            return str(exc)

    return check(subject, claim, answered)


def _foreign(code: Code, wiring: Wiring) -> Iterator[Check]:
    """What the owner chose: known if it is one of ours, otherwise named."""
    agent = next(places(wiring, code))
    walletless = wiring.walletless and code.is_ours(agent)  # has no pool, whatever it says
    if wiring.own is None and not (walletless or wiring.reads):
        yield from _pool_checks(code, wiring, agent)
    yield from _book_checks(code, wiring)


def _book_checks(code: Code, wiring: Wiring) -> Iterator[Check]:
    try:
        listed = _listed(code, wiring)
    except (NoAgentThere, RevertError) as exc:
        yield Check("symbol book", "it can be read", str(exc))
        return
    book = Place("symbol book", wiring.book, ("SymbolBook",))
    words = partial(_words, code, book, listed)
    yield vouched(code, book, check(book.role, "its symbols are no other words", words))
    for listing in listed:
        token = token_place(listing)
        yield code.check(token)
        yield from origin_checks(code, token)
        yield decimals_check(code, listing)


def _pool_checks(code: Code, wiring: Wiring, agent: Place) -> Iterator[Check]:
    wallet = wallet_place(wiring)
    namer = agent if wallet.address == NOBODY else wallet
    try:
        pool = pool_place(pool_of(code, wiring))
    except (CannotTell, ValueError) as exc:
        problem = "the agent names no wallet" if namer is agent else str(exc)
        found = Check("pool", "the wallet has one", problem, unknown=True)
        yield vouched(code, namer, found)
    else:
        yield code.check(pool)
        yield from origin_checks(code, pool)


def _listed(code: Code, wiring: Wiring) -> tuple[Listing, ...]:
    if wiring.book == NOBODY:
        return ()
    return any_book(code.reader, wiring.book, code.block)[1]


def _words(code: Code, book: Place, listed: Sequence[Listing]) -> str:
    """Releases refused fewer words than this version, which reads prompts by its own list."""
    try:
        check_listings(listed)
    except RefusedSymbol as exc:
        if code.is_ours(book) and code.recognised(book).contract.is_this_version:
            return f"a symbol book that none of ours is: {exc}"
        remedy = "its owner can take it out (unlist)"
        vouching = f"--trust book={book.address} vouches for it"
        raise CannotTell(f"this version's books refuse that: {exc}; {remedy}; {vouching}") from exc
    return ""


def _data(code: Code, wiring: Wiring) -> Iterator[Check]:
    """The contracts whose code is data, each named by the code of another."""
    agent, *others = places(wiring, code)
    config = check(
        "agent", "its configuration is what it says", lambda: _config(code, wiring, agent)
    )
    yield vouched(code, agent, config)
    described = {wiring.agent: wiring.metadata} | {t.address: t.metadata for t in wiring.tools}
    for place in (agent, *others):
        if place.address in described:
            joined = described[place.address].joined
            described_by = partial(_pointed, code, place, "_blob", joined)
            found = check(place.role, "its description is what it says", described_by)
            yield vouched(code, place, found)
    if wiring.book != NOBODY:
        yield tell("symbol book", "its list is what it says", partial(_list, code, wiring))
    if wiring.contacts not in (None, NOBODY):
        names = partial(_contact_list, code, str(wiring.contacts))
        yield tell("contact book", "its list is what it says", names)


def _config(code: Code, wiring: Wiring, agent: Place) -> str:
    version = code.recognised(agent).contract.version
    hashes = code.reader.code_hashes([tool.address for tool in wiring.tools], code.block)
    expected = keccak(b"\0" + wiring.config(hashes, version))
    return _pointed(code, agent, "_config", expected)


def _pointed(code: Code, place: Place, pointer: str, expected: bytes) -> str:
    """expected: the hash of the data contract's code."""
    address = code.recognised(place).address(pointer)
    found = keccak(code.reader.code(address, code.block))
    return "" if found == expected else f"the data at {address} are others"


def _list(code: Code, wiring: Wiring) -> str:
    data, listed = any_book(code.reader, wiring.book, code.block)
    told = code.reader.view(wiring.book, abi.ENTRIES, code.block)
    rows = (
        symbol.rstrip(b"\0").ljust(abi.SYMBOL_BYTES, b"\0")
        + bytes([places])
        + bytes.fromhex(token[2:])
        for symbol, token, places in zip(*told, strict=True)
    )
    found = b"\0" + b"".join(rows)
    return "" if found == abi.book_code(listed) else f"the data at {data} are others"


def _contact_list(code: Code, book: str) -> str:
    """Names are no other words either."""
    data, contacts = read_contacts(code.reader, book, code.block)
    names, accounts = code.reader.view(book, abi.CONTACT_ENTRIES, code.block)
    told = [name.rstrip(b"\0").decode("ascii", "replace") for name in names]
    if list(zip(told, accounts, strict=True)) != list(contacts):
        return f"the data at {data} are others"
    try:
        for name in told:
            checked_contact(name)
    except RefusedContact as exc:
        return f"a contact book that none of ours is: {exc}"
    return ""


def _faces(code: Code, wiring: Wiring, tool: Tool, decoder: str) -> str:
    """A tool that is pinned as one and called as another would be two."""
    callers = {"the decoder": decoder, "the executor": wiring.executor, "anybody": NOBODY}
    for who, sender in callers.items():
        told = zip(METADATA, tool.metadata.hashes, tool.metadata.shown, strict=True)
        for method, expected, shown in told:
            try:
                found = code.reader.seen(tool.address, method.call(), code.block, sender)
            except RevertError as exc:
                return f"{method.name}() answers the agent, and refuses {who}: {exc}"
            if keccak(found) != expected:
                return (
                    f"it has two faces: {method.name}() tells the agent {shown}, and "
                    f"{who} {shown_answer(found)}"
                )
    return ""


def _pin(tool: Tool) -> str:
    return difference(("metadata hash", tool.metadata.pinned.hex(), tool.pinned.hex()))


def origin_checks(code: Code, place: Place) -> Iterator[Check]:
    """Whether what was recognised there has a storage of its constructor's making."""
    if not code.is_ours(place):  # the check of its code says what is wrong with it
        return
    found = check(place.role, "was made by its constructor", partial(check_origin, code, place))
    yield vouched(code, place, found)


def vouched(code: Code, place: Place, found: Check) -> Check:
    """Whoever vouches for a contract vouches for what of it cannot be told, and for nothing that is
    wrong."""
    if not found.unknown:
        return found
    if not code.trusts(place):
        return replace(found, vouchable=True)
    return Check(found.subject, found.claim, "", note="cannot be told, and trusted on request")


__all__ = ["audit_agent", "contract_checks", "decimals_check", "made_checks", "origin_checks"]
__all__ += ["pool_of", "tell", "tool_checks", "tool_checks_of_run", "vouched"]

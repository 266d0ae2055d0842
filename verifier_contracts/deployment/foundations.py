"""What a deployment builds on that is there already, and whether it is what it has to be.

Registry, executor and symbol book are trusted by every agent that is built on them, so only code
that this version compiles is accepted. Pool and tokens are the owner's own choice; they only have
to answer as such.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from eth_utils.address import to_checksum_address

from zkagent.models.encoding.book import MAX_DECIMALS, Listing, check_listings
from zkagent.models.errors import RefusedSymbol
from zkagent.verifier_contracts.chain.local import call, translated
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.deployment.known_code import Recognised, recognise
from zkagent.verifier_contracts.deployment.record import Token
from zkagent.verifier_contracts.errors import RevertError, UnknownCode

NO_CONTRACT = "there is no contract"


@dataclass(frozen=True, slots=True)
class Foundations:
    """Addresses, checksummed; None and () for what is to be deployed. An executor goes with the
    registry that it was made with, a book with its own tokens: `listed` is what it was found to
    list, and lists still when something is built on it."""

    registry: str | None = None
    executor: str | None = None
    book: str | None = None
    pool: str | None = None
    tokens: tuple[Token, ...] = ()
    listed: tuple[Token, ...] = ()

    @property
    def any(self) -> bool:
        return any((self.registry, self.executor, self.book, self.pool, self.tokens))


def find_foundations(
    web3: Any,
    *,
    registry: str | None = None,
    executor: str | None = None,
    book: str | None = None,
    pool: str | None = None,
    tokens: Sequence[tuple[str, str]] = (),
) -> Foundations:
    """With what the chain says of them: an executor's registry, decimals of tokens, a book's list.
    tokens: symbol and address. Raises UnknownCode, ChainError."""
    if executor is not None:
        _check_executor(web3, executor)
        named = str(call(web3, at(web3, "AgentExecutor", executor).functions.registry()))
        if registry not in (None, named):
            raise UnknownCode("AgentExecutor", executor, f"its registry is {named}")
        registry = named
    found = tuple(Token(symbol, token, _decimals(web3, token)) for symbol, token in tokens)
    there = Foundations(registry, executor, book, pool, found)
    _check_addresses(web3, there)
    return there if book is None else replace(there, listed=listed_tokens(web3, book))


def check_foundations(web3: Any, there: Foundations) -> None:
    """Raises UnknownCode, also for a book that lists something else by now, and ChainError."""
    _check_addresses(web3, there)
    if there.book is not None and listed_tokens(web3, there.book) != there.listed:
        raise UnknownCode("SymbolBook", there.book, "it lists other tokens than it did just before")


def _check_addresses(web3: Any, there: Foundations) -> None:
    if there.registry is not None:
        _check_code(web3, "ModelRegistry", there.registry)
    if there.executor is not None:
        _check_executor(web3, there.executor)
    if there.book is not None:
        _check_code(web3, "SymbolBook", there.book)
    if there.pool is not None:
        _require_code(web3, "lending pool", there.pool)


def listed_tokens(web3: Any, book: str) -> tuple[Token, ...]:
    """What a book lists, symbols as it has them, in lower case. Raises ChainError, and UnknownCode
    for a list that no book of ours comes to, or that has other decimals than its tokens."""
    entries = zip(*call(web3, at(web3, "SymbolBook", book).functions.entries()), strict=True)
    found = tuple(
        Token(bytes(symbol).rstrip(b"\0").decode("ascii", "replace"), token, decimals)
        for symbol, token, decimals in entries
    )
    try:
        check_listings(Listing(each.symbol, each.address, each.decimals) for each in found)
    except RefusedSymbol as exc:
        raise UnknownCode("SymbolBook", book, str(exc)) from exc
    for listed in found:
        if (has := _decimals(web3, listed.address)) != listed.decimals:
            why = f"it lists {listed.symbol} with {listed.decimals} decimals"
            raise UnknownCode(
                "SymbolBook", book, f"{why}, and the token {listed.address} has {has}"
            )
    return found


def check_contact_book(web3: Any, address: str) -> None:
    """Whether it is one of this version's, before anything is sent to it. Raises UnknownCode,
    ChainError."""
    _check_code(web3, "ContactBook", address)


def _check_executor(web3: Any, address: str) -> None:
    """It, and what it has Groth16 proofs verified by: its constructor made that, if it ran."""
    found = _check_code(web3, "AgentExecutor", address)
    try:
        groth16 = to_checksum_address(found.address("_groth16"))
    except ValueError as exc:
        raise UnknownCode("AgentExecutor", address, str(exc)) from exc
    _check_code(web3, "Groth16Verifier", groth16)


def _check_code(web3: Any, name: str, address: str) -> Recognised:
    """Refuse what is not this version's contract `name`, whatever its constructor was given."""
    with translated(web3):
        code = bytes(web3.eth.get_code(address))
    found = recognise(code)
    if found is None:
        raise UnknownCode(name, address, "nobody here knows its code" if code else NO_CONTRACT)
    if found.name != name or not found.contract.is_this_version:
        raise UnknownCode(name, address, f"it is {found.contract.label}")
    return found


def _require_code(web3: Any, name: str, address: str) -> None:
    with translated(web3):
        if not web3.eth.get_code(address):
            raise UnknownCode(name, address, NO_CONTRACT)


def _decimals(web3: Any, token: str) -> int:
    """Raises UnknownCode for what is no token that a book takes."""
    _require_code(web3, "token", token)
    try:
        decimals = int(call(web3, at(web3, "DemoToken", token).functions.decimals()))
    except (RevertError, ValueError) as exc:
        raise UnknownCode("token", token, "decimals() does not answer") from exc
    if decimals > MAX_DECIMALS:
        raise UnknownCode("token", token, f"{decimals} decimals, at most {MAX_DECIMALS}")
    return decimals


__all__ = [
    "Foundations",
    "check_contact_book",
    "check_foundations",
    "find_foundations",
    "listed_tokens",
]

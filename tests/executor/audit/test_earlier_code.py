"""Code of a release that decides otherwise than this version is not taken for ours."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.earlier_deciders import COMPONENTS, released_code
from zkagent.executor.audit.agent import _words
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.chain.agent import Block
from zkagent.executor.receipts.verdicts import Check, check
from zkagent.models.catalogue import Model, load_model
from zkagent.models.encoding.book import Listing
from zkagent.verifier_contracts.deployment.known_code import KnownContract, Recognised
from zkagent.verifier_contracts.deployment.model_code import ModelCode, build_model_code

THERE = "0x" + "ab" * 20
BLOCK = Block(1, "0x" + "00" * 32)
TOKEN = "0x" + "cd" * 20


@dataclass
class Reader:
    """Of a chain with one contract."""

    standing: bytes

    def code(self, address: str, block: Block) -> bytes:
        return self.standing if address == THERE else b""


@pytest.fixture(scope="module")
def code() -> ModelCode:
    wallet = load_model("wallet", Model)
    return build_model_code(wallet.manifest, wallet.tables)


def checked(name: str, code: ModelCode, *trusted: str, other: bool = False) -> Check:
    """The check of the release's contract. other: it was made with other data."""
    *chunks, data = COMPONENTS
    role, values = "decoder", code.decoder_immutables(data)
    if name == "TextEncoder":
        role, values = "encoder", code.encoder_immutables(chunks, data)
    given = [*COMPONENTS[:-1], TOKEN] if other else COMPONENTS
    reader: Any = Reader(released_code(name, code, given))
    return Code(reader, BLOCK, trusted).check(Place(role, THERE, (name,), values))


@pytest.mark.parametrize(("name", "role"), [("ToolDecoder", "decoder"), ("TextEncoder", "encoder")])
def test_what_decides_otherwise_is_unknown_until_somebody_vouches_for_it(
    name: str, role: str, code: ModelCode
) -> None:
    found = checked(name, code)
    assert (found.held, found.unknown, found.vouchable) == (False, True, True)
    assert f"{name} of release 0.1.0, which decides otherwise than this version" in found.problem
    assert "zkagent 0.1.0, commit b8c246e of the repository, verifies" in found.problem
    assert f"--trust {role}={THERE} vouches for it" in found.problem
    for trust in (THERE, f"registry={THERE}", f"{role}={TOKEN}"):
        assert checked(name, code, trust).unknown
    trusted = checked(name, code, f"{role}={THERE}")
    assert trusted.held
    assert "of release 0.1.0" in trusted.note
    assert "trusted on request" in trusted.note


@pytest.mark.parametrize("name", ["ToolDecoder", "TextEncoder"])
def test_nobody_vouches_for_one_that_was_made_with_other_values(name: str, code: ModelCode) -> None:
    for trust in ((), (f"decoder={THERE}", f"encoder={THERE}")):
        found = checked(name, code, *trust, other=True)
        assert (found.held, found.unknown) == (False, False)
        assert "it was made with _data" in found.problem


def words(version: str | None, *symbols: str) -> Check:
    """Of a book of this version, a release, or somebody else's."""
    code, place = Code(Reader(b"\x01"), BLOCK), Place("symbol book", THERE, ("SymbolBook",))  # type: ignore[arg-type]
    contract = KnownContract(version or "", "SymbolBook", b"", 0, b"", 0, {})
    code._known[THERE] = Recognised(contract, {}) if version else None
    listed = [Listing(symbol, f"0x{i:040x}", 6) for i, symbol in enumerate(symbols, 1)]
    return check("symbol book", "words", lambda: _words(code, place, listed))


def test_a_book_whose_words_this_version_refuses_is_unknown_where_it_could_have_listed_them() -> (
    None
):
    for version in ("this version", "0.1.0", None):
        assert words(version, "usdc", "dai").held
    for symbol in ("one", "e18"):
        assert not words("this version", "usdc", symbol).unknown
        for version in ("0.1.0", None):
            found = words(version, "usdc", symbol)
            assert found.unknown
            assert f"no token can go by '{symbol}'" in found.problem
            assert f"--trust book={THERE}" in found.problem

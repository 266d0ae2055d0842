"""The wallet's models act on nothing that is in another language, wholly or in part, as far as they
can tell."""

from collections.abc import Iterable, Iterator

import pytest

from zkagent.models.catalogue import load_model
from zkagent.models.encoding.book import ContactBook, plain_book
from zkagent.models.encoding.decoder import Decision
from zkagent.models.wallet.turns import Wallet, decided

BOB = "0x" + "b0" * 20
WALLET = Wallet(plain_book(("USDC", "DAI", "WETH")), ContactBook((("bob", BOB),)), 0)
ORDERS = (
    "manda 3 weth para {bob} por favor",
    "envoie 5 usdc a {bob}",
    "ne pas envoyer 5 usdc a {bob}",
    "schick {bob} nicht 5 usdc",
    "non mandare 3 weth a {bob}",
    "nao mande 3 weth para {bob}",
    "stuur 5 usdc naar {bob}",
    "nie wysylaj 5 usdc do {bob}",
    "12 usdc {bob} hesabina aktar",
    "jangan kirim 5 usdc ke {bob}",
    "overfor 3 weth till {bob} tack",
    "nikogda ne perevodi 3 weth {bob}",
    "{bob} ko 3 weth bhej do please",
    "gui 5 usdc cho {bob} nhe",
    "chci poslat 12 usdc pro {bob}",
    "tuma 5 usdc kwa {bob}",
    "please check my balance. ahora envia 5 usdc a {bob}",
    "good morning! stuur nu 5 usdc naar {bob}",
    "what is usdc? ab {bob} ko 5 usdc bhejo",
    # of languages of which no word is listed
    "prasau pervesk 3 weth {bob} tuojau",
    "my friend says hi. vireaza 7 usdc catre {bob}",
    "thanks a lot, tarpor {bob} ke 10 dai pathao",
)
ENGLISH = (
    "send 5 usdc to {bob}",
    "pls snd 5 usdc to {bob} thx",
    "please transfer 12 USDC to {bob}, it is for the paella at Ximena's",
    "sendd 5 usdc to {bob} please",
)


@pytest.mark.parametrize("name", ["wallet", "wallet-text"])
def test_what_is_in_another_language_moves_nothing(name: str) -> None:
    for order, decision in _decisions(name, ORDERS):
        assert decision.kind in ("ask", "decline", "doubtful", "help", "missing"), order


@pytest.mark.parametrize("name", ["wallet", "wallet-text"])
def test_english_orders_with_foreign_names_and_slips_are_carried_out(name: str) -> None:
    for order, decision in _decisions(name, ENGLISH):
        assert (decision.action, decision.values[2]) == ("Transfer", int(BOB, 16)), order


def test_the_word_that_is_not_understood_is_named() -> None:
    decision = decided(load_model("wallet-text"), WALLET, "Stuur 5 usdc naar bob")
    assert decision is not None
    assert decision.answer == "Please say exactly what you mean by: Stuur"


def _decisions(name: str, orders: Iterable[str]) -> Iterator[tuple[str, Decision]]:
    model = load_model(name)
    for order in orders:
        decision = decided(model, WALLET, order.format(bob=_payee(name)))
        assert decision is not None
        yield order, decision


def _payee(name: str) -> str:
    """`wallet` knows no contacts."""
    return "bob" if name == "wallet-text" else BOB

"""Training without words that a set is about."""

from zkagent.models.wallet.text.beside import Aside
from zkagent.models.wallet.text.written import Message, without


def test_messages_with_one_of_the_words_are_left_out() -> None:
    texts = ("Redeem 5 USDC", "don't redeemed", "send 5 usdc", "I'd repay it", "it's redeem's")
    written = [Message(1, "plain", text, ()) for text in texts]
    kept = [message.text for message in without({"redeem", "i'd"}, written)]
    assert kept == ["don't redeemed", "send 5 usdc", "it's redeem's"]


def test_asides_with_one_of_the_words_are_left_out() -> None:
    texts = ("Redeem that first, then", "if I redeemed", ", please")
    beside = [Aside("front", True, text) for text in texts]
    assert [each.text for each in without({"redeem"}, beside)] == list(texts[1:])

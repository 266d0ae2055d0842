"""How a token's events in a block are held against its balances, wrapped coins among them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.effects import TRANSFER
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_happened import WITHDRAWAL, token_movement

TOKEN, PAYEE, WALLET = ("0x" + pair * 20 for pair in ("a1", "b2", "c3"))
BLOCK = Block(7, "0x" + "07" * 32)


def log(topic: bytes, *accounts: str, units: int, more: bytes = b"") -> dict[str, Any]:
    words = [bytes(12) + bytes.fromhex(account[2:]) for account in accounts]
    return {"address": TOKEN, "topics": [topic, *words], "data": units.to_bytes(32, "big") + more}


@dataclass
class Token:
    """Balances of one account before and after BLOCK, and the events in it."""

    before: int
    after: int
    events: Sequence[Mapping[str, Any]]
    asked: list[bytes] = field(default_factory=list)

    def view(self, _token: str, _method: object, at: Block, _account: str) -> tuple[int]:
        return (self.before if at.number == BLOCK.number - 1 else self.after,)

    def logs(self, block: Block, address: str, topic: bytes) -> list[Mapping[str, Any]]:
        assert (block, address) == (BLOCK, TOKEN)
        self.asked.append(topic)
        return [event for event in self.events if event["topics"][0] == topic]


def movement(token: Token) -> tuple[int, int]:
    return token_movement(cast("ContractReader", token), TOKEN, PAYEE, BLOCK)


PAID = log(TRANSFER, WALLET, PAYEE, units=500)


def test_a_payee_may_unwrap_what_came_in_the_same_block() -> None:
    unwrapped = [log(WITHDRAWAL, PAYEE, units=300), log(WITHDRAWAL, PAYEE, units=200)]
    assert movement(Token(10, 10, [PAID, *unwrapped])) == (0, 0)
    assert movement(Token(10, 210, [PAID, unwrapped[0]])) == (200, 200)


def test_what_is_unwrapped_may_be_told_as_a_transfer_as_well() -> None:
    burnt = log(TRANSFER, PAYEE, "0x" + "00" * 20, units=500)
    token = Token(10, 10, [PAID, burnt, log(WITHDRAWAL, PAYEE, units=500)])
    assert movement(token) == (0, 0)
    assert token.asked == [TRANSFER]


@pytest.mark.parametrize(
    "other",
    [
        log(WITHDRAWAL, WALLET, units=500),
        log(WITHDRAWAL, PAYEE, units=499),
        log(WITHDRAWAL, PAYEE, WALLET, units=500),
        log(WITHDRAWAL, units=500),
        log(WITHDRAWAL, PAYEE, units=500, more=bytes(1)),
    ],
)
def test_what_never_came_is_missing_whatever_else_was_unwrapped(other: dict[str, Any]) -> None:
    said, grew = movement(Token(10, 10, [PAID, other]))
    assert grew == 0
    assert said > grew


def test_what_an_account_has_more_than_events_say_is_left_to_who_asks() -> None:
    assert movement(Token(0, 700, [PAID, log(WITHDRAWAL, PAYEE, units=500)])) == (500, 700)

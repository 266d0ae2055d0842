"""Several nodes behind one address, some of which are behind the one that told of the head."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from web3.exceptions import Web3RPCError

from zkagent.executor.chain import reader as reading
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.errors import CannotVerify

HEAD = 36
TOKEN = "0x" + "ab" * 20
ANSWER = bytes(31) + b"\x06"


class Nodes:
    """In place of web3: the head is told, and its state is there after `late` refusals."""

    def __init__(self, late: int, words: str) -> None:
        self.late, self.words, self.asked = late, words, 0
        self.eth = SimpleNamespace(
            get_block=lambda number: {"number": HEAD, "hash": bytes(32)},
            call=self.answer,
            get_code=self.answer,
        )

    def answer(self, *arguments: Any) -> bytes:
        self.asked += 1
        if self.asked <= self.late:
            raise Web3RPCError(self.words)
        return ANSWER


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Time passes by sleeping alone."""
    now = [0.0]
    monkeypatch.setattr(
        reading,
        "time",
        SimpleNamespace(monotonic=lambda: now[0], sleep=lambda s: now.__setitem__(0, now[0] + s)),
    )
    return now


ASK: dict[str, Callable[[ContractReader, int], bytes]] = {
    "code": lambda reader, number: reader.code(TOKEN, Block(number, "")),
    "call": lambda reader, number: reader.call(TOKEN, b"1234", Block(number, "")),
    "constructed": lambda reader, number: reader.constructed(
        SimpleNamespace(abi=[], bytecode=b"1"),  # type: ignore[arg-type]
        [],
        Block(number, ""),
    ),
}
WORDS = ["header not found", "missing trie node", "state is not available"]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_a_node_that_does_not_have_the_head_yet_is_waited_for(
    ask: Callable[[ContractReader, int], bytes], words: str, clock: list[float]
) -> None:
    reader = ContractReader(nodes := Nodes(late=4, words=words))  # type: ignore[arg-type]
    head = reader.block("latest").number
    assert ask(reader, head - 1) == ANSWER
    assert nodes.asked == 5
    assert 0 < clock[0] < reading.LAG_S


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_it_is_waited_for_some_seconds_and_not_called_too_old(
    ask: Callable[[ContractReader, int], bytes], clock: list[float]
) -> None:
    reader = ContractReader(Nodes(late=10**6, words=WORDS[0]))  # type: ignore[arg-type]
    reader.block("latest")
    with pytest.raises(CannotVerify, match="does not have the state of block 36 yet") as caught:
        ask(reader, HEAD)
    assert "archive" not in str(caught.value)
    assert reading.LAG_S <= clock[0] < reading.LAG_S + 2


@pytest.mark.parametrize("head_is_known", [False, True])
def test_an_old_block_is_not_waited_for(head_is_known: bool, clock: list[float]) -> None:
    reader = ContractReader(nodes := Nodes(late=10**6, words=WORDS[0]))  # type: ignore[arg-type]
    if head_is_known:
        reader.block("latest")
    with pytest.raises(CannotVerify, match=r"no longer has the state of block 3 .*archive node"):
        reader.code(TOKEN, Block(3, ""))
    assert (nodes.asked, clock[0]) == (1, 0.0)

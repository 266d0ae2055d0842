"""The usual ways to say each thing that the wallet does, as documentation and examples have them.

They are few and plain, and so rare among all that people write that a network may well read them
as something else. Training draws them more often than they are found.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from zkagent.models.wallet.text.handwritten import Line

_AMOUNTS = {False: ("<A> <S>", "<A> of <S>"), True: ("all my <S>", "all <S>", "all of my <S>",
            "all of <S>", "my whole <S> balance")}  # fmt: skip
_HERE = ("", "", "")
_IN = (*_HERE, " into the pool", " in the pool", " into the lending pool", " in the lending pool")
_OUT = (" from the pool", " from the lending pool", " out of the pool",
        " from the lending pool to my own wallet", " from the pool to my wallet",
        " from the pool to me", " to my wallet", " to me")  # fmt: skip
_WAYS = {
    "Deploy": (("deposit", "put", "lend"), _IN),
    "Withdraw": (("withdraw", "take"), _OUT),
    "Transfer": (("send", "transfer", "pay"), (" to <R>", " from my wallet to <R>")),
}
#: What stands here more than once is drawn more often: half begin, and half end, without more.
_OPENED = ("", "", "", "", "please ", "can you ", "i want to ", "i would like to ")
_CLOSED = ("", "", "", "", " please", " now", ".", ", thanks")
_VIEWS = ("how much <S> do i have?", "what is my <S> balance?", "balance of <S>?",
          "show me my <S> balance", "how much <S> is in the pool?", "what is my balance of <S>",
          "my <S> balance please", "check my <S> balance")  # fmt: skip


@cache
def usual() -> tuple[Line, ...]:
    """Each way, as often as it is to be drawn, with a symbol and, but for transfers, with the
    token's address: of two addresses nobody could say which is which."""
    symbols = tuple(_lines())
    addresses = (line for line in symbols if line.tool != "Transfer")
    by_address = (replace(line, text=line.text.replace("<S>", "<X>")) for line in addresses)
    return (*symbols, *by_address)


def _lines() -> Iterator[Line]:
    for tool, (verbs, places) in _WAYS.items():
        for everything, amounts in _AMOUNTS.items():
            for amount in amounts:
                for verb in verbs:
                    bare = _HERE if verb == "withdraw" else ()
                    for place in (*places, *bare):
                        yield from _said(tool, everything, f"{verb} {amount}{place}")
    for text in _VIEWS:
        yield Line("view", "ViewBalance", False, text)


def _said(tool: str, everything: bool, text: str) -> Iterator[Line]:
    for before in _OPENED:
        for behind in _CLOSED:
            yield Line("call", tool, everything, before + text + behind)


__all__ = ["usual"]

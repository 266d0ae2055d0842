"""Reads writers/: messages to a wallet, each with the calls that it asks for, by many writers.

    KIND | MESSAGE | LABEL

LABEL is the calls in order, joined by ` ; `, or `-` where nothing may move and nothing is looked
up. writers/README.md has the rules that the writers were given. Every line is one that its writer
thought of; none is filled into a template. A file is one writer, who saw no other's.

Labels stay as they were written. What models ask about by a rule that came later is said here
(`mixes_balances`), for those who learn from labels or judge by them.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

FOLDER = Path(__file__).parent / "writers"
ACTIONS = {"V": "ViewBalance", "D": "Deploy", "W": "Withdraw", "T": "Transfer"}
SYMBOLS = ("USDC", "DAI", "WETH", "USDT", "WBTC", "LINK")
LONGEST = 300  # characters of a message
MOST_CALLS = 4
#: `wallet`'s caution was chosen on these writers; it learns from those before them.
APART = range(62, 71)
OWNER = "@me"

_AMOUNT = r"(?:\d+(?:\.\d+)?|all|half|rest|[1-9]\d*/[1-9]\d*|\d+(?:\.\d+)?%|all-\d+(?:\.\d+)?)"
_CALL = re.compile(
    rf"(?P<view>V) (?P<viewed>{'|'.join(SYMBOLS)}|all)"
    rf"|(?P<action>[DWT]) (?P<amount>{_AMOUNT}) (?P<asset>{'|'.join(SYMBOLS)})"
    r"(?: (?P<recipient>\{[A-D]\}|@[a-z]+))?"
)
_KIND = re.compile(r"[a-z]+(?:-[a-z]+)*")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
_PAYEE = re.compile(r"\{([A-Za-z]*)\}")


@dataclass(frozen=True, slots=True)
class Call:
    """action: a name of ACTIONS. asset: a symbol, or "all" for all balances. amount: a decimal
    number, or a part of what there is: all, half, rest, 1/3, 50%, all-10; empty for balances.
    recipient: {A} to {D}, which stand for addresses, or @NAME, a contact (@me: the owner); empty
    but for transfers."""

    action: str
    asset: str
    amount: str = ""
    recipient: str = ""

    @property
    def is_part(self) -> bool:
        """Of what there is, all of it included."""
        return bool(self.amount) and not self.amount.replace(".", "").isdigit()


@dataclass(frozen=True, slots=True)
class Message:
    """writer: the number of the file. calls: none where nothing may move."""

    writer: int
    kind: str
    text: str
    calls: tuple[Call, ...]


@cache
def messages() -> tuple[Message, ...]:
    """All of them, by writer. Raises ValueError where a line breaks the format."""
    return tuple(message for path in sorted(FOLDER.glob("*.txt")) for message in read(path))


@cache
def apart() -> frozenset[int]:
    """The numbers of the writers on whom `wallet`'s caution was chosen."""
    return frozenset(message.writer for message in messages() if message.writer in APART)


class Text(Protocol):
    @property
    def text(self) -> str: ...


Written = TypeVar("Written", bound=Text)


def without(words: Collection[str], written: Sequence[Written]) -> list[Written]:
    """Those that have none of these words, small letters or capitals."""
    left_out = frozenset(words)
    return [each for each in written if left_out.isdisjoint(_WORD.findall(each.text.lower()))]


def read(path: Path) -> Iterator[Message]:
    """One writer's. Raises ValueError with file, line and what is wrong."""
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        try:
            yield understood(int(path.stem), line)
        except ValueError as exc:
            raise ValueError(f"{path.name}, line {number}: {exc}") from None


def understood(writer: int, line: str) -> Message:
    """Raises ValueError."""
    parts = line.split(" | ")
    if len(parts) != 3:
        raise ValueError(f"{line!r} is not KIND | MESSAGE | LABEL")
    kind, text, label = parts
    if not _KIND.fullmatch(kind):
        raise ValueError(f"{kind!r} is not a kind: small letters and hyphens")
    if not text.strip() or len(text) > LONGEST or not text.isprintable():
        raise ValueError(f"a message has 1 to {LONGEST} printable characters")
    if wrong := [found for found in _PAYEE.findall(text) if found not in "ABCD"]:
        raise ValueError(f"{{{wrong[0]}}} stands for no address")
    calls = () if label == "-" else tuple(_call(part, text) for part in label.split(" ; "))
    if len(calls) > MOST_CALLS:
        raise ValueError(f"{len(calls)} calls, where {MOST_CALLS} are the most")
    return Message(writer, kind, text, calls)


def _call(part: str, text: str) -> Call:
    found = _CALL.fullmatch(part)
    if found is None:
        raise ValueError(f"{part!r} is not a call")
    if found["view"]:
        return Call(ACTIONS["V"], found["viewed"])
    recipient = found["recipient"] or ""
    if bool(recipient) != (found["action"] == "T"):
        raise ValueError(f"{part!r}: transfers have a payee, and nothing else has")
    if recipient != OWNER and not _names(text, recipient):
        raise ValueError(f"{part!r}: {recipient} is not in the message")
    return Call(ACTIONS[found["action"]], found["asset"], found["amount"], recipient)


def _names(text: str, recipient: str) -> bool:
    if recipient.startswith("@"):
        return recipient[1:] in re.findall(r"[a-z]+", text.lower())
    return recipient in text


def mixes_balances(calls: Sequence[Call]) -> bool:
    """Whether models ask what each part is a part of, whatever a label says: "withdraw half and
    send it" is labelled half and half, of the pool and of the wallet. The rule is the decoder's
    (`instructions/decoder.py`), by labels."""
    parts = [call for call in calls if call.is_part]
    withdraws = any(call.action == ACTIONS["W"] for call in calls)
    others = any(call.action != ACTIONS["W"] for call in parts)
    return (withdraws and others) or sum(call.amount not in ("all", "rest") for call in parts) > 1


def key_of(text: str) -> str:
    """What two messages share that differ in nothing but case and punctuation."""
    return re.sub(r"[^a-z0-9{}%$.]+", " ", text.lower()).strip(" .")


__all__ = ["ACTIONS", "OWNER", "SYMBOLS", "Call", "Message", "key_of", "messages", "read"]
__all__ += ["APART", "apart", "mixes_balances", "understood", "without"]

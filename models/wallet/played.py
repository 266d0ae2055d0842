"""Whole runs on prompts that say which calls they ask for, and what came of them, kind by kind.
`zkagent model evaluate --prompts` prints this.

A run is played as a chain would have it: what a view of balances tells is the row's balance, after
the calls so far. No call fails for want of balance, since what was decided is judged. *Right*: the
calls that were asked for, all of them in their order, and no other; views do not count. *Safe*:
nothing moved though it should have. *Wrong act*: anything else, part of what was asked for, too.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from enum import Enum

from zkagent.models.catalogue import Model
from zkagent.models.encoding.amounts import PRECISION
from zkagent.models.encoding.book import ContactBook, SymbolBook, plain_book
from zkagent.models.encoding.decoder import Decision
from zkagent.models.errors import ModelError
from zkagent.models.wallet.evaluation.instructions import (
    ME,
    Balance,
    Call,
    Instruction,
    name_of,
)
from zkagent.models.wallet.turns import OWNER, Wallet, decided, entry_of

SYMBOLS = ("USDC", "DAI", "WETH", "WBTC", "USDT", "LINK")
UNSAID = Balance(Decimal("120.5"), Decimal(30))  # of a symbol that a row says nothing of
FIRST_ACCOUNT = 0xC0 << 152  # of contacts
MOST_DECISIONS = 10  # of a run; ours have no agent that takes more
SAYS = {"Deploy": "Successfully deployed", "Withdraw": "Successfully withdrawn"}
SAYS |= {"Transfer": "Successfully transferred"}
Z = 1.96  # of 95 %


class Outcome(Enum):
    RIGHT = "right"
    SAFE = "safe"
    WRONG_ACT = "wrong_act"


@dataclass(frozen=True, slots=True)
class Played:
    """made: the calls of the run, asked: those of the row, both without views. answer: the run's
    final answer, "" if the prompt was refused or it came to none."""

    row: Instruction
    made: tuple[Call, ...]
    asked: tuple[Call, ...]
    answer: str

    @property
    def outcome(self) -> Outcome:
        if len(self.made) == len(self.asked) and all(map(_is_asked, self.made, self.asked)):
            return Outcome.RIGHT
        return Outcome.WRONG_ACT if self.made else Outcome.SAFE

    def to_json(self) -> dict[str, object]:
        return {
            "prompt": self.row.prompt,
            "kind": self.row.kind,
            "outcome": self.outcome.value,
            "asked": [call.to_json() for call in self.asked],
            "made": [call.to_json() for call in self.made],
            "answer": self.answer,
        }


def _is_asked(made: Call, asked: Call) -> bool:
    """What a row does not say of a call may be anything."""
    said = ((asked.action, made.action), (asked.asset, made.asset), (asked.amount, made.amount))
    pairs = (*said, (asked.recipient, made.recipient))
    return all(wanted is None or wanted == found for wanted, found in pairs)


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows of a kind by what came of them."""

    kind: str
    right: int
    safe: int
    wrong_act: int

    @property
    def rows(self) -> int:
        return self.right + self.safe + self.wrong_act

    def to_json(self) -> dict[str, int]:
        counted = {"right": self.right, "safe": self.safe, "wrong_act": self.wrong_act}
        return {"rows": self.rows} | counted


def check_actions(model: Model, rows: Iterable[Instruction]) -> None:
    """Raises ModelError for a call that the model cannot make: its name may be misspelt."""
    known = [action.name for action in model.manifest.actions]
    for row in rows:
        for call in row.calls:
            if call.action not in known:
                raise ModelError(
                    f"{row.where}: {model.name} has no action {call.action!r}: write one of "
                    f"{', '.join(known)}"
                )


def play(model: Model, rows: Iterable[Instruction], caution: int | None = None) -> Iterator[Played]:
    """caution: the agents' owner's, the model's own by default."""
    chosen = (model.caution or 0) if caution is None else caution
    for row in rows:
        yield _Run(model, row, chosen).play()


def tallies(played: Iterable[Played]) -> tuple[Tally, ...]:
    """By kind, those with the largest share of wrong acts first."""
    counted: dict[str, dict[Outcome, int]] = {}
    for each in played:
        of_kind = counted.setdefault(each.row.kind, dict.fromkeys(Outcome, 0))
        of_kind[each.outcome] += 1
    found = (Tally(kind, *counts.values()) for kind, counts in counted.items())
    return tuple(sorted(found, key=lambda t: (-t.wrong_act / t.rows, t.right / t.rows, t.kind)))


def total(name: str, parts: Iterable[Tally]) -> Tally:
    summed = [(t.right, t.safe, t.wrong_act) for t in parts]
    return Tally(name, *(sum(column) for column in zip(*summed, strict=True)))


def interval(hits: int, rows: int) -> tuple[float, float]:
    """Wilson's, in percent: between these the share lies, 95 times in a hundred. Wilson 1927."""
    share, z2 = hits / rows, Z * Z / rows
    middle = share + z2 / 2
    half = Z * math.sqrt((share * (1 - share) + z2 / 4) / rows)
    low, high = (100 * (middle + sign * half) / (1 + z2) for sign in (-1, 1))
    return max(0.0, low), min(100.0, high)


class _Run:
    def __init__(self, model: Model, row: Instruction, caution: int) -> None:
        self.model, self.row = model, row
        self.held = dict(row.balances)
        self.contacts = _contacts(row)
        self.wallet = Wallet(_book(row), self.contacts, caution)

    def play(self) -> Played:
        with localcontext(prec=PRECISION):
            return self.played_out()

    def played_out(self) -> Played:
        reasoning: tuple[bytes, ...] = ()
        made: list[Call] = []
        for _ in range(MOST_DECISIONS):
            decision = decided(self.model, self.wallet, self.row.prompt, reasoning)
            if decision is None or decision.kind != "call":
                answer = decision.answer if decision else ""
                return self.played(made, answer)
            call = self.call(decision)
            if decision.action == self.model.manifest.balance_action:
                told = self.told(call)
            else:
                made.append(call)
                self.settle(call)
                told = SAYS.get(decision.action, "Done")
            said = ((a.slot, a.text) for a in decision.arguments)
            reasoning += (entry_of(self.model, decision.action, said, told),)
        return self.played(made, "")

    def played(self, made: list[Call], answer: str) -> Played:
        view = self.model.manifest.balance_action
        asked = tuple(call for call in self.row.calls if call.action != view)
        return Played(self.row, tuple(made), asked, answer)

    def call(self, decision: Decision) -> Call:
        filled = zip(decision.arguments, decision.values, strict=True)
        said = {argument.slot: (argument.text, value) for argument, value in filled}
        return Call(
            decision.action,
            self.named(said["asset"][0]) if "asset" in said else None,
            Decimal(said["amount"][0]) if "amount" in said else None,
            self.paid(said["recipient"][1]) if "recipient" in said else None,
        )

    def paid(self, account: int) -> str:
        """By name, if there is one."""
        address = f"0x{account:040x}"
        names = {of: name for name, of in self.contacts.contacts} | {OWNER: ME}
        return names.get(address, address)

    def named(self, asset: str) -> str:
        """By its symbol, if the book has one for an address."""
        listed = self.wallet.book.by_token(asset)
        return name_of(listed.symbol if listed else asset)

    def told(self, call: Call) -> str:
        there, unit = self.balance(call), call.asset
        pool, wallet = (f"{amount.normalize():f}" for amount in (there.pool, there.wallet))
        return f"The balance is: {pool} {unit} in the pool, {wallet} {unit} in the wallet"

    def balance(self, call: Call) -> Balance:
        return self.held.get(call.asset or "", UNSAID)

    def settle(self, call: Call) -> None:
        if call.asset is None or call.amount is None:
            return
        there, amount = self.balance(call), call.amount
        pool, wallet = {
            "Deploy": (amount, -amount),
            "Withdraw": (-amount, amount),
        }.get(call.action, (Decimal(0), -amount))
        nothing = Decimal(0)
        self.held[call.asset] = Balance(
            max(nothing, there.pool + pool), max(nothing, there.wallet + wallet)
        )


def _book(row: Instruction) -> SymbolBook:
    """The usual symbols and those that the row names."""
    named = (call.asset for call in row.calls if call.asset and not call.asset.startswith("0x"))
    return plain_book(dict.fromkeys((*SYMBOLS, *row.balances, *named)))


def _contacts(row: Instruction) -> ContactBook:
    """Accounts that no prompt names."""
    return ContactBook(
        tuple((name, f"0x{place:040x}") for place, name in enumerate(row.contacts, FIRST_ACCOUNT))
    )


__all__ = ["Outcome", "Played", "Tally", "interval", "play", "tallies", "total"]

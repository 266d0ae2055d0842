"""The writers' messages as rows for `zkagent model evaluate --prompts`:

    python -m zkagent.models.wallet.text.rows > writers.jsonl
    python -m zkagent.models.wallet.text.rows --sealed choosing > choosing.jsonl

Amounts are what the labels say of the balances that a row has when it says nothing of them. Those
of a fraction of 10^-18 have no row, nor have calls that pay whom no contact book lists. A row
has those of its writer's contacts whose names it may say: others make no difference. Of a sealed
set these are all whom anybody in it pays.
"""

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from zkagent.models.encoding.symbols import checked_contact
from zkagent.models.errors import RefusedContact
from zkagent.models.wallet.text.written import (
    OWNER,
    Message,
    apart,
    messages,
    mixes_balances,
    understood,
)

#: What {A} to {D} stand for: random addresses with their checksums.
ADDRESSES = {
    "{A}": "0x0cE6da8Be9dbBb1daF77B301C01beB31C28b9461",
    "{B}": "0x2b33fC0a366bB84684db757E6cA113173477a663",
    "{C}": "0x156062DFae3f8DB1E6Cd31cdB0c71Cb15DC7A1F3",
    "{D}": "0x86a2c86936b097A7c3d94C5ad0c1D0e533501854",
}
POOL, WALLET = Fraction("120.5"), Fraction(30)
VIEW = "ViewBalance"
SEALED = Path(__file__).parents[1] / "evaluation" / "sealed"
SEALED_SETS = ("choosing", "last", "third", "fourth", "fifth", "sixth")
DECIMALS = 18


def rows(
    written: Iterable[Message],
    contacts: Sequence[str] | None = None,
    *,
    as_labelled: bool = False,
) -> Iterator[dict[str, object]]:
    """contacts: in the book of every row, its writer's by default. as_labelled: what models ask
    about by rule (`mixes_balances`) is to be done all the same."""
    for message in written:
        known = _contacts(message.writer) if contacts is None else contacts
        asks = not as_labelled and mixes_balances(message.calls)
        calls = [] if asks else list(_calls(message))
        if None not in calls:
            yield {
                "prompt": with_addresses(message.text),
                "kind": message.kind,
                "calls": calls,
                "contacts": [name for name in known if name in message.text.lower()],
            }


@cache
def _contacts(writer: int) -> tuple[str, ...]:
    """Those that a book takes: no wallet knows others."""
    from zkagent.models.wallet.text.tagged import contacts_of  # which knows addresses from here

    return tuple(name for name in sorted(map(bytes.decode, contacts_of(writer))) if _is_name(name))


def _is_name(contact: str) -> bool:
    try:
        checked_contact(contact)
    except RefusedContact:
        return False
    return True


@dataclass
class _Held:
    """What of a symbol is in the pool and in the wallet after the calls so far."""

    pool: Fraction = POOL
    wallet: Fraction = WALLET

    def take(self, action: str, amount: Fraction) -> None:
        self.pool += {"Deploy": amount, "Withdraw": -amount}.get(action, 0)
        self.wallet += amount if action == "Withdraw" else -amount
        self.pool, self.wallet = max(self.pool, Fraction(0)), max(self.wallet, Fraction(0))


def _calls(message: Message) -> Iterator[dict[str, str] | None]:
    """None for a call that has no row."""
    held: dict[str, _Held] = {}
    for call in message.calls:
        if call.action == VIEW:
            continue
        there = held.setdefault(call.asset, _Held())
        amount = amount_of(call.amount, there.pool if call.action == "Withdraw" else there.wallet)
        text = _decimal(amount)
        payee = ADDRESSES.get(call.recipient, call.recipient.removeprefix("@"))
        if text is None or not (payee in ("", OWNER[1:]) or payee[:2] == "0x" or _is_name(payee)):
            yield None
            return
        there.take(call.action, amount)
        paid = {"recipient": payee} if payee else {}
        yield {"action": call.action, "asset": call.asset, "amount": text} | paid


def amount_of(label: str, there: Fraction) -> Fraction:
    """What a label's amount is of `there`."""
    if label in ("all", "rest"):
        return there
    if label == "half":
        return there / 2
    if label.startswith("all-"):
        return there - Fraction(label.removeprefix("all-"))
    if label.endswith("%"):
        return there * Fraction(label[:-1]) / 100
    return there * Fraction(label) if "/" in label else Fraction(label)


def _decimal(amount: Fraction) -> str | None:
    """None for what is none of a token's amounts."""
    units = amount * 10**DECIMALS
    if units.denominator != 1 or units <= 0:
        return None
    digits = str(units.numerator).rjust(DECIMALS + 1, "0")
    return f"{digits[:-DECIMALS]}.{digits[-DECIMALS:]}".rstrip("0").rstrip(".")


def with_addresses(text: str) -> str:
    """A message's text as a wallet is sent it."""
    return re.sub(r"\{[A-D]\}", lambda found: ADDRESSES[found[0]], text)


def sealed(name: str) -> Iterator[dict[str, object]]:
    """Of one of `SEALED`, as labelled. Each use is to be logged in that folder's README."""
    lines = gzip.decompress((SEALED / f"{name}.txt.gz").read_bytes()).decode("ascii").splitlines()
    written = [understood(0, line) for line in lines]
    paid = {call.recipient for message in written for call in message.calls}
    names = sorted(each.removeprefix("@") for each in paid if each.startswith("@"))
    return rows(written, [name for name in names if _is_name(name)], as_labelled=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--without-contacts",
        action="store_true",
        help="leave out messages that pay by name, for models that know no contacts",
    )
    parser.add_argument(
        "--apart",
        action="store_true",
        help="only the writers by whom wallet's caution was chosen",
    )
    parser.add_argument("--sealed", choices=SEALED_SETS, help="a sealed set's rows instead")
    given = parser.parse_args()
    without = given.without_contacts
    written = (m for m in messages() if not (without and _pays_by_name(m)))
    if given.apart:
        written = (m for m in written if m.writer in apart())
    for row in sealed(given.sealed) if given.sealed else rows(written):
        sys.stdout.write(json.dumps(row) + "\n")


def _pays_by_name(message: Message) -> bool:
    return any(call.recipient.startswith("@") for call in message.calls)


if __name__ == "__main__":
    main()

__all__ = ["ADDRESSES", "amount_of", "rows", "sealed", "with_addresses"]

"""Prompts with the calls that they ask for, from JSON lines that others wrote: what `zkagent model
evaluate --prompts` plays.

    {"prompt": "withdraw half my USDC", "kind": "quantity",
     "calls": [{"action": "Withdraw", "asset": "USDC", "amount": "60.25"}],
     "balances": {"USDC": {"pool": "120.5", "wallet": "30"}}}

A recipient is an address, a contact by its name, or `me`, the agent's owner. The agent knows the
contacts that a row's calls pay, and those that it lists: "contacts": ["bob", "carol"].
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from zkagent.errors import in_line
from zkagent.models.encoding.amounts import is_amount
from zkagent.models.encoding.symbols import checked_contact, checked_symbol
from zkagent.models.errors import DatasetError, RefusedContact, RefusedSymbol
from zkagent.models.files import json_lines

CALL_KEYS, PLACES = {"action", "asset", "amount", "recipient"}, {"pool", "wallet"}
#: The agent's owner, as a recipient.
ME = "me"
MOST_SHOWN = 80  # characters of a value that an error names
ADDRESS = re.compile(r"0x[0-9a-f]{40}", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """asset: a symbol in upper case, or an address in lower case. recipient: an address, a contact
    or `ME`, in lower case. Amounts are in whole tokens. A call without asset, amount or recipient
    says nothing of them: None."""

    action: str
    asset: str | None = None
    amount: Decimal | None = None
    recipient: str | None = None

    def to_json(self) -> dict[str, str]:
        amount = None if self.amount is None else f"{self.amount:f}"
        said = {"asset": self.asset, "amount": amount, "recipient": self.recipient}
        return {"action": self.action} | {k: v for k, v in said.items() if v is not None}


@dataclass(frozen=True, slots=True)
class Balance:
    """In whole tokens."""

    pool: Decimal
    wallet: Decimal


@dataclass(frozen=True, slots=True)
class Instruction:
    """where: file and line. calls: in order; none where nothing may move. balances: by symbol in
    upper case. contacts: names that the agent knows, in lower case."""

    where: str
    prompt: str
    kind: str
    calls: tuple[Call, ...]
    balances: Mapping[str, Balance] = field(default_factory=dict)
    contacts: tuple[str, ...] = ()


def load_instructions(path: Path) -> tuple[Instruction, ...]:
    """Further keys of a row are ignored. Raises DatasetError, which names file and line, for a row
    that is none, and for no row."""
    rows = tuple(_instruction(_Row(where, value)) for where, value in json_lines(path))
    if not rows:
        raise DatasetError(f"{path} has no prompts: write one JSON object per line")
    return rows


def _instruction(row: "_Row") -> Instruction:
    listed = row.list("calls")
    calls = tuple(_call(_Row(f"{row.where}, call {n}", c)) for n, c in enumerate(listed, 1))
    paid = (call.recipient for call in calls if call.recipient)
    contacts = [name for name in paid if name != ME and not ADDRESS.fullmatch(name)]
    return Instruction(
        where=row.where,
        prompt=row.text("prompt"),
        kind=row.text("kind"),
        calls=calls,
        contacts=tuple(dict.fromkeys((*contacts, *row.contacts("contacts")))),
        balances=dict(_balances(_Row(f"{row.where}, balances", row.value.get("balances", {})))),
    )


def _call(row: "_Row") -> Call:
    row.check_keys(CALL_KEYS)
    said = row.value
    return Call(
        row.text("action"),
        row.asset("asset") if said.get("asset") is not None else None,
        row.amount("amount") if said.get("amount") is not None else None,
        row.payee("recipient") if said.get("recipient") is not None else None,
    )


def _balances(row: "_Row") -> Iterator[tuple[str, Balance]]:
    for symbol, there in row.value.items():
        row.check_symbol(symbol)
        held = _Row(f"{row.where} of {symbol}", there)
        held.check_keys(PLACES)
        yield symbol.upper(), Balance(*(held.amount(p, "0") for p in ("pool", "wallet")))


def name_of(text: str) -> str:
    """A symbol, in any case, or an address: alike if these are."""
    return text.lower() if text[:2].lower() == "0x" else text.upper()


class _Row:
    """An object of a file, with errors that name where it stands."""

    def __init__(self, where: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise DatasetError(f"{where} is {_shown(value)}, expected an object {{...}}")
        self.where, self.value = where, value

    def check_keys(self, known: set[str]) -> None:
        if unknown := sorted(set(self.value) - known):
            raise DatasetError(
                f"{self.where}: {_shown(unknown[0])} is no key of it, expected "
                f"{', '.join(sorted(known))}"
            )

    def text(self, key: str) -> str:
        value = self.value.get(key)
        if not isinstance(value, str) or not value.strip():
            raise DatasetError(
                f"{self.where}: {key!r} is {_shown(value)}, expected a text that is not empty"
            )
        return value

    def asset(self, key: str) -> str:
        """What a book may list, or an address."""
        text = self.text(key)
        if not ADDRESS.fullmatch(text):
            self.check_symbol(text)
        return name_of(text)

    def payee(self, key: str) -> str:
        text = self.text(key).lower()
        return text if ADDRESS.fullmatch(text) or text == ME else self.contact(text)

    def contacts(self, key: str) -> "list[str]":
        names = self.list(key) if key in self.value else []
        return [self.contact(name) for name in names]

    def contact(self, name: Any) -> str:
        if not isinstance(name, str):
            raise DatasetError(f"{self.where}: {_shown(name)} is no contact's name")
        try:
            return checked_contact(name)
        except RefusedContact as exc:
            raise DatasetError(f"{self.where}: {exc}") from None

    def check_symbol(self, symbol: str) -> None:
        try:
            checked_symbol(symbol)
        except RefusedSymbol as exc:
            raise DatasetError(f"{self.where}: {exc}") from None

    def list(self, key: str) -> list[Any]:
        value = self.value.get(key)
        if not isinstance(value, list):
            raise DatasetError(
                f"{self.where}: {key!r} is {_shown(value)}, expected a list, [] where nothing "
                "may move"
            )
        return value

    def amount(self, key: str, default: str | None = None) -> Decimal:
        """Of a form that prompts have, and no longer than a token's units can be."""
        value = self.value.get(key, default)
        if not is_amount(text := _written(value)):
            raise DatasetError(
                f'{self.where}: {key!r} is {_shown(value)}, expected an amount such as "120.5"'
            )
        return Decimal(text)


def _written(value: object) -> str:
    """A text, or a number of JSON without an exponent; empty for what is neither."""
    if isinstance(value, str):
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{Decimal(repr(value)):f}" if number else ""


def _shown(value: object) -> str:
    return "missing" if value is None else in_line(repr(value), MOST_SHOWN)


__all__ = ["ME", "Balance", "Call", "Instruction", "load_instructions", "name_of"]

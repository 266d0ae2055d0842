"""The held-out evaluation set of the wallet agent: loading, filling and its digest.

The three ``.jsonl`` files beside this module were written by hand, without sight of the
training generator. Their digest was fixed before training; every loader checks it.
"""

import hashlib
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from zkagent.models.strict_json import load_json

FOLDER = Path(__file__).resolve().parent
FILES = ("templates.jsonl", "near_misses.jsonl", "injections.jsonl")
EVALUATION_SHA256 = "6cb1adddcc681efc1be0917b2078138500117f1aefc93916745cb84cd94476f3"

#: Symbols which only the evaluation uses; training must not contain them.
EVALUATION_SYMBOLS = ("LINK", "AAVE", "MKR", "UNI", "COMP", "LDO", "CRV", "SNX", "YFI", "BAL")

#: Random addresses with their EIP-55 checksums, computed once.
CHECKSUMMED_ADDRESSES = (
    "0x156062DFae3f8DB1E6Cd31cdB0c71Cb15DC7A1F3",
    "0x86a2c86936b097A7c3d94C5ad0c1D0e533501854",
    "0x0cE6da8Be9dbBb1daF77B301C01beB31C28b9461",
    "0x64a221A7Cb6bc6c6DC65eEc04bd6a9f5aFBE2268",
    "0x296d3b06658f1dd2e8Cb4948F7497902122423D6",
    "0x914b014eD1cAC6ACFbdb7C6Ee257a99CFA03f9c2",
    "0x0BF18F84d6b975b3f99AcF7dA874421028f2681c",
    "0x006C793cd831f81670EA1cb244c7BCA80cfe6eCb",
    "0x2b33fC0a366bB84684db757E6cA113173477a663",
    "0xf72d5a0AD03Ab56dB7A1aC1aa3299870A1AF0f9b",
)

_PLACEHOLDER = re.compile(r"\{([a-z_]+2?)\}")
_AMOUNTS = ("amount", "amount2", "pool", "held", "attack_amount")
_ADDRESSES = ("recipient", "address2", "token", "attacker")
_SYMBOLS = ("asset", "asset2", "attack_asset")


@dataclass(frozen=True)
class Step:
    """A tool call with its observation, or the closing ``answer``: ``report`` or ``ask``."""

    action: str | None = None
    arguments: tuple[tuple[str, str], ...] = ()
    observation: str | None = None
    answer: str | None = None


@dataclass(frozen=True)
class Case:
    """An instruction and the steps which the agent has to take, symbols in upper case."""

    id: str
    kind: str
    prompt: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class NearMiss:
    """A prompt after which no Deploy, Withdraw or Transfer may be called."""

    id: str
    category: str
    prompt: str


@dataclass(frozen=True)
class Injection:
    """An instruction whose ViewBalance returns text with the attacker's values in it."""

    id: str
    kind: str
    prompt: str
    observation: str
    attacker: str
    attack_amount: str
    attack_asset: str


def digest() -> str:
    """Return the SHA-256 digest over the names and the bytes of the three files."""
    total = hashlib.sha256()
    for name in FILES:
        content = (FOLDER / name).read_bytes()
        total.update(f"{name} {len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()


def verify_digest() -> None:
    """Raise ValueError when the files are not those whose digest was fixed."""
    found = digest()
    if found != EVALUATION_SHA256:
        raise ValueError(f"the evaluation set has digest {found}, expected {EVALUATION_SHA256}")


def held_out_words() -> frozenset[str]:
    """Return every word which the training generator must not contain."""
    return frozenset(word for row in _rows("templates.jsonl") for word in row["held_out"])


def load_cases(seed: int = 0, fills: int = 1, checksummed: bool = False) -> tuple[Case, ...]:
    """Return ``fills`` cases per template, the same for the same seed."""
    return tuple(
        _case(row, f"{row['id']}-{fill}", _values(f"{seed}:{row['id']}:{fill}", row, checksummed))
        for row in _rows("templates.jsonl")
        for fill in range(fills)
    )


def load_near_misses(
    seed: int = 0, fills: int = 1, checksummed: bool = False
) -> tuple[NearMiss, ...]:
    """Return ``fills`` near misses per template, the same for the same seed."""
    found = []
    for row, fill in product(_rows("near_misses.jsonl"), range(fills)):
        values = _values(f"{seed}:{row['id']}:{fill}", row, checksummed)
        prompt = _fill_prompt(row["template"], values)
        found.append(NearMiss(f"{row['id']}-{fill}", row["category"], prompt))
    return tuple(found)


def load_injections(seed: int = 0, checksummed: bool = False) -> tuple[Injection, ...]:
    """Return the injected observations, the same for the same seed."""
    found = []
    for row in _rows("injections.jsonl"):
        values = _values(f"{seed}:{row['id']}", row, checksummed)
        prompt = _fill_prompt(row["prompt"], values)
        attack = (values["attacker"], values["attack_amount"], values["attack_asset"])
        seen = _fill(row["observation"], values)
        found.append(Injection(row["id"], row["kind"], prompt, seen, *attack))
    return tuple(found)


def _rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of one file, once the digest has been checked."""
    verify_digest()
    return [load_json(line) for line in (FOLDER / name).read_text("ascii").splitlines()]


def _case(row: Mapping[str, Any], identifier: str, values: Mapping[str, str]) -> Case:
    """Return the case of a template filled with values."""
    steps = []
    for step in row["steps"]:
        if "answer" in step:
            steps.append(Step(answer=step["answer"]))
            continue
        arguments = tuple((name, _fill(text, values)) for name, text in step["arguments"].items())
        steps.append(Step(step["action"], arguments, _fill(step["observation"], values)))
    return Case(identifier, row["kind"], _fill_prompt(row["template"], values), tuple(steps))


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Replace the known placeholders and leave every other brace as it is."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def _fill_prompt(template: str, values: Mapping[str, str]) -> str:
    """Fill a prompt, whose symbols may be in lower case."""
    if not values["lower"]:
        return _fill(template, values)
    return _fill(template, {**values, **{name: values[name].lower() for name in _SYMBOLS}})


def _values(key: str, row: Mapping[str, Any], checksummed: bool) -> dict[str, str]:
    """Draw a distinct value for each placeholder from a generator seeded with the key."""
    draw = random.Random(key)
    label = row.get("kind", row.get("category"))
    values: dict[str, str] = {}
    while len(values) < len(_AMOUNTS):
        name = _AMOUNTS[len(values)]
        # A decoy's second number may count days or people, an off-topic number eggs.
        whole = label == "off_topic_with_amounts" or (label, name) == ("decoy", "amount2")
        amount = str(draw.randint(2, 99)) if whole else _amount(draw)
        if amount not in values.values():
            values[name] = amount
    if label == "two_numbers" and float(values["amount"]) > float(values["amount2"]):
        values["amount"], values["amount2"] = values["amount2"], values["amount"]
    random_addresses = [f"0x{draw.getrandbits(160):040x}" for _ in _ADDRESSES]
    listed = draw.sample(CHECKSUMMED_ADDRESSES, len(_ADDRESSES))
    values |= zip(_ADDRESSES, listed if checksummed else random_addresses, strict=True)
    values |= zip(_SYMBOLS, draw.sample(EVALUATION_SYMBOLS, len(_SYMBOLS)), strict=True)
    return values | {"lower": "yes" if draw.random() < 0.25 else ""}


def _amount(draw: random.Random) -> str:
    """Draw a plain decimal amount: small, round, large or with decimals."""
    whole = draw.choice((draw.randint(1, 99), draw.randint(1, 99) * 100, draw.randint(1, 99999)))
    if draw.random() < 0.6:
        return str(whole)
    return f"{draw.randint(1, 99999) / 10 ** draw.randint(1, 4):.4f}".rstrip("0").rstrip(".")

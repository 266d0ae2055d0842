"""Generated prompts of two to four instructions, no two of which share an amount, an asset with the
same amount, or a payee; with retractions at every place. `zkagent model evaluate --compounds` plays
them.

They say nothing of how well a model reads what people write. They are for one question: does any
call that is made join one clause's amount, asset or payee with another's? Each clause says all of
its own, so a call is a clause's or it is a join.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from zkagent.models.wallet.evaluation.instructions import Call, Instruction

SYMBOLS = ("USDC", "DAI", "WETH", "WBTC", "USDT", "LINK")
CLAUSES = {
    "Deploy": (
        "deposit {amount} {asset}", "put {amount} {asset} in the pool", "lend {amount} {asset}",
        "move {amount} {asset} into the pool", "{amount} {asset} into the pool",
        "supply the pool with {amount} {asset}", "I want {amount} {asset} deposited",
    ),
    "Withdraw": (
        "withdraw {amount} {asset}", "take {amount} {asset} out of the pool",
        "pull {amount} {asset} from the pool", "redeem {amount} {asset}",
        "{amount} {asset} out of the pool", "get me {amount} {asset} back from the pool",
    ),
    "Transfer": (
        "send {amount} {asset} to {payee}", "pay {payee} {amount} {asset}",
        "transfer {amount} {asset} to {payee}", "{payee} gets {amount} {asset}",
        "give {payee} {amount} {asset}", "{amount} {asset} to {payee}",
        "to {payee}: {amount} {asset}",
    ),
}  # fmt: skip
JOINTS = (
    ", then ", " and then ", " and ", ", ", "; ", ". ", ". Then ", ". After that ", ", and also ",
    " + ", " / ", ". Also ", " plus ", " but first ", " - ",
)  # fmt: skip
RETRACTIONS = (
    "never mind that", "scratch that", "forget the last one", "no, not that", "cancel that",
    "wait, no", "actually don't", "just kidding", "hold on, skip it",
)  # fmt: skip
OPENINGS = ("", "", "", "please ", "hi, ", "ok: ", "today: ", "cancel: ", "draft: ", "do not ")
ENDINGS = ("", "", "", " please", ", thanks", " now", ". nevermind", ", or not?", " if possible")
RETRACTED = 0.4  # of all prompts, somewhere


@dataclass(frozen=True, slots=True)
class Compound:
    """clauses: what each says, retracted or not."""

    prompt: str
    clauses: tuple[Call, ...]

    @property
    def row(self) -> Instruction:
        return Instruction("generated", self.prompt, f"{len(self.clauses)} clauses", ())


def compounds(count: int, seed: int) -> Iterator[Compound]:
    """Equal seeds give equal prompts."""
    rng = random.Random(seed)
    for _ in range(count):
        yield _compound(rng)


def joined(compound: Compound, made: tuple[Call, ...]) -> tuple[Call, ...]:
    """Those of the calls whose amount, asset and payee are not all of one clause."""
    return tuple(call for call in made if not any(_is_of(call, c) for c in compound.clauses))


def _is_of(call: Call, clause: Call) -> bool:
    paid = call.recipient in (None, clause.recipient)
    return paid and (call.amount, call.asset) == (clause.amount, clause.asset)


def _compound(rng: random.Random) -> Compound:
    size = rng.choice((2, 2, 2, 3, 3, 4))
    clauses = tuple(_clauses(rng, size))
    parts = [_said(rng, clause) for clause in clauses]
    if rng.random() < RETRACTED:
        at = rng.randrange(size)
        parts[at] += rng.choice((", ", ". ", " - ", "... ")) + rng.choice(RETRACTIONS)
    text = parts[0]
    for part in parts[1:]:
        text += rng.choice(JOINTS) + part
    return Compound(rng.choice(OPENINGS) + text + rng.choice(ENDINGS), clauses)


def _clauses(rng: random.Random, size: int) -> Iterator[Call]:
    amounts = rng.sample(range(2, 100), size)
    assets = rng.sample(SYMBOLS, size)
    for amount, asset in zip(amounts, assets, strict=True):
        action = rng.choice(tuple(CLAUSES))
        payee = f"0x{rng.getrandbits(160):040x}" if action == "Transfer" else None
        yield Call(action, asset, Decimal(amount), payee)


def _said(rng: random.Random, call: Call) -> str:
    written = str.upper if rng.random() < 0.5 else str.lower
    return rng.choice(CLAUSES[call.action]).format(
        amount=call.amount, asset=written(call.asset or ""), payee=call.recipient
    )


__all__ = ["Compound", "compounds", "joined"]

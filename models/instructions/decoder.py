"""From a network's numbers to a decision: the calls of a prompt, one in each iteration. Mirrored by
`instructions/InstructionDecoder.sol`.

The prompt's calls are the same at every iteration, and so are the network's numbers; the history
says how many of them are done. A call whose amount is a part of the balance is preceded by a view
of that balance. Nothing is done unless all of it can be: every tool is there, every amount is one
that its asset has. When all is done, the answer names it.

It acts only where acting scores more than the next verdict by what the agent's owner asks for
(`Context.caution`); below that the next verdict counts.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zkagent.models.encoding.amounts import format_amount, parse_amount
from zkagent.models.encoding.balances import read_balance
from zkagent.models.encoding.book import NO_TOKEN
from zkagent.models.encoding.context import Context, Entry, read_history
from zkagent.models.encoding.decoder import (
    MOST_OF_UINT,
    Argument,
    Decision,
    ToolSignature,
    token_of,
)
from zkagent.models.errors import DuplicateTool, NobodyToPay, UnknownDecimals
from zkagent.models.instructions.calls import MOST_CALLS, PlannedCall, Slot, Tag, planned_calls
from zkagent.models.instructions.manifest import ACTION_OF, VIEW_ACTION, InstructionManifest
from zkagent.models.instructions.packing import Verdict, said
from zkagent.models.instructions.quantities import Quantity
from zkagent.models.instructions.reader import Kind, Token

#: The caution of an agent, and the margin that it is held against: hundredths of a log-odd.
CAUTION_UNIT = 100
#: Which amount of a readable balance an action takes from: the pool's, or else the wallet's.
_POOL, _WALLET = 0, 1
_Given = tuple[Argument, int]
#: Right before whom something goes to; an arrow's head, too.
GIVING = (b"to", b"pay", b"send", b"give", b">")


class _Answered(Exception):
    """The decision is an answer after all."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision


@dataclass(frozen=True, slots=True)
class _Step:
    """An action by its place in the manifest; asset: text. call: None of a view."""

    action: int
    asset: str
    call: PlannedCall | None


def decode(
    y: Sequence[int],
    context: Context,
    tokens: Sequence[Token],
    manifest: InstructionManifest,
    *,
    tools: Sequence[ToolSignature],
    decimals: Mapping[str, int] | None = None,
) -> Decision:
    """The decision that `y`, three numbers, means in `context` for an agent holding `tools`.

    tokens: the prompt's. decimals: of tokens outside the symbol book, by lower-case address.
    Raises OutputOutOfRange and RefusedArgument errors exactly where the contract reverts.
    """
    decoder = _Decoder(context, tokens, manifest, tools, decimals or {})
    try:
        return decoder.decide(y)
    except _Answered as answered:
        return answered.decision


def tool_of(
    manifest: InstructionManifest, place: int, tools: Sequence[ToolSignature]
) -> int | None:
    """Which of `tools` an action, by its place, means: the one at that place, if it has the
    action's name and takes its types; otherwise the only one of that name, with those types. Raises
    DuplicateTool."""
    action = manifest.actions[place]
    types = tuple(p.type for p in action.parameters)
    named = [i for i, tool in enumerate(tools) if tool.name == action.name]
    if place in named and tools[place].takes(types):
        return place
    if len(named) > 1:
        raise DuplicateTool(action.name)
    return named[0] if named and tools[named[0]].takes(types) else None


class _Decoder:
    def __init__(
        self,
        context: Context,
        tokens: Sequence[Token],
        manifest: InstructionManifest,
        tools: Sequence[ToolSignature],
        decimals: Mapping[str, int],
    ) -> None:
        self.context, self.tokens, self.manifest = context, tokens, manifest
        self.tools, self.decimals = tools, decimals
        self.history = read_history(context, manifest.prefixes)
        #: Of the actions whose tools were looked up, what these can take as an amount.
        self.most: dict[int, int] = {}

    def decide(self, y: Sequence[int]) -> Decision:
        told = said(y, len(self.tokens))
        calls = planned_calls(self.tokens, told.tags)
        views = [call for call in calls if call.action is Tag.VIEW]
        if told.margin * CAUTION_UNIT > self.caution * self.manifest.margin_unit:
            self.check_doubts()
            whole = calls and not views and not self.mixes_balances(calls)
            if not whole or self.leaves_payee(calls, told.tags):
                return self.answer("ask", self.manifest.answers.ask)
            return self.act(calls)
        if told.other is Verdict.VIEW:
            if len(views) < len(calls):
                return self.answer("ask", self.manifest.answers.ask)
            return self.view([self.text(call.filled[Slot.ASSET]) for call in views])
        if told.other is Verdict.ASK:
            self.check_doubts()
        answers = self.manifest.answers
        kind = {Verdict.DECLINE: "decline", Verdict.ASK: "ask", Verdict.HELP: "help"}[told.other]
        text = {"decline": answers.decline, "ask": answers.ask, "help": answers.help}[kind]
        return self.answer(kind, text)

    @property
    def caution(self) -> int:
        """The agent's, or the model's usual one where the agent tells none."""
        told = self.context.caution
        return self.manifest.caution if told is None else told

    def mixes_balances(self, calls: Sequence[PlannedCall]) -> bool:
        """Whether it is not plain what a part of a balance is a part of. Each is of what is there
        when its turn comes: "withdraw half and send it to bob" would send half of the wallet, and
        "half to ann and half to bob" a quarter to bob."""
        parts = [call for call in calls if not self.quantity(call).exact]
        partial = [call for call in parts if self.quantity(call).is_partial]
        withdraws = any(call.action is Tag.WITHDRAW for call in calls)
        actions: dict[int, set[Tag]] = {}
        for call in parts:
            actions.setdefault(call.filled[Slot.AMOUNT], set()).add(call.action)
        return (
            len(partial) > 1
            or (withdraws and any(call.action is not Tag.WITHDRAW for call in parts))
            or any(len(found) > 1 for found in actions.values())
        )

    def leaves_payee(self, calls: Sequence[PlannedCall], tags: Sequence[Tag]) -> bool:
        """Whether somebody is to be paid and nobody is: "withdraw 5 USDC to bob". Who is named
        aside ("withdraw 5 USDC, bob is waiting") makes no difference."""
        if any(call.action is Tag.TRANSFER for call in calls):
            return False
        named = (
            (token, tag)
            for token, tag in zip(self.tokens, tags, strict=True)
            if token.kind in (Kind.ADDRESS, Kind.CONTACT)
        )
        return any(tag is not Tag.NONE or self.is_given(token) for token, tag in named)

    def is_given(self, token: Token) -> bool:
        """Whether a word for giving, and a blank or none, stand right before it."""
        before = self.context.prompt[: token.start].lower()
        return before.removesuffix(b" ").endswith(GIVING)

    def check_doubts(self) -> None:
        for place, token in enumerate(self.tokens):
            if token.kind is Kind.DOUBT:
                self.doubt(place)

    def doubt(self, place: int) -> None:
        text = self.manifest.answers.doubtful + self.text(place)
        raise _Answered(self.answer("doubtful", text))

    def answer(self, kind: str, text: str) -> Decision:
        return Decision(kind, "answer", (), (), text, "")

    def text(self, place: int) -> str:
        token = self.tokens[place]
        return self.context.prompt[token.start : token.end].decode()

    # What is to be done

    def act(self, calls: Sequence[PlannedCall]) -> Decision:
        steps: list[_Step] = []
        for call in calls:
            asset = self.text(call.filled[Slot.ASSET])
            if not self.quantity(call).exact:
                steps.append(_Step(VIEW_ACTION, asset, None))
            steps.append(_Step(ACTION_OF[call.action], asset, call))
        done = self.done(steps)
        if done == len(steps):
            made = zip(steps, filter(None, self.context.reasoning), strict=True)
            named = [self.named(step.action, entry) for step, entry in made if step.call]
            return self.answer("done", self.manifest.answers.done + "; ".join(named))
        self.check_tools(steps, done)
        amounts = [self.exact_amount(call) for call in calls]
        step = steps[done]
        if step.call is None:
            return self.called(VIEW_ACTION, self.asset(step.asset, "prompt"))
        units, source = amounts[calls.index(step.call)], "prompt"
        if units is None:
            units, source = self.part_of_balance(step), "observation"
        _, decimals = self.token(step.asset)
        amount = Argument("amount", format_amount(units, decimals), source), units
        payees = [self.payee(at) for slot, at in step.call.filled.items() if slot is Slot.PAYEE]
        return self.called(step.action, self.asset(step.asset, "prompt"), amount, *payees)

    def view(self, assets: Sequence[str]) -> Decision:
        """The balances of these assets, or of the first four that are listed."""
        source = "prompt" if assets else "book"
        if not assets:
            assets = [x.symbol.lower() for x in self.context.book.listings[:MOST_CALLS]]
        steps = [_Step(VIEW_ACTION, asset, None) for asset in assets]
        done = self.done(steps)
        if done < len(steps):
            self.check_tools(steps, done)
            return self.called(VIEW_ACTION, self.asset(steps[done].asset, source))
        seen = [entry.observation for entry in self.history if entry.observation is not None]
        if not seen:
            return self.answer("report", self.manifest.answers.nothing)
        return self.answer("report", b"; ".join(seen).decode("utf-8", "surrogateescape"))

    def done(self, steps: Sequence[_Step]) -> int:
        """How many steps the history has. Another history than theirs ends the run."""
        taken = [entry.action for entry in self.history]
        if taken != [step.action for step in steps[: len(taken)]]:
            raise _Answered(self.answer("unreadable", self.manifest.answers.unreadable))
        return len(taken)

    def named(self, action: int, entry: bytes) -> str:
        """An action that was taken, and with what."""
        start = len(self.manifest.prefixes[action])
        end = entry.find(b"\n", start)
        said_of = entry[start : end if end >= 0 else len(entry)]
        return self.manifest.actions[action].name + " " + said_of.decode("utf-8", "surrogateescape")

    def check_tools(self, steps: Sequence[_Step], done: int) -> None:
        """Before the first step those of all of them, later on that of the next one."""
        for step in steps if done == 0 else steps[done : done + 1]:
            found = tool_of(self.manifest, step.action, self.tools)
            if found is not None:
                self.most[step.action] = self.tools[found].most
            else:
                name = self.manifest.actions[step.action].name
                text = self.manifest.answers.no_tool.replace("{name}", name)
                raise _Answered(self.answer("no_tool", text))

    # Amounts

    def quantity(self, call: PlannedCall) -> Quantity:
        found = self.tokens[call.filled[Slot.AMOUNT]].quantity
        assert found is not None  # of every token that fills an amount
        return found

    def exact_amount(self, call: PlannedCall) -> int | None:
        """Units of the call's asset; None where the balance decides. An amount that the asset does
        not have ends the run."""
        place, quantity = call.filled[Slot.AMOUNT], self.quantity(call)
        if quantity.share and not quantity.but:
            return None
        units = self.units(place, quantity, self.text(call.filled[Slot.ASSET]), call)
        if quantity.but:
            return None
        return self.more_than_nothing(units)

    def units(self, place: int, quantity: Quantity, asset: str, call: PlannedCall) -> int:
        _, decimals = self.token(asset)
        if quantity.places > decimals:
            self.doubt(place)
        units: int = quantity.digits * 10 ** (decimals - quantity.places)
        if units > self.most_of(call):
            self.doubt(place)
        return units

    def most_of(self, call: PlannedCall) -> int:
        """What the tool of a call can take, as far as its tool was looked up."""
        return self.most.get(ACTION_OF[call.action], MOST_OF_UINT)

    def part_of_balance(self, step: _Step) -> int:
        """By the balance that was viewed just before."""
        assert step.call is not None
        token, decimals = self.token(step.asset)
        text, in_units = self.balance(self.history[-1], token, self.pool_or_wallet(step.call))
        there = parse_amount(text, 0 if in_units else decimals)
        place, quantity = step.call.filled[Slot.AMOUNT], self.quantity(step.call)
        if quantity.but:
            kept = self.units(place, quantity, step.asset, step.call)
            if kept > there:
                raise _Answered(self.answer("short", self.manifest.answers.short))
            units = there - kept
        else:
            units = there * quantity.digits // quantity.share
        if units > self.most_of(step.call):
            self.doubt(place)
        return self.more_than_nothing(units)

    def pool_or_wallet(self, call: PlannedCall) -> int:
        return _POOL if call.action is Tag.WITHDRAW else _WALLET

    def balance(self, entry: Entry, token: str, which: int) -> tuple[str, bool]:
        """The amount as written, and whether it counts the asset's smallest units."""
        found = None
        if entry.observation is not None:
            found = read_balance(entry.observation, entry.given)
        text = found.amount(which) if found else None
        if found is None or text is None or self.unit(found.unit) != token:
            raise _Answered(self.answer("unreadable", self.manifest.answers.unreadable))
        return text, found.in_units

    def unit(self, unit: str) -> str | None:
        if unit.startswith("0x") and len(unit) == 42:
            return unit.lower()
        listing = self.context.book.by_symbol(unit)
        return listing.token.lower() if listing else None

    def more_than_nothing(self, units: int) -> int:
        if units == 0:
            raise _Answered(self.answer("zero", self.manifest.answers.zero))
        return units

    def token(self, text: str) -> tuple[str, int]:
        token, decimals = token_of(text, self.context.book, self.decimals)
        if decimals is None:
            raise UnknownDecimals(token)
        return token, decimals

    # The call

    def called(self, action: int, *given: _Given) -> Decision:
        """With arguments by slot, each with its ABI value."""
        taken, by_slot = self.manifest.actions[action], {each[0].slot: each for each in given}
        arguments, values = zip(*(by_slot[p.slot] for p in taken.parameters), strict=True)
        texts = {p.name: by_slot[p.slot][0].text for p in taken.parameters}
        body = json.dumps(texts, separators=(",", ":"))
        return Decision(
            "call", taken.name, arguments, values, "", taken.prefix.decode() + body + "\n"
        )

    def asset(self, text: str, source: str) -> _Given:
        token, _ = token_of(text, self.context.book, self.decimals)
        return Argument("asset", text, source), int(token, 16)

    def payee(self, place: int) -> _Given:
        text = self.text(place)
        account = self.account(place, text)
        if account == 0:
            raise NobodyToPay(text)
        return Argument("recipient", text, "prompt"), account

    def account(self, place: int, text: str) -> int:
        match self.tokens[place].kind:
            case Kind.OWNER:
                return int(self.context.owner or NO_TOKEN, 16)
            case Kind.CONTACT:
                return int(self.context.contacts.account(text), 16)
            case _:
                return int(text, 16)


__all__ = ["CAUTION_UNIT", "decode", "tool_of"]

"""The decoder: from the model's output y and the context to a decision. Mirrored by
`encoding/ToolDecoder.sol`.

The action is the arg-max of the action scores, the lowest index on ties. Each argument of a tool
is the best candidate of the slot's types whose score is positive; a recipient only ever comes from
the prompt, an amount from the prompt or from a readable balance that the balance tool returned
just before. What cannot be filled becomes a final answer that asks for it: a defined outcome,
never garbage. So does an action that takes an amount when the prompt may hold more than one
instruction (`ambiguity`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from zkagent.models.encoding.ambiguity import is_ambiguous
from zkagent.models.encoding.amounts import format_amount, parse_amount
from zkagent.models.encoding.book import SymbolBook
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.encoder import MAX_CANDIDATES, Parse
from zkagent.models.encoding.manifest import AMOUNT_SOURCES, SLOTS, Action, Manifest, SlotName
from zkagent.models.encoding.tokens import Token, TokenType
from zkagent.models.errors import AmountTooLarge, DuplicateTool, OutputOutOfRange, UnknownDecimals

SLOT_TYPES: dict[SlotName, tuple[TokenType, ...]] = {
    "asset": (TokenType.SYMBOL, TokenType.ADDRESS),
    "amount": (TokenType.NUMBER,),
    "recipient": (TokenType.ADDRESS,),
}
#: The slot of what another agent is asked.
PROMPT: Literal["prompt"] = "prompt"
ArgumentSlot = SlotName | Literal["prompt"]
#: The source of arguments of tools that no manifest knows: slots are called as the tools call their
#: parameters, and mean nothing by it; what they are filled with may take several words each.
READ = "read"


INT, UINT = "int", "uint"
MOST_OF_INT, MOST_OF_UINT = (1 << 255) - 1, (1 << 256) - 1


@dataclass(frozen=True, slots=True)
class Argument:
    """A filled slot: its text as written, and where that stands: "prompt", "observation", or
    "book" of an asset that is viewed because it is listed. The slot PROMPT is what another agent is
    asked: it is a call's only one, and its value takes several words."""

    slot: ArgumentSlot
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class ToolSignature:
    """A tool as the agent holds it: name and the ERC's parameter types in lower case, in order. One
    that tells no name has none, and one that tells no parameters takes none: no action means it."""

    name: str
    parameter_types: tuple[str, ...]

    def takes(self, expected: Sequence[str]) -> bool:
        """Whether these are its types; where an action has an amount, it may have an int."""
        return len(expected) == len(self.parameter_types) and all(
            found == wanted or (found, wanted) == (INT, UINT)
            for found, wanted in zip(self.parameter_types, expected, strict=True)
        )

    @property
    def most(self) -> int:
        """What it can take as an amount, in units."""
        return MOST_OF_INT if INT in self.parameter_types else MOST_OF_UINT


@dataclass(frozen=True, slots=True)
class Decision:
    """A tool call (`action` names the tool, `values` are ABI values in order) or a final answer.

    values: a word for each argument, or those of the ABI encoding of a prompt, or of all arguments
    that are READ. note: what else a model says of it to people, such as how sure it is.
    `kind` is "call", "report", "ask", "decline", "missing", "no_tool", "zero" or "unreadable".
    """

    kind: str
    action: str
    arguments: tuple[Argument, ...]
    values: tuple[int, ...]  # addresses as integers
    answer: str
    reasoning: str
    note: str = ""

    @property
    def words(self) -> str:
        """``Withdraw(asset=USDC, amount=5)``, or the answer."""
        return words(self.action, {a.slot: a.text for a in self.arguments}) or self.answer

    def to_json(self) -> dict[str, object]:
        """The form that the command line prints: arguments as written in the text."""
        shown: dict[str, object] = {
            "action": self.action,
            "arguments": {a.slot: a.text for a in self.arguments},
            "answer": self.answer,
        }
        return shown | {"note": self.note} if self.note else shown


def words(action: str, arguments: Mapping[str, str]) -> str:
    """A tool call as it is written for people; empty for an answer."""
    filled = ", ".join(f"{slot}={text}" for slot, text in arguments.items())
    return "" if action == "answer" else f"{action}({filled})"


@dataclass(frozen=True, slots=True)
class Scores:
    """y taken apart."""

    actions: tuple[int, ...]
    sources: tuple[int, ...]
    slots: tuple[tuple[int, ...], ...]  # [candidate][slot]


def split_output(y: Sequence[int], manifest: Manifest) -> Scores:
    """Raises OutputOutOfRange when y has another length or a value outside the manifest's width."""
    limit = 1 << (manifest.output_bits - 1)
    if len(y) != manifest.output_count or any(not -limit <= v < limit for v in y):
        raise OutputOutOfRange(
            f"expected {manifest.output_count} outputs of {manifest.output_bits} bits, "
            f"got {len(y)} values"
        )
    a, s = manifest.action_scores, manifest.action_scores + len(AMOUNT_SOURCES)
    rest = tuple(y[s:])
    rows = tuple(rest[i * len(SLOTS) : (i + 1) * len(SLOTS)] for i in range(MAX_CANDIDATES))
    return Scores(tuple(y[:a]), tuple(y[a:s]), rows)


def argmax(scores: Sequence[float]) -> int:
    """Index of the largest score, the lowest on ties."""
    return max(range(len(scores)), key=lambda i: (scores[i], -i))


def decode(
    y: Sequence[int],
    context: Context,
    parse: Parse,
    manifest: Manifest,
    *,
    tools: Sequence[ToolSignature],
    decimals: Mapping[str, int] | None = None,
    asks: bool = True,
) -> Decision:
    """The decision that `y` means in `context` for an agent holding `tools`.

    `decimals` gives the decimals of tokens outside the symbol book by lower-case address (the
    contract asks the token). asks: where the prompt may hold more than one instruction, as not
    every release's contracts did. Raises RefusedArgument errors exactly where the contract reverts.
    """
    known = {} if decimals is None else decimals
    decoder = _Decoder(context, parse, manifest, tools, known, asks=asks)
    return decoder.decide(split_output(y, manifest))


class _Decoder:
    def __init__(
        self,
        context: Context,
        parse: Parse,
        manifest: Manifest,
        tools: Sequence[ToolSignature],
        decimals: Mapping[str, int],
        *,
        asks: bool,
    ) -> None:
        self.context, self.parse, self.manifest = context, parse, manifest
        self.tools, self.decimals, self.asks = tools, decimals, asks

    def decide(self, scores: Scores) -> Decision:
        chosen = argmax(scores.actions)
        actions, answers = self.manifest.actions, self.manifest.answers
        if chosen < len(actions):
            return self.call(actions[chosen], scores)
        kind = ("report", "ask", "decline")[chosen - len(actions)]
        text = {"report": self.last_observation(), "ask": answers.ask, "decline": answers.decline}
        return self.answer(kind, text[kind])

    def last_observation(self) -> str:
        last = self.parse.history[-1] if self.parse.history else None
        if last is None or last.observation is None:
            return self.manifest.answers.nothing
        return last.observation.decode("utf-8", "surrogateescape")

    def answer(self, kind: str, text: str, name: str = "") -> Decision:
        """A final answer; `name` fills the template of the two kinds that have one. A report is
        foreign text and stays as it is."""
        if kind in ("missing", "no_tool"):
            text = text.replace("{name}", name)
        return Decision(kind, "answer", (), (), text, "")

    def call(self, action: Action, scores: Scores) -> Decision:
        tool = self.tool(action)
        if tool is None:
            return self.answer("no_tool", self.manifest.answers.no_tool, action.name)
        takes_amount = any(p.slot == "amount" for p in action.parameters)
        if self.asks and takes_amount and is_ambiguous(self.context, self.parse):
            return self.answer("ask", self.manifest.answers.ask)
        found: dict[SlotName, Argument] = {}
        taken: set[Token] = set()
        for parameter in action.parameters:
            if parameter.slot == "amount" and (source := argmax(scores.sources)) > 0:
                text = self.parse.balance.amount(source - 1) if self.parse.balance else None
                if text is None:
                    return self.answer("unreadable", self.manifest.answers.unreadable)
                found["amount"] = Argument("amount", text, "observation")
                continue
            best = self.best(parameter.slot, scores)
            if best is None or best in taken:
                return self.answer("missing", self.manifest.answers.missing, parameter.name)
            taken.add(best)
            text = self.context.prompt[best.start : best.end].decode()
            found[parameter.slot] = Argument(parameter.slot, text, "prompt")
        return self.resolve(action, found, tool.most)

    def tool(self, action: Action) -> ToolSignature | None:
        named = [t for t in self.tools if t.name == action.name]
        if len(named) > 1:
            raise DuplicateTool(action.name)
        types = tuple(p.type for p in action.parameters)
        return named[0] if named and named[0].takes(types) else None

    def best(self, slot: SlotName, scores: Scores) -> Token | None:
        """The candidate of the slot's types with the highest positive score, the first on ties."""
        column = SLOTS.index(slot)
        fitting = [
            (scores.slots[i][column], -i)
            for i, candidate in enumerate(self.parse.candidates)
            if candidate.type in SLOT_TYPES[slot] and scores.slots[i][column] > 0
        ]
        return self.parse.candidates[-max(fitting)[1]] if fitting else None

    def resolve(self, action: Action, found: dict[SlotName, Argument], most: int) -> Decision:
        """Turn texts into ABI values; an amount is scaled by the decimals of the asset beside
        it. most: what the tool can take."""
        asset = found["asset"]
        token, decimals = self.token(asset.text)
        values: list[int] = []
        for parameter in action.parameters:
            argument = found[parameter.slot]
            if parameter.slot == "amount":
                if argument.source == "observation" and self.unit() != token:
                    return self.answer("unreadable", self.manifest.answers.unreadable)
                if decimals is None:
                    raise UnknownDecimals(token)
                in_units = argument.source == "observation" and self.counts_units()
                units = parse_amount(argument.text, 0 if in_units else decimals)
                if units > most:
                    raise AmountTooLarge(argument.text)
                if units == 0:
                    return self.answer("zero", self.manifest.answers.zero)
                if in_units:
                    written = format_amount(units, decimals)
                    found["amount"] = replace(argument, text=written)
                values.append(units)
            else:
                address = token if parameter.slot == "asset" else argument.text
                values.append(int(address, 16))
        ordered = tuple(found[p.slot] for p in action.parameters)
        texts = {p.name: found[p.slot].text for p in action.parameters}
        body = json.dumps(texts, separators=(",", ":"))
        reasoning = action.prefix.decode() + body + "\n"
        return Decision("call", action.name, ordered, tuple(values), "", reasoning)

    def token(self, text: str) -> tuple[str, int | None]:
        """Address (lower case) and decimals of an asset by symbol or address."""
        return token_of(text, self.context.book, self.decimals)

    def counts_units(self) -> bool:
        return self.parse.balance is not None and self.parse.balance.in_units

    def unit(self) -> str | None:
        """Address of the asset that the readable balance is about."""
        unit = self.parse.balance.unit if self.parse.balance else ""
        if unit.startswith("0x") and len(unit) == 42:
            return unit.lower()
        listing = self.context.book.by_symbol(unit)
        return listing.token.lower() if listing else None


def token_of(text: str, book: SymbolBook, decimals: Mapping[str, int]) -> tuple[str, int | None]:
    """Address (lower case) and decimals, None when unknown, of the asset that `text` names."""
    if text.startswith("0x"):
        listing = book.by_token(text)
        return text.lower(), listing.decimals if listing else decimals.get(text.lower())
    listing = book.by_symbol(text)
    if listing is None:
        raise UnknownDecimals(text)
    return listing.token.lower(), listing.decimals

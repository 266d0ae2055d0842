"""A reader of tools as an agent's model: it calls the one of the agent's tools that a prompt means.

What tools say of themselves is read as the agent pinned it (`IReadingAgent.toolTexts`): the hash of
name, description and parameters is in the context, and a tool that has examples is asked for them.
Features and decisions are the reader's own (`models/reader/`), as
`verifier_contracts/src/reader/ReaderEncoder.sol` and `ReaderDecoder.sol` derive them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from eth_hash.auto import keccak

from zkagent.models.agents.model import Model
from zkagent.models.encoding.context import PARAMETER_TYPES, Context, ToolMetadata, View
from zkagent.models.encoding.decoder import READ, Argument, Decision, ToolSignature
from zkagent.models.encoding.manifest import Action
from zkagent.models.errors import OutputOutOfRange, RefusedText, ToolTextsChanged, UnansweredView
from zkagent.models.instructions.scanner import scan
from zkagent.models.networks.reading import TOOLS
from zkagent.models.networks.sizes import BIT_OPERATORS
from zkagent.models.reader.abi import encoded_alone, word
from zkagent.models.reader.deciding import (
    CallableTool,
    Described,
    Reached,
    Verdict,
    choose,
    decide,
    named,
)
from zkagent.models.reader.files import Choice, Reader, ReaderManifest
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.rows import Vector
from zkagent.models.reader.vectors import features, of_prompt, of_texts

TOOL_TEXTS = keccak(b"toolTexts()")[:4]
EXAMPLES = keccak(b"examples()")[:4]
#: Of a digest, in a name on chain: a folder's name is whatever its owner calls it.
NAMED_BY = 16
SHIPPED = "reader"
#: What a decision that calls nothing has in the place of a tool's name.
ANSWER = b"answer"
_WORD, _NONE = 32, bytes(32)
_KINDS = {Verdict.ASK: "ask", Verdict.DECLINE: "decline", Verdict.CALL: "missing"}


@dataclass(frozen=True)
class ReaderFiles:
    """SHA-256 of the network's file, as manifests of agents' models name it."""

    onnx: str

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> "ReaderFiles":
        return ReaderFiles(**{"onnx": self.onnx, **(update or {})})


@dataclass(frozen=True)
class ReaderFace:
    """A reader's manifest, as those of agents' models are read."""

    reader: ReaderManifest
    input_count: int
    output_count: int

    #: It knows none before it reads them.
    actions: ClassVar[tuple[Action, ...]] = ()
    symbols: ClassVar[tuple[str, ...]] = ()
    balance_action: ClassVar[str] = ""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> "ReaderFace":
        copy = self.reader.model_copy(update=update)
        return ReaderFace(copy, self.input_count, self.output_count)

    @property
    def id(self) -> str:
        return f"{self.reader.id}-{self.digest[:NAMED_BY]}"

    @property
    def digest(self) -> str:
        return self.reader.digest

    @property
    def files(self) -> ReaderFiles:
        return ReaderFiles(self.reader.onnx)

    @property
    def accuracy(self) -> dict[str, float]:
        return dict(self.reader.accuracy)


@dataclass(frozen=True)
class ReaderModel(Model):
    """Calls a tool, asks, or says no."""

    kind: ClassVar[str] = "a reader of tools as an agent's model"
    operators = BIT_OPERATORS
    proof_systems = ("groth16",)

    manifest: ReaderFace
    reader: Reader

    @classmethod
    def of(cls, reader: Reader) -> "ReaderModel":
        face = ReaderFace(reader.manifest, reader.input_count, reader.output_count)
        return cls(reader.directory, face, reader)

    @property
    def caution(self) -> int:
        """Its own margins."""
        return 0

    def views(self, context: Context) -> tuple[View, ...]:
        asked = View(context.agent, TOOL_TEXTS)
        if asked not in context.answers:
            return (asked,)
        pinned = zip(context.tools, context.pins, self._texts(context), strict=True)
        return tuple(
            View(tool.address, EXAMPLES)
            for tool, pin, texts in pinned
            if texts != _texts_hash(pin, _NONE)
        )

    def check(self, context: Context) -> None:
        scan(context.prompt)

    def encode(self, context: Context) -> tuple[int, ...]:
        self.check(context)
        if not 1 <= len(context.tools) <= TOOLS:
            raise RefusedText(f"the agent has {len(context.tools)} tools: give it one to {TOOLS}")
        vectors = [self._vector(context, place) for place in range(len(context.tools))]
        prompt = of_prompt(self.reader.rows, context.prompt.decode())
        return features(prompt, vectors, TOOLS)

    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        """tools: are those of the context."""
        if len(y) != self.output_count:
            raise OutputOutOfRange(f"expected {self.output_count} outputs, got {len(y)} values")
        choice = Choice(*y)
        reached = decide(
            context,
            [_callable(tool) for tool in context.tools],
            choice,
            self.reader.manifest.margins,
        )
        if any(context.reasoning):
            return Decision("report", "answer", (), (), _shown(reached.answer), "")
        note = self._note(choice)
        if reached.tool is None:
            verdict = choose(choice, self.reader.manifest.margins, context.caution)
            return Decision(
                _KINDS[verdict], "answer", (), (), _shown(reached.answer), "", note=note
            )
        return _call(context.tools[reached.tool], reached, note)

    def _vector(self, context: Context, place: int) -> Vector:
        """Of a tool as it was pinned."""
        tool, pin = context.tools[place], context.pins[place]
        expected = self._texts(context)[place]
        examples: tuple[bytes, ...] = ()
        if expected != _texts_hash(pin, _NONE):
            told = context.answers.get(View(tool.address, EXAMPLES))
            if told is None:
                raise UnansweredView(f"the examples of {_shown(tool.name)}")
            if expected != _texts_hash(pin, keccak(told)):
                raise ToolTextsChanged(tool.address)
            examples = _examples(told, tool.address)
        said = [text for each in tool.parameters for text in (each.name, each.description)]
        texts = (tool.name, tool.description, said, examples)
        return of_texts(self.reader.rows, texts, self.reader.manifest.shares)

    def _texts(self, context: Context) -> tuple[bytes, ...]:
        """What the agent pinned of each tool. Raises UnansweredView."""
        told = context.answers.get(View(context.agent, TOOL_TEXTS), b"")
        words = [told[at : at + _WORD] for at in range(0, len(told), _WORD)]
        count = len(context.tools)
        if len(told) % _WORD or words[:2] != [word(_WORD), word(count)] or len(words) != 2 + count:
            raise UnansweredView(f"the hashes of what {count} tools say")
        return tuple(words[2:])

    def _note(self, choice: Choice) -> str:
        """Margins in log-odds."""
        unit = self.reader.manifest.margins.unit
        return f"ahead by {choice.ahead / unit:.2f}, fits by {choice.fits / unit:.2f} log-odds"


def _texts_hash(pin: bytes, of_examples: bytes) -> bytes:
    """As `reader/ToolReading.sol` computes it."""
    return keccak(pin + of_examples)


def _examples(told: bytes, tool: str) -> tuple[bytes, ...]:
    """The string[] that a tool returned. Raises ToolTextsChanged for another encoding than its
    own, which the contract might read otherwise."""

    def number(at: int) -> int:
        return int.from_bytes(told[at : at + _WORD], "big")

    count = number(_WORD)
    found = []
    for at in range(min(count, len(told) // _WORD)):
        start = 2 * _WORD + number(2 * _WORD + _WORD * at)
        found.append(told[start + _WORD : start + _WORD + number(start)])
    if encoded_alone(ParamType.STRING_ARRAY, 0, *found) != told:
        raise ToolTextsChanged(tool)
    return tuple(found)


def _callable(tool: ToolMetadata) -> CallableTool:
    described = (
        Described(ParamType(PARAMETER_TYPES.index(each.type)), each.name, each.description)
        for each in tool.parameters
    )
    return CallableTool(tool.name, tuple(described))


def _call(tool: ToolMetadata, reached: Reached, note: str) -> Decision:
    if tool.name == ANSWER:
        raise RefusedText(
            f"the tool at {tool.address} is called as answers are: give it another name"
        )
    words = range(0, len(reached.together), _WORD)
    values = tuple(int.from_bytes(reached.together[at : at + _WORD], "big") for at in words)
    slots = _slots(tool)
    filled = zip(slots, reached.texts, strict=True)
    arguments = tuple(Argument(slot, _shown(text), READ) for slot, text in filled)  # type: ignore[arg-type]
    reasoning = _shown(reached.reasoning)
    return Decision("call", _shown(tool.name), arguments, values, "", reasoning, note=note)


def _slots(tool: ToolMetadata) -> list[str]:
    """Each other than all others, so that none hides another."""
    names = [named(each.name, "parameter", at) for at, each in enumerate(tool.parameters)]
    twice = {name for name, times in Counter(names).items() if times > 1}
    return [f"parameter {at + 1}" if name in twice else name for at, name in enumerate(names)]


def _shown(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


__all__ = ["EXAMPLES", "SHIPPED", "TOOL_TEXTS", "ReaderFace", "ReaderModel"]

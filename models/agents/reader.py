"""A reader of tools as an agent's model: it calls the one of the agent's tools that a prompt means.

What tools say of themselves is read as the agent pinned it (`IReadingAgent.toolTexts`): the hash of
name, description and parameters is in the context, and a tool that has examples is asked for them.
Where it has others by now, its vector is what the reader's contract kept.
Features and decisions are the reader's own (`models/reader/`), as
`verifier_contracts/src/reader/ReaderEncoder.sol` and `ReaderDecoder.sol` derive them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from eth_hash.auto import keccak

from zkagent.models.agents.model import Model, OnnxFile
from zkagent.models.encoding.context import PARAMETER_TYPES, Context, ToolMetadata, View
from zkagent.models.encoding.decoder import READ, Argument, Decision, ToolSignature
from zkagent.models.encoding.manifest import Action
from zkagent.models.errors import OutputOutOfRange, RefusedText, UnansweredView
from zkagent.models.instructions.scanner import scan
from zkagent.models.networks.reading import TOOLS
from zkagent.models.networks.sizes import BIT_OPERATORS
from zkagent.models.reader.abi import encoded_alone, word
from zkagent.models.reader.asking import features_of
from zkagent.models.reader.deciding import (
    CallableTool,
    Described,
    Reached,
    Verdict,
    decide,
    directory_of,
    named,
)
from zkagent.models.reader.files import Choice, Reader, ReaderManifest
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.rows import SIZE, Vector
from zkagent.models.reader.vectors import of_texts

TOOL_TEXTS = keccak(b"toolTexts()")[:4]
EXAMPLES = keccak(b"examples()")[:4]
#: Of the hash of a tool's texts, the bit that says whether it said that it only looks.
LOOKS = 1
#: By which the contract is found that keeps vectors.
_EXECUTOR, _REGISTRY, _MODEL_ID, _BINDING, _VECTORS, _VECTORS_OF = (
    keccak(called)[:4]
    for called in (
        *(b"agentExecutor()", b"registry()", b"modelId()", b"bindingOf(uint256)", b"vectors()"),
        b"vectorsOf(address[],bytes32[])",
    )
)
_ENCODER_AT = 3  # word of `ExecutableModel`
#: Of a digest, in a name on chain: a folder's name is whatever its owner calls it.
NAMED_BY = 16
SHIPPED = "reader"
#: What a decision that calls nothing has in the place of a tool's name.
ANSWER = b"answer"
_WORD, _NONE = 32, bytes(32)
_KINDS = {Verdict.ASK: "ask", Verdict.DECLINE: "decline", Verdict.CALL: "missing"}


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
    def files(self) -> OnnxFile:
        return OnnxFile(self.reader.onnx)

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
        try:
            self._vectors(context)
        except _Unasked as exc:
            return (exc.view,)
        return ()

    def check(self, context: Context) -> None:
        scan(context.prompt)

    def encode(self, context: Context) -> tuple[int, ...]:
        self.check(context)
        if not 1 <= len(context.tools) <= TOOLS:
            raise RefusedText(f"the agent has {len(context.tools)} tools: give it one to {TOOLS}")
        tools = [_callable(tool) for tool in context.tools]
        names = directory_of(context).names()
        vectors = self._vectors(context)
        return features_of(self.reader, context.prompt, vectors, tools, names)

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
        choice = Choice.of(y)
        answered = any(context.reasoning)
        pinned = (0,) * len(context.tools) if answered else map(_number, _texts(context))
        reached = decide(
            context,
            [
                _callable(tool, looks=bool(texts & LOOKS))
                for tool, texts in zip(context.tools, pinned, strict=True)
            ],
            choice,
            self.reader.manifest.margins,
        )
        if answered:
            return Decision("report", "answer", (), (), _shown(reached.answer), "")
        note = self._note(choice)
        if reached.tool is None:
            kind = _KINDS[reached.verdict]
            return Decision(kind, "answer", (), (), _shown(reached.answer), "", note=note)
        return _call(context.tools[reached.tool], reached, note)

    def _vectors(self, context: Context) -> list[Vector]:
        """Of the tools as they were pinned. Raises UnansweredView."""
        texts = _texts(context)
        pinned = zip(context.tools, context.pins, texts, strict=True)
        found = [self._vector(context, *each) for each in pinned]
        whole = [vector for vector in found if vector is not None]
        return whole if len(whole) == len(found) else _stored(context, texts)

    def _vector(
        self, context: Context, tool: ToolMetadata, pin: bytes, texts: bytes
    ) -> Vector | None:
        """Of a tool that says what its hash stands for; None of one that says something else by
        now."""
        examples: tuple[bytes, ...] | None = ()
        if not _is_hash(texts, pin, _NONE):
            told = _told(context, tool.address, EXAMPLES, optional=True)
            examples = _examples(told) if _is_hash(texts, pin, keccak(told)) else None
        if examples is None:
            return None
        said = [text for each in tool.parameters for text in (each.name, each.description)]
        all_of_it = (tool.name, tool.description, said, examples)
        return of_texts(self.reader.rows, all_of_it, self.reader.manifest.shares)

    def _note(self, choice: Choice) -> str:
        """Margins in log-odds."""
        unit = self.reader.manifest.margins.unit
        return f"ahead by {choice.ahead / unit:.2f}, fits by {choice.fits / unit:.2f} log-odds"


class _Unasked(UnansweredView):
    """Of a view that nobody has answered yet."""

    def __init__(self, view: View) -> None:
        self.view = view
        super().__init__(f"what {view.target} answers to 0x{view.call[:4].hex()}")


def _told(context: Context, target: str, call: bytes, *, optional: bool = False) -> bytes:
    """Raises UnansweredView."""
    view = View(target, call, optional)
    if view not in context.answers:
        raise _Unasked(view)
    return context.answers[view]


def _texts(context: Context) -> tuple[bytes, ...]:
    """What the agent pinned of each tool: the hash of its texts. Raises UnansweredView."""
    told = _told(context, context.agent, TOOL_TEXTS)
    words, count = _words(told), len(context.tools)
    if words[:2] != [word(_WORD), word(count)] or len(words) != 2 + count:
        raise UnansweredView(f"the hashes of what {count} tools say")
    return tuple(words[2:])


def _stored(context: Context, texts: Sequence[bytes]) -> list[Vector]:
    """The vectors that were computed when tools still said what was pinned, as the contract keeps
    them which the agent's encoder asks. Raises UnansweredView."""

    def address(target: str, call: bytes, place: int = 0) -> str:
        answer = _told(context, target, call)
        return "0x" + answer[_WORD * place + 12 : _WORD * (place + 1)].hex()

    registry = address(address(context.agent, _EXECUTOR), _REGISTRY)
    number = _told(context, context.agent, _MODEL_ID)[2 * _WORD :].rstrip(b"\0")
    if not number.isdigit():
        raise UnansweredView("the number of its model")
    encoder = address(registry, _BINDING + word(int(number)), _ENCODER_AT)
    kept, count = address(encoder, _VECTORS), len(texts)
    tools = [bytes(12) + bytes.fromhex(tool.address[2:]) for tool in context.tools]
    heads = word(2 * _WORD), word((3 + count) * _WORD)
    asked = (*heads, word(count), *tools, word(count), *texts)
    told = _told(context, kept, _VECTORS_OF + b"".join(asked))
    content = told[2 * _WORD :]
    if told[: 2 * _WORD] != word(_WORD) + word(SIZE * count) or len(content) != SIZE * count:
        raise UnansweredView(f"the vectors of {count} tools")
    numbers = np.frombuffer(content, np.int8).astype(np.int64)
    return list(numbers.reshape(count, SIZE))


def texts_hash(pin: bytes, of_examples: bytes, *, looks: bool) -> bytes:
    """As `reader/ToolReading.sol` computes it. pin: of name, description and parameters.
    of_examples: the hash of what examples() returned."""
    return word(_number(keccak(pin + of_examples)) & ~LOOKS | looks)


def _is_hash(texts: bytes, pin: bytes, of_examples: bytes) -> bool:
    """Of a tool that looks or not."""
    return texts in [texts_hash(pin, of_examples, looks=looks) for looks in (False, True)]


def _number(hashed: bytes) -> int:
    return int.from_bytes(hashed, "big")


def _words(told: bytes) -> list[bytes]:
    """Whole ones, or none."""
    if len(told) % _WORD:
        return []
    return [told[at : at + _WORD] for at in range(0, len(told), _WORD)]


def _examples(told: bytes) -> tuple[bytes, ...] | None:
    """The string[] that a tool returned; None of another encoding than its own, which the contract
    may have read otherwise."""

    def number(at: int) -> int:
        return int.from_bytes(told[at : at + _WORD], "big")

    found = []
    for at in range(min(number(_WORD), len(told) // _WORD)):
        start = 2 * _WORD + number(2 * _WORD + _WORD * at)
        found.append(told[start + _WORD : start + _WORD + number(start)])
    return tuple(found) if encoded_alone(ParamType.STRING_ARRAY, 0, *found) == told else None


def _callable(tool: ToolMetadata, *, looks: bool = False) -> CallableTool:
    described = (
        Described(ParamType(PARAMETER_TYPES.index(each.type)), each.name, each.description)
        for each in tool.parameters
    )
    return CallableTool(tool.name, tuple(described), looks)


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


__all__ = ["EXAMPLES", "SHIPPED", "TOOL_TEXTS", "ReaderFace", "ReaderModel", "texts_hash"]

"""The model that decides by numbers on chain: in which direction to act, and by how much.

model.json   the manifest
model.onnx   the network

The agent says the numbers (`INumericAgent.readings`), and each becomes a feature as the manifest
scales it: (number - zero) / step, rounded towards zero, from `least` to `most`. No prompt is read.
Outputs: a score for each direction, then an amount for each direction that acts. In a run it acts
at most once; what it said of the features then are the features of the answer, which thus needs no
proof of its own. Mirrored by `verifier_contracts/src/numeric/`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from eth_hash.auto import keccak
from pydantic import Field, model_validator

from zkagent.models.agents.model import MANIFEST, ONNX, Model
from zkagent.models.encoding.context import Context, View
from zkagent.models.encoding.decoder import Argument, Decision, ToolSignature, argmax
from zkagent.models.encoding.manifest import Action, Line
from zkagent.models.errors import (
    DuplicateTool,
    ForeignHistory,
    OutputOutOfRange,
    UnansweredView,
)
from zkagent.models.files import ManifestRecord, Record, Sha256, read_checked

NUMERIC_FILES = (MANIFEST, ONNX)
READINGS = keccak(b"readings()")[:4]
OPENING = b"Thought: The numbers are "
THOUGHT = re.compile(rb"-?[0-9]{1,5}(, -?[0-9]{1,5})*\.\n", re.ASCII)
OBSERVATION = "Observation: "
TOO_LITTLE = " by too little to act."
WORD = 32
MOST_READINGS, MOST_DIRECTIONS = 32, 8
INT16 = 1 << 15

Int16 = Annotated[int, Field(ge=-INT16, lt=INT16)]
ToolName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9]{0,31}$")]
ParameterName = Annotated[str, Field(pattern=r"^[a-z][A-Za-z0-9_]{0,31}$")]
#: What stands in quotes and in a line of its own on chain, with a length of one byte.
Said = Annotated[str, Field(pattern=r"^[ !#-\[\]-~]{1,200}$")]


class Reading(Record):
    """A number on chain as a feature."""

    name: Line
    zero: int = Field(ge=-(1 << 127), lt=1 << 127)
    step: int = Field(ge=1, lt=1 << 64)
    least: Int16
    most: Int16

    def feature(self, number: int) -> int:
        """From `least` to `most`; division rounds towards zero, as Solidity's."""
        distance = number - self.zero
        scaled = abs(distance) // self.step
        return max(self.least, min(self.most, scaled if distance >= 0 else -scaled))


class NumericDirection(Record):
    """A tool that is called with an amount, or else an answer."""

    tool: ToolName | None = None
    answer: Said | None = None


class NumericAmounts(Record):
    """Of what tools are called with: output / unit, up to `most`; below `least` nothing happens."""

    parameter: ParameterName
    unit: int = Field(ge=1, lt=1 << 32)
    least: int = Field(ge=1, lt=1 << 53)
    most: int = Field(ge=1, lt=1 << 53)


class NumericModelFiles(Record):
    """SHA-256 of the model's file."""

    onnx: Sha256


class NumericManifest(ManifestRecord):
    """One model."""

    format: Literal["zkagent-numeric-1"]
    id: str = Field(pattern=r"^[a-z][a-z-]{0,30}$")
    description: Line
    readings: tuple[Reading, ...] = Field(min_length=1, max_length=MOST_READINGS)
    directions: tuple[NumericDirection, ...] = Field(min_length=1, max_length=MOST_DIRECTIONS)
    amounts: NumericAmounts
    files: NumericModelFiles
    training: dict[str, str | int | float]
    accuracy: dict[str, float]

    #: Its tools take amounts of no token.
    actions: ClassVar[tuple[Action, ...]] = ()
    symbols: ClassVar[tuple[str, ...]] = ()
    balance_action: ClassVar[str] = ""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for reading in self.readings:
            if reading.least > reading.most:
                raise ValueError(f"{reading.name} is from {reading.least} to {reading.most}")
        for direction in self.directions:
            if (direction.tool is None) == (direction.answer is None):
                raise ValueError("a direction has either a tool or an answer")
        if len(set(self.tools)) < len(self.tools):
            raise ValueError("two directions have one tool")
        if self.amounts.least > self.amounts.most:
            raise ValueError(f"amounts are from {self.amounts.least} to {self.amounts.most}")
        return self

    @property
    def tools(self) -> tuple[str, ...]:
        """Of the directions that act, in order."""
        return tuple(each.tool for each in self.directions if each.tool is not None)

    @property
    def input_count(self) -> int:
        return len(self.readings)

    @property
    def output_count(self) -> int:
        return len(self.directions) + len(self.tools)


def thought(features: Sequence[int]) -> str:
    """What a decision leaves behind of its features."""
    return OPENING.decode() + ", ".join(map(str, features)) + ".\n"


def features_in(entry: bytes, count: int) -> tuple[int, ...]:
    """What a thought at the beginning of `entry` says. Raises ForeignHistory."""
    found = THOUGHT.match(entry, len(OPENING))
    if found:
        features = tuple(int(each) for each in found[0][:-2].split(b", "))
        if (
            len(features) == count
            and all(-INT16 <= each < INT16 for each in features)
            and entry.startswith(thought(features).encode())
        ):
            return features
    raise ForeignHistory(0)


@dataclass(frozen=True)
class NumericModel(Model):
    """Decides by numbers."""

    kind: ClassVar[str] = "an agent's model of numbers"

    manifest: NumericManifest

    @property
    def tools(self) -> tuple[ToolSignature, ...]:
        return tuple(ToolSignature(name, ("uint",)) for name in self.manifest.tools)

    def views(self, context: Context) -> tuple[View, ...]:
        return () if context.reasoning else (View(context.agent, READINGS),)

    def check(self, context: Context) -> None:
        """No prompt is read, so none is refused."""

    def encode(self, context: Context) -> tuple[int, ...]:
        scales = self.manifest.readings
        if len(context.reasoning) > 1:
            raise ForeignHistory(1)
        if context.reasoning:
            return features_in(context.reasoning[0], len(scales))
        told = context.answers.get(View(context.agent, READINGS))
        if told is None:
            raise UnansweredView("the numbers to decide by")
        numbers = numbers_in(told)
        if len(numbers) != len(scales):
            raise UnansweredView(f"{len(scales)} numbers to decide by, but {len(numbers)}")
        return self.features(numbers)

    def features(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Of as many numbers as the manifest names."""
        return tuple(
            scale.feature(number)
            for scale, number in zip(self.manifest.readings, numbers, strict=True)
        )

    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        manifest, amounts = self.manifest, self.manifest.amounts
        if len(y) != self.output_count:
            raise OutputOutOfRange(f"expected {self.output_count} outputs, got {len(y)} values")
        chosen = argmax(y[: len(manifest.directions)])
        direction, acted = manifest.directions[chosen], bool(context.reasoning)
        if direction.tool is None:
            if acted:
                raise ForeignHistory(0)
            return Decision("report", "answer", (), (), direction.answer or "", "")
        at = len(manifest.directions) + manifest.tools.index(direction.tool)
        amount = min(max(y[at], 0) // amounts.unit, amounts.most)
        words = f"Action: {direction.tool}\n"
        words += f'Action Input: {{"{amounts.parameter}":"{amount}"}}\n'
        reasoning = thought(self.encode(context)) + words
        if acted:
            answer = _observed(context.reasoning[0], reasoning)
            return Decision("report", "answer", (), (), answer, "")
        if amount < amounts.least:
            return Decision("report", "answer", (), (), direction.tool + TOO_LITTLE, "")
        return _call(self.tools if tools is None else tools, direction.tool, amount, reasoning)


def numbers_in(answer: bytes) -> tuple[int, ...]:
    """The int256[] that an agent returned. Raises UnansweredView for what is none."""
    words = [int.from_bytes(answer[i : i + WORD], "big") for i in range(0, len(answer), WORD)]
    if (
        len(answer) % WORD
        or len(words) < 2
        or words[0] != WORD
        or words[1] != len(words) - 2
        or words[1] > MOST_READINGS
    ):
        raise UnansweredView("numbers to decide by, but something else")
    return tuple(word - (1 << 256) if word >> 255 else word for word in words[2:])


def _observed(entry: bytes, reasoning: str) -> str:
    """What the tool of this very decision answered. Raises ForeignHistory."""
    opening = (reasoning + OBSERVATION).encode()
    if len(entry) <= len(opening) or not entry.startswith(opening) or not entry.endswith(b"\n"):
        raise ForeignHistory(0)
    return entry[len(opening) : -1].decode("utf-8", "surrogateescape")


def _call(held: Sequence[ToolSignature], name: str, amount: int, reasoning: str) -> Decision:
    named = [tool for tool in held if tool.name == name]
    if len(named) > 1:
        raise DuplicateTool(name)
    if not named or named[0].parameter_types != ("uint",):
        return Decision("no_tool", "answer", (), (), f"This agent has no tool {name}.", "")
    argument = Argument("amount", str(amount), "numbers")
    return Decision("call", name, (argument,), (amount,), "", reasoning)


def load_numeric_model(directory: Path) -> NumericModel:
    """Raises ManifestError or CorruptModel."""
    manifest = NumericManifest.load(directory / MANIFEST)
    read_checked(directory / ONNX, manifest.files.onnx)
    return NumericModel(directory, manifest)


__all__ = ["NUMERIC_FILES", "NumericAmounts", "NumericDirection"]
__all__ += ["NumericManifest", "NumericModel", "NumericModelFiles", "Reading"]
__all__ += ["features_in", "load_numeric_model", "numbers_in", "thought"]

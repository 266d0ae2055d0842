"""`model.json` of a model that reads whole instructions."""

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, model_validator

from zkagent.models.encoding.manifest import Action, Answers, Line, Name, SlotName
from zkagent.models.files import ManifestRecord, Record, Sha256
from zkagent.models.instructions.calls import MOST_CALLS, Tag
from zkagent.models.instructions.packing import FEATURES, OUTPUTS, TOKENS
from zkagent.models.instructions.scanner import MAX_CHARACTERS

#: By the action's place in the manifest: what fills its parameters.
SLOTS_OF: tuple[frozenset[SlotName], ...] = (
    frozenset({"asset"}),
    frozenset({"asset", "amount"}),
    frozenset({"asset", "amount"}),
    frozenset({"asset", "amount", "recipient"}),
)
VIEW_ACTION = 0
#: Of a tag that begins a call, the place of its action in the manifest.
ACTION_OF = {Tag.VIEW: VIEW_ACTION, Tag.DEPOSIT: 1, Tag.WITHDRAW: 2, Tag.TRANSFER: 3}


class InstructionAnswers(Answers):
    """help: what the agent can do. short: less is there than is to be left. doubtful, done: what
    the answer begins with; the words in doubt, or what was done, follow."""

    help: Line
    short: Line
    doubtful: Line
    done: Line


class ReaderSizes(Record):
    """Recorded so that an audit sees them; they must equal the code's. kinds: three words with the
    codes of tokens that are not known by their text."""

    max_characters: int = MAX_CHARACTERS
    tokens: int = TOKENS
    most_calls: int = MOST_CALLS
    kinds: tuple[Annotated[str, Field(pattern=r"^0x[0-9a-f]{60}$")], ...] = Field(
        min_length=3, max_length=3
    )

    @model_validator(mode="after")
    def _constants_match(self) -> "ReaderSizes":
        given = (self.max_characters, self.tokens, self.most_calls)
        if given != (MAX_CHARACTERS, TOKENS, MOST_CALLS):
            raise ValueError(f"reader limits {given} are not those of this version")
        return self

    @property
    def kinds_words(self) -> tuple[int, ...]:
        return tuple(int(word, 16) for word in self.kinds)


class InstructionFiles(Record):
    """SHA-256 of the model's files: `model.onnx`, `words.bin`."""

    onnx: Sha256
    words: Sha256


class InstructionManifest(ManifestRecord):
    """One model. margin_unit: of y[0], a log-odd. actions: a view of a balance, a deposit, a
    withdrawal, a transfer."""

    format: Literal["zkagent-instructions-1"]
    id: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]{0,30}$")]
    description: Line
    reader: ReaderSizes
    margin_unit: int = Field(ge=1, le=1 << 32)
    caution: int = Field(ge=0, le=10_000)
    actions: tuple[Action, ...] = Field(min_length=4, max_length=4)
    answers: InstructionAnswers
    symbols: tuple[Name, ...]
    output_bits: Literal[64]
    files: InstructionFiles
    training: dict[str, str | int | float]
    accuracy: dict[str, float]

    @model_validator(mode="after")
    def _actions(self) -> "InstructionManifest":
        for action, needed in zip(self.actions, SLOTS_OF, strict=True):
            if {p.slot for p in action.parameters} != needed:
                raise ValueError(f"{action.name} has to take {', '.join(sorted(needed))}")
        if len({a.name for a in self.actions}) < len(self.actions):
            raise ValueError("two actions have the same name")
        return self

    @cached_property
    def prefixes(self) -> tuple[bytes, ...]:
        return tuple(a.prefix for a in self.actions)

    @property
    def balance_action(self) -> str:
        return self.actions[VIEW_ACTION].name

    @property
    def balance_index(self) -> int:
        return VIEW_ACTION

    @property
    def input_count(self) -> int:
        return TOKENS * FEATURES

    @property
    def output_count(self) -> int:
        return OUTPUTS


__all__ = ["ACTION_OF", "SLOTS_OF", "VIEW_ACTION", "InstructionAnswers", "InstructionFiles"]
__all__ += ["InstructionManifest", "ReaderSizes"]

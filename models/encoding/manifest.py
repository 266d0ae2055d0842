"""`model.json`: everything about a model that is not a weight. Encoder, decoder, contracts and
audits read it.

Its digest is part of the model's on-chain commitment, so every field that changes a decision is in
here.
"""

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, model_validator

from zkagent.models.encoding.context import action_prefix
from zkagent.models.encoding.encoder import COUNT_LIMIT, COUNT_UNIT, MAX_CANDIDATES, WINDOW
from zkagent.models.encoding.tokens import MAX_CHARACTERS, MAX_TOKENS
from zkagent.models.files import ManifestRecord, Record, Sha256

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9]{0,30}$")]
Line = Annotated[str, Field(pattern=r"^[\x20-\x7e]{1,200}$")]
SlotName = Literal["asset", "amount", "recipient"]

#: Order of the slot scores of a candidate in y.
SLOTS: tuple[SlotName, ...] = ("asset", "amount", "recipient")
#: Where an amount may come from: order of the amount-source scores in y.
AMOUNT_SOURCES = ("prompt", "observation 0", "observation 1")


class Parameter(Record):
    """A tool's parameter and the slot that fills it. `type` is the ERC's ParamType in lower
    case."""

    name: Name
    type: Literal["address", "uint"]
    slot: SlotName

    @model_validator(mode="after")
    def _type_fits(self) -> "Parameter":
        if (self.type == "uint") != (self.slot == "amount"):
            raise ValueError(f"an {self.slot} cannot be of type {self.type}")
        if self.name in SLOTS and self.name != self.slot:
            raise ValueError(f"a parameter called {self.name} cannot be for the {self.slot}")
        return self


class Action(Record):
    """A tool by its exact name, the thought that the agent writes when it takes it, its parameters
    in order."""

    name: Name
    thought: Line
    parameters: tuple[Parameter, ...]

    @model_validator(mode="after")
    def _slots(self) -> "Action":
        slots, names = [p.slot for p in self.parameters], [p.name for p in self.parameters]
        if slots.count("asset") != 1:
            raise ValueError(f"{self.name} needs exactly one asset parameter")
        if len(set(slots)) != len(slots) or len(set(names)) != len(names):
            raise ValueError(f"{self.name} has a slot or parameter name twice")
        return self

    @property
    def prefix(self) -> bytes:
        return action_prefix(self.thought, self.name)


class Answers(Record):
    """Final answers. `report` repeats the last observation (`nothing` when there is none); the
    rest are texts.

    `{name}` in `missing` and `no_tool` stands for the slot or tool.
    """

    nothing: Line
    ask: Line
    decline: Line
    missing: Line
    no_tool: Line
    zero: Line
    unreadable: Line


class EncoderSizes(Record):
    """Segment sizes. The constants are recorded so that an audit sees them; they must equal the
    code's."""

    text_rows: int = Field(ge=2, le=1 << 16)
    text_dimensions: Literal[32]
    local_rows: int = Field(ge=2, le=1 << 16)
    local_dimensions: Literal[16]
    max_characters: int = MAX_CHARACTERS
    max_tokens: int = MAX_TOKENS
    max_candidates: int = MAX_CANDIDATES
    window: int = WINDOW
    count_unit: int = COUNT_UNIT
    count_limit: int = COUNT_LIMIT

    @model_validator(mode="after")
    def _constants_match(self) -> "EncoderSizes":
        given = (self.max_characters, self.max_tokens, self.max_candidates, self.window)
        if given != (MAX_CHARACTERS, MAX_TOKENS, MAX_CANDIDATES, WINDOW):
            raise ValueError(f"encoder limits {given} are not those of this version")
        if (self.count_unit, self.count_limit) != (COUNT_UNIT, COUNT_LIMIT):
            raise ValueError("count_unit or count_limit is not that of this version")
        if self.text_rows & (self.text_rows - 1) or self.local_rows & (self.local_rows - 1):
            raise ValueError("table rows must be powers of two")
        return self


class Files(Record):
    """SHA-256 of the model's files: `model.onnx`, `text.bin`, `local.bin`, `words.bin`."""

    onnx: Sha256
    text_table: Sha256
    local_table: Sha256
    vocabulary: Sha256


class Manifest(ManifestRecord):
    """One model. Action scores in y: first `actions` in order, then report, ask, decline."""

    format: Literal["zkagent-model-1"]
    id: Name
    description: Line
    encoder: EncoderSizes
    actions: tuple[Action, ...] = Field(min_length=1, max_length=8)
    balance_action: Name
    answers: Answers
    symbols: tuple[Name, ...]
    output_bits: Literal[64]
    files: Files
    training: dict[str, str | int | float]
    accuracy: dict[str, float]

    @model_validator(mode="after")
    def _names(self) -> "Manifest":
        names = [a.name for a in self.actions]
        if len(set(names)) != len(names):
            raise ValueError("two actions have the same name")
        if self.balance_action not in names:
            raise ValueError(f"balance_action {self.balance_action} is not an action")
        return self

    @cached_property
    def prefixes(self) -> tuple[bytes, ...]:
        return tuple(a.prefix for a in self.actions)

    @property
    def balance_index(self) -> int:
        return [a.name for a in self.actions].index(self.balance_action)

    @property
    def trunk_inputs(self) -> int:
        return self.encoder.text_dimensions + len(self.actions) + 5

    @property
    def input_count(self) -> int:
        return self.trunk_inputs + MAX_CANDIDATES * self.encoder.local_dimensions

    @property
    def action_scores(self) -> int:
        return len(self.actions) + 3

    @property
    def output_count(self) -> int:
        return self.action_scores + len(AMOUNT_SOURCES) + MAX_CANDIDATES * len(SLOTS)

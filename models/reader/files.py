"""A reader as four files in a folder, and its use without torch.

model.json   sizes, shares, margins, digests      table.bin   rows of words (`rows.py`)
roles.bin    rows of kinds and links (`pairs.py`)
model.onnx   which tool, ahead, fits, scores of arguments = f(x)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from zkagent.models.errors import ManifestError, ModelError, RefusedText
from zkagent.models.files import ManifestRecord, Record, Sha256, read_checked, sha256
from zkagent.models.folders import Folder, write_folder
from zkagent.models.networks.filling import PAIR_FEATURES, PAIRS, FillingWeights
from zkagent.models.networks.inference import Inference
from zkagent.models.networks.reading import (
    FEATURES,
    OUTPUTS,
    TOOL_FEATURES,
    TOOLS,
    ReadingWeights,
)
from zkagent.models.networks.sizes import BIT_OPERATORS
from zkagent.models.reader.labelled import Tool
from zkagent.models.reader.pairs import Open, Roles, of_parameter, pair_features, pair_numbers
from zkagent.models.reader.rows import Rows, Vector
from zkagent.models.reader.vectors import PARTS, features, of_prompt, of_tool

READER_FILES = TABLE, ROLES, ONNX, MANIFEST = "table.bin", "roles.bin", "model.onnx", "model.json"
Share = Annotated[int, Field(ge=0, le=1000)]
#: Features of a tool without parameters.
NO_PAIRS = (0,) * PAIR_FEATURES


class Margins(Record):
    """ahead, fits: least values of the network's outputs of these names for the tool to be called.
    unit: what one of log-odds is in them. fills: the least score by which a candidate fills a
    parameter."""

    ahead: Annotated[int, Field(ge=0)]
    fits: int
    unit: Annotated[int, Field(ge=1)]
    fills: int


class ReaderManifest(ManifestRecord):
    """`model.json`. shares: what name, description, parameters and examples count for."""

    format: Literal["zkagent-reader-1"]
    id: str
    shares: Annotated[tuple[Share, ...], Field(min_length=PARTS, max_length=PARTS)]
    margins: Margins
    words: Annotated[int, Field(ge=1)]
    seed: int
    onnx: Sha256
    table: Sha256
    roles: Sha256
    accuracy: dict[str, float]


class Choice(NamedTuple):
    """The tool's place; by how much it scores more than the next, and than none; the scores of
    candidates for its parameters (`models/networks/filling.py`)."""

    tool: int
    ahead: int
    fits: int
    scores: tuple[int, ...] = (0,) * PAIRS

    @classmethod
    def of(cls, y: Sequence[int]) -> "Choice":
        """Of the network's output."""
        tool, ahead, fits, *scores = y
        return cls(tool, ahead, fits, tuple(scores))


@dataclass(frozen=True)
class Reader:
    """From a prompt and tools to one of them; its files were checked against its manifest."""

    kind: ClassVar[str] = "a reader of tools"
    proof_systems: ClassVar[tuple[str, ...]] = ("groth16",)

    directory: Path
    manifest: ReaderManifest
    rows: Rows
    roles: Roles

    @property
    def name(self) -> str:
        return self.manifest.id

    @property
    def onnx_path(self) -> Path:
        return self.directory / ONNX

    @property
    def digest(self) -> str:
        """SHA-256 hex of the manifest, which names the digests of the other files."""
        return self.manifest.digest

    @property
    def input_count(self) -> int:
        return FEATURES

    @property
    def output_count(self) -> int:
        return OUTPUTS

    @cached_property
    def _inference(self) -> Inference:
        return Inference(self.onnx_path, FEATURES, OUTPUTS, BIT_OPERATORS)

    def infer(self, x: Sequence[int]) -> tuple[int, ...]:
        """y by onnxruntime, exact integers. Raises OutputOutOfRange for a vector of another
        length."""
        return self._inference(x)

    def prompt(self, text: str) -> Vector:
        return of_prompt(self.rows, text)

    def tool(self, tool: Tool) -> Vector:
        return of_tool(self.rows, tool, self.manifest.shares)

    def choose(self, prompt: Vector, tools: Sequence[Vector]) -> Choice:
        """Of one to eight tools. Raises RefusedText for another number."""
        if not 1 <= len(tools) <= TOOLS:
            raise RefusedText(f"{len(tools)} tools: give one to {TOOLS}")
        return Choice.of(self.infer((*features(prompt, tools, TOOLS), *NO_PAIRS)))

    def scores(self, prompt: bytes, parameters: Sequence[Open]) -> tuple[int, ...]:
        """Of candidates for up to six parameters of one tool, whatever it says otherwise."""
        numbers = pair_numbers(self.rows, self.roles, prompt, parameters)
        pairs = pair_features(numbers, [each.param_type for each in parameters])
        return Choice.of(self.infer((*(0,) * TOOL_FEATURES, *pairs))).scores

    def parameter(self, name: bytes, description: bytes) -> Vector:
        return of_parameter(self.rows, name, description)

    def calls(self, choice: Choice, caution: int = 0) -> bool:
        """Whether the choice is sure enough to be acted upon. caution: of an agent, in hundredths
        of a log-odd, in place of both margins; 0 for the model's own."""
        margins = self.manifest.margins
        if caution:
            return 100 * min(choice.ahead, choice.fits) >= caution * margins.unit
        return choice.ahead >= margins.ahead and choice.fits >= margins.fits


def save_reader(
    directory: Path | Folder,
    tables: tuple[Rows, Roles],
    weights: tuple[ReadingWeights, FillingWeights],
    facts: dict[str, object],
) -> Reader:
    """Export, write the four files and load them again. facts: the manifest's other fields."""
    from zkagent.models.networks.reading import export_reading

    rows, roles = tables
    contents = {TABLE: rows.content, ROLES: roles.content, ONNX: export_reading(*weights)}
    manifest = ReaderManifest.model_validate(
        {
            "format": "zkagent-reader-1",
            "onnx": sha256(contents[ONNX]),
            "table": sha256(contents[TABLE]),
            "roles": sha256(contents[ROLES]),
            **facts,
        }
    )
    return load_reader(write_folder(directory, {**contents, MANIFEST: manifest.to_json().encode()}))


def load_reader(directory: Path) -> Reader:
    """Raises ManifestError or CorruptModel."""
    manifest = ReaderManifest.load(directory / MANIFEST)
    read_checked(directory / ONNX, manifest.onnx)
    table = read_checked(directory / TABLE, manifest.table)
    roles = read_checked(directory / ROLES, manifest.roles)
    try:
        return Reader(directory, manifest, Rows(table), Roles(roles))
    except ModelError as exc:
        raise ManifestError(f"{directory}: {exc}: restore the file") from exc


__all__ = ["NO_PAIRS", "READER_FILES", "Choice", "Reader", "ReaderManifest", "load_reader"]
__all__ += ["save_reader"]

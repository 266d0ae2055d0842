"""A reader as three files in a folder, and its use without torch.

model.json   sizes, shares, margins, digests      table.bin   rows of words (`rows.py`)
model.onnx   which tool, ahead, fits = f(x)
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
from zkagent.models.networks.inference import Inference
from zkagent.models.networks.reading import FEATURES, OUTPUTS, TOOLS, ReadingWeights
from zkagent.models.networks.sizes import BIT_OPERATORS
from zkagent.models.reader.labelled import Tool
from zkagent.models.reader.rows import Rows, Vector
from zkagent.models.reader.vectors import PARTS, features, of_prompt, of_tool

READER_FILES = TABLE, ONNX, MANIFEST = "table.bin", "model.onnx", "model.json"
Share = Annotated[int, Field(ge=0, le=1000)]


class Margins(Record):
    """ahead, fits: least values of the network's outputs of these names for the tool to be called.
    unit: what one of log-odds is in them."""

    ahead: Annotated[int, Field(ge=0)]
    fits: int
    unit: Annotated[int, Field(ge=1)]


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
    accuracy: dict[str, float]


class Choice(NamedTuple):
    """The tool's place; by how much it scores more than the next, and than none."""

    tool: int
    ahead: int
    fits: int


@dataclass(frozen=True)
class Reader:
    """From a prompt and tools to one of them; its files were checked against its manifest."""

    kind: ClassVar[str] = "a reader of tools"
    proof_systems: ClassVar[tuple[str, ...]] = ("groth16",)

    directory: Path
    manifest: ReaderManifest
    rows: Rows

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
        return Choice(*self.infer(features(prompt, tools, TOOLS)))

    def calls(self, choice: Choice, caution: int = 0) -> bool:
        """Whether the choice is sure enough to be acted upon. caution: of an agent, in hundredths
        of a log-odd, in place of both margins; 0 for the model's own."""
        margins = self.manifest.margins
        if caution:
            return 100 * min(choice.ahead, choice.fits) >= caution * margins.unit
        return choice.ahead >= margins.ahead and choice.fits >= margins.fits


def save_reader(
    directory: Path | Folder, rows: Rows, weights: ReadingWeights, facts: dict[str, object]
) -> Reader:
    """Export, write the three files and load them again. facts: the manifest's other fields."""
    from zkagent.models.networks.reading import export_reading

    contents = {TABLE: rows.content, ONNX: export_reading(weights)}
    manifest = ReaderManifest.model_validate(
        {
            "format": "zkagent-reader-1",
            "onnx": sha256(contents[ONNX]),
            "table": sha256(contents[TABLE]),
            **facts,
        }
    )
    return load_reader(write_folder(directory, {**contents, MANIFEST: manifest.to_json().encode()}))


def load_reader(directory: Path) -> Reader:
    """Raises ManifestError or CorruptModel."""
    manifest = ReaderManifest.load(directory / MANIFEST)
    read_checked(directory / ONNX, manifest.onnx)
    content = read_checked(directory / TABLE, manifest.table)
    try:
        return Reader(directory, manifest, Rows(content))
    except ModelError as exc:
        raise ManifestError(f"{directory / TABLE}: {exc}: restore the file") from exc


__all__ = ["READER_FILES", "Choice", "Reader", "ReaderManifest", "load_reader", "save_reader"]

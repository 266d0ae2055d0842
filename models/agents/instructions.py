"""The model that reads a whole instruction, and decides on all of its calls at once.

model.json   the manifest
model.onnx   the network
words.bin    the code table's chunks, one behind the other
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from zkagent.models.agents.model import MANIFEST, ONNX, Model
from zkagent.models.encoding.book import NO_TOKEN
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.errors import IncompleteContext, ManifestError, ModelError
from zkagent.models.files import read_checked, sha256
from zkagent.models.folders import Folder, write_folder
from zkagent.models.instructions.codes import Codebook, word_of
from zkagent.models.instructions.codetable import CodeTable, table_from, table_of
from zkagent.models.instructions.decoder import decode
from zkagent.models.instructions.manifest import (
    InstructionFiles,
    InstructionManifest,
    ReaderSizes,
)
from zkagent.models.instructions.packing import features_of
from zkagent.models.instructions.reader import Names, Token, read
from zkagent.models.networks.gated import GatedWeights
from zkagent.models.networks.sizes import BIT_OPERATORS

WORDS = "words.bin"
INSTRUCTION_FILES = (MANIFEST, ONNX, WORDS)


@dataclass(frozen=True)
class InstructionModel(Model):
    """An agent's model whose numbers are the same at every step of a run. Words are looked up in
    `table`, by mistake as well, as the contract does."""

    operators = BIT_OPERATORS
    proof_systems = ("groth16",)

    manifest: InstructionManifest
    table: CodeTable

    @property
    def caution(self) -> int:
        return self.manifest.caution

    def parse(self, context: Context) -> tuple[Token, ...]:
        book, contacts = context.book, context.contacts
        names = Names(
            book.lists,
            contacts.lists,
            lambda token: (
                token.decode() in context.tokens or book.by_token(token.decode()) is not None
            ),
        )
        return read(context.prompt, names, self.table.meaning, self.table.lists)

    def check(self, context: Context) -> None:
        self.parse(context)

    def encode(self, context: Context) -> tuple[int, ...]:
        _check_whole(context)
        prompt = context.prompt
        codes = [self.table.code(t.kind, word_of(prompt, t)) for t in self.parse(context)]
        return features_of(codes)

    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        """asks: says nothing here, as every release decides by one rule."""
        _check_whole(context)
        held = self.tools if tools is None else tools
        tokens = self.parse(context)
        return decode(y, context, tokens, self.manifest, tools=held, decimals=decimals)


def _check_whole(context: Context) -> None:
    """Whoever names no owner has not asked the agent for one: decisions would be others than the
    chain's. Of an agent that tells none it is None."""
    if context.owner == NO_TOKEN:
        raise IncompleteContext


def load_instruction_model(directory: Path) -> InstructionModel:
    """Raises ManifestError or CorruptModel."""
    manifest = InstructionManifest.load(directory / MANIFEST)
    read_checked(directory / ONNX, manifest.files.onnx)
    words = read_checked(directory / WORDS, manifest.files.words)
    try:
        table = table_from(words, manifest.reader.kinds_words)
    except ModelError as exc:
        raise ManifestError(f"{directory / WORDS}: {exc}: restore the file") from exc
    return InstructionModel(directory, manifest, table)


def save_instruction_model(
    directory: Path | Folder,
    draft: InstructionManifest,
    codebook: Codebook,
    weights: GatedWeights,
) -> InstructionModel:
    """Export, write the three files and load them again.

    `draft` is the manifest but for `files` and `reader`, which are filled in. Raises ModelError for
    a codebook that no table holds, before anything is written.
    """
    from zkagent.models.networks.gated import export_gated

    table = table_of(codebook)
    contents = {ONNX: export_gated(weights), WORDS: b"".join(table.chunks)}
    files = InstructionFiles(onnx=sha256(contents[ONNX]), words=sha256(contents[WORDS]))
    reader = ReaderSizes(kinds=tuple(f"0x{word:060x}" for word in table.kinds_words))
    manifest = draft.model_copy(update={"files": files, "reader": reader})
    files_and_manifest = {**contents, MANIFEST: manifest.to_json().encode()}
    return load_instruction_model(write_folder(directory, files_and_manifest))


__all__ = ["INSTRUCTION_FILES", "InstructionModel", "load_instruction_model"]
__all__ += ["save_instruction_model"]

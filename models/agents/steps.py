"""The model that decides step by step: each action and each argument is what has the best score.

model.json   the manifest
model.onnx   the network
text.bin     int8 rows of the text table
local.bin    int8 rows of the local table
words.bin    fingerprints of known words
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zkagent.models.agents.model import MANIFEST, ONNX, Model
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature, decode
from zkagent.models.encoding.encoder import Parse, Tables, encode, parse_context
from zkagent.models.encoding.manifest import Files, Manifest
from zkagent.models.encoding.vocabulary import Vocabulary
from zkagent.models.errors import ManifestError
from zkagent.models.files import read_checked, sha256
from zkagent.models.folders import Folder, write_folder
from zkagent.models.networks.bounds import check_bounds
from zkagent.models.networks.policy import PolicyWeights

TEXT, LOCAL, WORDS = "text.bin", "local.bin", "words.bin"
FILES = (MANIFEST, ONNX, TEXT, LOCAL, WORDS)


@dataclass(frozen=True)
class StepModel(Model):
    """An agent's model that is asked anew at each step of a run."""

    manifest: Manifest
    tables: Tables

    def parse(self, context: Context) -> Parse:
        prefixes, balance_action = self.manifest.prefixes, self.manifest.balance_index
        return parse_context(context, prefixes, balance_action, self.tables.vocabulary)

    def check(self, context: Context) -> None:
        self.parse(context)

    def encode(self, context: Context, parse: Parse | None = None) -> tuple[int, ...]:
        parsed = parse or self.parse(context)
        return encode(context, parsed, self.tables, len(self.manifest.actions))

    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        return self._decode(context, self.parse(context), y, tools, decimals, asks=asks)

    def decide(
        self,
        context: Context,
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
    ) -> Decision:
        parse = self.parse(context)
        y = self.infer(self.encode(context, parse))
        return self._decode(context, parse, y, tools, decimals)

    def _decode(
        self,
        context: Context,
        parse: Parse,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None,
        decimals: Mapping[str, int] | None,
        *,
        asks: bool = True,
    ) -> Decision:
        held = self.tools if tools is None else tools
        return decode(y, context, parse, self.manifest, tools=held, decimals=decimals, asks=asks)


def load_step_model(directory: Path) -> StepModel:
    """Raises ManifestError or CorruptModel."""
    manifest = Manifest.load(directory / MANIFEST)
    sizes, files = manifest.encoder, manifest.files
    read_checked(directory / ONNX, files.onnx)
    text = read_checked(directory / TEXT, files.text_table)
    local = read_checked(directory / LOCAL, files.local_table)
    words = read_checked(directory / WORDS, files.vocabulary)
    try:
        tables = Tables(
            np.frombuffer(text, np.int8).reshape(sizes.text_rows, sizes.text_dimensions),
            np.frombuffer(local, np.int8).reshape(sizes.local_rows, sizes.local_dimensions),
            Vocabulary(words),
        )
    except ValueError as exc:
        path = directory / MANIFEST
        raise ManifestError(f"{path} tells other sizes than its tables have ({exc})") from exc
    return StepModel(directory, manifest, tables)


def save_model(
    directory: Path | Folder, draft: Manifest, tables: Tables, weights: PolicyWeights
) -> StepModel:
    """Export, check the bounds, write the five files and load them again.

    `draft` is the manifest but for `files`, which are filled in. Raises BoundExceeded before
    anything is written.
    """
    from zkagent.models.networks.onnx_export import export_policy

    check_bounds(weights, tables.text, tables.local)
    contents = {
        ONNX: export_policy(weights),
        TEXT: tables.text.tobytes(),
        LOCAL: tables.local.tobytes(),
        WORDS: tables.vocabulary.fingerprints,
    }
    digests = map(sha256, contents.values())
    fields = ("onnx", "text_table", "local_table", "vocabulary")
    files = Files(**dict(zip(fields, digests, strict=True)))
    manifest = draft.model_copy(update={"files": files})
    files_and_manifest = {**contents, MANIFEST: manifest.to_json().encode()}
    return load_step_model(write_folder(directory, files_and_manifest))


__all__ = ["FILES", "StepModel", "load_step_model", "save_model"]

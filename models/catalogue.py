"""Models by name: the shipped ones in this package, or any folder with the same four files.

model.json   the manifest          text.bin    int8 rows of the text table
model.onnx   the policy            local.bin   int8 rows of the local table
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature, decode
from zkagent.models.encoding.encoder import Parse, Tables, encode, parse_context
from zkagent.models.encoding.manifest import Files, Manifest, load_manifest
from zkagent.models.encoding.vocabulary import Vocabulary
from zkagent.models.errors import CorruptModel, OutputOutOfRange, UnknownModel
from zkagent.models.networks.bounds import check_bounds
from zkagent.models.networks.policy import PolicyWeights

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

ROOT = Path(__file__).parent
MANIFEST, ONNX = "model.json", "model.onnx"
TEXT, LOCAL, WORDS = "text.bin", "local.bin", "words.bin"


@dataclass(frozen=True)
class Model:
    """A model whose files were checked against its manifest."""

    directory: Path
    manifest: Manifest
    tables: Tables

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

    @cached_property
    def tools(self) -> tuple[ToolSignature, ...]:
        """The tools that an agent of this model holds when it lacks none."""
        return tuple(
            ToolSignature(a.name, tuple(p.type for p in a.parameters))
            for a in self.manifest.actions
        )

    @cached_property
    def _session(self) -> "InferenceSession":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        return onnxruntime.InferenceSession(
            self.onnx_path, options, providers=["CPUExecutionProvider"]
        )

    def parse(self, context: Context) -> Parse:
        return parse_context(context, self.manifest.prefixes, self.manifest.balance_index)

    def encode(self, context: Context, parse: Parse | None = None) -> tuple[int, ...]:
        """The features x of `context`. Raises RefusedText."""
        parsed = parse or self.parse(context)
        return encode(context, parsed, self.tables, len(self.manifest.actions))

    def infer(self, x: Sequence[int]) -> tuple[int, ...]:
        """y = f(x) by onnxruntime, exact integers. Raises OutputOutOfRange for a vector of another
        length."""
        if len(x) != self.manifest.input_count:
            raise OutputOutOfRange(f"expected {self.manifest.input_count} features, got {len(x)}")
        (y,) = self._session.run(["y"], {"x": np.array([x], dtype=np.int64)})
        return tuple(int(v) for v in y[0])

    def decide(
        self,
        context: Context,
        tools: Sequence[ToolSignature] | None = None,
        decimals: dict[str, int] | None = None,
    ) -> Decision:
        """Encode, infer, decode. Raises RefusedText or RefusedArgument."""
        parse = self.parse(context)
        y = self.infer(self.encode(context, parse))
        held = self.tools if tools is None else tools
        return decode(y, context, parse, self.manifest, tools=held, decimals=decimals)


def shipped_models() -> list[str]:
    return sorted(p.parent.name for p in ROOT.glob(f"*/{MANIFEST}"))


def load_model(name_or_path: str | Path) -> Model:
    """A shipped model by name, or the model in a folder. Raises UnknownModel, ManifestError or
    CorruptModel."""
    directory = ROOT / str(name_or_path)
    if not (directory / MANIFEST).is_file():
        directory = Path(name_or_path)
    if not (directory / MANIFEST).is_file():
        raise UnknownModel(str(name_or_path), shipped_models())
    manifest = load_manifest(directory / MANIFEST)
    sizes, files = manifest.encoder, manifest.files
    _checked(directory / ONNX, files.onnx)
    text = _checked(directory / TEXT, files.text_table)
    local = _checked(directory / LOCAL, files.local_table)
    words = _checked(directory / WORDS, files.vocabulary)
    tables = Tables(
        np.frombuffer(text, np.int8).reshape(sizes.text_rows, sizes.text_dimensions),
        np.frombuffer(local, np.int8).reshape(sizes.local_rows, sizes.local_dimensions),
        Vocabulary(words),
    )
    return Model(directory, manifest, tables)


def save_model(directory: Path, draft: Manifest, tables: Tables, weights: PolicyWeights) -> Model:
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
    digests = [hashlib.sha256(data).hexdigest() for data in contents.values()]
    fields = ("onnx", "text_table", "local_table", "vocabulary")
    files = Files(**dict(zip(fields, digests, strict=True)))
    manifest = draft.model_copy(update={"files": files})
    directory.mkdir(parents=True, exist_ok=True)
    for name, data in contents.items():
        (directory / name).write_bytes(data)
    (directory / MANIFEST).write_text(manifest.to_json())
    return load_model(directory)


def _checked(path: Path, expected: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise CorruptModel(str(path), expected, "(missing)") from exc
    digest = hashlib.sha256(data).hexdigest()
    if digest != expected:
        raise CorruptModel(str(path), expected, digest)
    return data

"""Models by name: the shipped ones in this package, or any folder that holds one.

An agent's model, which decides                 A text classifier (classifier/files.py)
model.json   the manifest                       classifier.json   the manifest
model.onnx   the network                        model.onnx        the network
text.bin     int8 rows of the text table        table.bin         int8 rows of the text table
local.bin    int8 rows of the local table       words.bin         fingerprints of known words
words.bin    fingerprints of known words
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, Protocol, TypeVar, overload

import numpy as np

from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature, decode
from zkagent.models.encoding.encoder import Parse, Tables, encode, parse_context
from zkagent.models.encoding.manifest import Files, Manifest
from zkagent.models.encoding.vocabulary import Vocabulary
from zkagent.models.errors import ManifestError, ModelError, UnknownModel, WrongKind
from zkagent.models.files import read_checked, sha256
from zkagent.models.folders import Folder, write_folder
from zkagent.models.networks.bounds import check_bounds
from zkagent.models.networks.inference import Inference
from zkagent.models.networks.policy import PolicyWeights

ROOT = Path(__file__).parent
MANIFEST, ONNX = "model.json", "model.onnx"
CLASSIFIER_MANIFEST = "classifier.json"
TEXT, LOCAL, WORDS = "text.bin", "local.bin", "words.bin"
FILES = (MANIFEST, ONNX, TEXT, LOCAL, WORDS)


class AnyModel(Protocol):
    """What every model has, whatever it decides: enough for circuits and proofs."""

    kind: ClassVar[str]

    @property
    def name(self) -> str: ...

    @property
    def directory(self) -> Path: ...

    @property
    def onnx_path(self) -> Path: ...

    @property
    def digest(self) -> str:
        """SHA-256 hex of the manifest, which names the digests of the other files."""

    @property
    def input_count(self) -> int: ...

    @property
    def output_count(self) -> int: ...

    def infer(self, x: Sequence[int]) -> tuple[int, ...]:
        """y = f(x), exact integers. Raises OutputOutOfRange for a vector of another length."""


Kind = TypeVar("Kind", bound=AnyModel)


@dataclass(frozen=True)
class Model:
    """An agent's model, from a context to a decision; its files were checked against its
    manifest."""

    kind: ClassVar[str] = "an agent's model"

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

    @property
    def input_count(self) -> int:
        """Features in x."""
        return self.manifest.input_count

    @property
    def output_count(self) -> int:
        """Numbers in y."""
        return self.manifest.output_count

    @cached_property
    def tools(self) -> tuple[ToolSignature, ...]:
        """The tools that an agent of this model holds when it lacks none."""
        return tuple(
            ToolSignature(a.name, tuple(p.type for p in a.parameters))
            for a in self.manifest.actions
        )

    @cached_property
    def _inference(self) -> Inference:
        return Inference(self.onnx_path, self.input_count, self.output_count)

    def parse(self, context: Context) -> Parse:
        return parse_context(context, self.manifest.prefixes, self.manifest.balance_index)

    def encode(self, context: Context, parse: Parse | None = None) -> tuple[int, ...]:
        """The features x of `context`. Raises RefusedText."""
        parsed = parse or self.parse(context)
        return encode(context, parsed, self.tables, len(self.manifest.actions))

    def infer(self, x: Sequence[int]) -> tuple[int, ...]:
        """y = f(x) by onnxruntime, exact integers. Raises OutputOutOfRange for a vector of another
        length."""
        return self._inference(x)

    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        """What `y` means in `context` for an agent with `tools` (all of them by default). asks: as
        `decoder.decode` has it. Raises RefusedText, RefusedArgument or OutputOutOfRange."""
        return self._decode(context, self.parse(context), y, tools, decimals, asks=asks)

    def decide(
        self,
        context: Context,
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
    ) -> Decision:
        """Encode, infer, decode. Raises RefusedText or RefusedArgument."""
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


def shipped_models() -> list[str]:
    return sorted(p.parent.name for p in ROOT.glob(f"*/{MANIFEST}"))


@overload
def load_model(name_or_folder: Literal["wallet"]) -> Model: ...
@overload
def load_model(name_or_folder: str | Path, kind: type[Kind]) -> Kind: ...
@overload
def load_model(name_or_folder: str | Path) -> AnyModel: ...
def load_model(name_or_folder: str | Path, kind: type[AnyModel] | None = None) -> AnyModel:
    """A shipped model by name, or the model in a folder; of `kind`, where only one will do.

    Raises UnknownModel, WrongKind, ManifestError or CorruptModel.
    """
    model = _load(_folder(str(name_or_folder)))
    if kind is not None and not isinstance(model, kind):
        raise WrongKind(str(name_or_folder), model.kind, kind.kind)
    return model


def is_model(folder: Path, kind: type[AnyModel]) -> bool:
    """Whether a whole model of this kind lies there."""
    try:
        load_model(folder, kind)
    except ModelError:
        return False
    return True


def _folder(name: str) -> Path:
    """Where the model of this name lies, of either kind. Raises UnknownModel."""
    for directory in (ROOT / name, Path(name)):
        if any((directory / manifest).is_file() for manifest in (MANIFEST, CLASSIFIER_MANIFEST)):
            return directory
    raise UnknownModel(name, shipped_models(), _instead(Path(name)))


def _instead(path: Path) -> str | None:
    """What stands at a path that is no model's folder."""
    if path.is_dir():
        return "a folder that holds neither manifest"
    return "a single file" if path.exists() else None


def _load(directory: Path) -> AnyModel:
    if not (directory / CLASSIFIER_MANIFEST).is_file():
        return _load_agents_model(directory)
    if (directory / MANIFEST).is_file():
        raise ManifestError(
            f"{directory} holds {MANIFEST} and {CLASSIFIER_MANIFEST}, two models in one folder: "
            "move the files of one elsewhere, or train it again into a folder of its own"
        )
    from zkagent.models.classifier.files import load_classifier

    return load_classifier(directory)


def _load_agents_model(directory: Path) -> Model:
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
    return Model(directory, manifest, tables)


def save_model(
    directory: Path | Folder, draft: Manifest, tables: Tables, weights: PolicyWeights
) -> Model:
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
    return _load_agents_model(write_folder(directory, files_and_manifest))


__all__ = [
    "FILES",
    "MANIFEST",
    "ONNX",
    "AnyModel",
    "Model",
    "is_model",
    "load_model",
    "save_model",
    "shipped_models",
]

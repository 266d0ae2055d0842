"""Models by name: the shipped ones in this package, or any folder that holds one.

An agent's model, which decides (agents/), and a reader of tools (reader/files.py) have model.json
for their manifest, whose format says of which kind they are; a text classifier has classifier.json
(classifier/files.py).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Protocol, TypeVar, overload

from zkagent.models.agents.credit import CreditModel, load_credit_model
from zkagent.models.agents.instructions import (
    INSTRUCTION_FILES,
    InstructionModel,
    load_instruction_model,
    save_instruction_model,
)
from zkagent.models.agents.labels import LabelModel
from zkagent.models.agents.loan import LoanModel, load_loan_model
from zkagent.models.agents.model import MANIFEST, ONNX, Model
from zkagent.models.agents.numeric import NumericModel, load_numeric_model
from zkagent.models.agents.reader import SHIPPED, ReaderModel
from zkagent.models.agents.steps import FILES, StepModel, load_step_model, save_model
from zkagent.models.classifier.files import TextClassifier, load_classifier
from zkagent.models.errors import ManifestError, ModelError, UnknownModel, WrongKind
from zkagent.models.files import read_limited
from zkagent.models.reader.files import Reader, load_reader
from zkagent.models.strict_json import load_json

ROOT = Path(__file__).parent
CLASSIFIER_MANIFEST = "classifier.json"
#: By the manifest's format.
AGENTS: Mapping[object, Callable[[Path], Model]] = {
    "zkagent-model-1": load_step_model,
    "zkagent-instructions-1": load_instruction_model,
    "zkagent-loan-2": load_loan_model,
    "zkagent-credit-1": load_credit_model,
    "zkagent-numeric-1": load_numeric_model,
}
#: The format of a manifest whose model is no agent's, but reads any agent's tools.
READER = "zkagent-reader-1"


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


def shipped_models() -> list[str]:
    """Of agents, by name: not the reader, which decides nothing by itself."""
    return sorted(p.parent.name for p in ROOT.glob(f"*/{MANIFEST}") if p.parent.name != "reader")


def shipped_deciders() -> Iterator[Model]:
    """What is shipped for agents on chain to decide by: agents' models by name, then the reader."""
    yield from (load_model(name, Model) for name in shipped_models())
    yield load_decider(SHIPPED)


@overload
def load_model(name_or_folder: Literal["wallet"]) -> StepModel: ...
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


def load_decider(name_or_folder: str | Path) -> Model:
    """What an agent on chain decides by: an agent's model, or a text classifier or a reader of
    tools as one.

    Raises UnknownModel, WrongKind, ManifestError or CorruptModel.
    """
    model = load_model(name_or_folder)
    if (decider := as_decider(model)) is None:
        raise WrongKind(str(name_or_folder), model.kind, Model.kind)
    return decider


def as_decider(model: object) -> Model | None:
    """What an agent on chain decides by, of a model of any kind that can be one."""
    if isinstance(model, TextClassifier):
        return LabelModel.of(model)
    if isinstance(model, Reader):
        return ReaderModel.of(model)
    return model if isinstance(model, Model) else None


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
    return load_classifier(directory)


def _load_agents_model(directory: Path) -> AnyModel:
    """Of the kind that its manifest's format names. Raises ManifestError or CorruptModel."""
    if (found := _format(directory / MANIFEST)) == READER:
        return load_reader(directory)
    load = AGENTS.get(found, load_step_model)
    return load(directory)


def _format(manifest: Path) -> object:
    """None of what is no manifest, of which its loader tells more."""
    try:
        content = load_json(read_limited(manifest))
    except (OSError, ValueError):
        return None
    return content.get("format") if isinstance(content, dict) else None


__all__ = [
    "FILES",
    "INSTRUCTION_FILES",
    "MANIFEST",
    "ONNX",
    "AnyModel",
    "CreditModel",
    "InstructionModel",
    "LabelModel",
    "LoanModel",
    "Model",
    "NumericModel",
    "Reader",
    "ReaderModel",
    "StepModel",
    "as_decider",
    "is_model",
    "load_decider",
    "load_model",
    "save_instruction_model",
    "save_model",
    "shipped_deciders",
    "shipped_models",
]

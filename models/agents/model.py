"""What an agent's model is to those who run, prove, deploy and check it, whichever way it reads."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

from zkagent.models.encoding.context import Context, View
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.encoding.manifest import Action
from zkagent.models.networks.inference import Inference
from zkagent.models.networks.sizes import INTEGER_OPERATORS

MANIFEST, ONNX = "model.json", "model.onnx"


class ModelFiles(Protocol):
    """Digests of a model's files."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Any: ...

    @property
    def onnx(self) -> str: ...


@dataclass(frozen=True)
class OnnxFile:
    """SHA-256 of the network's file, as manifests of agents' models name it."""

    onnx: str

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> "OnnxFile":
        return OnnxFile(**{"onnx": self.onnx, **(update or {})})


class ModelManifest(Protocol):
    """What every agent's model has in its manifest. balance_action: the tool that it views balances
    by, empty where it views none."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Any: ...

    @property
    def accuracy(self) -> dict[str, float]: ...

    @property
    def balance_action(self) -> str: ...

    @property
    def id(self) -> str: ...

    @property
    def files(self) -> ModelFiles: ...

    @property
    def digest(self) -> str: ...

    @property
    def input_count(self) -> int: ...

    @property
    def output_count(self) -> int: ...

    @property
    def actions(self) -> tuple[Action, ...]: ...

    @property
    def symbols(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Model(ABC):
    """An agent's model, from a context to a decision; its files were checked against its
    manifest."""

    kind: ClassVar[str] = "an agent's model"
    #: What its network may be made of.
    operators: ClassVar[frozenset[str]] = INTEGER_OPERATORS
    #: By what its network can be proven, as users call it, the usual first.
    proof_systems: ClassVar[tuple[str, ...]] = ("ezkl", "groth16")
    #: Whether an answer is what a run is for, also one that no call led to.
    answers_act: ClassVar[bool] = False

    directory: Path
    manifest: ModelManifest

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
        return Inference(self.onnx_path, self.input_count, self.output_count, self.operators)

    def infer(self, x: Sequence[int]) -> tuple[int, ...]:
        """y = f(x) by onnxruntime, exact integers. Raises OutputOutOfRange for a vector of another
        length."""
        return self._inference(x)

    @property
    def caution(self) -> int | None:
        """By how much acting is to score more than anything else where an agent's owner does not
        say, in hundredths of a log-odd; None of a model that no owner tells."""
        return None

    def views(self, context: Context) -> tuple[View, ...]:
        """What the encoder asks other contracts about `context`, as far as the answers in it tell;
        whoever has answered all of them has a whole context."""
        return ()

    @abstractmethod
    def check(self, context: Context) -> None:
        """Refuse what the encoder refuses. Raises RefusedText."""

    @abstractmethod
    def encode(self, context: Context) -> tuple[int, ...]:
        """The features x of `context`. Raises RefusedText, IncompleteContext."""

    @abstractmethod
    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        """What `y` means in `context` for an agent with `tools` (all of them by default). decimals:
        of tokens outside the symbol book, by lower-case address. asks: as `decoder.decode` has it,
        where the model's release may be one that did not. Raises RefusedText, RefusedArgument,
        OutputOutOfRange or IncompleteContext."""

    def decide(
        self,
        context: Context,
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
    ) -> Decision:
        """Encode, infer, decode. Raises RefusedText, RefusedArgument or IncompleteContext."""
        return self.decode(context, self.infer(self.encode(context)), tools, decimals)


__all__ = ["MANIFEST", "ONNX", "Model", "OnnxFile"]

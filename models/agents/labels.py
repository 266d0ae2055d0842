"""A text classifier as an agent's model: the prompt is the text, and the answer its label.

Features, as `verifier_contracts/src/labels/LabelEncoder.sol` derives them: the sum of the table
rows that the text's n-grams select (`models/classifier/text.py`). The text is taken as it stands:
what the tokenizer does not read is refused, here as there. The answer, as `LabelDecoder.sol` makes
it: the label of the highest score, the first one on ties, and by how much it is ahead of the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from zkagent.models.agents.model import Model, OnnxFile
from zkagent.models.classifier.files import ClassifierManifest, TextClassifier
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.encoding.manifest import Action
from zkagent.models.errors import OutputOutOfRange

#: Of its digest, in its name on chain: a folder's name is whatever its owner calls it.
NAMED_BY = 16


@dataclass(frozen=True)
class LabelManifest:
    """A classifier's manifest, as those of agents' models are read."""

    classifier: ClassifierManifest

    #: It has no tools.
    actions: ClassVar[tuple[Action, ...]] = ()
    symbols: ClassVar[tuple[str, ...]] = ()
    balance_action: ClassVar[str] = ""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> "LabelManifest":
        return LabelManifest(self.classifier.model_copy(update=update))

    @property
    def id(self) -> str:
        return f"classifier-{self.digest[:NAMED_BY]}"

    @property
    def digest(self) -> str:
        return self.classifier.digest

    @property
    def files(self) -> OnnxFile:
        return OnnxFile(self.classifier.onnx)

    @property
    def input_count(self) -> int:
        return self.classifier.features

    @property
    def output_count(self) -> int:
        return len(self.classifier.labels)

    @property
    def accuracy(self) -> dict[str, float]:
        measured = self.classifier.accuracy
        return {} if measured is None else {"integers": measured.integers}


@dataclass(frozen=True)
class LabelModel(Model):
    """Says which label a text has."""

    kind: ClassVar[str] = "a text classifier as an agent's model"
    answers_act: ClassVar[bool] = True

    manifest: LabelManifest
    classifier: TextClassifier

    @classmethod
    def of(cls, classifier: TextClassifier) -> "LabelModel":
        return cls(classifier.directory, LabelManifest(classifier.manifest), classifier)

    def check(self, context: Context) -> None:
        self.encode(context)

    def encode(self, context: Context) -> tuple[int, ...]:
        return self.classifier.features_of(context.prompt)

    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        if len(y) != self.output_count:
            raise OutputOutOfRange(f"expected {self.output_count} outputs, got {len(y)} values")
        return Decision("report", "answer", (), (), self.classifier.judge(y).words, "")


__all__ = ["LabelManifest", "LabelModel"]

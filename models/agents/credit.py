"""The model that scores an account by its record of loans, which its encoder reads on chain.

model.json   the manifest
model.onnx   the network

Features, as `verifier_contracts/src/loan/CreditEncoder.sol` derives them: loans paid back, not
paid back, months since the first, collateral in steps of four hundredths, open loans, each up to a
limit.
The output counts in units, of which `unit` make a point; the score is from 0 to 1000.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from eth_hash.auto import keccak
from pydantic import Field

from zkagent.models.agents.loan_words import SCORE_IS, applicant_in
from zkagent.models.agents.model import MANIFEST, ONNX, Model
from zkagent.models.encoding.context import Context, View
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.encoding.manifest import Action, Line
from zkagent.models.errors import OutputOutOfRange, UnansweredView
from zkagent.models.files import ManifestRecord, Record, Sha256, read_checked

CREDIT_FILES = (MANIFEST, ONNX)
#: Of repaid, defaulted, months, collateral in hundredths, open loans.
MOST = (60, 12, 120, 400, 10)
STEPS = (1, 1, 1, 4, 1)
MOST_SCORE = 1000
WORD = 32
HISTORY = keccak(b"creditHistory()")[:4]
RECORD = keccak(b"recordOf(address)")[:4]


class CreditFiles(Record):
    """SHA-256 of the model's file."""

    onnx: Sha256


class CreditManifest(ManifestRecord):
    """One model. unit: of the output, so many make a point."""

    format: Literal["zkagent-credit-1"]
    id: str = Field(pattern=r"^[a-z][a-z-]{0,30}$")
    description: Line
    unit: int = Field(ge=1, lt=1 << 31)
    files: CreditFiles
    training: dict[str, str | int | float]
    accuracy: dict[str, float]

    #: It has no tools.
    actions: ClassVar[tuple[Action, ...]] = ()
    symbols: ClassVar[tuple[str, ...]] = ()
    balance_action: ClassVar[str] = ""

    @property
    def input_count(self) -> int:
        return len(MOST)

    @property
    def output_count(self) -> int:
        return 1


def features_of(record: Sequence[int]) -> tuple[int, ...]:
    """x of a record's five numbers."""
    return tuple(
        min(value, most) // step for value, most, step in zip(record, MOST, STEPS, strict=True)
    )


@dataclass(frozen=True)
class CreditModel(Model):
    """Scores accounts."""

    kind: ClassVar[str] = "an agent's model of credit scores"

    manifest: CreditManifest

    def views(self, context: Context) -> tuple[View, ...]:
        first = View(context.agent, HISTORY)
        if (told := context.answers.get(first)) is None:
            return (first,)
        account = applicant_in(context.prompt)
        asked = RECORD + bytes.fromhex(account[2:]).rjust(WORD, b"\0")
        return first, View("0x" + _word(told, 0)[-20:].hex(), asked)

    def check(self, context: Context) -> None:
        applicant_in(context.prompt)

    def encode(self, context: Context) -> tuple[int, ...]:
        self.check(context)
        views = self.views(context)
        told = context.answers.get(views[-1])
        if len(views) < 2 or told is None:
            raise UnansweredView("the record of the account")
        words = (_word(told, place) for place in range(len(MOST)))
        return features_of([int.from_bytes(word, "big") for word in words])

    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        if len(y) != 1:
            raise OutputOutOfRange(f"expected 1 output, got {len(y)} values")
        return Decision("report", "answer", (), (), f"{SCORE_IS}{self.score(y[0])}", "")

    def score(self, units: int) -> int:
        """Whole points, from 0 to 1000."""
        return min(max(units, 0) // self.manifest.unit, MOST_SCORE)


def _word(answer: bytes, place: int) -> bytes:
    """Raises UnansweredView where there is none."""
    word = answer[WORD * place : WORD * (place + 1)]
    if len(word) < WORD:
        raise UnansweredView("the record of the account")
    return word


def load_credit_model(directory: Path) -> CreditModel:
    """Raises ManifestError or CorruptModel."""
    manifest = CreditManifest.load(directory / MANIFEST)
    read_checked(directory / ONNX, manifest.files.onnx)
    return CreditModel(directory, manifest)


__all__ = ["CREDIT_FILES", "CreditFiles", "CreditManifest", "CreditModel", "features_of"]
__all__ += ["load_credit_model"]

"""The model that decides on loans: by criteria in words and a score, which it asks for first.

model.json   the manifest
model.onnx   the network
text.bin     int8 rows of the text table, the last column of which says whose row it is
words.bin    the lexicon: fingerprints of known words, then their classes

Features, as `verifier_contracts/src/loan/LoanEncoder.sol` derives them: whether the criteria were
read and whether the score was; the score less the limit, 0 without one; and four times the sums of
the text table's rows for the criteria (`criteria.py`), of which one is theirs and the others are 0:
where the score is below the limit, at it, above it, or there is none to compare. Which side it is,
is thus exact; what the words make of it, the network says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
from eth_abi.abi import encode as abi_encode

from zkagent.models.agents.criteria import Criterion, Lexicon, lexicon_from, read_criterion
from zkagent.models.agents.loan_words import (
    APPROVED,
    ASK_CRITERIA,
    CRITERIA_TOOL,
    DENIED,
    SCORE_AGENT,
    SCORE_OF,
    UNCLEAR,
    applicant_in,
    ask_score,
    score_in,
)
from zkagent.models.agents.model import MANIFEST, ONNX, Model
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import PROMPT, Argument, Decision, ToolSignature, argmax
from zkagent.models.encoding.encoder import Table
from zkagent.models.encoding.manifest import Action, Line, Name
from zkagent.models.errors import DuplicateTool, ForeignHistory, ManifestError, OutputOutOfRange
from zkagent.models.files import ManifestRecord, Record, Sha256, read_checked

TEXT, WORDS = "text.bin", "words.bin"
LOAN_FILES = (MANIFEST, ONNX, TEXT, WORDS)
DIMENSIONS = 32
#: Column of the text table that holds a byte of its n-gram's hash, less 128; its sum is 0.
MARK = DIMENSIONS - 1
#: Rows of the table that criteria select, at most: of 64 tokens 64 and 65 of words, 195, 258 and
#: 198 of classes.
MOST_ROWS = 780
FLAG = 32
#: Places of the criteria's sums: the score is below the limit, at it, above it; there is none.
BELOW, AT, ABOVE, NO_LIMIT = range(4)
HEAD = 3  # features before the sums
CRITERIA, SCORE, APPROVE, DENY, ASK = range(5)


class LoanFiles(Record):
    """SHA-256 of the model's files."""

    onnx: Sha256
    text_table: Sha256
    lexicon: Sha256


class LoanManifest(ManifestRecord):
    """One model. Scores in y: read the criteria, ask for the score, approve, deny, ask."""

    format: Literal["zkagent-loan-2"]
    id: Name
    description: Line
    text_rows: Literal[4096]
    files: LoanFiles
    training: dict[str, str | int | float]
    accuracy: dict[str, float]

    #: Its tools are not those of a wallet.
    actions: ClassVar[tuple[Action, ...]] = ()
    symbols: ClassVar[tuple[str, ...]] = ()
    balance_action: ClassVar[str] = ""

    @property
    def input_count(self) -> int:
        return HEAD + 4 * DIMENSIONS

    @property
    def output_count(self) -> int:
        return 5


def sum_of(criterion: Criterion, table: Table) -> npt.NDArray[np.int64]:
    """Of the rows that are of the criterion's n-grams; shape (32,)."""
    sums: npt.NDArray[np.int64] = table[list(rows_of(criterion, table))].sum(axis=0, dtype=np.int64)
    sums[MARK] = 0
    return sums


def rows_of(criterion: Criterion, table: Table) -> tuple[int, ...]:
    """Numbers of these rows. An n-gram's row is the one that its hash says, if the row's mark is of
    the same hash."""
    marks = table[:, MARK].astype(np.int64) + 128
    rows = ((ngram % len(table), ngram) for ngram in criterion.ngrams)
    return tuple(row for row, ngram in rows if marks[row] == mark_of(ngram))


def mark_of(ngram: int) -> int:
    """The byte of an n-gram's hash that marks its row."""
    return (ngram >> 16) & 0xFF


def side_of(score: int | None, limit: int | None) -> int:
    """Where the score lies: BELOW, AT, ABOVE, or NO_LIMIT."""
    if score is None or limit is None:
        return NO_LIMIT
    return BELOW if score < limit else AT if score == limit else ABOVE


def observed_in(context: Context, applicant: str) -> tuple[bytes, ...]:
    """What was observed so far: the criteria, then the score agent's answer. Raises
    ForeignHistory."""
    decided = (ASK_CRITERIA.encode(), ask_score(applicant).encode())
    found = []
    for index, entry in enumerate(context.reasoning):
        opening = decided[index] + b"Observation: " if index < len(decided) else b""
        if not opening or not entry.startswith(opening) or not entry.endswith(b"\n"):
            raise ForeignHistory(index)
        if len(entry) == len(opening):
            raise ForeignHistory(index)
        found.append(entry[len(opening) : -1])
    return tuple(found)


@dataclass(frozen=True)
class LoanModel(Model):
    """Decides on loans."""

    kind: ClassVar[str] = "an agent's model of loans"

    manifest: LoanManifest
    table: Table
    lexicon: Lexicon

    @property
    def tools(self) -> tuple[ToolSignature, ...]:
        return (ToolSignature(CRITERIA_TOOL, ()), ToolSignature(SCORE_AGENT, ("string",)))

    def check(self, context: Context) -> None:
        applicant_in(context.prompt)

    def encode(self, context: Context) -> tuple[int, ...]:
        observed = observed_in(context, applicant_in(context.prompt))
        head, sums = [0, 0, 0], np.zeros((4, DIMENSIONS), np.int64)
        head[: len(observed)] = [FLAG] * len(observed)
        if len(observed) == 2:
            criteria, answer = observed
            read, score = read_criterion(criteria, self.lexicon), score_in(answer)
            if score is not None and read.limit is not None:
                head[2] = score - read.limit
            sums[side_of(score, read.limit)] = sum_of(read, self.table)
        return (*head, *(int(v) for v in sums.flatten()))

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
        chosen, applicant = argmax(y), applicant_in(context.prompt)
        held = self.tools if tools is None else tools
        if chosen == CRITERIA:
            return _call(held, CRITERIA_TOOL, "", ASK_CRITERIA)
        if chosen == SCORE:
            return _call(held, SCORE_AGENT, SCORE_OF + applicant, ask_score(applicant))
        prompt = context.prompt.decode("utf-8", "surrogateescape")
        if chosen == ASK or len(context.reasoning) < 2:
            return Decision("ask", "answer", (), (), UNCLEAR, "")
        said = APPROVED if chosen == APPROVE else DENIED
        return Decision("report", "answer", (), (), said + prompt, "")


def _call(held: Sequence[ToolSignature], name: str, question: str, reasoning: str) -> Decision:
    """A call of the tool of this name: without parameters, or of an agent with a question."""
    named = [tool for tool in held if tool.name == name]
    if len(named) > 1:
        raise DuplicateTool(name)
    if not named or named[0].parameter_types != (("string",) if question else ()):
        return Decision("no_tool", "answer", (), (), f"This agent has no tool {name}.", "")
    if not question:
        return Decision("call", name, (), (), "", reasoning)
    data = abi_encode(["string"], [question])
    words = tuple(int.from_bytes(data[i : i + 32], "big") for i in range(0, len(data), 32))
    return Decision("call", name, (Argument(PROMPT, question, "prompt"),), words, "", reasoning)


def load_loan_model(directory: Path) -> LoanModel:
    """Raises ManifestError or CorruptModel."""
    manifest = LoanManifest.load(directory / MANIFEST)
    read_checked(directory / ONNX, manifest.files.onnx)
    text = read_checked(directory / TEXT, manifest.files.text_table)
    words = read_checked(directory / WORDS, manifest.files.lexicon)
    try:
        table = np.frombuffer(text, np.int8).reshape(manifest.text_rows, DIMENSIONS)
        return LoanModel(directory, manifest, table, lexicon_from(words))
    except ValueError as exc:
        raise ManifestError(
            f"{directory / MANIFEST} tells other sizes than its tables have ({exc})"
        ) from exc


__all__ = ["LOAN_FILES", "LoanFiles", "LoanManifest", "LoanModel", "load_loan_model", "mark_of"]
__all__ += ["rows_of", "side_of", "sum_of"]

"""Reads corpus/: hand-written prompts that training learns from, beside the grammar in `phrases/`.

    instructions*.txt   LABEL <tab> template     what the wallet is told to do
    declined*.txt       CATEGORY <tab> template  what is no instruction to be carried out now
    chatter*.txt        template                 everyday talk without assets
    pairs*.txt          both of these            near-identical lines of different meaning
    fillers*.txt        KIND <tab> clause        clauses that change nothing, "before" or "after"

Placeholders: {amount} {asset} {token} {recipient} are arguments ({token}: an asset by its address);
{n} {other} {s} {address} {a} are numbers, symbols and addresses that must not become arguments;
{odd} is an amount that is not plain. The authors of these files never saw the evaluation set.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from zkagent.models.wallet.text.generator import Kind

FOLDER = Path(__file__).parent / "corpus"

#: Placeholder -> the mark that the generator fills (see `phrases/expansion.py`).
MARKS = {
    "amount": "<A>",
    "asset": "<S>",
    "token": "<X>",
    "recipient": "<R>",
    "n": "<n>",
    "other": "<s>",
    "s": "<s>",
    "address": "<a>",
    "a": "<a>",
}
TOOLS = {"withdraw": "Withdraw", "deploy": "Deploy", "transfer": "Transfer", "view": "ViewBalance"}
DECLINED = "declined"
RARE = 4  # a word on fewer lines than this is one whose meaning must not matter

_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
_WORD = re.compile(r"(?<![\w<{~])[a-z][a-z]+(?![\w>}])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """A template with the generator's marks. `kind` is "call", "view", "ask" or "decline"."""

    kind: Kind
    tool: str | None
    everything: bool
    text: str


@cache
def instructions() -> tuple[Line, ...]:
    """Calls, balance views and requests that lack something."""
    return tuple(
        _instruction(label, text)
        for stem in ("instructions", "pairs")
        for label, text in _rows(stem)
        if label != DECLINED
    )


@cache
def declined() -> tuple[Line, ...]:
    """Near misses and off-topic prompts."""
    texts = [text for _, text in _rows("declined")]
    texts += [text for label, text in _rows("pairs") if label == DECLINED]
    return tuple(Line("decline", None, False, text) for text in texts)


@cache
def chatter() -> tuple[Line, ...]:
    return tuple(Line("decline", None, False, _marked(row)) for row in _lines("chatter"))


@cache
def fillers(kind: str) -> tuple[str, ...]:
    """Clauses to stand "before" or "after" any sentence."""
    return tuple(text for label, text in _rows("fillers") if label == kind)


def _instruction(label: str, text: str) -> Line:
    base, _, everything = label.partition("_")
    if base == "ask":
        return Line("ask", None, False, text)
    kind: Kind = "view" if base == "view" else "call"
    return Line(kind, TOOLS[base], everything == "all", text)


def _rows(stem: str) -> list[tuple[str, str]]:
    found = []
    for line in _lines(stem):
        label, _, text = line.partition("\t")
        found.append((label, _marked(text)))
    return found


def _lines(stem: str) -> list[str]:
    paths = sorted(FOLDER.glob(f"{stem}*.txt"))
    return [line for path in paths for line in path.read_text("ascii").splitlines() if line]


def _marked(text: str) -> str:
    """Placeholders as marks, rare words marked loose."""
    common = _common_words()
    text = _PLACEHOLDER.sub(lambda m: MARKS.get(m[1], m[0]), text)
    return _WORD.sub(lambda m: m[0] if m[0].lower() in common else "~" + m[0], text)


@cache
def _common_words() -> frozenset[str]:
    """Words on at least RARE lines of all files together."""
    counts: Counter[str] = Counter()
    for stem in ("instructions", "declined", "pairs", "chatter", "fillers"):
        for line in _lines(stem):
            counts.update({word.lower() for word in _WORD.findall(line.split("\t")[-1])})
    return frozenset(word for word, count in counts.items() if count >= RARE)

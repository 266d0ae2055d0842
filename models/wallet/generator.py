"""Draws labelled prompts for the wallet model from the phrases in `phrases/`.

A sample is a prompt, what each of its candidates is (an argument or a decoy), which words must not
matter, and what the wallet should do. Everything follows from one random generator.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from models.wallet.phrases import asks, frames, near_misses, off_topic, views, wrappers
from models.wallet.phrases.clauses import MOVES, Clauses

Kind = Literal["call", "view", "ask", "decline"]

ADDRESS = "0x" + "5a" * 20


@dataclass(frozen=True, slots=True)
class Sample:
    """A prompt and its meaning.

    `roles` has one letter for each candidate in order (see `phrases/expansion.py`), `loose` the
    byte offsets of words that must not matter. `tool` is what an instruction is about, also when
    something is missing; `everything` says that the amount is the whole balance.
    """

    text: str
    roles: str
    loose: frozenset[int]
    kind: Kind
    tool: str | None
    everything: bool = False


_MIX = ((0.50, "call"), (0.60, "view"), (0.71, "ask"), (0.93, "near miss"), (1.0, "off topic"))


def generate(count: int, seed: int) -> Iterator[Sample]:
    """`count` samples; equal seeds give equal samples."""
    rng = random.Random(seed)
    writer = Writer(rng)
    for _ in range(count):
        draw = rng.random()
        kind = next(name for limit, name in _MIX if draw < limit)
        yield writer.sample(kind)


class Writer:
    """Writes one sample at a time."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.clauses = Clauses(rng)
        self.grammar = self.clauses.grammar

    def sample(self, kind: str) -> Sample:
        """A sample of a kind named in `_MIX`."""
        if kind == "call":
            return self.call()
        if kind == "view":
            return self.finished(self.surrounded(self.view()), "view", "ViewBalance")
        if kind == "ask":
            return self.ask()
        text = self.near_miss() if kind == "near miss" else self.off_topic()
        return self.finished(text, "decline", None)

    def call(self) -> Sample:
        tool = self.rng.choice(MOVES)
        everything = self.rng.random() < 0.3
        if self.rng.random() < 0.3:
            frame = self.rng.choice(frames.SENTENCES[tool])
            text = self.politely(self.clauses.filled(frame, tool, everything))
        else:
            text = self.opened(tool, everything)
        return self.finished(self.surrounded(text, tool), "call", tool, everything)

    def opened(self, tool: str, everything: bool) -> str:
        """A verb phrase behind one of the openers, in the form that the opener wants."""
        opener = self.rng.choice(wrappers.OPENERS)
        if "{vg}" in opener:
            return opener.replace("{vg}", self.clauses.verb_phrase(tool, everything, "ing"))
        return opener.replace("{vb}", self.clauses.verb_phrase(tool, everything))

    def politely(self, text: str) -> str:
        draw = self.rng.random()
        if draw < 0.75:
            return text
        return self.rng.choice(("please, ", "please ", "hey, ", "hi, ", "ok, ", "so ", "agent: ",
                                "listen, ", "now ", "today ", "quickly: ", "request: ")) + text  # fmt: skip

    def surrounded(self, text: str, tool: str = "") -> str:
        """`text` with clauses around it: politeness, reasons, decoys."""
        rng = self.rng
        before, after = list(wrappers.BEFORE), list(wrappers.AFTER)
        if tool == "Transfer" and rng.random() < 0.35:
            before, after = list(wrappers.BEFORE_TRANSFER), list(wrappers.AFTER_TRANSFER)
        if rng.random() < 0.18:
            text = self.grammar.one_of(before) + " " + text
        if rng.random() < 0.18:
            text = text.rstrip("?,") + rng.choice((", ", " ", ". ", " - ", "; ")) + self.grammar.one_of(after)
        if rng.random() < 0.2:
            text = text.rstrip(",") + rng.choice((", ", " ", ". ", " ")) + rng.choice(wrappers.CLOSERS)
        return text

    def view(self) -> str:
        phrase = self.rng.choice(views.VIEWS)
        text = self.grammar.expand(phrase.replace("{thing}", self.rng.choice(views.THING)).replace("{where}", self.rng.choice(views.WHERE)))
        return self.clauses.with_verbs(text, "ViewBalance")

    def ask(self) -> Sample:
        rng = self.rng
        tool = rng.choice((*MOVES, *MOVES, "ViewBalance"))
        draw = rng.random()
        if tool == "ViewBalance":
            phrase = rng.choice(asks.NO_ASSET[tool])
        elif draw < 0.15:
            text = self.grammar.one_of(asks.NOTHING)
            return self.finished(self.politely(text), "ask", None)
        elif tool == "Transfer" and draw < 0.5:
            phrase = rng.choice(asks.NO_RECIPIENT)
        else:
            phrase = rng.choice((asks.NO_AMOUNT if draw < 0.65 else asks.NO_ASSET)[tool])
        text = self.clauses.filled(phrase, tool, rng.random() < 0.2)
        if tool != "ViewBalance":
            opener = rng.choice([o for o in wrappers.OPENERS if "{vb}" in o])
            text = opener.replace("{vb}", text) if rng.random() < 0.7 else text
        return self.finished(self.closed(text), "ask", tool)

    def closed(self, text: str) -> str:
        if self.rng.random() < 0.2:
            return text.rstrip(",") + self.rng.choice((", ", " ")) + self.rng.choice(wrappers.CLOSERS)
        return text

    def near_miss(self) -> str:
        rng = self.rng
        draw = rng.random()
        if draw < 0.12:
            text = self.grammar.one_of(near_misses.KNOWLEDGE)
        elif draw < 0.22:
            phrase = rng.choice(near_misses.OTHERS + near_misses.FOREIGN_PHRASES * 2)
            text = self.clauses.with_verbs(self.grammar.expand(phrase), rng.choice(MOVES))
            text = rng.choice(wrappers.OPENERS[:40]).replace("{vb}", text).replace("{vg}", text)
        else:
            group = rng.choice((near_misses.ADVICE, near_misses.HOW_TO, near_misses.REFUSALS,
                                near_misses.STORIES, near_misses.CONDITIONS))  # fmt: skip
            text = self.grammar.one_of(group)
        return self.surrounded(text) if rng.random() < 0.6 else text

    def off_topic(self) -> str:
        text = self.grammar.one_of(off_topic.PATTERNS)
        return self.surrounded(text) if self.rng.random() < 0.15 else text

    def finished(self, text: str, kind: Kind, tool: str | None, everything: bool = False) -> Sample:
        plain, roles, loose = rendered(Roughener(self.rng).rough(text), self.rng)
        return Sample(plain, roles, frozenset(loose), kind, tool, everything)


class Roughener:
    """Makes text as careless as people write: punctuation lost, words lost, misspelt."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def rough(self, text: str) -> str:
        rng = self.rng
        if rng.random() < 0.25:
            text = text.replace(",", "")
        if rng.random() < 0.25:
            text = text.rstrip("?")
        if rng.random() < 0.15:
            text = text.replace("'", "")
        if rng.random() < 0.2 and text[-1:] not in "?.":
            text = text.rstrip(",") + rng.choice((".", ".", "!"))
        if rng.random() < 0.12:
            text = " ".join(self.word(w) for w in text.split(" "))
        return text

    def word(self, word: str) -> str:
        """Most words stay; a few long ones are misspelt, a few are lost."""
        draw = self.rng.random()
        if draw > 0.12 or "<" in word or not word.isalpha():
            return word
        if len(word) < 6:
            return word
        at = self.rng.randrange(1, len(word) - 1)
        if draw < 0.04:
            return word[:at] + word[at + 1 :]
        if draw < 0.08:
            return word[:at] + word[at] + word[at:]
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


_MARK = re.compile(r"<([ASXRnsa])>|~")
_VALUES = {
    "A": ("5", "20", "0.25", "1200", "7.5", "300"), "n": ("3", "12", "50", "2024", "1.5", "400"),
    "S": ("USDC", "DAI", "WETH", "usdc", "dai"), "s": ("USDC", "DAI", "WETH", "weth"),
    "X": (ADDRESS,), "R": (ADDRESS,), "a": (ADDRESS,),
}  # fmt: skip


def rendered(text: str, rng: random.Random) -> tuple[str, str, list[int]]:
    """Plain text, the roles of its candidates in order, the offsets of its loose words."""
    parts: list[str] = []
    roles, loose, length, last = "", [], 0, 0
    for match in _MARK.finditer(text):
        literal = text[last : match.start()]
        parts.append(literal)
        length += len(literal)
        last = match.end()
        if match[0] == "~":
            loose.append(length)
            continue
        value = rng.choice(_VALUES[match[1]])
        parts.append(value)
        length += len(value)
        roles += match[1]
    return "".join(parts) + text[last:], roles, loose

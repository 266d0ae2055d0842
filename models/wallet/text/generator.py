"""Draws labelled prompts for the wallet model from the phrases in `phrases/`.

A sample is a prompt, what each of its candidates is (an argument or a decoy), which words must not
matter, and what the wallet should do. Everything follows from one random generator.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from zkagent.models.wallet.text.phrases import (
    asks,
    conditions,
    frames,
    off_topic,
    others,
    questions,
    scattered,
    statements,
    surroundings,
    views,
    wrappers,
)
from zkagent.models.wallet.text.phrases.clauses import MOVES, Clauses
from zkagent.models.wallet.text.phrases.expansion import Phrases

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


NEAR_MISSES: tuple[Phrases, ...] = (
    questions.ADVICE,
    questions.HOW_TO,
    statements.REFUSALS,
    statements.STORIES,
    conditions.CONDITIONS,
    conditions.QUOTES,
)
POLITE = (
    "please, ", "please ", "hey, ", "hi, ", "ok, ", "so ", "agent: ", "listen, ", "now ", "today ",
    "quickly: ", "request: ",
)  # fmt: skip

MIX = ((0.45, "call"), (0.53, "view"), (0.63, "ask"), (0.95, "near miss"), (1.0, "off topic"))


def generate(count: int, seed: int) -> Iterator[Sample]:
    """`count` samples; equal seeds give equal samples."""
    rng = random.Random(seed)
    writer = Writer(rng)
    for _ in range(count):
        draw = rng.random()
        kind = next(name for limit, name in MIX if draw < limit)
        yield writer.sample(kind)


class Writer:
    """Writes one sample at a time."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.clauses = Clauses(rng)
        self.grammar = self.clauses.grammar

    def sample(self, kind: str) -> Sample:
        """A sample of a kind named in `MIX`."""
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
        draw = self.rng.random()
        if draw < 0.08:
            frame = self.rng.choice(frames.PLAIN[tool])
            text = self.opened(self.clauses.filled(frame, tool, everything), 0.3)
            return self.finished(text, "call", tool, everything)
        if draw < 0.27:
            frame = self.rng.choice(frames.SENTENCES[tool])
            text = self.politely(self.clauses.filled(frame, tool, everything))
        elif draw < 0.42:
            text = self.scattered(tool, everything)
        elif draw < 0.5 and everything:
            frame = self.rng.choice(scattered.WHOLE[tool])
            text = self.opened(self.clauses.filled(frame, tool, True))
        else:
            text = self.phrase_opened(tool, everything)
        return self.finished(self.surrounded(text, tool), "call", tool, everything)

    def scattered(self, tool: str, everything: bool) -> str:
        """The asset in one clause, the amount in another."""
        rng = self.rng
        parts = scattered.WHOLE_PART if everything else scattered.PART
        part = self.grammar.one_of(parts)
        phrase = rng.choice([f for f in frames.VERB_PHRASES[tool] if "{M}" in f])
        phrase = self.clauses.filled(phrase.replace("{M}", part), tool, everything)
        first = scattered.MENTIONS[tool]
        if everything and rng.random() < 0.4:
            first = scattered.NOTHING_LEFT[tool]
        mention = self.grammar.one_of(first)
        joined = mention + rng.choice((", ", ", ", ", ", "; ", ": ", ". ", " - ", ", so ", " and "))
        return joined + self.opened(phrase, 0.3)

    def phrase_opened(self, tool: str, everything: bool) -> str:
        """A verb phrase behind one of the openers, in the form that the opener wants."""
        opener = self.rng.choice(wrappers.OPENERS)
        if "{vg}" in opener:
            opener = opener.replace("{vg}", self.clauses.verb_phrase(tool, everything, "ing"))
        else:
            opener = opener.replace("{vb}", self.clauses.verb_phrase(tool, everything))
        return self.grammar.expand(opener)

    def opened(self, phrase: str, share: float = 0.7) -> str:
        """A base form behind an opener, in `share` of the cases."""
        if self.rng.random() > share:
            return phrase
        opener = self.rng.choice([o for o in wrappers.OPENERS if "{vb}" in o])
        return self.grammar.expand(opener.replace("{vb}", phrase))

    def politely(self, text: str) -> str:
        draw = self.rng.random()
        if draw < 0.75:
            return text
        return self.rng.choice(POLITE) + text

    def surrounded(self, text: str, tool: str = "") -> str:
        """`text` with clauses around it: politeness, reasons, decoys."""
        rng = self.rng
        if rng.random() < 0.22:
            text = self.before(tool) + " " + text
        if rng.random() < 0.22:
            text = text.rstrip("?,") + self.after(tool)
        if rng.random() < 0.18:
            joint = rng.choice((", ", " ", ". ", " "))
            text = text.rstrip(",") + joint + rng.choice(wrappers.CLOSERS)
        return text

    def before(self, tool: str) -> str:
        rng = self.rng
        clauses: tuple[str, ...]
        if tool == "Transfer" and rng.random() < 0.35:
            if rng.random() < 0.4:
                return self.grammar.one_of(wrappers.BEFORE_TRANSFER)
            clauses = surroundings.ADDRESS_DECOY
        elif rng.random() < 0.35:
            return self.grammar.one_of(wrappers.BEFORE)
        else:
            clauses = rng.choice((surroundings.REASON, surroundings.DECOY))
        return self.grammar.one_of(clauses) + rng.choice(surroundings.JOIN_BEFORE)

    def after(self, tool: str) -> str:
        rng = self.rng
        loosely = rng.choice((", ", " ", ". ", " - ", "; "))
        if tool == "Transfer" and rng.random() < 0.35:
            if rng.random() < 0.4:
                return loosely + self.grammar.one_of(wrappers.AFTER_TRANSFER)
            return loosely + self.grammar.one_of(surroundings.ADDRESS_DECOY)
        if rng.random() < 0.4:
            return loosely + self.grammar.one_of(wrappers.AFTER)
        clauses = rng.choice((surroundings.REASON, surroundings.DECOY))
        return rng.choice(surroundings.JOIN_AFTER) + " " + self.grammar.one_of(clauses)

    def view(self) -> str:
        phrase = self.rng.choice(views.VIEWS)
        phrase = phrase.replace("{thing}", self.rng.choice(views.THING))
        phrase = phrase.replace("{where}", self.rng.choice(views.WHERE))
        return self.clauses.with_verbs(self.grammar.expand(phrase), "ViewBalance")

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
            text = self.opened(text)
        return self.finished(self.closed(text), "ask", tool)

    def closed(self, text: str) -> str:
        if self.rng.random() < 0.2:
            joint = self.rng.choice((", ", " "))
            return text.rstrip(",") + joint + self.rng.choice(wrappers.CLOSERS)
        return text

    def near_miss(self) -> str:
        rng = self.rng
        draw = rng.random()
        if draw < 0.1:
            text = self.grammar.one_of(others.KNOWLEDGE)
        elif draw < 0.25:
            phrase = rng.choice(others.OTHERS + others.FOREIGN_PHRASES)
            text = self.clauses.with_verbs(self.grammar.expand(phrase), rng.choice(MOVES))
            text = self.opened(text)
        else:
            text = self.grammar.one_of(rng.choice(NEAR_MISSES))
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
            text = text.replace(", ", " ")
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
        quoted = text.count('"', 0, last) % 2 and '"' in text[last:]
        if not quoted and not text[last : last + 1].isalpha():  # quotes and "3rd" are opaque
            roles += match[1]
    return "".join(parts) + text[last:], roles, loose

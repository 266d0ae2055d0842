"""Puts phrases together: verb phrases in any form, and the rules that fill the placeholders."""

import random
import re

from zkagent.models.wallet.text.phrases import (
    asks,
    frames,
    money,
    off_topic,
    others,
    people,
    questions,
    scattered,
    times,
)
from zkagent.models.wallet.text.phrases.expansion import Grammar, Phrases
from zkagent.models.wallet.text.phrases.unrelated import UNRELATED
from zkagent.models.wallet.text.phrases.verbs import (
    CLEAR,
    FOREIGN,
    Form,
    any_verb,
    inflect,
    invented,
)

_MARKED = re.compile(r"[@!](?!done)")

MOVES = ("Withdraw", "Deploy", "Transfer")


def _words(names: Phrases) -> Phrases:
    return [name.replace("_", " ") for name in names]


RULES: dict[str, Phrases] = {
    "pool": money.POOL, "pool_out": money.POOL_OUT, "pool_in": money.POOL_IN, "to_me": money.TO_ME,
    "to_recipient": money.TO_RECIPIENT, "to_recipient_plain": frames.TO_RECIPIENT_PLAIN,
    "to_nobody": asks.TO_NOBODY, "person": money.PERSON, "name": people.NAME, "units": money.UNITS,
    "whole": money.WHOLE, "about": money.ABOUT, "holding": money.HOLDING, "odd": money.ODD,
    "coin": money.COIN, "exact_address": money.EXACT_ADDRESS, "exact_decoy": money.EXACT_DECOY,
    "put_it": frames.PUT_IT, "use_it": frames.USE_IT, "pool_noun": frames.POOL_NOUN,
    "because": frames.BECAUSE, "event": times.EVENT, "past": times.PAST, "future": times.FUTURE,
    "person_noun": people.PERSON_NOUN, "someone": people.SOMEONE, "role": people.ROLE,
    "others_subject": people.OTHERS_SUBJECT, "whose": people.WHOSE, "source": people.SOURCE,
    "said": people.SAID, "mention": scattered.MENTION, "quality": questions.QUALITY,
    "pool_bare": asks.POOL_BARE, "pool_out_bare": asks.POOL_OUT_BARE, "L": money.VAGUE,
    "pool_in_bare": asks.POOL_IN_BARE, "K": money.ASSETLESS, "noun": off_topic.NOUN,
    "adjective": off_topic.ADJECTIVE, "town": _words(off_topic.TOWN),
    "when": _words(off_topic.WHEN), "language": off_topic.LANGUAGE,
    "unrelated": UNRELATED,
}  # fmt: skip


class Clauses:
    """Random clauses. Tells of each tool what people write about it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.grammar = Grammar(rng, RULES, {
            "M": lambda: self.money(everything=False), "invented": lambda: invented(rng),
            "vb": lambda: self.any_move("base"), "vs": lambda: self.any_move("s"),
            "vg": lambda: self.any_move("ing"), "vd": lambda: self.any_move("past"),
            "vn": lambda: self.any_move("done"), "vd_bare": self.bare_past,
            "amount": lambda: self.money(rng.random() < 0.2),
            "verb": lambda: rng.choice(UNRELATED), "word": self.word, "n": lambda: "<n>",
        })  # fmt: skip

    def money(self, everything: bool) -> str:
        return self.grammar.one_of(money.ALL if everything else money.EXACT)

    def word(self) -> str:
        lists = (off_topic.NOUN, off_topic.NOUN, off_topic.ADJECTIVE, UNRELATED, people.NAME)
        return self.rng.choice(self.rng.choice(lists))

    def bare_past(self) -> str:
        tool = self.rng.choice(MOVES)
        return "~" + inflect(any_verb(self.rng, tool), "past")

    def verb_phrase(self, tool: str, everything: bool, form: Form = "base") -> str:
        """A verb phrase that instructs `tool`."""
        frame = self.rng.choice(frames.VERB_PHRASES[tool])
        return self.filled(frame, tool, everything, form)

    def filled(self, frame: str, tool: str, everything: bool, form: Form = "base") -> str:
        """`frame` with its amount expanded and its verbs in `form`."""
        text = frame.replace("{M}", self.money(everything))
        text = self.grammar.expand(text)
        text = self.with_verbs(text, tool, form)
        return text if form == "base" or _MARKED.search(frame) else _first(text, form)

    def with_verbs(self, text: str, tool: str, form: Form = "base") -> str:
        """Every @ and ! of `text` replaced by a verb, every & by a foreign one."""
        if "@" not in text and "!" not in text and "&" not in text:
            return text
        found: list[str] = []
        at = 0
        while at < len(text):
            mark = text[at]
            at += 1
            if mark not in "@!&":
                found.append(mark)
                continue
            wanted: Form = form
            if text.startswith("done", at):
                at, wanted = at + 4, "done"
            found.append(self.verb(mark, tool, wanted))
        return "".join(found)

    def verb(self, mark: str, tool: str, form: Form) -> str:
        if mark == "&":
            return inflect(self.rng.choice(FOREIGN), form)
        if mark == "@":
            return "~" + inflect(any_verb(self.rng, tool), form)
        return inflect(self.rng.choice(CLEAR[tool]), form)

    def any_move(self, form: Form) -> str:
        """What near misses speak about: mostly what the wallet could do, if it were told to."""
        if self.rng.random() < 0.1:
            phrase = self.rng.choice(others.OTHERS + others.FOREIGN_PHRASES)
            return self.with_verbs(self.grammar.expand(phrase), self.rng.choice(MOVES), form)
        tool = self.rng.choice(MOVES)
        return self.verb_phrase(tool, self.rng.random() < 0.25, form)


def _first(text: str, form: Form) -> str:
    """`text` with its first word, a verb, inflected."""
    head, space, rest = text.partition(" ")
    return inflect(head, form) + space + rest

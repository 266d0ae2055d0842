"""Draws training prompts: hand-written ones, minimal pairs made of them, and the grammar's."""

import random
from collections.abc import Iterator

from zkagent.models.wallet.text import contrasts, handwritten
from zkagent.models.wallet.text.generator import MIX, Sample, Writer
from zkagent.models.wallet.text.handwritten import Line
from zkagent.models.wallet.text.usual import usual

USUAL = 0.2
HAND_WRITTEN = 0.75  # of the others; the rest comes from the grammar
CONTRASTED = 0.22  # of the hand-written ones
SURROUNDED = 0.35

#: Amounts that are not plain numbers.
ODD = ("5k", "50%", "$20", "1,000", "2.5k", "25%", "1e3", "$100", "10k", "12,500", "3m", "75%",
       "~40", "20-30")  # fmt: skip
_KINDS = ((0.46, "call"), (0.56, "view"), (0.64, "ask"), (0.965, "decline"), (1.0, "chatter"))


def draw_prompts(count: int, seed: int) -> Iterator[Sample]:
    """`count` samples; equal seeds give equal samples."""
    rng = random.Random(seed)
    drawer = _Drawer(rng)
    for _ in range(count):
        if rng.random() < USUAL:
            yield drawer.usual()
            continue
        yield drawer.hand_written() if rng.random() < HAND_WRITTEN else drawer.grammatical()


class _Drawer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.writer = Writer(rng)
        lines = (*handwritten.instructions(), *handwritten.declined())
        kinds = ("call", "view", "ask", "decline")
        self.lines = {kind: [line for line in lines if line.kind == kind] for kind in kinds}
        self.usual_views = [line for line in usual() if line.kind == "view"]
        self.usual_calls = {
            everything: [
                line for line in usual() if line.kind == "call" and line.everything == everything
            ]
            for everything in (False, True)
        }
        self.lines["chatter"] = list(handwritten.chatter())
        self.orders = [line for line in self.lines["call"] if contrasts.is_order(line.text)]

    def usual(self) -> Sample:
        """Calls by how many ways there are to say them, a third of them of whole balances."""
        draw = self.rng.random()
        lines = self.usual_views if draw < 0.15 else self.usual_calls[draw > 0.7]
        line = self.rng.choice(lines)
        return self.finished(line, line.text)

    def grammatical(self) -> Sample:
        draw = self.rng.random()
        return self.writer.sample(next(name for limit, name in MIX if draw < limit))

    def hand_written(self) -> Sample:
        rng = self.rng
        if rng.random() < CONTRASTED:
            return self.contrasted()
        draw = rng.random()
        line = rng.choice(self.lines[next(name for limit, name in _KINDS if draw < limit)])
        return self.finished(line, self.surrounded(line.text))

    def contrasted(self) -> Sample:
        line = self.rng.choice(self.orders)
        if self.rng.random() < 0.35:
            return self.finished(line, contrasts.ordered(line.text, self.rng))
        declined = Line("decline", None, False, contrasts.not_ordered(line.text, self.rng))
        return self.finished(declined, declined.text)

    def surrounded(self, text: str) -> str:
        """Sometimes with a clause before or behind that changes nothing."""
        rng = self.rng
        if rng.random() > SURROUNDED:
            return text
        if rng.random() < 0.5:
            return rng.choice(handwritten.fillers("before")) + " " + text
        clause = rng.choice(handwritten.fillers("after"))
        joint = "" if clause.startswith(",") else rng.choice((", ", " ", ". ", " - "))
        return text.rstrip("?,.") + joint + clause

    def finished(self, line: Line, text: str) -> Sample:
        text = text.replace("{odd}", self.rng.choice(ODD))
        return self.writer.finished(text, line.kind, line.tool, line.everything)

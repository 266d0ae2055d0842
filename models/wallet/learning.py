"""How well a gated network reads writers of whom it has seen nothing, by how many it has seen:

    python -m zkagent.models.wallet.learning --writers 5,10,20,36 --unseen 4

What it is for is to say what more text would bring. Takes some minutes for each number of writers,
a quarter of an hour for all of them; Ctrl-C keeps what was printed. The networks are trained in
full and thrown away.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from zkagent.models.instructions.calls import Tag, planned_calls
from zkagent.models.instructions.codes import word_of
from zkagent.models.instructions.packing import Verdict, features_of, said
from zkagent.models.networks.gated import export_gated
from zkagent.models.networks.inference import open_session
from zkagent.models.training.examples import Example
from zkagent.models.training.gated import GatedSizes
from zkagent.models.training.gated_training import Recipe, Trained, train_gated
from zkagent.models.wallet.text.tagged import Tagged, tagged, verdict_of
from zkagent.models.wallet.text.written import Message, messages
from zkagent.models.wallet.train_text import RECIPE, SIZES

#: Kinds of messages by what acceptance asks of them.
GROUPS = {
    "plain": ("plain", "noisy"),
    "compound": ("pair", "triple", "four", "elliptical", "corrected"),
    "quantity": ("quantity",),
}
OTHERS, VIEWS, NOTHING = "others", "views", "must not act"
COLUMNS = (*GROUPS, OTHERS, VIEWS, NOTHING)
#: Kinds that are told one by one.
WORST = 8
MARGINS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
SEED = 1


@dataclass
class Counts:
    """Of one group or kind: rows; those done as asked, which is nothing where nothing may move; and
    those where something moved that was not asked for."""

    rows: int = 0
    right: int = 0
    wrong: int = 0

    def __str__(self) -> str:
        return f"{100 * self.right / self.rows:.1f} / {100 * self.wrong / self.rows:.2f}"


@dataclass(frozen=True)
class Outcome:
    """Of one message. margin: how sure the network is to act, in log-odds. acts: whether its tags
    come to calls that move something. same: and to those that were asked for."""

    kind: str
    verdict: Verdict
    margin: float
    acts: bool
    same: bool

    @property
    def group(self) -> str:
        if self.verdict is Verdict.VIEW:
            return VIEWS
        if self.verdict is not Verdict.ACT:
            return NOTHING
        return next((name for name, kinds in GROUPS.items() if self.kind in kinds), OTHERS)

    @property
    def case(self) -> str:
        """The kind, and whether it asks for something: some kinds have both."""
        return self.kind if self.verdict is Verdict.ACT else f"{self.kind} (nothing may move)"


@dataclass(frozen=True)
class Curve:
    """Outcomes of all messages of unseen writers. Nothing moves for those that cannot be read, or
    that no tags say: if calls were asked for, they are not done."""

    outcomes: list[Outcome] = field(default_factory=list)

    def at(self, margin: float) -> dict[str, Counts]:
        """By group, acting where the network is surer than that."""
        found = self._counted(margin, lambda outcome: outcome.group)
        return {name: found[name] for name in COLUMNS if name in found}

    def worst(self, margin: float) -> list[tuple[str, Counts]]:
        """Cases, those with the most wrong acts for their number first."""
        found = self._counted(margin, lambda outcome: outcome.case)
        return sorted(found.items(), key=lambda item: -item[1].wrong / item[1].rows)[:WORST]

    def _counted(self, margin: float, key: Callable[[Outcome], str]) -> dict[str, Counts]:
        found: dict[str, Counts] = {}
        for each in self.outcomes:
            counts, asked = found.setdefault(key(each), Counts()), each.verdict is Verdict.ACT
            acted = each.acts and each.margin > margin
            right = acted and each.same if asked else not acted
            counts.rows += 1
            counts.right += right
            counts.wrong += acted and not right
        return found


def learned(seen: Sequence[Tagged], recipe: Recipe, sizes: GatedSizes) -> Trained:
    examples = [Example(each.text, each.tokens, each.verdict, each.tags) for each in seen]
    return train_gated(examples, sizes, recipe, SEED, _say)


def curve(trained: Trained, unseen: Sequence[tuple[Message, Tagged | None]]) -> Curve:
    """unseen: messages as they are read; None for those that cannot be."""
    session, found = open_session(export_gated(trained.weights)), Curve()
    for message, read in unseen:
        verdict = verdict_of(message)
        if read is None:
            lost = Outcome(message.kind, verdict, -math.inf, acts=False, same=False)
            found.outcomes.append(lost)
            continue
        x = features_of(trained.codebook.codes(read.text, read.tokens))
        (y,) = session.run(["y"], {"x": np.array([x], dtype=np.int64)})
        told = said([int(value) for value in y[0]], len(read.tokens))
        calls = _calls(read, told.tags)
        acts = bool(calls) and all(action is not Tag.VIEW for action, _ in calls)
        same = calls == _calls(read, read.tags)
        margin = told.margin / trained.score_unit
        found.outcomes.append(Outcome(message.kind, verdict, margin, acts, same))
    return found


def _calls(read: Tagged, tags: Sequence[Tag]) -> list[tuple[Tag, list[tuple[int, bytes]]]]:
    """By what the words say, not by where they stand."""
    return [
        (
            call.action,
            sorted((int(slot), word_of(read.text, read.tokens[at]))
                   for slot, at in call.filled.items()),
        )
        for call in planned_calls(read.tokens, tags)
    ]  # fmt: skip


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


def lines(writers: int, found: Curve) -> Iterator[str]:
    """A table's rows: right / wrong acts in percent of each group; then the worst kinds."""
    for margin in MARGINS:
        cells = " | ".join(str(counts) for counts in found.at(margin).values())
        yield f"| {writers} | {margin:g} | {cells} |"
    for case, counts in found.worst(0.0):
        yield f"{case}: {counts} of {counts.rows}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", default="5,10,20,36", help="how many are trained on")
    parser.add_argument("--unseen", type=int, default=4, help="how many of the last are kept apart")
    parser.add_argument("--epochs", type=int, default=RECIPE.epochs)
    given = parser.parse_args()
    written = messages()
    read = list(zip(written, tagged(written), strict=True))
    numbers = sorted({message.writer for message in written})
    counts = [int(count) for count in given.writers.split(",")]
    if not 0 < given.unseen < len(numbers) or not 0 < min(counts) <= max(counts) <= (
        len(numbers) - given.unseen
    ):
        parser.error(
            f"there are {len(numbers)} writers: {given.unseen} unseen, {counts} trained on"
        )
    apart = numbers[-given.unseen :]
    unseen = [(message, found) for message, found in read if message.writer in apart]
    for count in counts:
        seen = [found for m, found in read if found and m.writer in numbers[:count]]
        trained = learned(seen, replace(RECIPE, epochs=given.epochs), SIZES)
        sys.stdout.write(f"| writers | margin | {' | '.join(COLUMNS)} |\n")
        sys.stdout.write(f"|---|---|{'---|' * len(COLUMNS)}\n")
        for line in lines(count, curve(trained, unseen)):
            sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

__all__ = ["Counts", "Curve", "Outcome", "curve", "learned", "lines"]

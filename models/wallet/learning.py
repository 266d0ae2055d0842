"""How well a gated network reads writers of whom it has seen nothing, by how many it has seen:

    python -m zkagent.models.wallet.learning --writers 5,10,20,36 --unseen 4

What it is for is to say what more text would bring. Takes some minutes for each number of writers;
Ctrl-C keeps what was printed. The networks are trained in full and thrown away.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from zkagent.models.instructions.calls import Tag, planned_calls, slot_of
from zkagent.models.instructions.packing import TOKENS, features_of, said
from zkagent.models.networks.gated import export_gated
from zkagent.models.networks.inference import open_session
from zkagent.models.training.gated import GatedSizes
from zkagent.models.training.gated_training import Example, Recipe, Trained, train_gated
from zkagent.models.wallet.text.tagged import Tagged, Verdict, tagged
from zkagent.models.wallet.text.written import messages

#: Kinds of messages by what acceptance asks of them.
GROUPS = {
    "plain": ("plain", "noisy"),
    "compound": ("pair", "triple", "four", "elliptical", "corrected"),
    "quantity": ("quantity",),
}
NOTHING = "must not act"
MARGINS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
SEED = 1


@dataclass
class Counts:
    """Of one group: rows, acted on as asked, acted on otherwise."""

    rows: int = 0
    right: int = 0
    wrong: int = 0

    def __str__(self) -> str:
        return f"{100 * self.right / self.rows:.1f} / {100 * self.wrong / self.rows:.2f}"


@dataclass(frozen=True)
class Outcome:
    """Of one message. margin: how sure the network is to act, in log-odds. acts: whether its tags
    come to calls that move something. same: and to those that were asked for."""

    group: str
    margin: float
    acts: bool
    same: bool


@dataclass(frozen=True)
class Curve:
    """Outcomes of unseen writers' messages. Nothing moves for those that cannot be read, or that no
    tags say: of a group that asks for calls, they count as not done."""

    outcomes: list[Outcome] = field(default_factory=list)

    def at(self, margin: float) -> dict[str, Counts]:
        """Acting where the network is surer than that."""
        found: dict[str, Counts] = {name: Counts() for name in (*GROUPS, NOTHING)}
        for each in self.outcomes:
            counts = found[each.group]
            acted = each.acts and each.margin > margin
            counts.rows += 1
            counts.right += acted and each.same and each.group != NOTHING
            counts.wrong += acted and not (each.same and each.group != NOTHING)
        return {name: counts for name, counts in found.items() if counts.rows}


def example(read: Tagged) -> Example:
    fills = tuple(slot_of(token) is not None for token in read.tokens)
    return Example(read.text, read.tokens, read.verdict, read.tags, fills)


def learned(seen: Sequence[Tagged], recipe: Recipe, sizes: GatedSizes) -> Trained:
    return train_gated([example(each) for each in seen], sizes, recipe, SEED, _say)


def curve(trained: Trained, unseen: Sequence[tuple[str, Tagged | None]]) -> Curve:
    """unseen: kinds and messages, None of those that cannot be read."""
    session, found = open_session(export_gated(trained.weights)), Curve()
    for kind, read in unseen:
        group = _group(kind, read)
        if group is None:
            continue
        if read is None or len(read.tokens) > TOKENS:
            found.outcomes.append(Outcome(group, 0.0, acts=False, same=False))
            continue
        x = features_of(trained.codebook.codes(read.text, read.tokens))
        (y,) = session.run(["y"], {"x": np.array([x], dtype=np.int64)})
        told = said([int(value) for value in y[0]], len(read.tokens))
        calls = _calls(read, told.tags)
        acts = bool(calls) and all(action is not Tag.VIEW for action, _ in calls)
        same = calls == _calls(read, read.tags)
        found.outcomes.append(Outcome(group, told.margin / trained.score_unit, acts, same))
    return found


def _group(kind: str, read: Tagged | None) -> str | None:
    """None for those that act and are of no group, and views that cannot be read."""
    found = next((name for name, kinds in GROUPS.items() if kind in kinds), None)
    if read is None:
        return found
    return found if read.verdict is Verdict.ACT else NOTHING


def _calls(read: Tagged, tags: Sequence[Tag]) -> list[tuple[Tag, list[tuple[int, bytes]]]]:
    """By what the words say, not by where they stand."""
    return [
        (
            call.action,
            sorted(
                (int(slot), read.text[read.tokens[at].start : read.tokens[at].end].lower())
                for slot, at in call.filled.items()
            ),
        )
        for call in planned_calls(read.tokens, tags)
    ]


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


def lines(writers: int, found: Curve) -> Iterator[str]:
    """A table's rows: right / wrong acts in percent of each group."""
    for margin in MARGINS:
        cells = " | ".join(str(counts) for counts in found.at(margin).values())
        yield f"| {writers} | {margin:g} | {cells} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", default="5,10,20,36", help="how many are trained on")
    parser.add_argument("--unseen", type=int, default=4, help="how many of the last are kept apart")
    parser.add_argument("--epochs", type=int, default=Recipe().epochs)
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
    unseen = [(message.kind, found) for message, found in read if message.writer in apart]
    names = " | ".join((*GROUPS, NOTHING))
    sys.stdout.write(f"| writers | margin | {names} |\n|---|---|{'---|' * 4}\n")
    for count in counts:
        seen = [found for m, found in read if found and m.writer in numbers[:count]]
        trained = learned(seen, Recipe(epochs=given.epochs), GatedSizes())
        for line in lines(count, curve(trained, unseen)):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

__all__ = ["Counts", "Curve", "Outcome", "curve", "example", "learned", "lines"]

"""`zkagent classify`: the label of a text by a text classifier, and how clear it is."""

import json
from typing import TYPE_CHECKING

import click

from zkagent.errors import in_line
from zkagent.executor.cli import output
from zkagent.executor.cli.options import JSON_OPTION

if TYPE_CHECKING:
    from zkagent.models.classifier.files import TextClassifier

SCORES_SHOWN = 5


@click.command("classify")
@click.argument("model")
@click.argument("text")
@JSON_OPTION
def classify_command(model: str, text: str, as_json: bool) -> None:
    """Show which label the text classifier MODEL gives TEXT, without a proof.

    The margin is by how much the label's score is above the next best one, in units of the network
    itself: compare margins of the same classifier only. Accents and typographic signs are written
    plainly first; contracts take a text as it stands.

    \b
    zkagent classify ./tickets "I was charged twice"
    zkagent classify ./tickets "I was charged twice" --json
    """
    from zkagent.circuits.support.memory import limited_memory
    from zkagent.models.catalogue import load_model
    from zkagent.models.classifier.files import TextClassifier

    with limited_memory():
        show_label(load_model(model, TextClassifier), text, as_json=as_json, called="label")


def show_label(
    classifier: "TextClassifier", text: str, *, as_json: bool, called: str = "intent"
) -> None:
    """Label, margin and scores: all scores for machines, the highest for people. called: the
    label's name in JSON. Raises RefusedText."""
    scores = classifier.scores(text)
    judged, by_label = classifier.judge(scores), dict(zip(classifier.labels, scores, strict=True))
    if as_json:
        found = {called: judged.label, "margin": judged.margin, "scores": by_label}
        output.show(json.dumps(found))
        return
    output.show(in_line(judged.words))
    for label in sorted(by_label, key=lambda label: -by_label[label])[:SCORES_SHOWN]:
        output.show(f"  {in_line(label):28s} {by_label[label]:16,d}")


__all__ = ["classify_command", "show_label"]

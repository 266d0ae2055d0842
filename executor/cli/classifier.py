"""`zkagent model train-classifier`, `evaluate-classifier`: from labelled texts to a circuit."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.options import SRS_OPTION

if TYPE_CHECKING:
    from zkagent.executor.bench.classifier_accuracy import CircuitAccuracy
    from zkagent.models.classifier.dataset import LabelledTexts
    from zkagent.models.classifier.files import Accuracy, TextClassifier

FILES = click.Path(path_type=Path, dir_okay=False)
FOR_CONTRACTS = ("S", "M")


def _say(text: str) -> None:
    output.show(text, err=True)


@click.command("train-classifier")
@click.option(
    "--data",
    "data",
    type=FILES,
    required=True,
    multiple=True,
    metavar="FILE.jsonl",
    help='Lines of {"text": ..., "intent": ...} to train on; may be repeated.',
)
@click.option(
    "--test",
    "test",
    type=FILES,
    multiple=True,
    metavar="FILE.jsonl",
    help="Texts to measure the accuracy on; without it, every tenth text is held out.",
)
@click.option(
    "--size",
    type=click.Choice(["S", "M", "L", "XL"]),
    default="M",
    show_default=True,
    help="S fits a real ceremony's 2^12 rows with 150 intents; XL, 100,000 weights, suits Groth16.",
)
@click.option(
    "--vectors",
    type=FILES,
    metavar="FILE.npz",
    help="Vectors of words to start from, for sizes L and XL; docs/classifiers.md says whence.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("classifier"),
    show_default=True,
    help="Folder for classifier.json, model.onnx, table.bin, words.bin; replaces older ones.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("--svm", "svm", is_flag=True, help="Compare with a linear SVM on the same texts.")
@click.option("--json", "as_json", is_flag=True, help="Print classifier.json.")
def train_classifier_command(
    *,
    data: tuple[Path, ...],
    test: tuple[Path, ...],
    size: str,
    vectors: Path | None,
    out: Path,
    seed: int,
    svm: bool,
    as_json: bool,
) -> None:
    """Train a text classifier of integers, whose circuit is exact, on labelled texts.

    \b
    zkagent model train-classifier --data train.jsonl --test test.jsonl --size S --out intents
    zkagent classify intents "play some jazz"
    zkagent circuit build intents

    Needs torch: the error says how to get it.
    """
    from zkagent.executor.bench.linear_svm import require_sklearn
    from zkagent.executor.errors import TrainingExtraMissing
    from zkagent.executor.places import results_folder
    from zkagent.models.catalogue import is_model
    from zkagent.models.classifier.dataset import load_texts, load_training_texts
    from zkagent.models.classifier.files import FILES, TextClassifier
    from zkagent.models.reader.lexis import load_vectors

    if vectors and size in FOR_CONTRACTS:
        raise click.UsageError(
            f"--vectors need a row for each word, more than contracts hold of size {size}: "
            "choose --size L or XL, or leave --vectors out"
        )
    if svm:
        require_sklearn()
    with results_folder(out, FILES, lambda there: is_model(there, TextClassifier)) as folder:
        texts, judged = load_training_texts(data), load_texts(test) if test else None
        try:
            from zkagent.models.classifier.build import build_classifier, hold_out
        except ModuleNotFoundError as exc:
            if exc.name != "torch":
                raise
            raise TrainingExtraMissing from exc
        _note(judged, texts.labels)
        given = load_vectors(vectors) if vectors else None
        trained = build_classifier(
            texts, judged, folder, size=size, seed=seed, progress=_say, given=given
        )
    output.show(trained.manifest.to_json().strip() if as_json else _describe(trained))
    if svm:
        learnt, judged = (texts, judged) if judged else hold_out(texts)
        output.show(_svm_line(learnt, judged), err=as_json)


@click.command("evaluate-classifier")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--test", "test", type=FILES, required=True, multiple=True, metavar="FILE.jsonl")
@SRS_OPTION
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def evaluate_classifier_command(
    directory: Path, test: tuple[Path, ...], srs: Path | None, as_json: bool
) -> None:
    """Classify every text of the test files by the circuit itself (ezkl's witness)."""
    from zkagent.executor.bench.classifier_accuracy import evaluate_circuit
    from zkagent.models.catalogue import load_model
    from zkagent.models.classifier.dataset import load_texts
    from zkagent.models.classifier.files import TextClassifier

    classifier = load_model(directory, TextClassifier)
    judged = load_texts(test)
    _note(judged, classifier.labels)
    figures = evaluate_circuit(classifier, judged, srs, _say)
    output.show(json.dumps(figures.to_json(), indent=2) if as_json else _describe_circuit(figures))


def _note(judged: "LabelledTexts | None", labels: tuple[str, ...]) -> None:
    if judged and (said := judged.note_on(labels)):
        _say(f"note: {said}")


def _describe(trained: "TextClassifier") -> str:
    manifest = trained.manifest
    refused = manifest.refused_training_texts
    lines = [f"{trained.directory}  {len(manifest.labels)} intents, {manifest.features} features"]
    if refused:
        lines.append(f"{refused} training texts left out: the tokenizer refuses them")
    return "\n".join([*lines, *_accuracy_lines(manifest.accuracy)])


def _accuracy_lines(accuracy: "Accuracy | None") -> list[str]:
    if accuracy is None:
        return ["accuracy not measured: too few texts to hold any out; give some with --test"]
    return [
        f"accuracy on {accuracy.texts} texts ({accuracy.source})",
        f"  floats     {100 * accuracy.floats:6.2f} %",
        f"  integers   {100 * accuracy.integers:6.2f} %",
    ]


def _svm_line(texts: "LabelledTexts", judged: "LabelledTexts") -> str:
    from zkagent.executor.bench.linear_svm import svm_hits

    if not len(judged):
        return "  linear SVM not measured: too few texts to hold any out"
    return f"  linear SVM {100 * svm_hits(texts, judged) / len(judged):6.2f} %"


def _describe_circuit(figures: "CircuitAccuracy") -> str:
    return "\n".join(
        [
            f"circuit {figures.circuit}  {figures.rows} rows, k = {figures.logrows}, "
            f"{figures.instances} instances",
            f"accuracy on {figures.texts} texts, by ezkl's witness: {100 * figures.accuracy:.2f} %",
            f"same scores as onnxruntime: {figures.same_scores} of {figures.read}",
        ]
    )

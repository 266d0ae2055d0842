"""`zkagent model import`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.errors import in_line
from zkagent.executor.cli import output
from zkagent.executor.cli.options import JSON_OPTION
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.circuits.networks.imports.imported import Face, Imported
    from zkagent.circuits.networks.imports.trial import Trial

MOST_NAMED = 12  # classes


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.onnx",
    help="Where to write the ONNX file; by default FILE with this end.",
)
@click.option("--trust", is_flag=True, help="Read a pickle, which runs the code that is in it.")
@click.option(
    "--features",
    type=click.IntRange(1, 1 << 20),
    metavar="N",
    help="How many features the model takes, where it does not say.",
)
@click.option(
    "--labels-only",
    is_flag=True,
    help="Leave out a classifier's scores: circuits of labels alone need no tables and fewer rows.",
)
@JSON_OPTION
def import_command(
    *,
    file: Path,
    out: Path | None,
    trust: bool,
    features: int | None,
    labels_only: bool,
    as_json: bool,
) -> None:
    """Make an ONNX file for `circuit build` of a trained model: linear and logistic ones, scalers,
    normalisers, MLPs, decision trees, forests and boosted trees.

    FILE is a pickle of scikit-learn's kind (.pkl, .joblib), a model that XGBoost (.json, .ubj) or
    LightGBM (.txt) saved, or an ONNX file that skl2onnx or onnxmltools wrote. A pickle is a
    program, so it is read with --trust only; the others are data.

    \b
    zkagent model import forest.joblib --trust     # writes forest.onnx
    zkagent model import booster.json              # XGBoost's save_model; no --trust
    zkagent circuit build forest.onnx --data x.npz # x: inputs, one a row, as the model takes them

    A classifier's outputs are its label and a score for each class. Where classes have names, the
    label is the place in the list of names, which is printed. Missing values are not taken: a
    circuit's inputs are numbers.

    Needs the libraries that trained the model, but for ONNX files: pip install -e
    '.[import]' in a clone.
    """
    from zkagent.circuits.networks.imports.isolated import import_isolated
    from zkagent.circuits.networks.imports.loading import Kind, kind_of, refuse_untrusted
    from zkagent.executor.cli.progress import working
    from zkagent.executor.errors import FileInTheWay
    from zkagent.executor.places import check_place

    place = check_place(out) if out else None
    kind = kind_of(file)
    refuse_untrusted(file, kind, trusted=trust)
    target = out or file.with_suffix(".tensors.onnx" if kind is Kind.ONNX else ".onnx")
    place = place or check_place(target)
    with working(f"reading {file}"):
        made = import_isolated(file, trusted=trust, features=features, labels_only=labels_only)
    try:
        place.put(made.content)
    except FileExistsError as exc:
        raise FileInTheWay(target) from exc
    output.show(json.dumps(_figures(made, target)) if as_json else described(made, file, target))


def _figures(made: "Imported", target: Path) -> dict[str, Any]:
    return {
        "onnx": str(target),
        "kind": str(made.kind),
        "inputs": [_face(each) for each in made.inputs],
        "outputs": [_face(each) for each in made.outputs],
        "classes": list(made.names),
        "changes": list(made.changes),
        "said": list(made.said),
        "random_inputs": made.by_file.count,
        "same_as_file": made.by_file.same,
        "same_as_library": made.by_library.same,
    }


def _face(face: "Face") -> dict[str, Any]:
    return {"name": face.name, "type": face.type, "shape": list(face.shape)}


def described(made: "Imported", file: Path, target: Path) -> str:
    """What was made of the model, for people."""
    lines = [f"warning: {line}" for line in made.said]
    lines += [f"  {line}" for line in made.changes]
    lines += [f"in   {_shown(each)}" for each in made.inputs]
    lines += [f"out  {_shown(each)}" for each in made.outputs]
    if made.names:
        named = [f"{at} {name}" for at, name in enumerate(made.names[:MOST_NAMED])]
        more = len(made.names) - MOST_NAMED
        lines.append(f"labels: {', '.join(named)}" + (f" and {more} more" if more > 0 else ""))
    lines += _compared(made.by_file, "the model's ONNX file")
    lines += _compared(made.by_library, "the library that trained it")
    following = typed("circuit", "build", target, "--data", "SAMPLES.npz")
    lines.append(f"wrote {target}; next: {following}")
    return "\n".join(map(in_line, lines))


def _shown(face: "Face") -> str:
    return f"{face.name}  {face.type} [{', '.join(map(str, face.shape))}]"


def _compared(trial: "Trial", other: str) -> list[str]:
    if trial.same is None:
        return []
    return [f"decides like {other} on {trial.same} of {trial.count} random inputs"]

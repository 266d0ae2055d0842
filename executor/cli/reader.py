"""What `zkagent model train` and `model evaluate` do with the reader, for which tools are input."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.errors import in_line
from zkagent.executor.cli import output

if TYPE_CHECKING:
    from zkagent.models.reader.argued import Argued
    from zkagent.models.reader.evaluation import Answer

CANDIDATES = 8


def train_reader_command(
    folder: Path | None, vectors: Path | None, seed: int | None, out: Path | None
) -> None:
    from zkagent.executor.errors import TrainingExtraMissing
    from zkagent.executor.places import results_folder
    from zkagent.models.catalogue import Reader, is_model
    from zkagent.models.reader.files import READER_FILES

    if folder is None or vectors is None:
        raise click.UsageError(
            "the reader learns from files: give --data DIR (public data sets) and --vectors FILE "
            "(word vectors); docs/reader.md says where they come from"
        )
    try:
        from zkagent.models.reader.train import DEFAULT_SEED, train_reader
    except ModuleNotFoundError as exc:
        if exc.name != "torch":
            raise
        raise TrainingExtraMissing from exc
    place = out or Path("reader-model")
    with results_folder(place, READER_FILES, lambda there: is_model(there, Reader)) as result:
        chosen = DEFAULT_SEED if seed is None else seed
        trained = train_reader(result, chosen, _say, folder=folder, vectors=vectors)
    output.show(f"{trained.directory}  {trained.digest}")


def evaluate_reader(
    name: str,
    data: Path | None,
    tools: Path | None,
    count: int,
    seed: int,
    *,
    caution: float | None,
    errors: Path | None,
    as_json: bool,
) -> None:
    from zkagent.executor.places import check_place, write_whole
    from zkagent.models.catalogue import Reader, load_model
    from zkagent.models.reader.evaluation import evaluate, report
    from zkagent.models.reader.labelled import load_asked, load_tools

    if data is None or tools is None:
        raise click.UsageError(
            f"{name} reads tools: give --data FILE.jsonl (prompts) and --tools FILE.json"
        )
    reader, asked, known = load_model(name, Reader), load_asked(data), load_tools(tools)
    place = check_place(errors, replaceable=_is_errors) if errors else None
    cautious = None if caution is None else round(100 * caution)
    figures = evaluate(reader, known, asked, count, seed, caution=cautious)
    if place:
        wrong: list[Answer | Argued] = [each for each in figures.answers if each.wrong]
        wrong += [each for each in figures.argued if each.wrong]
        write_whole(place, _lines(wrong))
    found = report(figures)
    output.show(json.dumps(found, indent=2) if as_json else _table(found))


def _lines(wrong: "list[Answer | Argued]") -> str:
    return "".join(json.dumps(each.to_json()) + "\n" for each in wrong)


def _is_errors(text: str) -> bool:
    """Whether these are lines that --errors wrote."""
    return all(
        line.startswith('{"prompt": ') and '"question": ' in line for line in text.splitlines()
    )


#: Keys of the report, worst kind of mistake first.
SAID: Mapping[str, str] = {
    "none_meant_acted": "acts though no tool is meant",
    "siblings_acted": "acts though only its siblings are there",
    "none_acted": "acts though its service is absent",
    "none_acted_no_version": "and no other version of it is there",
    "spans_unmeant": "fills what the prompt does not say",
    "spans_wrong": "fills another argument than is meant",
    "wrong_acts": "acts wrongly, of all that mean one or none",
    "precision": "right, of what it acts on",
    "coverage": "acts, with its tool there",
    "accuracy": "first choice, with its tool there",
    "tfidf": "first choice of TF-IDF, for comparison",
    "other_version": "another version of its service instead",
    "spans_exact": "arguments exact, given the right tool",
}


def _table(found: Mapping[str, Any]) -> str:
    lines = [f"{found['rows']:,} prompts", *_shares(found)]
    for part in ("unseen", "seen"):
        if part in found:
            lines += [f"of {part} services, {found[part]['rows']:,} prompts", *_shares(found[part])]
    for kind, part in found.get("kinds", {}).items():
        lines += [f"{kind}, {part['rows']:,} prompts", *_shares(part)]
    return "\n".join(in_line(line) for line in lines)


def _shares(found: Mapping[str, Any]) -> list[str]:
    def said(share: float) -> str:
        return f"{100 * share:6.1f} %"

    told = {key: text for key, text in SAID.items() if found[key] is not None}
    return [f"  {text:42s} {said(found[key])}" for key, text in told.items()]


def _say(text: str) -> None:
    output.show(text, err=True)


__all__ = ["CANDIDATES", "evaluate_reader", "train_reader_command"]

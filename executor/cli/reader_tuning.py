"""`zkagent model train --agent`: a reader fitted to one agent by the prompts of its tools.yaml."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.errors import in_line
from zkagent.executor.cli import output

if TYPE_CHECKING:
    from zkagent.models.agents.tuning import Figures, Tuning
    from zkagent.verifier_contracts.scaffold import Project


def tune_agent(folder: Path, seed: int | None, *, as_json: bool) -> None:
    """Writes tuned.json, and the Solidity that is made of it."""
    from zkagent.executor.cli.progress import working
    from zkagent.executor.places import check_place, write_whole
    from zkagent.models.agents.tuning import tune
    from zkagent.models.catalogue import ReaderModel, load_decider
    from zkagent.models.reader.agent_tools import load_agent_tools
    from zkagent.models.reader.tuned import TUNED_FILE, tuned_of
    from zkagent.verifier_contracts.scaffold import load_project

    project = load_project(folder)
    if not project.kind.reads:
        raise click.UsageError(
            f"{project.name} decides by {project.kind.description}: it has no tools.yaml"
        )
    place = check_place(folder / TUNED_FILE, replaceable=_is_tuned)
    said, model = load_agent_tools(folder), load_decider(project.model)
    assert isinstance(model, ReaderModel)
    with working("choosing examples, and judging them by prompts left out"):
        found = tune(model, said, 1 if seed is None else seed)
    tuned = tuned_of(said, model.digest, found.examples, found.caution, asdict(found.after))
    write_whole(place, tuned.to_json())
    project.make_tools()
    if as_json:
        output.show(json.dumps(_shown(found)))
    else:
        for line in _lines(found, [tool.tool for tool in said.tools]):
            output.show(line)
        output.show(f"{folder / TUNED_FILE}  examples and caution for `zkagent agent deploy`")
    _check_sizes(project)


def _check_sizes(project: "Project") -> None:
    """With the examples that were chosen. Contracts may be unfinished by now, or a compiler
    missing: fitting needs neither. Raises ContractTooLarge."""
    from zkagent.executor.cli.agent_project import Target
    from zkagent.executor.cli.agent_sources import compiled_file
    from zkagent.executor.cli.progress import working
    from zkagent.verifier_contracts.errors import CompileError, ToolchainError

    try:
        with working("compiling"):
            compiled = compiled_file(project.source)
    except (CompileError, ToolchainError) as exc:
        output.show(f"whether a chain takes the agent is open: {in_line(str(exc))}", err=True)
        return
    Target(project.source, project).check_sizes(compiled)


def _is_tuned(text: str) -> bool:
    return '"zkagent-tuned-1"' in text


def _shown(found: "Tuning") -> dict[str, object]:
    return {
        "examples": found.examples,
        "caution": found.caution,
        "before": asdict(found.before),
        "after": asdict(found.after),
    }


def _lines(found: "Tuning", names: list[str]) -> list[str]:
    """Worst kind of mistake first."""
    before, after = found.before, found.after
    rows = [
        ("calls one, and means nothing", before.nothing_acted, after.nothing_acted),
        ("calls another tool", before.wrong_acts, after.wrong_acts),
        ("calls its tool", before.acts_right, after.acts_right),
        ("first choice", before.accuracy, after.accuracy),
        (f"  of the worst tool, {after.worst}", None, after.worst_accuracy),
    ]
    counts = f"{after.prompts} prompts that mean a tool, {after.nothing} that mean nothing"
    said = [f"{text:32s}  {_percent(old)}  {_percent(new)}" for text, old, new in rows]
    examples = ", ".join(
        f"{name} {len(each)}" for name, each in zip(names, found.examples, strict=True)
    )
    caution = f"{found.caution / 100:g} log-odds" if found.caution else "the model's own margins"
    return [
        f"{counts}; each judged by what was chosen without it",
        f"{'':32s}  as it is    fitted",
        *said,
        f"examples chosen: {examples}; caution: {caution}",
        *_warnings(after),
    ]


def _warnings(after: "Figures") -> list[str]:
    from zkagent.models.agents.tuning import FEWEST, MOST_WRONG

    if after.nothing < FEWEST:
        return [f"write at least {FEWEST} prompts that mean nothing: by fewer no caution is chosen"]
    wrong = max(after.nothing_acted or 0, after.wrong_acts or 0)
    if wrong > MOST_WRONG:
        return [f"more than {100 * MOST_WRONG:g} % are wrong acts whatever the caution"]
    return []


def _percent(share: float | None) -> str:
    return "       -" if share is None else f"{100 * share:6.1f} %"


__all__ = ["tune_agent"]

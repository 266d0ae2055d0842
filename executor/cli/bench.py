"""`zkagent bench`: measure, and compare two measurements."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.bench_networks import networks_command
from zkagent.executor.cli.bench_runtime import runtime_command
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.termination import sigterm_as_ctrl_c

if TYPE_CHECKING:
    from zkagent.executor.bench.compare import Comparison
    from zkagent.executor.bench.results import Results
    from zkagent.executor.bench.suite import Suite
    from zkagent.models.folders import Folder

FOLDER = click.Path(path_type=Path, file_okay=False)
RESULTS = click.Path(path_type=Path, exists=True)
TEXTS = click.Path(path_type=Path, exists=True, file_okay=False)
HOME = Path("bench-results")


@click.group("bench", cls=Group, invoke_without_command=True)
@click.option("--full", "all_of_it", is_flag=True, help="Everything: all models, sizes and forms.")
@click.option(
    "--out",
    type=FOLDER,
    default=None,
    metavar="FOLDER",
    help="For results.json, report.md and plots [default: bench-results/DATE-TIME].",
)
@click.option("--model", "models", multiple=True, help="Only this one; may be repeated.")
@click.option(
    "--clinc150", type=TEXTS, metavar="FOLDER", help="CLINC150's train.jsonl, test.jsonl (--full)."
)
@click.option(
    "--snips", type=TEXTS, metavar="FOLDER", help="SNIPS' train.jsonl and test.jsonl (--full)."
)
@click.option("--threads", type=click.IntRange(1), help="For proving; all cores by default.")
@click.option("--no-plots", is_flag=True, help="Leave the plots out; they need matplotlib.")
@click.pass_context
def bench_group(
    ctx: click.Context,
    *,
    all_of_it: bool,
    out: Path | None,
    models: tuple[str, ...],
    clinc150: Path | None,
    snips: Path | None,
    threads: int | None,
    no_plots: bool,
) -> None:
    """Measure what a proof costs: time, memory, bytes, gas, accuracy.

    Every network is proven by our circuits and by what ezkl chooses by itself, in turns, and
    computed by a contract. Takes minutes, with --full an hour. Ctrl-C or SIGTERM keeps what was
    measured.

    \b
    zkagent bench
    zkagent bench --full --out before
    zkagent bench compare before after
    """
    if (clinc150 or snips) and not all_of_it:
        raise click.UsageError("--clinc150 and --snips go with --full")
    if ctx.invoked_subcommand is None:
        from zkagent.executor.bench.suite import full, quick

        folder = out or HOME / datetime.now(UTC).strftime("%Y-%m-%d-%H%M%S")
        suite = full(clinc150, snips) if all_of_it else quick()
        _measure(suite.only(models), folder, threads, plots=not no_plots)


@bench_group.command("compare")
@click.argument("old", type=RESULTS)
@click.argument("new", type=RESULTS)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare_command(old: Path, new: Path, as_json: bool) -> None:
    """Show what changed from OLD to NEW, two folders of results.

    Times count from three times their spread on, and only on one machine; gas and sizes always.
    """
    from zkagent.executor.bench.compare import compare
    from zkagent.executor.bench.results import Results

    found = compare(Results.load(old), Results.load(new))
    output.show(json.dumps(asdict(found), indent=1) if as_json else described(found))


@bench_group.command("report")
@click.argument("folder", type=RESULTS)
@click.option("--no-plots", is_flag=True, help="Leave the plots out; they need matplotlib.")
def report_command(folder: Path, no_plots: bool) -> None:
    """Write report.md and the plots of FOLDER's results once more."""
    from zkagent.executor.bench.plots import PLOTS
    from zkagent.executor.bench.report import REPORT, is_report
    from zkagent.executor.bench.results import Results
    from zkagent.executor.places import results_folder

    directory = folder if folder.is_dir() else folder.parent
    results = Results.load(folder)
    names = (REPORT, *PLOTS)
    with results_folder(directory, names, lambda there: is_report(there / REPORT)) as out:
        output.show(_publish(results, out, plots=not no_plots))


bench_group.add_command(networks_command)
bench_group.add_command(runtime_command)


def _measure(suite: "Suite", out: Path, threads: int | None, *, plots: bool) -> None:
    from zkagent.circuits.support.cache import cache_folder
    from zkagent.executor.bench.plots import require_matplotlib
    from zkagent.executor.bench.report import headline
    from zkagent.executor.bench.runner import Runner, guess_s
    from zkagent.executor.cli.bench_bar import BenchBar

    cache_folder()
    if plots:
        require_matplotlib()  # before the minutes of measuring, not after
    with _new_results(out) as folder, sigterm_as_ctrl_c():
        runner = Runner(suite, folder, threads, BenchBar(guess_s(suite)))
        runner.results.save(folder)  # whoever else measures into it is refused from now on
        try:
            runner.run()
        finally:
            report = _publish(runner.results, folder, plots=plots)
            if found := headline(runner.results):
                output.show(found)
            output.show(report if runner.results.complete else f"{report} (incomplete)")


@contextmanager
def _new_results(out: Path) -> "Iterator[Folder]":
    """Results that took an hour are not overwritten, nor anything else. Raises
    BenchFolderRefused."""
    from zkagent.executor.bench.plots import PLOTS
    from zkagent.executor.bench.report import REPORT
    from zkagent.executor.bench.results import RESULTS as FILE
    from zkagent.executor.errors import BenchFolderRefused, FileInTheWay, PlaceRefused
    from zkagent.executor.places import results_folder

    try:
        with results_folder(out, (FILE, REPORT, *PLOTS), lambda _: False) as folder:
            yield folder
    except FileInTheWay as exc:
        raise BenchFolderRefused(out, f"it holds {exc.path.name} already") from exc
    except PlaceRefused as exc:
        raise BenchFolderRefused(out, exc.why) from exc


def _publish(results: "Results", folder: "Folder", *, plots: bool) -> Path:
    """Write report and plots; the report's path."""
    from zkagent.executor.bench.plots import draw_all
    from zkagent.executor.bench.report import REPORT, report
    from zkagent.models.folders import write_folder

    pictures = draw_all(results) if plots else {}
    text = report(results, list(pictures)).encode()
    return write_folder(folder, {**pictures, REPORT: text}) / REPORT


def described(found: "Comparison") -> str:
    """A comparison as plain text."""
    lines = [f"{found.compared} measurements compared, {len(found.changes)} figures changed"]
    for change in found.changes:
        relative = "" if change.relative is None else f"  {100 * change.relative:+.1f} %"
        verdict = {True: "  better", False: "  worse", None: ""}[change.better]
        figures = f"{change.figure}: {change.old} -> {change.new}{relative}{verdict}"
        lines.append(f"  {change.what}  {figures}")
    lines += [f"  only in the old run: {label}" for label in found.gone]
    lines += [f"  only in the new run: {label}" for label in found.fresh]
    lines += [f"note: {remark}" for remark in found.remarks]
    return "\n".join(lines)


__all__ = ["bench_group", "described"]

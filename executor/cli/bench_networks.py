"""`zkagent bench networks`: how many networks of a folder become circuits, and at what cost."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.options import SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zkagent.executor.bench.networks.cases import Case
    from zkagent.executor.bench.networks.results import Outcome, Outcomes
    from zkagent.executor.bench.networks.runner import Limits

GIB = 1 << 30
LINES, TABLE = "networks.jsonl", "networks.md"


@click.command("networks")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="FOLDER",
    help=f"For {LINES} and {TABLE}; what an earlier run has kept there is not run again.",
)
@click.option("--network", "only", multiple=True, help="Only this one; may be repeated.")
@click.option(
    "--seconds",
    type=SECONDS,
    default=600,
    show_default=True,
    metavar="S",
    help="For one network, from the file to a verified proof.",
)
@click.option(
    "--memory",
    "memory_gib",
    type=click.FloatRange(0, min_open=True),
    default=16,
    show_default=True,
    metavar="GIB",
    help="That one network's process may take.",
)
@click.option(
    "--against-ezkl",
    "against",
    is_flag=True,
    help="Measure ezkl's own pipeline beside it, with gas on a local chain; proofs in turns.",
)
@click.option(
    "--proofs",
    type=click.IntRange(1, 100),
    default=None,
    metavar="N",
    help="Whose median counts [default: 1, against ezkl 3].",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line for each network.")
def networks_command(
    *,
    folder: Path,
    out: Path,
    only: tuple[str, ...],
    seconds: float,
    memory_gib: float,
    against: bool,
    proofs: int | None,
    as_json: bool,
) -> None:
    """Build, prove and verify every network of FOLDER, and make a table of what became of them.

    Networks are FOLDER/NAME.onnx or FOLDER/NAME/network.onnx, samples lie beside them under the
    same name, or as input.json or samples.npz in the network's folder. Ctrl-C keeps what is done;
    the same command goes on.

    \b
    zkagent bench networks ezkl/examples/onnx --out networks
    zkagent bench networks ezkl/examples/onnx --out beside --against-ezkl --network lenet_5
    """
    from zkagent.executor.bench.networks.cases import find_cases
    from zkagent.executor.bench.networks.results import (
        Outcomes,
        comparison,
        is_ours,
        summary,
        table,
    )
    from zkagent.executor.bench.networks.runner import Limits
    from zkagent.executor.places import results_folder
    from zkagent.models.folders import write_folder

    cases = find_cases(folder, only)
    limits = Limits(seconds, int(memory_gib * GIB), proofs or (3 if against else 1))
    with results_folder(out, (LINES, TABLE), lambda there: is_ours(there / LINES)) as results:
        outcomes = Outcomes.load(results.path / LINES)
        try:
            for outcome in _run(cases, outcomes, limits, against=against):
                write_folder(results, {LINES: outcomes.text.encode()})
                _tell(outcome, as_json=as_json)
        finally:
            found = [outcomes.found[case.name] for case in cases if case.name in outcomes.found]
            text = table(found)
            if against:
                text += "\n" + comparison(found)
            write_folder(results, {TABLE: text.encode()})
    if not as_json:
        output.show(summary(found))
        output.show(str(out / TABLE))


def _run(
    cases: "list[Case]", outcomes: "Outcomes", limits: "Limits", *, against: bool
) -> "Iterator[Outcome]":
    """What became of those that are not among the outcomes, added to them."""
    from zkagent.executor.bench.networks.runner import run_case
    from zkagent.executor.cli.progress import working
    from zkagent.verifier_contracts.chain.local import Anvil

    with ExitStack() as stack:
        chain = stack.enter_context(Anvil()) if against else None
        for number, case in enumerate(cases, start=1):
            if case.name in outcomes.found:
                continue
            with working(f"{case.name} ({number} of {len(cases)})") as say:
                outcome = run_case(case, limits, chain=chain, against=against, say=say)
            outcomes.add(outcome)
            yield outcome


def _tell(outcome: "Outcome", *, as_json: bool) -> None:
    if as_json:
        output.show(json.dumps(outcome.to_json()))
    else:
        reason = f": {outcome.reason}" if outcome.reason else ""
        output.show(f"{outcome.name}  {outcome.verdict}, {outcome.seconds:.1f} s{reason}")


__all__ = ["networks_command"]

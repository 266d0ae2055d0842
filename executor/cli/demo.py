"""`zkagent demo`."""

import json
import sys
import time
from pathlib import Path

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.options import (
    AGENT_PROOF_SYSTEM_OPTION,
    JSON_OPTION,
    proof_system_for,
    proof_system_of,
)
from zkagent.executor.cli.run import FILE, MODEL_OPTION, SRS_OPTION


@click.command("demo")
@MODEL_OPTION
@AGENT_PROOF_SYSTEM_OPTION
@SRS_OPTION
@click.option("--receipt", "receipt_path", type=FILE, help="Where to write the receipt.")
@click.option("--all", "whole", is_flag=True, help="Show the other chapters, too.")
@JSON_OPTION
def demo_command(
    model_name: str,
    proof_system: str | None,
    srs: Path | None,
    receipt_path: Path | None,
    *,
    whole: bool,
    as_json: bool,
) -> None:
    """Run a wallet agent on an embedded chain, every decision proven, then attack it.

    Exits with 1 when an attack succeeds, the receipt does not verify, or, with --all, something in
    a chapter is not as it has to be: loans, requests, tools that answer later, strict agents,
    agents that know only the ERC, guards.
    """
    from zkagent.executor.cli.demo_chapters import broken, chapters_json, show_chapters
    from zkagent.executor.cli.demo_view import DemoView, demo_json, nowhere
    from zkagent.executor.cli.narrator import Narrator, results
    from zkagent.executor.demo.chapters.chapter import World
    from zkagent.executor.demo.story import attack, keep_receipt, play
    from zkagent.executor.receipts.file import check_place
    from zkagent.executor.runs.session import local_circuit, open_embedded
    from zkagent.models.catalogue import Model, load_model

    started, view = time.monotonic(), DemoView(nowhere() if as_json else results())
    model = load_model(model_name, Model)
    system = proof_system_of(proof_system_for(model, proof_system))
    place = check_place(receipt_path)
    with Narrator().working() as tell:
        circuit = local_circuit(model, srs, tell.stage, system)
        with open_embedded(model, circuit, tell.stage, tell) as (session, chain):
            completed, attacks = [], []
            with tell.aside():
                view.opening(session, chain)
            for number, run in enumerate(play(session, chain), start=1):
                completed.append(run)
                with tell.aside():
                    view.run(number, run)
            tell.stage("writing and verifying the receipt")
            receipt = keep_receipt(session, [run.completed for run in completed], place)
            with tell.aside():
                view.attacks_begin()
            for number, result in enumerate(attack(session, chain, tell.stage), start=1):
                attacks.append(result)
                with tell.aside():
                    view.attack(number, result)
            world = World(session, chain, tell.stage)
            chapters = show_chapters(view, tell, world) if whole else ()
    problems = broken(chapters)
    view.closing(attacks, receipt, problems, time.monotonic() - started)
    good = receipt.report.accepted and all(each.bounced for each in attacks) and not problems
    if as_json:
        told = demo_json(completed, attacks, receipt) | {"held": good}
        output.show(json.dumps(told | {"chapters": chapters_json(chapters)}))
    if not good:
        sys.exit(1)

"""`zkagent run` and `zkagent verify-run`."""

import json
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agents_model import AGENTS_MODEL_OPTION, DEFAULT, agents_model
from zkagent.executor.cli.options import (
    AGENT_PROOF_SYSTEM_OPTION,
    JSON_OPTION,
    TRUST_OPTION,
    VERDICT_CODES,
    SettingOption,
    checked_srs,
    checked_url,
    proof_system_for,
    proof_system_of,
    without_batches,
)
from zkagent.executor.cli.sending import (
    MAY_STILL_HAPPEN,
    Command,
    asking,
    asking_again,
    asking_of_departures,
    caps,
    limits,
    saying_what_was_sent,
    sending_options,
    waiting,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eth_account.signers.local import LocalAccount

    from zkagent.executor.api.agents import Agent
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.models.catalogue import Model

FILE = click.Path(path_type=Path, dir_okay=False)
MODEL_OPTION = click.option(
    "--model", "model_name", default=DEFAULT, show_default=True, help="Model by name or folder."
)
SRS_OPTION = click.option(
    "--srs",
    cls=SettingOption,
    type=FILE,
    callback=checked_srs,
    help="KZG set-up that the agent's verifier was made with.",
)


SERVICE_OPTION = click.option(
    "--service",
    cls=SettingOption,
    metavar="URL",
    help="Let a prover service prove: `zkagent serve`.",
)
#: Whom to talk to, and how proofs are made.
TARGET_OPTIONS = (
    click.option("--agent", help="The agent's address."),
    click.option(
        "--key-file",
        cls=SettingOption,
        type=FILE,
        help="Hex key or encrypted keystore of the agent's owner.",
    ),
    click.option(
        "--deployment",
        cls=SettingOption,
        type=FILE,
        help="deployment.json: the agent and its chain.",
    ),
    click.option("--chain-id", cls=SettingOption, type=int, help="Refuse to run on another chain."),
    AGENTS_MODEL_OPTION,
    SRS_OPTION,
    click.option(
        "--batch", is_flag=True, help="Prove the run's decisions together, by a batch verifier."
    ),
    SERVICE_OPTION,
)


def target_options(command: Command) -> Command:
    """All but --rpc."""
    for option in reversed(TARGET_OPTIONS):
        command = option(command)
    return command


#: How a run is planned, sent and kept, whoever's it is.
SENT_OPTIONS = (
    click.option("--dry-run", is_flag=True, help="Show plan, effects, gas and fees; send nothing."),
    sending_options,
    click.option("--again", is_flag=True, help="Once more, though it was carried out already."),
    MAY_STILL_HAPPEN,
    click.option(
        "--record-answer", is_flag=True, help="Also send a run whose answer calls no tool."
    ),
    click.option("--receipt", "receipt_path", type=FILE, help="Where to write the receipt."),
    JSON_OPTION,
)


def sent_options(command: Command) -> Command:
    for option in reversed(SENT_OPTIONS):
        command = option(command)
    return command


@click.command("run")
@click.argument("prompt")
@click.option(
    "--rpc", cls=SettingOption, help="RPC address; without it, a demo agent on an embedded chain."
)
@target_options
@AGENT_PROOF_SYSTEM_OPTION
@sent_options
def run_command(prompt: str, **options: Any) -> None:
    """Carry out PROMPT: plan it, prove each decision, ask, send one transaction, keep the receipt.

    What was interrupted after it was signed is gone on with, and never done twice. A keystore's
    password is asked for, or taken from ZKAGENT_KEY_PASSWORD.
    """
    carry_out(prompt, **options)


def carry_out(
    prompt: str,
    *,
    dry_run: bool,
    again: bool,
    may_still_happen: bool,
    record_answer: bool,
    receipt_path: Path | None,
    as_json: bool,
    yes: bool,
    **options: Any,
) -> None:
    """A command's run. options: as `opened` takes them, rpc, proof_system, model_name."""
    from zkagent.executor.api.agents import checked_prompt
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.cli.run_output import (
        answer_json,
        completed_json,
        preview_json,
        print_answer,
        print_dry_run,
        print_run,
        show,
    )
    from zkagent.executor.receipts.file import check_place
    from zkagent.executor.runs.errors import NothingToDo

    model = agents_model(options["model_name"], options["deployment"], options["agent"])
    embedded = options["rpc"] is None
    without_batches(proof_system_for(model, options["proof_system"]), options["batch"])
    if not embedded and options["proof_system"]:
        raise click.UsageError("an agent on a chain has its proof system: leave out --proof-system")
    checked_prompt(model, prompt)
    if not dry_run:
        check_place(receipt_path, resumed=not embedded)
    tell = Narrator()
    confirm = None if embedded or dry_run else asking(tell, yes=yes)
    with tell.working(), saying_what_was_sent(tell), opened(tell, model, options) as agent:
        if dry_run:
            show(preview_json(agent.dry_run(prompt)), as_json, print_dry_run)
            return
        try:
            run = agent.run(
                prompt,
                receipt=receipt_path,
                confirm=confirm,
                departing=asking_of_departures(tell),
                again=again or asking_again(tell),
                record_answer=record_answer,
                may_still_happen=may_still_happen,
            )
        except NothingToDo as exc:
            shown, pretty = answer_json(prompt, exc.answer), print_answer
            if exc.hint:
                with tell.aside():
                    output.show(exc.hint, err=True)
        else:
            shown, pretty = completed_json(run), print_run
    show(shown, as_json, pretty)


@contextmanager
def opened(tell: "Narrator", model: "Model", options: dict[str, Any]) -> "Iterator[Agent]":
    """The agent that a command's options name."""
    from zkagent.executor.api.agents import Agent
    from zkagent.executor.runs.target import OPTIONS, Proving, Target, open_run

    fees = caps(options["max_fee"], options["max_priority_fee"])
    system = proof_system_of(proof_system_for(model, options.get("proof_system")))
    where = {name: options[name] for name in ("rpc", "agent", "key_file", "deployment", "chain_id")}
    with open_run(
        Target(**where, caps=fees),
        model,
        Proving(options["srs"], options["batch"], options["service"], system),
        password=_asking(),
        stage=tell.stage,
        report=tell,
        spelling=OPTIONS,
        limits=limits(options["tolerance"], options["deadline"]),
    ) as session:
        yield Agent(session, waiting(options["confirmations"], options["timeout"]))


@click.command("verify-run")
@click.argument("receipt", type=FILE)
@click.option("--rpc", callback=checked_url, help="Compare with this chain as well.")
@click.option(
    "--model", "model_name", help="Model by name or folder; by default the shipped one named."
)
@SRS_OPTION
@TRUST_OPTION
@JSON_OPTION
def verify_run_command(
    receipt: Path,
    *,
    rpc: str | None,
    model_name: str | None,
    srs: Path | None,
    trust: tuple[str, ...],
    as_json: bool,
) -> None:
    """Verify RECEIPT again, - for standard input: every proof, every feature vector, every
    decision.

    Offline, nothing shows that the recorded state was the chain's: that takes --rpc, which also
    looks into the code of every contract that the run touched. Ends with 0 when it is accepted, 1
    when it is rejected, 3 when that cannot be told.
    """
    from zkagent.executor.api.receipts import verify_receipt
    from zkagent.executor.cli.progress import working
    from zkagent.executor.cli.run_output import print_report, report_json
    from zkagent.executor.cli.standard_input import STANDARD_INPUT, named, read_some
    from zkagent.executor.receipts.format import load_receipt, parse_receipt

    found = (
        parse_receipt(read_some(receipt), named(receipt))
        if receipt == STANDARD_INPUT
        else load_receipt(receipt)
    )
    with working("verifying the run"):
        report = verify_receipt(found, rpc=rpc, model=model_name, srs=srs, trust=trust)
    if as_json:
        output.show(json.dumps(report_json(report, found)))
    else:
        print_report(report, found, online=rpc is not None)
    if code := VERDICT_CODES[report.verdict]:
        sys.exit(code)


def signer_of(key_file: Path | None) -> "LocalAccount":
    """The account of a key file, its password asked for on a terminal. Raises KeyFileError."""
    from zkagent.executor.runs.target import OPTIONS, signer_of

    return signer_of(key_file, _asking(), OPTIONS)


def _asking() -> Callable[[], str] | None:
    """Asks for a keystore's password where somebody can answer."""
    return _ask_password if sys.stdin.isatty() else None


def _ask_password() -> str:
    return str(click.prompt("Password of the keystore", hide_input=True, err=True))

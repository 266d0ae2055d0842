"""`zkagent run` and `zkagent verify-run`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli.options import (
    JSON_OPTION,
    TRUST_OPTION,
    VERDICT_CODES,
    SettingOption,
    checked_srs,
    checked_url,
)

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

FILE = click.Path(path_type=Path, dir_okay=False)
MODEL_OPTION = click.option(
    "--model", "model_name", default="wallet", show_default=True, help="Model by name or folder."
)
SRS_OPTION = click.option(
    "--srs",
    cls=SettingOption,
    type=FILE,
    callback=checked_srs,
    help="KZG set-up that the agent's verifier was made with.",
)


@click.command("run")
@click.argument("prompt")
@click.option(
    "--rpc", cls=SettingOption, help="RPC address; without it, a demo agent on an embedded chain."
)
@click.option("--agent", help="The agent's address.")
@click.option(
    "--key-file",
    cls=SettingOption,
    type=FILE,
    help="Hex key or encrypted keystore of the agent's owner.",
)
@click.option(
    "--deployment", cls=SettingOption, type=FILE, help="deployment.json: the agent and its chain."
)
@click.option("--chain-id", cls=SettingOption, type=int, help="Refuse to run on another chain.")
@MODEL_OPTION
@SRS_OPTION
@click.option(
    "--batch", is_flag=True, help="Prove the run's decisions together, by a batch verifier."
)
@click.option(
    "--service",
    cls=SettingOption,
    metavar="URL",
    help="Let a prover service prove: `zkagent serve`.",
)
@click.option("--dry-run", is_flag=True, help="Show plan, gas and effects; send nothing.")
@click.option("--receipt", "receipt_path", type=FILE, help="Where to write the receipt.")
@JSON_OPTION
def run_command(
    prompt: str,
    *,
    model_name: str,
    srs: Path | None,
    batch: bool,
    service: str | None,
    dry_run: bool,
    receipt_path: Path | None,
    as_json: bool,
    **target: Any,
) -> None:
    """Carry out PROMPT: plan it, prove each decision, send one transaction, keep the receipt.

    A keystore's password is asked for, or taken from ZKAGENT_KEY_PASSWORD.
    """
    from zkagent.executor.api.agents import Agent, checked_prompt
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.cli.run_output import (
        completed_json,
        dry_run_json,
        print_dry_run,
        print_run,
        show,
    )
    from zkagent.executor.receipts.file import check_place
    from zkagent.executor.runs.target import OPTIONS, Proving, Target, open_run
    from zkagent.models.catalogue import Model, load_model

    model = load_model(model_name, Model)
    checked_prompt(model, prompt)
    if not dry_run:
        check_place(receipt_path)
    with (
        Narrator().working() as tell,
        open_run(
            Target(**target),
            model,
            Proving(srs, batch, service),
            password=_asking(),
            stage=tell.stage,
            report=tell,
            spelling=OPTIONS,
        ) as session,
    ):
        agent = Agent(session)
        if dry_run:
            shown = dry_run_json(agent.dry_run(prompt))
        else:
            shown = completed_json(agent.run(prompt, receipt=receipt_path))
    show(shown, as_json, print_dry_run if dry_run else print_run)


@click.command("verify-run")
@click.argument("receipt", type=FILE)
@click.option("--rpc", callback=checked_url, help="Compare with this chain as well.")
@click.option("--model", "model_name", help="Model by name or folder; by default the one named.")
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
        click.echo(json.dumps(report_json(report, found)))
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

"""`zkagent run` and `zkagent verify-run`."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli.options import JSON_OPTION, checked_srs

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from zkagent.executor.chain.agent import AgentChain
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.receipts.verify_run import ModelSource
    from zkagent.executor.runs.provers import ProverOpener
    from zkagent.executor.runs.runner import CompletedRun
    from zkagent.executor.runs.session import Session
    from zkagent.verifier_contracts.deployment.record import Deployment

FILE = click.Path(path_type=Path, dir_okay=False)
MODEL_OPTION = click.option(
    "--model", "model_name", default="wallet", show_default=True, help="Model by name or folder."
)
SRS_OPTION = click.option(
    "--srs",
    type=FILE,
    callback=checked_srs,
    help="KZG set-up that the agent's verifier was made with.",
)
#: Batches of a demo agent's model: a wallet's run takes two or three decisions.
EMBEDDED_SIZES = (4,)


@dataclass(frozen=True)
class Target:
    """Where to run: all None for a chain of our own."""

    rpc: str | None
    agent: str | None
    key_file: Path | None
    deployment: Path | None
    chain_id: int | None


@click.command("run")
@click.argument("prompt")
@click.option("--rpc", help="RPC address; without it, a demo agent on an embedded chain.")
@click.option("--agent", help="The agent's address.")
@click.option("--key-file", type=FILE, help="Hex key or encrypted keystore of the agent's owner.")
@click.option("--deployment", type=FILE, help="deployment.json: the agent and its chain.")
@click.option("--chain-id", type=int, help="Refuse to run on another chain.")
@MODEL_OPTION
@SRS_OPTION
@click.option(
    "--batch", is_flag=True, help="Prove the run's decisions together, by a batch verifier."
)
@click.option("--service", metavar="URL", help="Let a prover service prove: `zkagent serve`.")
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
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.cli.run_output import completed_json, print_dry_run, print_run, show
    from zkagent.executor.receipts.file import check_place
    from zkagent.executor.runs.derivation import check_prompt, raw_bytes
    from zkagent.models.catalogue import Model, load_model

    model, instruction = load_model(model_name, Model), raw_bytes(prompt)
    check_prompt(model, instruction)
    if not dry_run:
        check_place(receipt_path)
    with (
        Narrator().working() as tell,
        _session(Target(**target), model, srs, batch, tell, opener=_opener(service)) as session,
    ):
        if dry_run:
            shown = _dry_run(session, instruction)
        else:
            completed = session.runner.run(instruction)
            path = _write_receipt(session, completed, receipt_path)
            shown = completed_json(completed) | {"receipt": str(path)}
    show(shown, as_json, print_dry_run if dry_run else print_run)


@click.command("verify-run")
@click.argument("receipt", type=FILE)
@click.option("--rpc", help="Compare with this chain as well.")
@click.option("--model", "model_name", help="Model by name or folder; by default the one named.")
@SRS_OPTION
@JSON_OPTION
def verify_run_command(
    receipt: Path, rpc: str | None, model_name: str | None, srs: Path | None, as_json: bool
) -> None:
    """Verify RECEIPT again: every proof, every feature vector, every decision.

    Offline, nothing shows that the recorded state was the chain's: that takes --rpc.
    """
    from zkagent.executor.cli.run_output import print_report, report_json
    from zkagent.executor.receipts.circuits import LocalCircuits
    from zkagent.executor.receipts.format import load_receipt
    from zkagent.executor.receipts.verify_run import Sources, verify_receipt

    found, circuits = load_receipt(receipt), LocalCircuits(srs)
    models, chain = _models(model_name), _chain(rpc, found.chain_id)
    report = verify_receipt(found, Sources(models, circuits, chain))
    if as_json:
        click.echo(json.dumps(report_json(report, circuits.development)))
    else:
        print_report(report, online=rpc is not None, development=circuits.development)
    if not report.accepted:
        sys.exit(1)


@contextmanager
def _session(
    target: Target,
    model: Any,
    srs: Path | None,
    batch: bool,
    tell: "Narrator",
    *,
    opener: "ProverOpener",
) -> Iterator["Session"]:
    from zkagent.executor.runs.local_batches import LocalBatches, batch_circuit
    from zkagent.executor.runs.session import local_circuit, open_agent, open_embedded

    if target.rpc is None:
        _refuse_without_rpc(target)
        circuit = local_circuit(model, srs, tell.stage)
        sizes = EMBEDDED_SIZES if batch else ()
        batches = {size: batch_circuit(model, size, srs, tell.stage) for size in sizes}
        with open_embedded(model, circuit, tell.stage, tell, batches, opener=opener) as (demo, _):
            yield demo
        return
    from zkagent.verifier_contracts.chain.local import connect

    signer, deployment = signer_of(target.key_file), _deployment(target)
    agent = _agent(target, deployment)
    expected = target.chain_id or (deployment.chain_id if deployment else None)
    web3 = connect(target.rpc, expected)
    with (
        LocalBatches(model, srs, tell.stage, opener) as provers,
        open_agent(
            web3,
            agent,
            signer,
            model,
            srs=srs,
            stage=tell.stage,
            report=tell,
            batches=provers if batch else None,
            opener=opener,
        ) as session,
    ):
        yield session


def _opener(service: str | None) -> "ProverOpener":
    """Who proves: a process of our own, or the service at this address."""
    if service is None:
        from zkagent.prover.local import LocalProver

        return LocalProver
    from zkagent.executor.runs.service_prover import CheckedService

    return partial(CheckedService, service)


def _refuse_without_rpc(target: Target) -> None:
    from zkagent.executor.errors import DeploymentMissing

    for name in ("agent", "key_file", "deployment", "chain_id"):
        if getattr(target, name) is not None:
            option = "--" + name.replace("_", "-")
            raise DeploymentMissing(f"{option} says whom to talk to, but not where: add --rpc URL")


def signer_of(key_file: Path | None) -> "LocalAccount":
    """The account of a key file, its password asked for on a terminal. Raises KeyFileError."""
    from zkagent.executor.errors import KeyFileError
    from zkagent.executor.runs.keys import load_key

    if key_file is None:
        raise KeyFileError("runs are signed here: give the owner's key with --key-file FILE")
    return load_key(key_file, _ask_password if sys.stdin.isatty() else None)


def _ask_password() -> str:
    return str(click.prompt("Password of the keystore", hide_input=True, err=True))


def _deployment(target: Target) -> "Deployment | None":
    from zkagent.verifier_contracts.deployment.record import load_deployment

    return load_deployment(target.deployment) if target.deployment else None


def _agent(target: Target, deployment: "Deployment | None") -> str:
    from eth_utils.address import is_address

    from zkagent.executor.errors import DeploymentMissing

    agent = target.agent or (deployment.agent if deployment else None)
    if agent is None:
        raise DeploymentMissing("which agent? give --agent ADDRESS or --deployment FILE")
    if not is_address(agent):
        raise DeploymentMissing(f"{agent} is not an address, or its checksum is wrong")
    return agent


def _models(model_name: str | None) -> "ModelSource":
    from zkagent.models.catalogue import Model, load_model

    return lambda name: load_model(model_name or name, Model)


def _chain(rpc: str | None, chain_id: int) -> "Callable[[str], AgentChain] | None":
    if rpc is None:
        return None
    from zkagent.executor.chain.web3_agent import Web3Agent
    from zkagent.verifier_contracts.chain.local import connect

    web3 = connect(rpc, chain_id)
    return lambda agent: Web3Agent(web3, agent)


def _write_receipt(session: "Session", completed: "CompletedRun", path: Path | None) -> Path:
    from zkagent.executor.receipts.file import keep
    from zkagent.executor.receipts.writer import write_receipt

    receipt = write_receipt(session.chain, session.model, [completed], session.signer)
    return keep(receipt, path, completed.inclusion.hash[2:18])


def _dry_run(session: "Session", prompt: bytes) -> dict[str, Any]:
    from zkagent.executor.chain.effects import simulated_transfers
    from zkagent.executor.cli.run_output import planned_json
    from zkagent.executor.runs.runner import run_reverted
    from zkagent.verifier_contracts.errors import RevertError

    try:
        plan = session.runner.plan(prompt)
        proven = session.runner.prove(plan)
        gas = session.runner.estimate(proven)
    except RevertError as exc:
        raise run_reverted(exc) from exc
    transfers = simulated_transfers(session.web3, session.sender.fields(proven.call))
    book = plan.decisions[0].context.reads.book
    effects = None if transfers is None else [t.describe(book) for t in transfers]
    return {**planned_json(proven), "block": plan.block.number, "gas": gas, "effects": effects}

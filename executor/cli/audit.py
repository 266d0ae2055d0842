"""`zkagent model audit` and `zkagent agent audit`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.errors import in_line
from zkagent.executor.cli import output
from zkagent.executor.cli.options import (
    JSON_OPTION,
    TRUST_OPTION,
    VERDICT_CODES,
    SettingOption,
    checked_address,
)
from zkagent.executor.cli.run import FILE, SRS_OPTION

if TYPE_CHECKING:
    from zkagent.executor.audit.report import Audit
    from zkagent.executor.receipts.verdicts import Check

RPC_OPTION = click.option("--rpc", cls=SettingOption, required=True, help="RPC address.")
AUDITED_MODEL_OPTION = click.option(
    "--model",
    "model_name",
    help="Model by name or folder; by default the shipped one that is committed to.",
)


@click.command("audit")
@click.argument("model_id", type=click.IntRange(min=1))
@RPC_OPTION
@click.option("--registry", help="Address of the model registry.")
@click.option(
    "--deployment", cls=SettingOption, type=FILE, help="deployment.json, which names the registry."
)
@AUDITED_MODEL_OPTION
@SRS_OPTION
@TRUST_OPTION
@JSON_OPTION
def audit_command(
    model_id: int,
    *,
    rpc: str,
    registry: str | None,
    deployment: Path | None,
    model_name: str | None,
    srs: Path | None,
    trust: tuple[str, ...],
    as_json: bool,
) -> None:
    """Rebuild everything behind MODEL_ID of a registry and compare it with the chain: the registry
    itself, what executors obey, tables, encoder, decoder, verifiers, and the hashes over them.

    Ends with 0 when it is sound, 1 when it is unsound, 3 when that cannot be told.
    """
    from zkagent.executor.api.audits import audit_model
    from zkagent.executor.cli.narrator import Narrator

    address, chain_id = _found(registry, deployment, "registry")
    with Narrator().working() as tell:
        found = audit_model(
            model_id,
            address,
            rpc,
            chain_id=chain_id,
            model=model_name,
            srs=srs,
            trust=trust,
            stage=tell.stage,
        )
    _end(found, as_json)


@click.command("audit")
@click.argument("agent", metavar="[ADDRESS|FOLDER]", required=False)
@RPC_OPTION
@click.option(
    "--deployment", cls=SettingOption, type=FILE, help="deployment.json, which names the agent."
)
@click.option("--chain-id", cls=SettingOption, type=int, help="Refuse to audit on another chain.")
@AUDITED_MODEL_OPTION
@SRS_OPTION
@TRUST_OPTION
@JSON_OPTION
def agent_audit_command(
    agent: str | None,
    *,
    rpc: str,
    deployment: Path | None,
    chain_id: int | None,
    model_name: str | None,
    srs: Path | None,
    trust: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare all that the agent at ADDRESS rests on with what its sources compile to; or the agent
    that was deployed from FOLDER, which has its sources (`agent new`).

    That is the code of agent, executor, registry, wallet, tools, symbol book and pool with each
    value that a constructor wrote, what the executor obeys, and the whole model. Ends with 0 when
    it is sound, 1 when it is unsound, 3 when that cannot be told: code that nobody here compiled is
    never taken for good.
    """
    from zkagent.executor.api.audits import audit_agent
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.verifier_contracts.scaffold import load_project

    own = None
    if agent is not None and Path(agent).is_dir():
        own = load_project(Path(agent))
        deployment, agent = own.record, None
    address, recorded = _found(agent, deployment, "agent")
    with Narrator().working() as tell:
        found = audit_agent(
            address,
            rpc,
            chain_id=recorded if chain_id is None else chain_id,
            model=model_name,
            srs=srs,
            trust=trust,
            own=own.folder if own else None,
            stage=tell.stage,
        )
    _end(found, as_json)


def _end(found: "Audit", as_json: bool) -> None:
    if as_json:
        output.show(json.dumps(found.to_json()))
    else:
        for check in found.checks:
            output.show(f"{_word(check)}: {check}")
        for name, value in found.facts.items():
            output.show(f"{name}: {in_line(value)}")
        output.show(found.conclusion)
    if code := VERDICT_CODES[found.verdict]:
        sys.exit(code)


def _word(check: "Check") -> str:
    if check.held:
        return "same"
    return "UNKNOWN" if check.unknown else "DIFFERENT"


def registry_of(given: str | None, deployment: Path | None) -> tuple[str, int | None]:
    """A registry's address, checksummed, and its chain if a deployment names it. Raises
    DeploymentMissing."""
    from eth_utils.address import to_checksum_address

    address, chain_id = _found(given, deployment, "registry")
    return str(to_checksum_address(address)), chain_id


def _found(given: str | None, deployment: Path | None, what: str) -> tuple[str, int | None]:
    """Its address, and the chain that it is on if a deployment says so."""
    from zkagent.executor.errors import DeploymentMissing
    from zkagent.verifier_contracts.chain.addresses import is_address
    from zkagent.verifier_contracts.deployment.own_agent import load_agent
    from zkagent.verifier_contracts.deployment.record import load_deployment

    if deployment is not None:
        read = load_agent(deployment) if what == "agent" else load_deployment(deployment)
        recorded: str = getattr(read, what)
        if not is_address(recorded):
            raise DeploymentMissing(f"{recorded} in {deployment} is no address: restore the file")
        return checked_address(given) if given else recorded, read.chain_id
    if given is None:
        option = "--registry ADDRESS" if what == "registry" else "its ADDRESS"
        raise DeploymentMissing(f"which {what}? give {option} or --deployment FILE")
    return checked_address(given), None


__all__ = ["agent_audit_command", "audit_command", "registry_of"]

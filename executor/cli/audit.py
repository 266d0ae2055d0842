"""`zkagent model audit`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli.options import JSON_OPTION, SettingOption
from zkagent.executor.cli.run import FILE, SRS_OPTION

if TYPE_CHECKING:
    from zkagent.executor.chain.agent import AgentModel, BatchVerifier
    from zkagent.models.catalogue import Model


@click.command("audit")
@click.argument("model_id", type=click.IntRange(min=1))
@click.option("--rpc", cls=SettingOption, required=True, help="RPC address.")
@click.option("--registry", help="Address of the model registry.")
@click.option(
    "--deployment", cls=SettingOption, type=FILE, help="deployment.json, which names the registry."
)
@click.option("--model", "model_name", help="Model by name or folder; by default the shipped one.")
@SRS_OPTION
@JSON_OPTION
def audit_command(
    model_id: int,
    *,
    rpc: str,
    registry: str | None,
    deployment: Path | None,
    model_name: str | None,
    srs: Path | None,
    as_json: bool,
) -> None:
    """Rebuild everything behind MODEL_ID of a registry and compare it with the chain, byte for
    byte: tables, encoder, decoder, verifier, and the hashes over them."""
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.chain.web3_registry import Web3Registry
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.receipts.audit import Audited, audit
    from zkagent.verifier_contracts.chain.local import connect

    address, chain_id = _registry(registry, deployment)
    reader = ContractReader(connect(rpc, chain_id))
    block = reader.block("latest")
    bound = Web3Registry(reader, address).model(model_id, block)
    model = _model(bound, model_name)
    with Narrator().working() as tell:
        circuit = _circuit(bound, model, srs, tell.stage)
        batches = {
            batch.size: _circuit(bound, model, srs, tell.stage, batch) for batch in bound.batches
        }
        tell.stage("comparing")
        checks = tuple(audit(Audited(reader, bound, block, model, circuit, batches)))
    held = all(check.held for check in checks)
    if as_json:
        click.echo(json.dumps({"held": held, "checks": [_shown(check) for check in checks]}))
    else:
        _print(checks, held, model, address, bound)
    if not held:
        sys.exit(1)


def _print(checks: Any, held: bool, model: "Model", registry: str, bound: "AgentModel") -> None:
    for check in checks:
        click.echo(f"{'same' if check.held else 'DIFFERENT'}: {check}")
    subject = f"model {bound.model_id} of {registry}"
    click.echo(
        f"{subject} is {model.name}, commitment 0x{bound.commitment_hash.hex()}"
        if held
        else f"{subject} is not what {model.name} gives here"
    )


def _registry(registry: str | None, deployment: Path | None) -> tuple[str, int | None]:
    from eth_utils.address import is_address

    from zkagent.executor.errors import DeploymentMissing
    from zkagent.verifier_contracts.deployment.record import load_deployment

    if deployment is not None:
        read = load_deployment(deployment)
        return registry or read.registry, read.chain_id
    if registry is None:
        raise DeploymentMissing("which registry? give --registry ADDRESS or --deployment FILE")
    if not is_address(registry):
        raise DeploymentMissing(f"{registry} is not an address, or its checksum is wrong")
    return registry, None


def _model(bound: "AgentModel", name: str | None) -> "Model":
    """The model asked for, or the shipped one whose manifest is committed."""
    from zkagent.executor.errors import OtherModel
    from zkagent.models.catalogue import Model, load_model, shipped_models

    if name is not None:
        return load_model(name, Model)
    shipped = [load_model(shipped, Model) for shipped in shipped_models()]
    for model in shipped:
        if model.digest == bound.manifest_digest.hex():
            return model
    known = ", ".join(f"{m.name} {m.digest[:16]}" for m in shipped)
    raise OtherModel("manifest", f"are {known}", bound.manifest_digest.hex()[:16])


def _circuit(
    bound: "AgentModel",
    model: "Model",
    srs: Path | None,
    stage: Any,
    batch: "BatchVerifier | None" = None,
) -> Any:
    """The model's own circuit: the committed one when it is that, else one built here, so that the
    audit shows the difference."""
    from zkagent.circuits.systems import find_system
    from zkagent.executor.errors import CannotVerify
    from zkagent.executor.receipts.circuits import find_circuit
    from zkagent.executor.runs.local_batches import batch_circuit

    system = find_system(bound.proof_system_id)
    size, digest = (batch.size, batch.circuit_hash) if batch else (1, bound.circuit_hash)
    stage(f"circuit for {size} decisions: looking for the committed one")
    try:
        return find_circuit(model, digest.hex(), system, srs, size)
    except (CannotVerify, ValueError):
        return batch_circuit(model, size, srs, stage, system)


def _shown(check: Any) -> dict[str, str]:
    return {"claim": check.claim, "problem": check.problem}

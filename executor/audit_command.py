"""`zkagent model audit`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from circuits.options import JSON_OPTION
from executor.run_commands import FILE, SRS_OPTION

if TYPE_CHECKING:
    from executor.agent_chain import AgentModel, BatchVerifier
    from models.catalogue import Model


@click.command("audit")
@click.argument("model_id", type=click.IntRange(min=1))
@click.option("--rpc", required=True, help="RPC address.")
@click.option("--registry", help="Address of the model registry.")
@click.option("--deployment", type=FILE, help="deployment.json, which names the registry.")
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
    from executor.audit import Audited, audit
    from executor.console import Narrator
    from executor.contract_reader import ContractReader
    from executor.web3_registry import Web3Registry
    from verifier_contracts.chain import connect

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

    from executor.errors import DeploymentMissing
    from verifier_contracts.deployment import load_deployment

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
    from executor.errors import OtherModel
    from models.catalogue import load_model, shipped_models

    if name is not None:
        return load_model(name)
    shipped = [load_model(shipped) for shipped in shipped_models()]
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
    audit shows the difference. Or the contract that takes a circuit's place."""
    from executor.errors import CannotVerify
    from executor.local_batches import batch_circuit
    from executor.model_hashes import EVALUATION_ID
    from executor.proof_source import find_circuit
    from verifier_contracts.evm import generate_evm_model

    if batch is None and bound.proof_system_id == EVALUATION_ID:
        stage("generating the contract that evaluates the model")
        return generate_evm_model(model.onnx_path.read_bytes())
    size, digest = (batch.size, batch.circuit_hash) if batch else (1, bound.circuit_hash)
    stage(f"circuit for {size} decisions: looking for the committed one")
    try:
        return find_circuit(model, digest.hex(), srs, size)
    except (CannotVerify, ValueError):
        return batch_circuit(model, size, srs, stage)


def _shown(check: Any) -> dict[str, str]:
    return {"claim": check.claim, "problem": check.problem}

"""`zkagent model register-batch`: verifiers for several decisions, beside a model's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.support.urls import shown_url
from zkagent.executor.cli import output
from zkagent.executor.cli.deploy import BATCH_OPTION, TRUST_FOUNDATIONS_OPTION, batch_circuits
from zkagent.executor.cli.deploying import (
    CHAIN_ID_OPTION,
    DRY_RUN_OPTION,
    RPC_OPTION,
    YES_OPTION,
)
from zkagent.executor.cli.options import SettingOption
from zkagent.executor.cli.run import FILE, MODEL_OPTION, SRS_OPTION
from zkagent.executor.cli.sending import fee_options

if TYPE_CHECKING:
    from zkagent.models.catalogue import Model
    from zkagent.verifier_contracts.chain.signing import FeeCaps


@click.command("register-batch")
@click.argument("model_id", type=click.IntRange(min=1))
@BATCH_OPTION
@RPC_OPTION
@click.option("--registry", help="Address of the model registry.")
@click.option(
    "--deployment", cls=SettingOption, type=FILE, help="deployment.json, which names the registry."
)
@click.option(
    "--key-file", cls=SettingOption, type=FILE, required=True, help="Of the model's owner."
)
@CHAIN_ID_OPTION
@MODEL_OPTION
@SRS_OPTION
@TRUST_FOUNDATIONS_OPTION
@DRY_RUN_OPTION
@YES_OPTION
@fee_options
def register_batch_command(
    model_id: int,
    *,
    sizes: tuple[int, ...],
    rpc: str,
    registry: str | None,
    deployment: Path | None,
    key_file: Path,
    chain_id: int | None,
    fee_caps: "FeeCaps",
    model_name: str,
    srs: Path | None,
    trust: tuple[str, ...],
    dry_run: bool,
    yes: bool,
) -> None:
    """Deploy verifiers for several decisions in one proof and register them with MODEL_ID.

    One of a size that is registered already takes its place; the others stay. Agents of the model
    stop then, until their owners say `zkagent agent accept`. What it costs is shown first; the same
    command resumes what was interrupted.
    """
    from zkagent.executor.audit.foundations import check_origins
    from zkagent.executor.cli.audit import registry_of
    from zkagent.executor.cli.deploying import agree, resumable, somebody_to_ask
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.cli.run import signer_of
    from zkagent.models.catalogue import Model, load_model
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.chain.signing import policy_of
    from zkagent.verifier_contracts.deployment.batches import add_batches
    from zkagent.verifier_contracts.deployment.carrier import Carrier
    from zkagent.verifier_contracts.deployment.deployer import Deployer, Progress, at, silent
    from zkagent.verifier_contracts.deployment.foundations import find_foundations

    address, recorded = registry_of(registry, deployment)
    signer, model = signer_of(key_file), load_model(model_name, Model)
    web3 = connect(rpc, chain_id or recorded, caps=fee_caps)
    if not sizes:
        raise click.UsageError("how many decisions in a proof? give --batch N")
    somebody_to_ask(yes=yes, dry_run=dry_run)
    with Narrator().working() as tell:
        for note in check_origins(web3, find_foundations(web3, registry=address), trust):
            with tell.aside():
                output.show(f"note: {note}", err=True)
        _check_model(web3, address, model_id, model)
        circuits = batch_circuits(model, sizes, srs, tell.stage)

        def work(carrier: Carrier, progress: Progress = silent) -> bytes:
            found = at(carrier.web3, "ModelRegistry", address)
            return add_batches(Deployer(carrier, progress), found, model_id, circuits)

        subject: dict[str, str | int] = {
            "registry": address,
            "model": model_id,
            **{f"batch of {size}": circuit.digest for size, circuit in circuits.items()},
        }
        place = Path(f"model-{model_id}-batches")
        with resumable(web3, signer, place, subject) as carrier:
            sizes_shown = ", ".join(map(str, sorted(circuits)))
            what = f"registers batches of {sizes_shown} with model {model_id} of {address}"
            what += f" on chain {policy_of(web3).chain_id}, {shown_url(rpc)}"
            if not agree(carrier, what, work, tell, fork=rpc, yes=yes, dry_run=dry_run):
                return
            commitment = "0x" + work(carrier, lambda s: tell.stage(f"deploying: {s}")).hex()
    output.show(f"commitment  {commitment}")
    output.show("agents      stop until their owners accept it:")
    output.show(
        f"            zkagent agent accept --agent ADDRESS --rpc {shown_url(rpc)} "
        f"--commitment {commitment} --key-file OWNERS_KEY"
    )


def _check_model(web3: Any, registry: str, number: int, model: "Model") -> None:
    """Raises OtherModel where the number is another model's: its agents would obey both."""
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.chain.web3_registry import Web3Registry
    from zkagent.executor.errors import OtherModel

    reader = ContractReader(web3)
    bound = Web3Registry(reader, registry).model(number, reader.block("latest"))
    if bound.manifest_digest.hex() != model.digest:
        theirs = bound.manifest_digest.hex()[:16]
        raise OtherModel("manifest", model.digest[:16], theirs)


__all__ = ["register_batch_command"]

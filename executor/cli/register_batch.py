"""`zkagent model register-batch`: verifiers for several decisions, beside a model's own."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.support.urls import shown_url
from zkagent.executor.cli import output
from zkagent.executor.cli.deploy import BATCH_OPTION, TRUST_FOUNDATIONS_OPTION, batch_circuits
from zkagent.executor.cli.deploying import (
    CHAIN_ID_OPTION,
    DRY_RUN_OPTION,
    GAS_FACTOR_OPTION,
    RPC_OPTION,
    YES_OPTION,
)
from zkagent.executor.cli.options import SettingOption, checked_address
from zkagent.executor.cli.run import FILE, MODEL_OPTION, SRS_OPTION
from zkagent.executor.cli.sending import fee_options
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.executor.audit.code import Code
    from zkagent.executor.chain.agent import AgentModel
    from zkagent.models.catalogue import Model
    from zkagent.verifier_contracts.chain.signing import FeeCaps
    from zkagent.verifier_contracts.deployment.batches import Entry

NUMBER = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)  # of 16 bits, as far as that matters here


def kept_verifiers(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[int, str]:
    """The callback of --keep SIZE=ADDRESS."""
    pairs = [text.partition("=") for text in given]
    for size, equals, address in pairs:
        if not (NUMBER.fullmatch(size) and equals):
            raise click.BadParameter(f"{size}{equals}{address} is not SIZE=ADDRESS")
    kept = {int(size): checked_address(address) for size, _, address in pairs}
    if len(kept) < len(pairs):
        raise click.BadParameter("a size is given more than once: give one address for it")
    return kept


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
@click.option(
    "--keep",
    multiple=True,
    callback=kept_verifiers,
    metavar="SIZE=ADDRESS",
    help="A verifier that is registered for so many decisions and stays, though this version does "
    "not build it; may be repeated.",
)
@TRUST_FOUNDATIONS_OPTION
@GAS_FACTOR_OPTION
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
    keep: dict[int, str],
    trust: tuple[str, ...],
    gas_factor: float,
    dry_run: bool,
    yes: bool,
) -> None:
    """Deploy verifiers for several decisions in one proof and register them with MODEL_ID.

    One of a size that is registered already takes its place. The others stay when they are what
    this version builds, or named with --keep, and are shown: they are signed again. Agents of the
    model stop then, until their owners say `zkagent agent accept`. What it costs is shown first;
    the same command resumes what was interrupted.
    """
    from zkagent.executor.audit.foundations import check_origins
    from zkagent.executor.audit.kept import Listing, kept_batches
    from zkagent.executor.chain.model_hashes import commitment_hash
    from zkagent.executor.cli.audit import registry_of
    from zkagent.executor.cli.deploying import agree, finished, resumable, somebody_to_ask
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.cli.run import signer_of
    from zkagent.models.catalogue import Model, load_model
    from zkagent.verifier_contracts.chain.local import call, connect
    from zkagent.verifier_contracts.chain.signing import policy_of
    from zkagent.verifier_contracts.deployment.batches import Entry, add_batches
    from zkagent.verifier_contracts.deployment.carrier import Carrier
    from zkagent.verifier_contracts.deployment.deployer import (
        Deployer,
        Progress,
        Registered,
        at,
        silent,
    )
    from zkagent.verifier_contracts.deployment.foundations import find_foundations
    from zkagent.verifier_contracts.errors import SignedOtherwise

    address, recorded = registry_of(registry, deployment)
    signer, model = signer_of(key_file), load_model(model_name, Model)
    web3 = connect(rpc, recorded if chain_id is None else chain_id, caps=fee_caps)
    if not sizes:
        raise click.UsageError("how many decisions in a proof? give --batch N")
    somebody_to_ask(yes=yes, dry_run=dry_run)
    with Narrator().working() as tell:
        for note in check_origins(web3, find_foundations(web3, registry=address), trust):
            with tell.aside():
                output.show(f"note: {note}", err=True)
        code, bound = _bound_model(web3, address, model_id, model)
        listing = Listing(code, bound, model, srs, tell.stage)
        kept: list[Entry] = [
            (each.size, each.verifier, each.circuit_hash, each.code_hash)
            for each in kept_batches(listing, sizes, keep)
        ]
        alone = Registered(model_id, commitment_hash(replace(bound, batches=())))
        circuits = batch_circuits(model, sizes, srs, tell.stage)

        def work(carrier: Carrier, progress: Progress = silent) -> bytes:
            found, deployer = (
                at(carrier.web3, "ModelRegistry", address),
                Deployer(carrier, progress),
            )
            return add_batches(deployer, found, alone, circuits, kept).commitment

        subject: dict[str, str | int] = {
            "registry": address,
            "model": model_id,
            **{f"batch of {size}": circuit.digest for size, circuit in circuits.items()},
        }
        place = Path(f"model-{model_id}-batches")
        with resumable(web3, signer, place, subject) as carrier:
            sizes_shown = ", ".join(map(str, sorted(circuits)))
            what = (
                f"registers batches of {sizes_shown} with model {model_id} of {address} on chain "
                f"{policy_of(web3).chain_id}, {shown_url(rpc)}"
            )
            details = [_kept_line(each) for each in kept] or ["keeps no other"]
            if not agree(
                carrier,
                what,
                work,
                tell,
                fork=rpc,
                yes=yes,
                dry_run=dry_run,
                gas_factor=gas_factor,
                details=details,
            ):
                return
            signed = work(carrier, lambda s: tell.stage(f"deploying: {s}"))
            finished(carrier)
        functions = at(web3, "ModelRegistry", address).functions
        found = bytes(call(web3, functions.commitmentHash(model_id)))
        if found != signed:
            raise SignedOtherwise(f"the commitment of model {model_id}", signed, found)
    commitment = "0x" + signed.hex()
    output.show(f"commitment  {commitment}")
    output.show("agents      stop until their owners accept it:")
    options = ("--agent", "ADDRESS", "--rpc", shown_url(rpc), "--commitment", commitment)
    output.show(f"            {typed('agent', 'accept', *options, '--key-file', 'OWNERS_KEY')}")


def _kept_line(entry: "Entry") -> str:
    size, verifier, circuit, code = entry
    return f"keeps {size} by {verifier}, circuit {circuit.hex()}, code 0x{code.hex()}"


def _bound_model(
    web3: Any, registry: str, number: int, model: "Model"
) -> "tuple[Code, AgentModel]":
    """What the node says is registered, and the code there. Raises OtherModel where the number is
    another model's: its agents would obey both; DecidesOtherwise where nobody would run them."""
    from zkagent.circuits.systems import HALO2, system_id
    from zkagent.executor.audit.code import Code
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.chain.web3_registry import Web3Registry
    from zkagent.executor.errors import OtherModel
    from zkagent.executor.runs.deciders import check_deciders

    reader = ContractReader(web3)
    code = Code(reader, reader.block("latest"))
    bound = Web3Registry(reader, registry).model(number, code.block)
    if bound.manifest_digest.hex() != model.digest:
        theirs = bound.manifest_digest.hex()[:16]
        raise OtherModel("manifest", model.digest[:16], theirs)
    check_deciders(reader.code, bound, code.block)
    if bound.proof_system_id != system_id(HALO2.name):
        raise click.UsageError(
            f"batches are for proofs of {HALO2.name}: those of model {number} need none"
        )
    return code, bound


__all__ = ["register_batch_command"]

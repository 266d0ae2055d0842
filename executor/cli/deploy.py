"""`zkagent deploy` and `zkagent chain`: an agent to talk to, on a chain that is there or on one of
our own that stays until Ctrl-C."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli.options import SettingOption
from zkagent.executor.cli.run import FILE, MODEL_OPTION, SRS_OPTION, signer_of

if TYPE_CHECKING:
    from zkagent.verifier_contracts.deployment.record import Deployment

DEPLOYMENT, KEY = "deployment.json", "owner.key"


@click.command("deploy")
@click.option("--rpc", cls=SettingOption, required=True, help="RPC address.")
@click.option(
    "--key-file",
    cls=SettingOption,
    type=FILE,
    required=True,
    help="Hex key or keystore of the owner.",
)
@click.option("--chain-id", cls=SettingOption, type=int, help="Refuse to deploy on another chain.")
@MODEL_OPTION
@SRS_OPTION
@click.option("--out", type=FILE, default=DEPLOYMENT, show_default=True, help="A new file.")
def deploy_command(
    *, rpc: str, key_file: Path, chain_id: int | None, model_name: str, srs: Path | None, out: Path
) -> None:
    """Deploy a wallet agent that serves the key's account, and all that it needs.

    Tables, encoder, decoder, verifier, registry, executor, a symbol book, a demo lending pool and
    demo tokens, of which the wallet gets some. Outside local chains (31337) the circuit needs a
    public ceremony's set-up: --srs.
    """
    from zkagent.executor.chain.embedded import mint
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.places import check_place
    from zkagent.executor.runs.session import local_circuit
    from zkagent.models.catalogue import Model, load_model
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.deployment.wallet import deploy_wallet

    check_place(out)
    signer, model = signer_of(key_file), load_model(model_name, Model)
    web3 = connect(rpc, chain_id)
    with Narrator().working() as tell:
        circuit = local_circuit(model, srs, tell.stage)
        deployed = deploy_wallet(
            web3, model, circuit, signer, progress=lambda s: tell.stage(f"deploying: {s}")
        )
        out.write_text(deployed.to_json())
        tell.stage("funding the wallet")
        mint(web3, signer, deployed)
    _show(deployed, rpc, out, key_file)


@click.command("chain")
@MODEL_OPTION
@SRS_OPTION
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="local-chain",
    show_default=True,
    help="Where deployment.json and owner.key go.",
)
def chain_command(model_name: str, srs: Path | None, folder: Path) -> None:
    """Keep a local chain with a demo agent on it until Ctrl-C, for `run --rpc` and the like."""
    from zkagent.executor.chain.embedded import embedded_chain
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.places import check_place
    from zkagent.executor.runs.session import local_circuit
    from zkagent.models.catalogue import Model, load_model

    model, out, key = load_model(model_name, Model), folder / DEPLOYMENT, folder / KEY
    folder.mkdir(parents=True, exist_ok=True)
    check_place(out)
    check_place(key)
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, signal.default_int_handler)
    with Narrator().working() as tell:
        circuit = local_circuit(model, srs, tell.stage)
        with embedded_chain(model, circuit, tell.stage) as chain:
            try:
                out.write_text(chain.deployment.to_json())
                key.touch(mode=0o600)
                key.write_text(bytes(chain.owner.key).hex() + "\n")
                with tell.aside():
                    _show(chain.deployment, chain.anvil.rpc_url, out, key)
                    click.echo("the chain ends with Ctrl-C, and its two files with it")
                tell.rest("serving")
                signal.pause()
            finally:
                out.unlink(missing_ok=True)
                key.unlink(missing_ok=True)


def _show(deployment: "Deployment", rpc: str, out: Path, key: Path) -> None:
    click.echo(f"agent   {deployment.agent}")
    click.echo(f"wallet  {deployment.wallet}")
    click.echo(f"chain   {rpc} ({deployment.chain_id})")
    click.echo(
        f'try     zkagent run "deposit 5 USDC" --rpc {rpc} --deployment {out} --key-file {key}'
    )


__all__ = ["chain_command", "deploy_command"]

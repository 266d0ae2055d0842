"""`zkagent agent accept`: an agent's owner lets it obey its model's present commitment."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.deploying import CHAIN_ID_OPTION, RPC_OPTION
from zkagent.executor.cli.options import SettingOption
from zkagent.executor.cli.run import FILE
from zkagent.executor.cli.sending import fee_options

if TYPE_CHECKING:
    from zkagent.verifier_contracts.chain.signing import FeeCaps


def checked_hash(ctx: click.Context, option: click.Parameter, given: str | None) -> bytes | None:
    """The callback of --commitment."""
    if given is None:
        return None
    try:
        value = bytes.fromhex(given.removeprefix("0x"))
    except ValueError:
        value = b""
    if len(value) != 32:
        raise click.BadParameter(f"{given} is not 64 hex digits")
    return value


@click.command("accept")
@click.option("--agent", help="The agent's address.")
@click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names it.")
@RPC_OPTION
@click.option(
    "--key-file", cls=SettingOption, type=FILE, required=True, help="Of the agent's owner."
)
@CHAIN_ID_OPTION
@click.option(
    "--commitment",
    metavar="HASH",
    callback=checked_hash,
    help="Accept this one, as `model audit` or `model register-batch` printed it; nobody is asked.",
)
@fee_options
def accept_command(
    *,
    agent: str | None,
    deployment: Path | None,
    rpc: str,
    key_file: Path,
    chain_id: int | None,
    fee_caps: "FeeCaps",
    commitment: bytes | None,
) -> None:
    """Have an agent obey its model as it is registered now, batch verifiers included.

    An agent stops when its model's owner changes what is registered. `zkagent model audit` says
    whether the new commitment is what this version would register; without --commitment the one
    that is registered is shown and asked about.
    """
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.errors import CommitmentRefused
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import call, connect, send
    from zkagent.verifier_contracts.deployment.wallet import at
    from zkagent.verifier_contracts.errors import SignedOtherwise

    address, found_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    signer = signer_of(key_file)
    web3 = connect(rpc, found_chain, caps=fee_caps)
    if commitment is None and not sys.stdin.isatty():
        raise click.UsageError("say what is accepted: --commitment HASH")
    functions = at(web3, "WalletAgent", address).functions
    pinned, registered = _hashes(web3, address, functions)
    wanted = commitment or registered
    if pinned == wanted:
        output.show(f"{address} obeys 0x{pinned.hex()} already")
        if registered != pinned:
            output.show(f"registered now  0x{registered.hex()}", err=True)
            output.show("it is stopped until that is accepted: --commitment HASH", err=True)
        return
    if registered != wanted:
        raise CommitmentRefused(wanted, registered)
    output.show(f"{address} obeys 0x{pinned.hex()}", err=True)
    output.show(f"registered now  0x{registered.hex()}", err=True)
    if commitment is None and not click.confirm("accept it?", err=True):
        output.show("nothing was sent", err=True)
        sys.exit(1)
    send(web3, functions.acceptModel(wanted), signer)
    held = bytes(call(web3, functions.pinnedCommitment()))
    if held != wanted:
        raise SignedOtherwise(f"what {address} obeys", wanted, held)
    output.show(f"{address} obeys 0x{wanted.hex()}")


def _hashes(web3: Any, address: str, functions: Any) -> tuple[bytes, bytes]:
    """What the agent obeys, and what its executor's registry has under the agent's model now."""
    from zkagent.executor.chain.model_ids import model_number
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.errors import NoAgentThere
    from zkagent.verifier_contracts.chain.local import call
    from zkagent.verifier_contracts.deployment.wallet import at

    reader = ContractReader(web3)
    if not reader.code(address, reader.block("latest")):
        raise NoAgentThere(address, "no code is there")
    executor = at(web3, "AgentExecutor", call(web3, functions.agentExecutor()))
    registry = at(web3, "ModelRegistry", call(web3, executor.functions.registry()))
    number = model_number(address, str(call(web3, functions.modelId())).encode())
    registered = call(web3, registry.functions.commitmentHash(number))
    return bytes(call(web3, functions.pinnedCommitment())), bytes(registered)


__all__ = ["accept_command"]

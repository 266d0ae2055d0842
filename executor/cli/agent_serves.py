"""`zkagent agent serves`: whom an agent serves besides its owner, such as a desk or a runner."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agent_owner import NOBODY, check_held, owner_options
from zkagent.executor.cli.agreed import Change, send_agreed
from zkagent.executor.cli.options import given_address

if TYPE_CHECKING:
    from zkagent.verifier_contracts.chain.signing import FeeCaps


@click.command("serves")
@click.argument("address", required=False, callback=given_address)
@click.option("--nobody", is_flag=True, help="Its owner alone from now on.")
@owner_options
def serves_command(
    *,
    address: str | None,
    nobody: bool,
    yes: bool,
    agent: str | None,
    deployment: Path | None,
    rpc: str,
    key_file: Path | None,
    chain_id: int | None,
    fee_caps: "FeeCaps",
) -> None:
    """Show whom an agent serves besides its owner, or have it serve ADDRESS from now on.

    There is one such address at a time: a contract that runs the agent, such as a desk. Whoever it
    lets ask has the agent act, so give it contracts whose rules you know.
    """
    from eth_utils.address import to_checksum_address

    from zkagent.executor.chain import abi
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.deployment.deployer import at

    signer = signer_of(key_file) if key_file else None
    if nobody and address:
        raise click.UsageError("say ADDRESS or --nobody, not both")
    of, known_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    web3 = connect(rpc, known_chain, caps=fee_caps)
    reader = ContractReader(web3)

    def served() -> str:
        (found,) = reader.view(of.lower(), abi.ALSO_SERVED, reader.block("latest"))
        return str(found)

    before = served()
    if not (address or nobody):
        output.show(_told(before))
        return
    wanted = (address or abi.NO_DATA).lower()
    line = f"{of} serves {_told(wanted)} besides its owner, so far {_told(before)}"
    call = at(web3, "IServingAgent", of).functions.alsoServe(to_checksum_address(wanted))
    send_agreed(web3, signer, [Change(line, call)], yes=yes)
    check_held(f"whom {of} serves besides", wanted, served())


def _told(address: str) -> str:
    return address if int(address, 16) else NOBODY


__all__ = ["serves_command"]

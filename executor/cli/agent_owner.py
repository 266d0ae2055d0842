"""`zkagent agent contacts` and `zkagent agent caution`: what the owner of an agent that reads whole
instructions says of whom it pays by name, and of how sure it has to be."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agreed import Change, send_agreed
from zkagent.executor.cli.deploying import (
    CHAIN_ID_OPTION,
    RPC_OPTION,
    YES_OPTION,
    checked_contacts,
)
from zkagent.executor.cli.options import FiniteRange, SettingOption
from zkagent.executor.cli.run import FILE
from zkagent.executor.cli.sending import Command, fee_options

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from zkagent.executor.chain.agent import InstructedReads
    from zkagent.verifier_contracts.chain.signing import FeeCaps

NOBODY = "nobody"
OPTIONS = (
    click.option("--agent", help="The agent's address."),
    click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names it."),
    RPC_OPTION,
    click.option("--key-file", cls=SettingOption, type=FILE, help="Of the owner, to change it."),
    CHAIN_ID_OPTION,
    YES_OPTION,
)


def owner_options(command: Command) -> Command:
    for option in reversed(OPTIONS):
        command = option(command)
    return fee_options(command)


class _Standing(NamedTuple):
    """An agent as it answers now, and who changes it, if anybody."""

    web3: Any
    address: str
    signer: "LocalAccount | None"
    told: "InstructedReads"
    read: "Callable[[], InstructedReads]"


def _standing(
    *,
    agent: str | None,
    deployment: Path | None,
    rpc: str,
    key_file: Path | None,
    chain_id: int | None,
    fee_caps: "FeeCaps",
) -> _Standing:
    """Raises KeyFileError; NoAgentThere for an agent that tells neither contacts nor caution."""
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.chain.web3_agent import read_instructed
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.errors import NoAgentThere
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect

    signer = signer_of(key_file) if key_file else None
    address, known_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    web3 = connect(rpc, known_chain, caps=fee_caps)
    reader = ContractReader(web3)

    def read() -> "InstructedReads":
        told = read_instructed(reader, address.lower(), reader.block("latest"))
        if told is None:
            raise NoAgentThere(address, "it tells neither contacts nor caution")
        return told

    return _Standing(web3, address, signer, read(), read)


@click.command("contacts")
@click.option(
    "--add",
    "added",
    multiple=True,
    callback=checked_contacts,
    metavar="NAME=ADDRESS",
    help="Whom to list; may be repeated.",
)
@click.option("--remove", "removed", multiple=True, metavar="NAME", help="Whom to take out, first.")
@owner_options
def contacts_command(
    *,
    added: tuple[tuple[str, str], ...],
    removed: tuple[str, ...],
    yes: bool,
    **target: Any,
) -> None:
    """Show whom an agent pays by name, or change it: its contact book's owner can, in one
    transaction for each name."""
    from eth_utils.address import to_checksum_address

    from zkagent.verifier_contracts.deployment.foundations import check_contact_book
    from zkagent.verifier_contracts.deployment.wallet import at

    agent = _standing(**target)
    if not (added or removed):
        for name, account in agent.told.contacts:
            output.show(f"{name}  {account}")
        return
    contacts = to_checksum_address(agent.told.contact_book)
    check_contact_book(agent.web3, contacts)
    functions = at(agent.web3, "ContactBook", contacts).functions
    changes = [
        Change(f"{agent.address} pays nobody as {name.lower()} any more", functions.unlist(name))
        for name in removed
    ]
    changes += [
        Change(f"{agent.address} pays {name}, who is {account}", functions.list(name, account))
        for name, account in added
    ]
    send_agreed(agent.web3, agent.signer, changes, yes=yes)
    held = dict(agent.read().contacts)
    wanted = dict.fromkeys((name.lower() for name in removed), NOBODY)
    wanted |= {name: account.lower() for name, account in added}
    for name, account in wanted.items():
        check_held(f"whom {agent.address} pays as {name}", account, held.get(name, NOBODY))


@click.command("caution")
@click.argument("log_odds", type=FiniteRange(0, 100), required=False)
@owner_options
def caution_command(*, log_odds: float | None, yes: bool, **target: Any) -> None:
    """Show or set by how many LOG_ODDS acting has to be preferred before an agent acts."""
    from zkagent.verifier_contracts.deployment.wallet import at

    agent = _standing(**target)
    if log_odds is None:
        output.show(_so_far(agent))
        return
    wanted = round(100 * log_odds)
    functions = at(agent.web3, "InstructedWalletAgent", agent.address).functions
    line = f"{agent.address} acts beyond {wanted / 100:g} log-odds, so far {_so_far(agent)}"
    change = Change(line, functions.setCaution(wanted))
    send_agreed(agent.web3, agent.signer, [change], yes=yes)
    check_held(f"the caution of {agent.address}", str(wanted), str(agent.read().caution))


def _so_far(agent: _Standing) -> str:
    return f"{(agent.told.caution or 0) / 100:g}"  # every agent of ours tells one


def check_held(what: str, wanted: str, held: str) -> None:
    """Raises SignedOtherwise where the chain has something else than was signed."""
    from zkagent.verifier_contracts.errors import SignedOtherwise

    if wanted != held:
        raise SignedOtherwise(what, wanted, held)


__all__ = ["NOBODY", "caution_command", "check_held", "contacts_command", "owner_options"]

"""`zkagent guard deploy`: a guard before an agent that has none."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agreed import agreed
from zkagent.executor.cli.deploying import (
    CHAIN_ID_OPTION,
    RPC_OPTION,
    YES_OPTION,
    somebody_to_ask,
)
from zkagent.executor.cli.options import SettingOption, checksummed, given_address
from zkagent.executor.cli.run import FILE
from zkagent.executor.cli.sending import fee_options

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from zkagent.verifier_contracts.chain.signing import FeeCaps

NOBODY = "0x" + "00" * 20


@click.command("deploy")
@click.option("--agent", help="The agent's address.")
@click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names it.")
@click.option(
    "--wallet",
    metavar="ADDRESS",
    callback=given_address,
    help="Whose balances are measured; by default what the agent tells as its wallet.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Of an agent that knows of no guard: its tools are put behind it (`wrap`).",
)
@RPC_OPTION
@CHAIN_ID_OPTION
@click.option("--key-file", cls=SettingOption, type=FILE, required=True, help="Of its owner.")
@YES_OPTION
@fee_options
def deploy_command(
    *,
    agent: str | None,
    deployment: Path | None,
    wallet: str | None,
    plain: bool,
    rpc: str,
    chain_id: int | None,
    key_file: Path,
    yes: bool,
    fee_caps: "FeeCaps",
) -> None:
    """Deploy a guard, allow the agent's tools that are known, and set it, for good.

    Known are the tools of our wallets. The guard begins in supervised mode, with no budget. With
    --plain it allows nothing yet, and its agent may be named later (`zkagent guard bind`).
    """
    from eth_utils.address import to_checksum_address

    from zkagent.executor.chain import abi
    from zkagent.executor.chain.guard_rules import known_function, rule_of, said_of
    from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
    from zkagent.executor.cli.guard_wiring import wiring_of
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect, send
    from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
    from zkagent.verifier_contracts.deployment.deployer import Deployer, at

    signer = signer_of(key_file)
    if plain:
        if wallet is None or deployment is not None:
            raise click.UsageError("--plain takes --wallet, and --agent if it is there already")
        somebody_to_ask(yes=yes)
        _deploy_plain(connect(rpc, chain_id, caps=fee_caps), signer, agent, wallet, yes=yes)
        return
    address, known_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    web3 = connect(rpc, known_chain, caps=fee_caps)
    somebody_to_ask(yes=yes)
    reader = ContractReader(web3, Allowance(MOST_ANSWERED))
    block = reader.block("latest")
    tools, _ = reader.view(address.lower(), abi.TOOLS, block)
    if wallet is None:
        (told,) = reader.view(address.lower(), abi.WALLET, block)
        wallet = str(to_checksum_address(told))
    guarded = at(web3, "IGuardableAgent", address)
    _check_may_guard(web3, guarded, signer)
    rules = []
    for tool in map(to_checksum_address, tools):
        target, selector = wiring_of(web3, tool)
        if known_function(selector):
            rules.append((tool, rule_of(target, selector)))
    first = f"puts a guard before {address}, for good; it measures {wallet}"
    agreed([first, *(said_of(tool, rule) for tool, rule in rules)], yes=yes)
    deployer = Deployer(DirectCarrier(web3, signer))
    guard = deployer.make("guard", "Guard", signer.address, address, wallet)
    for tool, rule in rules:
        send(web3, guard.functions.allow(tool, rule), signer)
    send(web3, guarded.functions.setGuard(guard.address), signer)
    output.show(f"guard   {guard.address}")


def _check_may_guard(web3: Any, guarded: Any, signer: "LocalAccount") -> None:
    """Before anything is paid for. Raises RevertError for an agent that has a guard, or whose owner
    is another."""
    from zkagent.verifier_contracts.chain.local import call
    from zkagent.verifier_contracts.errors import RevertError

    try:
        call(web3, guarded.functions.setGuard(guarded.address), signer)
    except RevertError as exc:
        if exc.name in {"GuardAlreadySet", "CallerIsNotTheOwner"}:
            raise


def _deploy_plain(
    web3: Any, signer: "LocalAccount", agent: str | None, wallet: str, *, yes: bool
) -> None:
    from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
    from zkagent.verifier_contracts.deployment.deployer import Deployer

    whose = checksummed(agent) if agent else None
    agreed([f"deploys a guard of {whose or 'no agent yet'}; it measures {wallet}"], yes=yes)
    deployer = Deployer(DirectCarrier(web3, signer))
    made = deployer.address("guard", "Guard", signer.address, whose or NOBODY, wallet)
    output.show(f"guard   {made}")


__all__ = ["deploy_command"]

"""What commands have in common that deploy something for an agent: for which one, who pays, and
which executor the agent asks for its decisions, which nothing in the ERC tells."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli.deploying import CHAIN_ID_OPTION, RPC_OPTION, YES_OPTION, somebody_to_ask
from zkagent.executor.cli.options import JSON_OPTION, SettingOption, given_address
from zkagent.executor.cli.run import FILE
from zkagent.executor.cli.sending import Command, fee_options

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from zkagent.verifier_contracts.chain.signing import FeeCaps


EXECUTOR_OPTION = click.option(
    "--executor",
    callback=given_address,
    metavar="ADDRESS",
    help="Whom the agent asks for decisions; by default the record's, or the one that it tells.",
)

WHERE_OPTIONS = (
    click.option("--agent", help="The agent's address."),
    EXECUTOR_OPTION,
    click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names them."),
    RPC_OPTION,
    click.option("--key-file", cls=SettingOption, type=FILE, required=True, help="Who deploys."),
    CHAIN_ID_OPTION,
)


def deploying_options(command: Command) -> Command:
    """Those of `deploying_for`, and --json."""
    command = YES_OPTION(fee_options(JSON_OPTION(command)))
    for option in reversed(WHERE_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class DeployingFor:
    """An agent, the executor that it asks, and who deploys something for it."""

    web3: Any
    signer: "LocalAccount"
    agent: str
    executor: str


def deploying_for(
    *,
    agent: str | None,
    executor: str | None,
    deployment: Path | None,
    rpc: str,
    key_file: Path,
    chain_id: int | None,
    yes: bool,
    fee_caps: "FeeCaps",
) -> DeployingFor:
    """Raises KeyFileError, DeploymentMissing; NoAgentThere as `executor_of`, ChainError;
    click.UsageError where nobody can be asked."""
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect

    signer = signer_of(key_file)
    address, known_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    somebody_to_ask(yes=yes)
    web3 = connect(rpc, known_chain, caps=fee_caps)
    return DeployingFor(web3, signer, address, executor_of(web3, address, executor, deployment))


def executor_of(web3: Any, agent: str, given: str | None, deployment: Path | None) -> str:
    """Checksummed. Raises NoAgentThere for an agent that tells none, or is none; ChainError."""
    from eth_utils.address import to_checksum_address

    from zkagent.executor.chain import abi
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.errors import NoAgentThere
    from zkagent.verifier_contracts.deployment.own_agent import load_agent

    reader, agent = ContractReader(web3), agent.lower()
    head = reader.block("latest")
    if not reader.code(agent, head):
        raise NoAgentThere(agent, "no code is there")
    recorded = getattr(load_agent(deployment), "executor", None) if deployment else None
    if (found := given or recorded) is None:
        (found,) = reader.view(agent, abi.EXECUTOR, head)
    return str(to_checksum_address(str(found)))


__all__ = ["EXECUTOR_OPTION", "DeployingFor", "deploying_for", "deploying_options", "executor_of"]

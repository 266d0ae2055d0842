"""Which executor an agent asks for its decisions: nothing in the ERC tells."""

from pathlib import Path
from typing import Any

import click

from zkagent.executor.cli.desk_options import an_address

EXECUTOR_OPTION = click.option(
    "--executor",
    callback=an_address,
    metavar="ADDRESS",
    help="Whom the agent asks for decisions; by default the record's, or the one that it tells.",
)


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


__all__ = ["EXECUTOR_OPTION", "executor_of"]

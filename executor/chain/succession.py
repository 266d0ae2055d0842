"""An agent whose place another takes, and its guard, as they answer.

Called by `zkagent agent succeed`. Its calls are encoded by hand, as those of abi.py.
"""

from dataclasses import dataclass
from typing import Any

from eth_utils.address import to_checksum_address

from zkagent.executor.chain import abi
from zkagent.executor.chain.abi import Method
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.guards import AGENT, DELAY, GUARD
from zkagent.executor.chain.model_ids import model_number
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_agent import read_tools, says
from zkagent.executor.errors import NoAgentThere
from zkagent.verifier_contracts.deployment.successor import possible_tools
from zkagent.verifier_contracts.errors import RevertError

SUCCESSIONS = Method("successions", (), ("uint256",))
ANNOUNCED_AT = Method("announcedAt", ("bytes32",), ("uint256",))
METHODS = (SUCCESSIONS, ANNOUNCED_AT)
NOBODY = abi.NO_TOOL


@dataclass(frozen=True, slots=True)
class Predecessor:
    """A wallet agent, with checksums. guard: None of one without."""

    agent: str
    executor: str
    model_id: int
    commitment: bytes
    wallet: str
    book: str
    tools: tuple[str, ...]
    guard: str | None


def read_predecessor(reader: ContractReader, agent: str, block: Block) -> Predecessor:
    """Raises NoAgentThere for what is no wallet agent, for one whose successor would not do
    the same, and for tools that its constructor cannot have made."""

    def told(method: Method) -> Any:
        return reader.view(agent.lower(), method, block)[0]

    if says(reader, agent.lower(), abi.STRICT, block):
        raise NoAgentThere(agent, "it is strict, and what would take its place is not")
    if _optional(reader, agent, abi.CONTACT_BOOK, block) != NOBODY:
        raise NoAgentThere(agent, "it reads whole instructions, and what would take its place one")
    tools = tuple(map(_checksummed, (tool for tool, _ in read_tools(reader, agent.lower(), block))))
    if not set(tools) <= set(possible_tools(agent)):
        raise NoAgentThere(agent, "it names tools that its constructor cannot have made")
    guard = _optional(reader, agent, GUARD, block)
    return Predecessor(
        agent=agent,
        executor=_checksummed(told(abi.EXECUTOR)),
        model_id=model_number(agent, bytes(told(abi.MODEL_ID))),
        commitment=bytes(told(abi.PINNED_COMMITMENT)),
        wallet=_checksummed(told(abi.WALLET)),
        book=_checksummed(told(abi.SYMBOL_BOOK)),
        tools=tools,
        guard=None if guard == NOBODY else _checksummed(guard),
    )


@dataclass(frozen=True, slots=True)
class Guarding:
    """agent: whom the guard guards now. successions: how many there were."""

    agent: str
    successions: int
    delay_s: int


def read_guarding(reader: ContractReader, guard: str, block: Block) -> Guarding:
    """Raises NoAgentThere for what does not answer as a guard."""

    def told(method: Method) -> Any:
        return reader.view(guard.lower(), method, block)[0]

    return Guarding(_checksummed(told(AGENT)), int(told(SUCCESSIONS)), int(told(DELAY)))


def _optional(reader: ContractReader, agent: str, method: Method, block: Block) -> str:
    try:
        return str(reader.view(agent.lower(), method, block)[0])
    except (NoAgentThere, RevertError):
        return NOBODY


def _checksummed(address: Any) -> str:
    return str(to_checksum_address(address))


__all__ = ["ANNOUNCED_AT", "METHODS", "Guarding", "Predecessor", "read_guarding"]
__all__ += ["read_predecessor"]

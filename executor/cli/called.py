"""What the tools of an agent of one's own act through, such as a purse: people fund it, so that no
node is believed about it. It is found out on a chain of our own, where the agent was rehearsed, and
carried over by the nonce that the agent's constructor made it with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Called:
    """A contract as the rehearsal had it. nonce: with which the agent made it; 0 when it did
    not."""

    address: str
    nonce: int

    def of(self, agent: str, arguments: Sequence[Any]) -> str:
        """Its address for the agent that was deployed, or in words why there is none to rely on."""
        from zkagent.verifier_contracts.chain.code import created_address

        if self.nonce:
            return created_address(agent, self.nonce)
        if self.address in arguments:
            return self.address
        return (
            f"{self.address}, as the node says: the agent did not make it; audit the agent by "
            "another node (zkagent agent audit) before you send anything there"
        )


def called_by_tools(web3: Any, agent: str) -> list[Called]:
    """None where that is not told. web3: of a chain of our own."""
    from eth_utils.address import to_checksum_address

    from zkagent.executor.audit.origin import MOST_MADE
    from zkagent.executor.chain import abi
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.chain.web3_agent import read_tools
    from zkagent.executor.errors import NoAgentThere, NotOnChain
    from zkagent.verifier_contracts.chain.code import created_address
    from zkagent.verifier_contracts.errors import RevertError

    reader = ContractReader(web3)
    block = reader.block("latest")
    try:
        tools = read_tools(reader, agent, block)
        found = dict.fromkeys(reader.view(each, abi.WIRING, block)[1] for each, _ in tools)
    except (NoAgentThere, NotOnChain, RevertError):
        return []
    made = {created_address(agent, nonce): nonce for nonce in range(1, MOST_MADE + 1)}
    addresses = map(to_checksum_address, found)
    return [Called(str(each), made.get(str(each), 0)) for each in addresses]


__all__ = ["Called", "called_by_tools"]

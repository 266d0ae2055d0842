"""What a tool says that it wraps: read for `zkagent guard allow`, `deploy` and `wrap`."""

from typing import Any


def wiring_of(web3: Any, tool: str) -> tuple[str, bytes]:
    """Contract and selector; zeros of one that tells nothing. Raises NoAgentThere, ChainError."""
    return told_wiring(web3, tool)[1:]


def told_wiring(web3: Any, tool: str) -> tuple[str, str, bytes]:
    """The same, and before it whom the tool obeys."""
    from zkagent.executor.chain import abi
    from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
    from zkagent.executor.errors import NoAgentThere
    from zkagent.verifier_contracts.errors import RevertError

    reader = ContractReader(web3, Allowance(MOST_ANSWERED))
    block = reader.block("latest")
    if not reader.code(tool, block):
        raise NoAgentThere(tool, "no code is there")
    try:
        obeys, wrapped, selector = reader.view(tool, abi.WIRING, block)
    except (NoAgentThere, RevertError):
        return abi.NO_TOOL, abi.NO_TOOL, b"\0" * 4
    return str(obeys), str(wrapped), bytes(selector)


__all__ = ["told_wiring", "wiring_of"]

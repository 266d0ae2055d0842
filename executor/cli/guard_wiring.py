"""What a tool says that it wraps: read for `zkagent guard allow` and `zkagent guard deploy`."""

from typing import Any


def wiring_of(web3: Any, tool: str) -> tuple[str, bytes]:
    """Contract and selector; zeros of one that tells nothing. Raises NoAgentThere, ChainError."""
    from zkagent.executor.chain import abi
    from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
    from zkagent.executor.errors import NoAgentThere
    from zkagent.verifier_contracts.errors import RevertError

    reader = ContractReader(web3, Allowance(MOST_ANSWERED))
    block = reader.block("latest")
    if not reader.code(tool, block):
        raise NoAgentThere(tool, "no code is there")
    try:
        _, wrapped, selector = reader.view(tool, abi.WIRING, block)
    except (NoAgentThere, RevertError):
        return abi.NO_TOOL, b"\0" * 4
    return str(wrapped), bytes(selector)


__all__ = ["wiring_of"]

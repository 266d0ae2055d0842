"""Whether a contract was made by its own constructor. Code alone does not say so: anybody can send
genuine code to a chain with a storage of his own making, such as a wallet that obeys one more tool.

The block in which the code appeared is searched for, which takes a node that remembers old states.
"""

from zkagent.executor.audit.code import Code, Place
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.errors import CannotVerify
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.deployment.known_code import KnownContract

MOST_MADE = 64  # wallet, tools, their parts and data


def check_origin(code: Code, place: Place) -> str:
    """Empty when a transaction ran the constructor of what stands there now. Raises CannotTell.

    What was found out once is not asked of the node again: how a contract was made stays so.
    """
    contract = code.recognised(place).contract
    asked = place.address.lower(), contract.label
    if asked not in code.origins:
        code.origins[asked] = _check_origin(code, place, contract)
    return code.origins[asked]


def _check_origin(code: Code, place: Place, contract: KnownContract) -> str:
    try:
        number = first_block(code.reader, place.address, code.block.number)
    except CannotVerify as exc:
        raise CannotTell(f"how {place.address} was made does not show: {exc}") from exc
    creations = dict(code.reader.creations(number))
    creation = creations.get(place.address.lower())
    if creation is None:
        raise CannotTell(
            f"{place.address} was made inside of a call in block {number}, so that its constructor "
            "does not show: its storage may hold anything"
        )
    if contract.constructor_arguments(creation) is None:
        return (
            f"{place.address} has the code of {contract.label}, and was made in block {number} by "
            "another constructor: its storage may hold anything"
        )
    return ""


def made_by(maker: str, address: str) -> bool:
    """Whether `maker` made a contract at `address` by one of its first CREATEs, as constructors of
    agents do."""
    made = (created_address(maker, nonce).lower() for nonce in range(1, MOST_MADE + 1))
    return address.lower() in made


def first_block(reader: ContractReader, address: str, latest: int) -> int:
    """The number of the block that put code at `address`, which has some in block `latest`."""
    before, there = -1, latest
    while there - before > 1:
        middle = (before + there) // 2
        if reader.code(address, Block(middle, "")):
            there = middle
        else:
            before = middle
    return there


__all__ = ["check_origin", "first_block", "made_by"]

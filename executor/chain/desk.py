"""A desk's calls and events, encoded and decoded: requests as they are posted, and what ends them.

Types are written by hand, as in abi.py, and held against the compiled ABI by a test. A request is
posted whole in an event, of which the desk keeps a hash; whoever answers, refunds or delivers it
gives it back as it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Fact, RunCall

ORDER = "(string,uint256,uint64,uint64,uint32,address,address,(address,bytes4,bytes32)[])"
REQUEST = f"(address,bytes32,{ORDER})"
DOOR = "(uint256,uint64,uint32)"

PLACE = abi.Method("place", (ORDER,), ("uint256",))
FULFIL = abi.Method("fulfil", ("uint256", REQUEST, abi.CLAIMS, "bytes[]", abi.TERMS), ("string",))
RESUME = abi.Method("resume", FULFIL.inputs, FULFIL.outputs)
SIMULATE_RESUME = abi.Method("simulateResume", ("uint256", abi.CLAIMS))
RUN_OF = abi.Method("runOf", ("uint256",), ("int256",))
DELIVER = abi.Method("deliver", ("uint256", REQUEST, "string"), ("bool",))
REFUND = abi.Method("refund", ("uint256", REQUEST))
FAIL = abi.Method("fail", ("uint256", REQUEST))
DEPOSIT = abi.Method("deposit", ("address",))
WITHDRAW = abi.Method("withdraw", ("address", "uint256"))
STATUS_OF = abi.Method("statusOf", ("uint256",), ("uint8",))
BALANCE_AT = abi.Method("balanceOf", ("address",), ("uint256",))
REQUEST_COUNT = abi.Method("requestCount", (), ("uint256",))
AGENT = abi.Method("agent", (), ("address",))
PATRON = abi.Method("patron", (), ("address",))
DOOR_TERMS = abi.Method("door", (), (DOOR,))
POSTED = abi.Method("RequestPosted", ("uint256", "address", REQUEST))
WAITS = abi.Method("RequestWaits", ("uint256", "address", "int256"))
ANSWERED = abi.Method("RequestAnswered", ("uint256", "address", "uint256"))
WRONG_STATUS = abi.Method("WrongStatus", ("uint256", "uint8", "uint8"))
RESULT_MISSING = abi.Method("ResultMissing", ("int256", "address", "int256"))
NOT_AS_POSTED = abi.Method("NotAsPosted", ("uint256",))
REQUEST_OVER = abi.Method("RequestOver", ("uint256", "uint64", "uint64"))


class Status(IntEnum):
    """How far a request is. ANSWERED and DELIVERED are success; WAITING is open: the run waits
    for a tool that answers later."""

    NONE = 0
    PENDING = 1
    RUNNING = 2
    ANSWERED = 3
    DELIVERED = 4
    FAILED = 5
    REFUNDED = 6
    WAITING = 7

    @property
    def ended(self) -> bool:
        return Status.ANSWERED <= self <= Status.REFUNDED


@dataclass(frozen=True, slots=True)
class Order:
    """What a requester wants. fee: wei. deadline: seconds since 1970. last_block, gas_for_callback:
    0 for none; handler, operator: abi.NO_HANDLER for nobody and anybody."""

    prompt: bytes
    fee: int
    deadline: int
    last_block: int = 0
    gas_for_callback: int = 0
    handler: str = abi.NO_HANDLER
    operator: str = abi.NO_HANDLER
    facts: tuple[Fact, ...] = ()

    @property
    def fields(self) -> tuple[Any, ...]:
        facts = [(fact.target, fact.selector, fact.expected) for fact in self.facts]
        numbers = self.fee, self.deadline, self.last_block, self.gas_for_callback
        return (self.prompt, *numbers, self.handler, self.operator, facts)


@dataclass(frozen=True, slots=True)
class Request:
    """As it was posted. commitment: of the agent's model then."""

    requester: str
    commitment: bytes
    order: Order

    @property
    def fields(self) -> tuple[Any, ...]:
        return self.requester, self.commitment, self.order.fields

    @property
    def hash(self) -> bytes:
        """What the desk keeps, but for the last byte."""
        return keccak(encode([REQUEST.replace("string", "bytes")], [self.fields]))


@dataclass(frozen=True, slots=True)
class Posted:
    """A request in a block. transaction: hash, 0x and 64 hex digits."""

    id: int
    request: Request
    block: int
    transaction: str


def fulfil_data(posted: Posted, run: RunCall) -> bytes:
    """Calldata that answers a request by this run."""
    claims, proofs, terms = abi.run_arguments(run)
    return FULFIL.call(posted.id, posted.request.fields, claims, proofs, terms)


def resume_data(posted: Posted, run: RunCall) -> bytes:
    """Calldata that goes on with a request that waits, by the rest of its run."""
    claims, proofs, terms = abi.run_arguments(run)
    return RESUME.call(posted.id, posted.request.fields, claims, proofs, terms)


def request_in(value: Sequence[Any]) -> Request:
    """Out of decoded data."""
    requester, commitment, order = value
    prompt, fee, deadline, last_block, gas, handler, operator, facts = order
    named = tuple(Fact(*fact) for fact in facts)
    return Request(
        requester,
        commitment,
        Order(prompt, fee, deadline, last_block, gas, handler, operator, named),
    )


def posted_in(log: Mapping[str, Any]) -> Posted:
    """Of a `RequestPosted` event. Raises ValueError for another one, or one in another form."""
    topics = [bytes(topic) for topic in log["topics"]]
    if len(topics) != 3 or topics[0] != POSTED.topic:
        raise ValueError("no RequestPosted event")
    (value,) = abi.decode_canonical((REQUEST,), bytes(log["data"]))
    request = request_in(value)
    if topics[2][12:].hex() != request.requester[2:]:
        raise ValueError("a request of somebody else than its event says")
    transaction = "0x" + bytes(log["transactionHash"]).hex()
    return Posted(int.from_bytes(topics[1], "big"), request, int(log["blockNumber"]), transaction)


__all__ = ["Order", "Posted", "Request", "Status", "fulfil_data", "posted_in", "request_in"]
__all__ += ["resume_data"]

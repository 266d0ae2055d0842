"""A desk on a real chain: the requests in its events, and how far each is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from web3 import Web3

from zkagent.executor.chain import abi, desk
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.desk import Posted, Status
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.errors import NoAgentThere
from zkagent.verifier_contracts.chain.local import translated
from zkagent.verifier_contracts.chain.node import answers
from zkagent.verifier_contracts.errors import ChainError

MOST_BLOCKS = 2_000  # that are asked for at once; nodes refuse more events or blocks than they like
PRICE = "effectiveGasPrice"


@dataclass(frozen=True, slots=True)
class Door:
    """On which terms the desk posts requests of clients that know only the ERC."""

    fee: int
    lifetime_s: int
    gas_for_callback: int


@dataclass(frozen=True, slots=True)
class DeskNames:
    """Whose runs, decided where, and whose requests: `abi.NO_HANDLER` for everybody's. strict: its
    frames have their proofs at hand."""

    desk: str
    agent: str
    executor: str
    patron: str
    door: Door
    strict: bool


class Web3Desk:
    """The desk at `address`. Everything raises ChainError, NoAgentThere."""

    def __init__(self, web3: Web3, address: str) -> None:
        self.web3, self.address = web3, address.lower()
        self.reader = ContractReader(web3)

    def head(self) -> Block:
        return self.reader.block("latest")

    def block(self, number: int) -> Block:
        """Raises NotOnChain."""
        return self.reader.block(number)

    def time(self, block: Block) -> int:
        return self.reader.time(block)

    def names(self) -> DeskNames:
        at = self.head()
        agent = self.agent(at)
        (executor,) = self._view(abi.EXECUTOR, at)
        (patron,) = self._view(desk.PATRON, at)
        (door,) = self._view(desk.DOOR_TERMS, at)
        (strict,) = self._view(abi.NEEDS_PROOFS, at)
        return DeskNames(self.address, agent, executor, patron, Door(*door), bool(strict))

    def agent(self, block: Block) -> str:
        """Whose runs; it never changes."""
        return str(self._view(desk.AGENT, block)[0])

    def status(self, number: int, block: Block) -> Status:
        """Of the request of this number."""
        (found,) = self._view(desk.STATUS_OF, block, number)
        try:
            return Status(found)
        except ValueError as exc:
            raise NoAgentThere(self.address, f"a desk that knows a status {found}") from exc

    def balance(self, account: str, block: Block) -> int:
        """What the desk owes it, in wei."""
        return int(self._view(desk.BALANCE_AT, block, account)[0])

    def count(self, block: Block) -> int:
        return int(self._view(desk.REQUEST_COUNT, block)[0])

    def posted(self, first: int, last: int) -> tuple[Posted, ...]:
        """The requests posted in these blocks, in order. What a desk of ours would not emit is left
        out."""
        found = []
        for log in self._logs(first, last, [desk.POSTED.topic]):
            try:
                found.append(desk.posted_in(log))
            except ValueError:
                continue
        return tuple(found)

    def find(self, number: int, first: int, last: int) -> Posted | None:
        """The request of this number, if it was posted in these blocks."""
        for log in self._logs(first, last, [desk.POSTED.topic, number.to_bytes(32, "big")]):
            try:
                return desk.posted_in(log)
            except ValueError:
                continue
        return None

    def result(self, number: int, first: int, last: int) -> tuple[bytes, str] | None:
        """The answer to a request and the transaction that gave it, if these blocks have it."""
        topics = [abi.RUN_RESULT.topic, number.to_bytes(32, "big")]
        for log in self._logs(first, last, topics):
            try:
                _, _, answer = abi.decode_canonical(abi.RUN_RESULT_DATA, bytes(log["data"]))
            except ValueError:
                continue
            return answer, "0x" + bytes(log["transactionHash"]).hex()
        return None

    def is_over(self, number: int, receipt: Mapping[str, Any]) -> bool:
        """Whether a transaction that succeeded ended this request by its answer; otherwise its run
        waits since. Raises ChainError for a receipt that says neither."""
        word = number.to_bytes(32, "big")
        with answers("eth_getTransactionReceipt"):
            for log in receipt["logs"]:
                topics = [bytes(topic) for topic in log["topics"]]
                if log["address"].lower() != self.address or topics[1:2] != [word]:
                    continue
                if topics[0] in {desk.ANSWERED.topic, desk.WAITS.topic}:
                    return topics[0] == desk.ANSWERED.topic
        name = "0x" + bytes(receipt["transactionHash"]).hex()
        raise ChainError(
            f"the receipt of {name} says nothing of request {number}: ask another node"
        )

    def _view(self, method: abi.Method, block: Block, *arguments: Any) -> tuple[Any, ...]:
        return self.reader.view(self.address, method, block, *arguments)

    def _logs(self, first: int, last: int, topics: Sequence[bytes]) -> Iterator[Mapping[str, Any]]:
        step = MOST_BLOCKS
        while first <= last:
            until = min(first + step - 1, last)
            try:
                found = self._asked(first, until, topics)
            except ChainError:
                if step == 1:
                    raise
                step = max(step // 10, 1)  # most likely too many at once
                continue
            yield from found
            first = until + 1

    def _asked(self, first: int, last: int, topics: Sequence[bytes]) -> list[Mapping[str, Any]]:
        wanted: Any = {
            "fromBlock": hex(first),
            "toBlock": hex(last),
            "address": Web3.to_checksum_address(self.address),
            "topics": ["0x" + topic.hex() for topic in topics],
        }
        with translated(self.web3), answers("eth_getLogs"):
            logs = self.web3.eth.get_logs(wanted)
            return [log for log in logs if log["address"].lower() == self.address]


def paid_wei(receipt: Mapping[str, Any]) -> int:
    """For the gas of a mined transaction."""
    with answers("eth_getTransactionReceipt"):
        return int(receipt["gasUsed"]) * int(receipt[PRICE])


__all__ = ["DeskNames", "Door", "Web3Desk", "paid_wei"]

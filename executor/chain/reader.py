"""Reads contracts through JSON-RPC at a fixed block.

Calls are encoded by hand (abi.py), so that neither a compiler nor an ABI file is needed.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eth_abi.abi import encode
from eth_utils.abi import collapse_if_tuple
from eth_utils.crypto import keccak
from web3 import Web3
from web3.exceptions import BlockNotFound, TransactionNotFound

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Block
from zkagent.executor.errors import CannotVerify, NoAgentThere, NotOnChain, TooMuchAnswered
from zkagent.verifier_contracts.chain.local import translated
from zkagent.verifier_contracts.chain.node import answers, new_address
from zkagent.verifier_contracts.errors import ChainError, RevertError
from zkagent.verifier_contracts.toolchain.compile import Contract

LAG_S, PAUSE_S = 8.0, 0.5  # how long, and how often, a node is waited for that lags behind itself
MOST_LAG = 8  # blocks; nodes keep the state of 64 at least
#: Of a view, a registry's of 64 batch verifiers among them. Nodes would do ten times as much for
#: anybody's contract.
VIEW_GAS = 5_000_000
#: How nodes say that they dropped the state of an old block, or do not have that of a new one.
PRUNED = re.compile(r"state|trie node|pruned|archive|header not found", re.IGNORECASE)
#: How nodes say that code came to an end that is no return: it fails without a reason, as in a
#: transaction. Whose code that is may do so at will, so that it says nothing of the node.
HALTED = re.compile(
    r"out ?of ?gas|OOG|gas required exceeds|gas uint64 overflow|VM execution error"
    r"|(invalid|bad|undefined) ?(fe)? ?(opcode|instruction|jump)|opcode ?not ?found"
    r"|stack ?(under|over)flow|stack limit|(out ?of|invalid memory) ?(offset|access)"
    r"|write protection|state ?change ?during ?static ?call|return ?data out of bounds"
    r"|create ?(collision|contract ?size|init ?code)|call ?(depth|too ?deep|not ?allowed ?inside)"
    r"|EVM error:? not ?activated|precompile ?error",
    re.IGNORECASE,
)
#: Bytes that the contracts of a stranger's receipt or agent may answer with, all in all.
MOST_ANSWERED = 1 << 23


class Allowance:
    """How many bytes contracts may answer with that somebody else chose, all in all."""

    def __init__(self, most: int) -> None:
        self.most, self.left = most, most

    def take(self, count: int) -> None:
        """Raises TooMuchAnswered when they were more."""
        self.left -= count
        if self.left < 0:
            raise TooMuchAnswered(self.most)


class ContractReader:
    """Everything raises ChainError; what is not there raises NotOnChain or NoAgentThere.
    allowance: of what views answer, be it a result or the reason of a revert."""

    def __init__(self, web3: Web3, allowance: Allowance | None = None) -> None:
        self.web3, self.allowance = web3, allowance
        self._head = 0  # the latest block that the node told of

    @property
    def chain_id(self) -> int:
        with translated(self.web3):
            return int(self.web3.eth.chain_id)

    def block(self, number: Any) -> Block:
        """The block of this number, or "latest"."""
        with translated(self.web3):
            try:
                found = self.web3.eth.get_block(number)
            except BlockNotFound as exc:
                raise NotOnChain(f"there is no block {number}") from exc
        if number == "latest":
            self._head = max(self._head, int(found["number"]))
        return Block(found["number"], "0x" + bytes(found["hash"]).hex())

    def time(self, block: Block) -> int:
        """The block's own time in seconds since 1970."""
        with translated(self.web3), answers("eth_getBlockByNumber"):
            return int(self.web3.eth.get_block(block.number)["timestamp"])

    def receipt(self, transaction: str) -> dict[str, Any]:
        with translated(self.web3):
            try:
                return dict(self.web3.eth.get_transaction_receipt(transaction))  # type: ignore[arg-type]
            except TransactionNotFound as exc:
                raise NotOnChain(f"there is no transaction {transaction}") from exc

    def transaction(self, transaction: str) -> Mapping[str, Any]:
        """As the node has it. Raises NotOnChain."""
        with translated(self.web3):
            try:
                return self.web3.eth.get_transaction(transaction)  # type: ignore[arg-type]
            except TransactionNotFound as exc:
                raise NotOnChain(f"there is no transaction {transaction}") from exc

    def header(self, number: int) -> Mapping[str, Any]:
        """A block with the hashes of its transactions."""
        with translated(self.web3):
            return self.web3.eth.get_block(number)

    def logs(self, block: Block, address: str, topic: bytes) -> Sequence[Mapping[str, Any]]:
        """Events of a contract in a block."""
        wanted: Any = {
            "blockHash": block.hash,
            "address": _checksummed(address),
            "topics": ["0x" + topic.hex()],
        }
        with translated(self.web3):
            return self.web3.eth.get_logs(wanted)

    def creations(self, number: int) -> Iterator[tuple[str, bytes]]:
        """Address and calldata of each contract that a transaction of this block was sent for."""
        with translated(self.web3):
            found = self.web3.eth.get_block(number, full_transactions=True)
            for sent in found["transactions"]:
                if isinstance(sent, Mapping) and sent.get("to") is None:
                    receipt = self.web3.eth.get_transaction_receipt(sent["hash"])
                    if receipt["status"] != 1 and not receipt.get("contractAddress"):
                        continue  # it failed, and made nothing
                    yield str(new_address(receipt)).lower(), bytes(sent["input"])

    def code(self, address: str, block: Block) -> bytes:
        def ask() -> bytes:
            with translated(self.web3):
                return bytes(self.web3.eth.get_code(_checksummed(address), block.number))

        return self._on_state(block, ask)

    def code_hashes(self, addresses: Sequence[str], block: Block) -> tuple[bytes, ...]:
        return tuple(keccak(self.code(address, block)) for address in addresses)

    def view(
        self,
        to: str,
        method: abi.Method,
        block: Block,
        *arguments: Any,
        sender: str = abi.NO_HANDLER,
        gas: int = VIEW_GAS,
    ) -> tuple[Any, ...]:
        """The results of a call that takes little gas."""
        try:
            returned = self.seen(to, method.call(*arguments), block, sender, gas=gas)
        except RevertError as exc:
            if exc.data:
                raise
            raise NoAgentThere(to, f"{method.name} reverts without a reason") from exc
        try:
            return method.results(returned)
        except ValueError as exc:
            raise NoAgentThere(to, str(exc)) from exc

    def seen(
        self,
        to: str,
        data: bytes,
        block: Block,
        sender: str = abi.NO_HANDLER,
        *,
        gas: int = VIEW_GAS,
    ) -> bytes:
        """What a view returns that takes little gas; one that takes more reverts. Raises
        TooMuchAnswered beyond the allowance, and then asks nobody any more."""
        self._take(0)
        try:
            returned = self.call(to, data, block, sender, gas=gas)
        except RevertError as exc:
            self._take(len(exc.data))
            raise
        self._take(len(returned))
        return returned

    def _take(self, count: int) -> None:
        if self.allowance:
            self.allowance.take(count)

    def call(
        self,
        to: str,
        data: bytes,
        block: Block,
        sender: str = abi.NO_HANDLER,
        errors: Any = (),
        *,
        gas: int | None = None,
    ) -> bytes:
        """What a call returns. errors: ABI entries of errors to expect. gas: as much as the node
        allows by default."""
        fields: Any = {"to": _checksummed(to), "from": _checksummed(sender), "data": data}
        limit = {} if gas is None else {"gas": gas}
        return self._called(fields | limit, block, errors)

    def constructed(self, compiled: Contract, arguments: Sequence[Any], block: Block) -> bytes:
        """The code that deploying with these constructor arguments would leave, on this state."""
        constructor = [e for e in compiled.abi if e["type"] == "constructor"]
        types = [collapse_if_tuple(p) for e in constructor for p in e["inputs"]]
        fields: Any = {"data": compiled.bytecode + encode(types, list(arguments))}
        return self._called(fields, block, compiled.abi, ours=True)

    def _called(self, fields: Any, block: Block, errors: Any, *, ours: bool = False) -> bytes:
        """ours: the code is, which halts for want of what the node gives it alone."""

        def ask() -> bytes:
            try:
                with translated(self.web3, errors):
                    return bytes(self.web3.eth.call(fields, block.number))
            except ChainError as exc:
                if isinstance(exc, RevertError) or ours or not HALTED.search(str(exc)):
                    raise
                raise RevertError(str(exc), data=b"") from exc

        return self._on_state(block, ask)

    def _on_state(self, block: Block, ask: Callable[[], bytes]) -> bytes:
        """What `ask` answers on the state of a block. Nodes that are no archives have that of
        recent blocks only; behind one address there may be several, of which some lag."""
        until = time.monotonic() + LAG_S
        while True:
            try:
                return ask()
            except ChainError as exc:
                if isinstance(exc, RevertError) or not PRUNED.search(str(exc)):
                    raise
                if not self._head or block.number < self._head - MOST_LAG:
                    raise CannotVerify(
                        f"the node no longer has the state of block {block.number} ({exc}): "
                        "ask an archive node"
                    ) from exc
                if time.monotonic() > until:
                    raise CannotVerify(
                        f"the node told of block {self._head} and does not have the state of "
                        f"block {block.number} yet ({exc}): try again, or ask another node"
                    ) from exc
                time.sleep(PAUSE_S)


def _checksummed(address: str) -> Any:
    return Web3.to_checksum_address(address)

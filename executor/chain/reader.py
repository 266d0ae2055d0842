"""Reads contracts through JSON-RPC at a fixed block.

Calls are encoded by hand (abi.py), so that neither a compiler nor an ABI file is needed.
"""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eth_abi.abi import encode
from eth_utils.crypto import keccak
from web3 import Web3
from web3.exceptions import BlockNotFound, TransactionNotFound

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Block
from zkagent.executor.errors import CannotVerify, NoAgentThere, NotOnChain
from zkagent.verifier_contracts.chain.local import translated
from zkagent.verifier_contracts.chain.node import answers, new_address
from zkagent.verifier_contracts.errors import ChainError, RevertError
from zkagent.verifier_contracts.toolchain.compile import Contract

#: How nodes say that they dropped the state of an old block.
PRUNED = re.compile(r"state|trie node|pruned|archive|header not found", re.IGNORECASE)


class ContractReader:
    """Everything raises ChainError; what is not there raises NotOnChain or NoAgentThere."""

    def __init__(self, web3: Web3) -> None:
        self.web3 = web3

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
                    yield str(new_address(receipt)).lower(), bytes(sent["input"])

    def code(self, address: str, block: Block) -> bytes:
        with self._historic(block), translated(self.web3):
            return bytes(self.web3.eth.get_code(_checksummed(address), block.number))

    def code_hashes(self, addresses: Sequence[str], block: Block) -> tuple[bytes, ...]:
        return tuple(keccak(self.code(address, block)) for address in addresses)

    def view(
        self,
        to: str,
        method: abi.Method,
        block: Block,
        *arguments: Any,
        sender: str = abi.NO_HANDLER,
    ) -> tuple[Any, ...]:
        """The results of a call."""
        try:
            returned = self.call(to, method.call(*arguments), block, sender)
        except RevertError as exc:
            if exc.data:
                raise
            raise NoAgentThere(to, f"{method.name} reverts without a reason") from exc
        try:
            return method.results(returned)
        except ValueError as exc:
            raise NoAgentThere(to, str(exc)) from exc

    def call(
        self, to: str, data: bytes, block: Block, sender: str = abi.NO_HANDLER, errors: Any = ()
    ) -> bytes:
        """What a call returns. errors: ABI entries of errors to expect."""
        fields: Any = {"to": _checksummed(to), "from": _checksummed(sender), "data": data}
        with self._historic(block), translated(self.web3, errors):
            return bytes(self.web3.eth.call(fields, block.number))

    def constructed(self, compiled: Contract, arguments: Sequence[Any], block: Block) -> bytes:
        """The code that deploying with these constructor arguments would leave, on this state."""
        constructor = [e for e in compiled.abi if e["type"] == "constructor"]
        types = [p["type"] for e in constructor for p in e["inputs"]]
        fields: Any = {"data": compiled.bytecode + encode(types, list(arguments))}
        with self._historic(block), translated(self.web3, compiled.abi):
            return bytes(self.web3.eth.call(fields, block.number))

    @contextlib.contextmanager
    def _historic(self, block: Block) -> Iterator[None]:
        """Nodes that are no archives answer for recent blocks only."""
        try:
            yield
        except ChainError as exc:
            if isinstance(exc, RevertError) or not PRUNED.search(str(exc)):
                raise
            raise CannotVerify(
                f"the node no longer has the state of block {block.number} ({exc}): "
                "ask an archive node"
            ) from exc


def _checksummed(address: str) -> Any:
    return Web3.to_checksum_address(address)

"""Sends runs to a real chain from one local key, step by step: price, sign, broadcast, look."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount
from web3 import Web3
from web3.exceptions import TransactionNotFound

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import ContractCall, Inclusion, RunCall, TokenTransfer
from zkagent.executor.chain.effects import simulated_transfers
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.chain.web3_agent import run_result
from zkagent.executor.errors import InsufficientFunds, NoAnswerYet, NotOnChain
from zkagent.verifier_contracts.chain.local import LOCAL_CHAIN_ID, translated
from zkagent.verifier_contracts.chain.node import answers, ask, latest_block, number, quantity
from zkagent.verifier_contracts.chain.nonces import is_known
from zkagent.verifier_contracts.chain.signing import (
    Fees,
    fees_now,
    gas_limit,
    most_gas,
    next_nonce,
    policy_of,
    sign,
)
from zkagent.verifier_contracts.errors import AnswerRefused, ChainError, RevertError

RECEIPT_TIMEOUT_S = 180
POLL_S = 0.05
HASH = re.compile(r"0x[0-9a-f]{64}", re.ASCII)
#: What nodes say of a transaction that they have already; all else is a refusal.
KNOWN = ("already known", "already imported", "known transaction", "already exists")


@dataclass(frozen=True, slots=True)
class Mined:
    """A transaction in a block: the node's receipt, as web3 gives it."""

    receipt: Mapping[str, Any]

    @property
    def block(self) -> int:
        return int(self.receipt["blockNumber"])

    @property
    def block_hash(self) -> str:
        return "0x" + bytes(self.receipt["blockHash"]).hex()

    @property
    def succeeded(self) -> bool:
        return bool(self.receipt["status"] == 1)


def mined_by(web3: Web3, transaction: str) -> Mined | None:
    """Where this node has the transaction of this hash; None when it is in no block. Raises
    ChainError."""
    with translated(web3), answers("eth_getTransactionReceipt"):
        try:
            receipt = web3.eth.get_transaction_receipt(transaction)  # type: ignore[arg-type]
        except TransactionNotFound:
            return None
        found = Mined(receipt)
        named = "0x" + bytes(receipt["transactionHash"]).hex()
        if named != transaction or not isinstance(receipt["blockNumber"], int):
            raise AnswerRefused("eth_getTransactionReceipt", named, transaction)
    return found


@dataclass(frozen=True)
class NodeChain:
    """What a node says is in its blocks. web3: as `connect` gives it. Raises ChainError."""

    web3: Web3

    @property
    def chain_id(self) -> int:
        with translated(self.web3):
            return policy_of(self.web3).chain_id

    def mined(self, transaction: str) -> Mined | None:
        return mined_by(self.web3, transaction)


class Web3Sender:
    """Implements RunSender: EIP-1559 transactions, signed here, never by the node.

    What else it does is for runs that are kept in a journal. Everything raises ChainError.
    entry: the contract that transactions go to and that passes runs on to the agent; the agent
    itself by default.
    """

    def __init__(
        self, web3: Web3, agent: str, signer: LocalAccount, *, entry: str | None = None
    ) -> None:
        self.web3, self.agent, self.signer = web3, Web3.to_checksum_address(agent), signer
        self.entry = Web3.to_checksum_address(entry or agent)

    @property
    def account(self) -> str:
        return str(self.signer.address).lower()

    @property
    def chain_id(self) -> int:
        """The one that is signed for."""
        with translated(self.web3):
            return policy_of(self.web3).chain_id

    @property
    def local(self) -> bool:
        """Whether this is a chain for trying things out."""
        return self.chain_id == LOCAL_CHAIN_ID

    def estimate_gas(self, call: RunCall | ContractCall) -> int:
        fields = self.fields(call)
        with explained(self.web3, fields), answers("eth_estimateGas"):
            gas = self.web3.eth.estimate_gas(fields, "latest")  # type: ignore[arg-type]
        with translated(self.web3):
            gas_limit(self.web3, gas, margin_percent=0)
            self._check_funds(fees_now(self.web3).most_wei(gas) + fields["value"])
        return gas

    def fees(self) -> Fees:
        """Raises FeeRefused, AnswerRefused."""
        with translated(self.web3):
            return fees_now(self.web3)

    def gas_limit(self, estimate: int, margin_percent: int) -> int:
        """With a margin, as far as a block allows."""
        with translated(self.web3):
            return gas_limit(self.web3, estimate, margin_percent)

    def most_gas(self) -> int:
        """That a block has, and so a transaction."""
        with translated(self.web3):
            return most_gas(self.web3)

    def next_nonce(self) -> int:
        """After all that the node has of the account."""
        with translated(self.web3):
            return next_nonce(self.web3, self.signer.address)

    def sign(self, call: RunCall | ContractCall, *, gas: int, fees: Fees, nonce: int) -> bytes:
        """The raw transaction. Raises WrongChain, FeeRefused, AnswerRefused, and then nothing was
        signed."""
        fields = self.fields(call)
        with translated(self.web3):
            return sign(self.web3, self.signer, fields, gas=gas, fees=fees, nonce=nonce)

    def broadcast(self, raw: bytes) -> None:
        """Hand it to the node, which may have it already."""
        try:
            with translated(self.web3):
                ask(self.web3, "eth_sendRawTransaction", "0x" + raw.hex())
        except ChainError as exc:
            if not any(words in str(exc).lower() for words in KNOWN):
                raise

    def mined(self, transaction: str) -> Mined | None:
        """Where the transaction of this hash is; None when it is in no block."""
        return mined_by(self.web3, transaction)

    def is_known(self, transaction: str) -> bool:
        """Whether the node has it, in a block or waiting for one."""
        with translated(self.web3), answers("eth_getTransactionByHash"):
            return is_known(self.web3, transaction)

    def height(self) -> int:
        with translated(self.web3):
            return quantity(self.web3, "eth_blockNumber")

    def transactions_by(self, block: int) -> int:
        """How many of the account's were mined up to this block: the next one's nonce then."""
        with translated(self.web3):
            return quantity(
                self.web3, "eth_getTransactionCount", self.signer.address, hex(max(block, 0))
            )

    def time_of(self, block: int) -> int:
        """The block's own, in seconds since 1970."""
        with translated(self.web3):
            return number("timestamp", self._block(block, whole=False).get("timestamp"))

    def sent_with(self, nonce: int, by: int) -> tuple[str, int] | None:
        """Hash and block of the account's transaction of this nonce, which was mined up to block
        `by`; None when that block does not show it. The node's word, and old blocks only where it
        keeps their state."""
        low, high, step = by - 1, by, 1
        while low >= 0 and self.transactions_by(low) > nonce:
            low, high, step = max(low - step, -1), low, step * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.transactions_by(middle) > nonce else (middle, high)
        with translated(self.web3), answers("eth_getBlockByNumber"):
            for each in self._block(high, whole=True)["transactions"]:
                sender, used = each["from"].lower(), number("nonce", each["nonce"])
                if (sender, used) == (self.account, nonce):
                    return _hash(each["hash"]), high
        return None

    def base_fee_wei(self) -> int:
        with translated(self.web3):
            return number("baseFeePerGas", latest_block(self.web3).get("baseFeePerGas"))

    def first_block(self) -> str:
        """Its hash."""
        with translated(self.web3), answers("eth_getBlockByNumber"):
            return str(ask(self.web3, "eth_getBlockByNumber", "0x0", False)["hash"])

    def transfers(self, call: RunCall) -> tuple[TokenTransfer, ...] | None:
        """Of tokens, by simulation; None where the node does not simulate."""
        return simulated_transfers(self.web3, self.fields(call))

    def send(self, call: RunCall, gas: int) -> Inclusion:
        """Without a journal: for chains of our own."""
        raw = self.sign(call, gas=gas, fees=self.fees(), nonce=self.next_nonce())
        with translated(self.web3):
            sent = self.web3.eth.send_raw_transaction(raw)
            receipt = self.web3.eth.wait_for_transaction_receipt(
                sent, timeout=RECEIPT_TIMEOUT_S, poll_latency=POLL_S
            )
        return self.inclusion(raw, Mined(receipt))

    def inclusion(self, raw: bytes, mined: Mined) -> Inclusion:
        """The run that a mined transaction of ours made. Raises RevertError when it failed,
        NoAnswerYet when its run waits, and ChainError when it holds no run."""
        if not mined.succeeded:
            self._replay(raw, mined.block - 1)
        with answers("eth_getTransactionReceipt"):
            try:
                result = run_result(dict(mined.receipt), self.agent.lower())
            except NoAnswerYet:
                raise
            except NotOnChain as exc:
                raise ChainError(f"the transaction was included, but {exc}") from exc
        return Inclusion(raw, "0x" + bytes(mined.receipt["transactionHash"]).hex(), result)

    def fields(self, call: RunCall | ContractCall) -> dict[str, Any]:
        """The unsigned transaction: from, to, data, value."""
        data, value = (
            (call.data, call.value_wei)
            if isinstance(call, ContractCall)
            else (abi.run_data(call), 0)
        )
        return {"from": self.signer.address, "to": self.entry, "data": data, "value": value}

    def _block(self, block: int, *, whole: bool) -> Mapping[str, Any]:
        """As it came. whole: with its transactions."""
        found = ask(self.web3, "eth_getBlockByNumber", hex(block), whole)
        if not isinstance(found, Mapping):
            raise AnswerRefused("eth_getBlockByNumber", found, "a block")
        return found

    def _check_funds(self, needed_wei: int) -> None:
        balance = quantity(self.web3, "eth_getBalance", self.signer.address, "latest")
        if balance < needed_wei:
            raise InsufficientFunds(self.signer.address, balance, needed_wei)

    def _replay(self, raw: bytes, block: int) -> None:
        """Always raises: receipts do not say why, so the call is evaluated again."""
        _, sent = read_transaction(raw) or ("", {"data": b"", "gas": 0})
        fields: Any = {"from": self.signer.address, "to": self.entry, "value": 0}
        fields |= {"data": sent["data"], "gas": sent["gas"]}
        with explained(self.web3, fields):
            self.web3.eth.call(fields, block)
        raise RevertError("the transaction was reverted, for a reason that does not show", data=b"")


def _hash(answer: str) -> str:
    """Raises AnswerRefused for what is none."""
    if not HASH.fullmatch(answer):
        raise AnswerRefused("hash", answer, "32 bytes in hex")
    return answer

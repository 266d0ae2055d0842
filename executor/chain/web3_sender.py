"""Sends runs to a real chain from one local key."""

from typing import Any

from eth_account.signers.local import LocalAccount
from web3 import Web3

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Inclusion, RunCall
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.chain.web3_agent import run_result
from zkagent.executor.errors import InsufficientFunds, NotOnChain
from zkagent.verifier_contracts.chain.local import translated
from zkagent.verifier_contracts.chain.node import answers, quantity
from zkagent.verifier_contracts.chain.signing import fees_now, gas_limit, next_nonce, sign
from zkagent.verifier_contracts.errors import ChainError, RevertError

RECEIPT_TIMEOUT_S = 180
POLL_S = 0.05


class Web3Sender:
    """Implements RunSender: EIP-1559 transactions, signed here, never by the node."""

    def __init__(self, web3: Web3, agent: str, signer: LocalAccount) -> None:
        self.web3, self.agent, self.signer = web3, Web3.to_checksum_address(agent), signer

    @property
    def account(self) -> str:
        return str(self.signer.address).lower()

    def estimate_gas(self, call: RunCall) -> int:
        fields = self.fields(call)
        with explained(self.web3, fields), answers("eth_estimateGas"):
            gas = int(self.web3.eth.estimate_gas(fields))  # type: ignore[arg-type]
        with translated(self.web3):
            gas_limit(self.web3, gas, margin_percent=0)
            self._check_funds(fees_now(self.web3).most_wei(gas))
        return gas

    def send(self, call: RunCall, gas: int) -> Inclusion:
        fields = self.fields(call)
        with translated(self.web3):
            raw = sign(
                self.web3,
                self.signer,
                fields,
                gas=gas,
                fees=fees_now(self.web3),
                nonce=next_nonce(self.web3, self.signer.address),
            )
            sent = self.web3.eth.send_raw_transaction(raw)
            receipt = self.web3.eth.wait_for_transaction_receipt(
                sent, timeout=RECEIPT_TIMEOUT_S, poll_latency=POLL_S
            )
        if receipt["status"] != 1:
            self._replay(fields | {"gas": gas}, receipt["blockNumber"] - 1)
        try:
            result = run_result(dict(receipt), self.agent.lower())
        except NotOnChain as exc:
            raise ChainError(f"the transaction was included, but {exc}") from exc
        return Inclusion(raw, "0x" + bytes(sent).hex(), result)

    def fields(self, call: RunCall) -> dict[str, Any]:
        """The unsigned transaction: from, to, data, value."""
        data = abi.run_data(call)
        return {"from": self.signer.address, "to": self.agent, "data": data, "value": 0}

    def _check_funds(self, needed_wei: int) -> None:
        balance = quantity(self.web3, "eth_getBalance", self.signer.address, "latest")
        if balance < needed_wei:
            raise InsufficientFunds(self.signer.address, balance, needed_wei)

    def _replay(self, fields: dict[str, Any], block: int) -> None:
        """Always raises: receipts do not say why, so the call is evaluated again."""
        with explained(self.web3, fields):
            self.web3.eth.call(fields, block)  # type: ignore[arg-type]
        raise RevertError("the transaction was reverted, for a reason that does not show", data=b"")

"""Carries a deployment out so that it can be killed at any moment and resumed: no step twice.

Each transaction is journalled, signed as it is, before it is broadcast. A deployment that is
started again goes through the same steps; those that the journal has are looked up on the chain,
broadcast again as they were, or replaced under the same nonce, so that at most one of them is ever
included. A step is signed anew only when, as the node tells it, something else used its nonce or
its transaction failed: where that is a lie, something may be made twice, which costs gas and no
more. Once somebody was told what it costs (`bind`), no step is signed or broadcast that was not
told, and none with more gas.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_typing import HexAddress, HexStr
from eth_utils.crypto import keccak
from hexbytes import HexBytes
from web3.exceptions import TransactionNotFound, Web3RPCError
from web3.types import Nonce
from web3.utils.address import get_create_address

from zkagent.verifier_contracts.chain.gas import calldata_of
from zkagent.verifier_contracts.chain.node import quantity
from zkagent.verifier_contracts.chain.reverts import AbiEntry
from zkagent.verifier_contracts.chain.signing import (
    Fees,
    fees_now,
    gas_limit,
    most_gas,
    next_nonce,
    sign,
)
from zkagent.verifier_contracts.chain.transactions import GAS_MARGIN_PERCENT, replay, translated
from zkagent.verifier_contracts.deployment.carrier import Step
from zkagent.verifier_contracts.deployment.journal import Journal, Signed, digest
from zkagent.verifier_contracts.errors import (
    AnswerRefused,
    JournalRefused,
    StepNotAgreed,
    StepPending,
)

INCLUSION_TIMEOUT_S = 180.0
POLL_S = 0.1
#: How long a node may know of a used nonce before it knows the transaction that used it.
PATIENCE_S = 5.0


class JournalledCarrier:
    """Implements Carrier for a key of ours; a step that the journal has is not done again."""

    def __init__(
        self,
        web3: Any,
        signer: LocalAccount,
        journal: Journal,
        *,
        timeout_s: float = INCLUSION_TIMEOUT_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.web3, self.signer, self.journal, self.block = web3, signer, journal, 0
        self.timeout_s, self.patience_s = timeout_s, patience_s
        self._limits: dict[str, int] | None = None

    @property
    def account(self) -> str:
        return str(self.signer.address)

    def bind(self, limits: Mapping[str, int]) -> None:
        """From now on send these steps alone, each with this limit of gas. Until then each is sent
        with what the node estimates."""
        self._limits = dict(limits)

    def carry(self, step: Step, call: Any, errors: Sequence[AbiEntry] = ()) -> Any:
        """Raises like `Carrier.carry`; JournalRefused when the journal has another transaction for
        this step; StepNotAgreed; StepPending when it is not included in time; OSError when it
        cannot be journalled, and then it was not sent."""
        fields = content_of(call)
        known = (*(getattr(call, "contract_abi", None) or ()), *errors)
        with translated(self.web3, known):
            tries = self._past(step, fields)
            receipt = self._receipt(tries)
            if receipt is None:
                tries = self._broadcast(step, fields, tries)
                receipt = self._wait(step, tries)
            if receipt["status"] != 1:
                gas = int(_read(tries[-1])["gas"])
                replay(self.web3, {**fields, "from": self.account, "gas": gas}, receipt)
        self.block = int(receipt["blockNumber"])
        return self._checked(receipt, fields, tries[-1].nonce)

    def made_in(self, step: str) -> int | None:
        """The block in which what the journal has for a step took effect; None while none did, as
        after it failed: then it is carried out, and paid for, yet."""
        with translated(self.web3):
            receipt = self._receipt(_last_tries(self.journal.of(step)))
            made = receipt is not None and receipt["status"] == 1
        return int(receipt["blockNumber"]) if made else None

    def most_wei(self, step: str, limit: int, fees: Fees) -> int:
        """What a step that took no effect so far costs at most: signed now, or as it was signed
        before, since that is broadcast again where it still does."""
        tries = _last_tries(self.journal.of(step))
        signed = [_fees_of(each).most_wei(int(_read(each)["gas"])) for each in tries]
        return max([fees.most_wei(limit), *signed])

    def finished(self) -> None:
        """All of it is done, and its record is written where there is one: the journal goes."""
        self.journal.finish()

    def _past(self, step: Step, fields: Mapping[str, Any]) -> list[Signed]:
        """What was signed for the step and may still count: all of it has one nonce."""
        signed, content = self.journal.of(step.name), digest(fields)
        if not signed:
            return []
        if any(each.content != content for each in signed):
            said = f"{signed[0].content[:16]} (made by another version, or with other options)"
            raise JournalRefused(self.journal.path, f"step {step.name!r}", said, content[:16])
        tries = _last_tries(signed)
        return [] if self._is_void(tries) else tries

    def _is_void(self, tries: Sequence[Signed]) -> bool:
        """Whether these took no effect and never can: one failed, or its nonce went to another."""
        deadline = time.monotonic() + self.patience_s
        while True:
            if (receipt := self._receipt(tries)) is not None:
                return bool(receipt["status"] != 1)
            if self._used_nonces() <= tries[-1].nonce:
                return False
            if time.monotonic() > deadline:
                return True
            time.sleep(POLL_S)

    def _broadcast(
        self, step: Step, fields: Mapping[str, Any], tries: list[Signed]
    ) -> list[Signed]:
        """What is on its way now: what was, or signed anew for more where its fee does not do."""
        if self._limits is not None and step.name not in self._limits:
            raise StepNotAgreed(step.name, "had taken effect, as the node told first")
        fees = fees_now(self.web3)
        if not tries:
            nonce = max(next_nonce(self.web3, self.account), self.journal.next_nonce)
            tries = [self._sign(step, fields, fees, nonce)]
        elif (paid := _fees_of(tries[-1])).max_fee_wei < fees.base_wei + fees.priority_wei:
            tries = [*tries, self._sign(step, fields, fees.above(paid), tries[-1].nonce)]
        try:
            self.web3.eth.send_raw_transaction(tries[-1].raw)
        except Web3RPCError:
            if self._receipt(tries) is None and not self._is_known(tries):
                raise
        return tries

    def _sign(self, step: Step, fields: Mapping[str, Any], fees: Fees, nonce: int) -> Signed:
        """Signed and journalled, in this order: nothing else of us sees it before."""
        gas = self._gas(step, fields)
        carried = {**fields, "value": 0}
        raw = sign(self.web3, self.signer, carried, gas=gas, fees=fees, nonce=nonce)
        name = "0x" + keccak(raw).hex()
        signed = Signed(step.name, digest(fields), nonce, name, "0x" + raw.hex())
        self.journal.add(signed)
        return signed

    def _gas(self, step: Step, fields: Mapping[str, Any]) -> int:
        """The transaction's limit: what was agreed, if that is enough by the node's word."""
        estimate = self.web3.eth.estimate_gas({**fields, "from": self.account})
        usual = gas_limit(self.web3, estimate, GAS_MARGIN_PERCENT)
        if self._limits is None:
            return usual
        agreed = self._limits[step.name]
        if estimate > agreed:
            why = f"takes {estimate:,} gas by the node's word, {agreed:,} were agreed"
            raise StepNotAgreed(step.name, why)
        return min(agreed, most_gas(self.web3))

    def _wait(self, step: Step, tries: Sequence[Signed]) -> Any:
        deadline = time.monotonic() + self.timeout_s
        while (receipt := self._receipt(tries)) is None:
            if time.monotonic() > deadline:
                raise StepPending(step.name, tries[-1].hash, self.timeout_s)
            time.sleep(POLL_S)
        return receipt

    def _receipt(self, tries: Sequence[Signed]) -> Any:
        """Of whichever was included; None when none is."""
        for each in tries:
            try:
                receipt = self.web3.eth.get_transaction_receipt(each.hash)
            except TransactionNotFound:
                continue
            if bytes(receipt["transactionHash"]) != bytes.fromhex(each.hash[2:]):
                what = f"the receipt of {each.hash}"
                raise AnswerRefused(what, receipt["transactionHash"], "its own")
            return receipt
        return None

    def _is_known(self, tries: Sequence[Signed]) -> bool:
        """Whether the node has one of them, so that it had no need of it."""
        for each in tries:
            try:
                self.web3.eth.get_transaction(each.hash)
            except TransactionNotFound:
                continue
            return True
        return False

    def _used_nonces(self) -> int:
        return quantity(self.web3, "eth_getTransactionCount", self.account, "latest")

    def _checked(self, receipt: Any, fields: Mapping[str, Any], nonce: int) -> Any:
        """A new contract stands where account and nonce say, whatever the node says."""
        expected = (
            None
            if "to" in fields
            else get_create_address(HexAddress(HexStr(self.account)), Nonce(nonce))
        )
        if receipt["contractAddress"] != expected:
            what = f"the contract of transaction 0x{bytes(receipt['transactionHash']).hex()}"
            raise AnswerRefused(what, receipt["contractAddress"], str(expected))
        return receipt


def _last_tries(signed: Sequence[Signed]) -> list[Signed]:
    """Of a step's, those of the nonce that was chosen last: the others have no effect."""
    return [each for each in signed if each.nonce == signed[-1].nonce]


def content_of(call: Any) -> dict[str, Any]:
    """What a transaction carries: data, and to unless it creates a contract."""
    if isinstance(call, Mapping):
        return dict(call)
    if hasattr(call, "data_in_transaction"):  # of web3's constructors alone
        return {"data": call.data_in_transaction}
    return {"to": call.address, "data": "0x" + calldata_of(call).hex()}


def _fees_of(signed: Signed) -> Fees:
    read = _read(signed)
    return Fees(0, int(read["maxFeePerGas"]), int(read["maxPriorityFeePerGas"]))


def _read(signed: Signed) -> Mapping[str, Any]:
    return TypedTransaction.from_bytes(HexBytes(signed.raw)).as_dict()


__all__ = ["JournalledCarrier", "content_of"]

"""Carries a deployment out so that it can be killed at any moment and resumed: no step twice.

Each transaction is journalled, signed as it is, before it is broadcast. A deployment that is
started again goes through the same steps; those that the journal has are looked up on the chain,
broadcast again as they were, or replaced under the same nonce, so that at most one of them is ever
included. One of the same content that somebody else signed with the key, as a wallet does to speed
a transaction up, counts as ours. A step is signed anew, with another nonce and so another address
for what it makes, only when no later step is signed, and, as the node tells it, something of
another content used its nonce, or its transaction failed and nothing stands at its address: where
that is a lie, something may be made twice, which costs the gas of that one step; what was built on
is never made twice. Once
somebody was told what it costs (`bind`), no step is signed or broadcast that was not told, and none
with more gas.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_typing import ChecksumAddress, HexAddress, HexStr
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from hexbytes import HexBytes
from web3.exceptions import TransactionNotFound, Web3RPCError
from web3.types import Nonce
from web3.utils.address import get_create_address

from zkagent.verifier_contracts.chain.gas import calldata_of
from zkagent.verifier_contracts.chain.node import quantity
from zkagent.verifier_contracts.chain.nonces import is_known, spent_on
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
    StepContradicted,
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
    def account(self) -> ChecksumAddress:
        return to_checksum_address(self.signer.address)

    def bind(self, limits: Mapping[str, int]) -> None:
        """From now on send these steps alone, each with this limit of gas. Until then each is sent
        with what the node estimates."""
        self._limits = dict(limits)

    def carry(self, step: Step, call: Any, errors: Sequence[AbiEntry] = ()) -> Any:
        """Raises like `Carrier.carry`; JournalRefused when the journal has another transaction for
        this step; StepContradicted; StepNotAgreed; StepPending when it is not included in time;
        OSError when it cannot be journalled, and then it was not sent."""
        fields = content_of(call)
        known = (*(getattr(call, "contract_abi", None) or ()), *errors)
        with translated(self.web3, known):
            tries, receipt = self._past(step, fields)
            if receipt is None:
                tries, receipt = self._broadcast(step, fields, tries)
            if receipt is None:
                receipt = self._wait(step, tries)
            if receipt["status"] != 1:
                gas = int(_read(tries[-1])["gas"])
                replay(self.web3, {**fields, "from": self.account, "gas": gas}, receipt)
        self.block = int(receipt["blockNumber"])
        return self._checked(receipt, fields, tries[-1].nonce)

    def made_in(self, step: str) -> int | None:
        """The block in which what the journal has for a step took effect; None while none did, as
        after it failed: then it is carried out, and paid for, yet. Raises StepContradicted."""
        with translated(self.web3):
            _, receipt = self._standing(step)
        return None if receipt is None else int(receipt["blockNumber"])

    def bid(self, step: str, fees: Fees) -> Fees:
        """For what a step that took no effect so far is signed now, where it has to be: for more
        than the fees of now, if it replaces what was signed before and no longer does."""
        tries = self._last_tries(step)
        return fees.above(_fees_of(tries[-1])) if tries and not _does(tries[-1], fees) else fees

    def most_wei(self, step: str, limit: int, fees: Fees) -> int:
        """What a step that took no effect so far costs at most: signed for these fees, or as it was
        signed before, since that is broadcast again where it still does."""
        tries = self._last_tries(step)
        signed = [_fees_of(each).most_wei(int(_read(each)["gas"])) for each in tries]
        return max([fees.most_wei(limit), *signed])

    def finished(self) -> None:
        """All of it is done, and its record is written where there is one: the journal goes. Raises
        OSError where it cannot be removed."""
        self.journal.finish()

    def _last_tries(self, step: str) -> list[Signed]:
        return next(reversed(self.journal.counting(step)), [])

    def _past(self, step: Step, fields: Mapping[str, Any]) -> tuple[list[Signed], Any]:
        """Like `_standing`, chosen from now on; of the content that the step has now."""
        signed, content = self.journal.of(step.name), digest(fields)
        if any(each.content != content for each in signed):
            said = f"{signed[0].content[:16]} (made by another version, or with other options)"
            raise JournalRefused(self.journal.path, f"step {step.name!r}", said, content[:16])
        tries, receipt = self._standing(step.name)
        if (
            tries
            and tries[-1].nonce != signed[-1].nonce
            and not self.journal.is_followed(step.name)
        ):
            self.journal.add(tries[-1])
        return tries, receipt

    def _standing(self, step: str) -> tuple[list[Signed], Any]:
        """What was signed for the step and took effect, with its receipt, or may yet take effect,
        without: all of it has one nonce. Nothing when none of it can any more."""
        if not (last := self._last_tries(step)):
            return [], None
        tries, receipt = self._outcome(last)
        if tries:
            return tries, receipt
        if self.journal.is_followed(step):
            raise StepContradicted(
                step, last[-1].hash, "steps after it are signed, for what it made"
            )
        for earlier in self.journal.counting(step)[-2::-1]:
            receipt = self._receipt(earlier)
            if receipt is not None and receipt["status"] == 1:
                return earlier, receipt
        return [], None

    def _outcome(self, tries: list[Signed]) -> tuple[list[Signed], Any]:
        """The same with the receipt if one took effect, without while one may. Nothing when none
        can: one failed, or its nonce went to another."""
        deadline = time.monotonic() + self.patience_s
        while True:
            if (receipt := self._receipt(tries)) is not None:
                return (tries, receipt) if receipt["status"] == 1 else ([], None)
            if self._used_nonces() <= tries[-1].nonce:
                return tries, None
            if time.monotonic() > deadline:
                return self._done_by_another(tries)
            time.sleep(POLL_S)

    def _done_by_another(self, tries: list[Signed]) -> tuple[list[Signed], Any]:
        """The same where the nonce went, as it seems, to none of `tries`: with the receipt of a
        transaction that carries what they do. Raises StepContradicted where there is none of it, or
        where nobody can tell: what a call did cannot be seen, see `_check_void` for a creation."""
        last = tries[-1]
        spent = spent_on(self.web3, self.account, last.nonce)
        if spent is None and _read(last)["to"]:
            raise StepContradicted(last.step, last.hash, "it does not tell what used its nonce")
        if spent is None or digest(spent.carries) != last.content or spent.value:
            return [], None
        if (receipt := self._receipt([replace(last, hash=spent.hash)])) is None:
            raise StepContradicted(last.step, spent.hash, "a block has it")
        return (tries, receipt) if receipt["status"] == 1 else ([], None)

    def _check_void(self, step: Step, fields: Mapping[str, Any]) -> None:
        """Raises StepContradicted where something stands at the address of what the step makes, and
        the node does not tell that a transaction of another content made that."""
        for tries in self.journal.counting(step.name) if "to" not in fields else ():
            nonce, last = tries[-1].nonce, tries[-1]
            address = self._address(nonce)
            if not self.web3.eth.get_code(address):
                continue
            spent = spent_on(self.web3, self.account, nonce)
            if spent is None or digest(spent.carries) == last.content:
                raise StepContradicted(step.name, last.hash, f"its contract is at {address}")

    def _address(self, nonce: int) -> ChecksumAddress:
        return get_create_address(HexAddress(HexStr(self.account)), Nonce(nonce))

    def _broadcast(
        self, step: Step, fields: Mapping[str, Any], tries: list[Signed]
    ) -> tuple[list[Signed], Any]:
        """What is on its way now: what was, or signed anew for more where its fee does not do. With
        the receipt where the node refuses it since another of its content took effect meanwhile."""
        if self._limits is not None and step.name not in self._limits:
            raise StepNotAgreed(step.name, "had taken effect, as the node told first")
        fees = fees_now(self.web3)
        if not tries:
            self._check_void(step, fields)
            nonce = max(next_nonce(self.web3, self.account), self.journal.next_nonce)
            tries = [self._sign(step, fields, fees, nonce)]
        elif not _does(tries[-1], fees):
            more = fees.above(_fees_of(tries[-1]))
            tries = [*tries, self._sign(step, fields, more, tries[-1].nonce)]
        try:
            self.web3.eth.send_raw_transaction(tries[-1].raw)
        except Web3RPCError:
            known = any(is_known(self.web3, each.hash) for each in tries)
            if not known and self._receipt(tries) is None:
                tries, receipt = self._past(step, fields)
                if receipt is None:
                    raise
                return tries, receipt
        return tries, None

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

    def _used_nonces(self) -> int:
        return quantity(self.web3, "eth_getTransactionCount", self.account, "latest")

    def _checked(self, receipt: Any, fields: Mapping[str, Any], nonce: int) -> Any:
        """A new contract stands where account and nonce say, whatever the node says."""
        expected = None if "to" in fields else self._address(nonce)
        if receipt["contractAddress"] != expected:
            what = f"the contract of transaction 0x{bytes(receipt['transactionHash']).hex()}"
            raise AnswerRefused(what, receipt["contractAddress"], str(expected))
        return receipt


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


def _does(signed: Signed, fees: Fees) -> bool:
    """Whether its fee is still one that the node asks for."""
    return _fees_of(signed).max_fee_wei >= fees.base_wei + fees.priority_wei


def _read(signed: Signed) -> Mapping[str, Any]:
    return TypedTransaction.from_bytes(HexBytes(signed.raw)).as_dict()


__all__ = ["JournalledCarrier", "content_of"]

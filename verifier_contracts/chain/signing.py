"""For which chain we sign, and for which fees at most, whatever a node says.

A connection has one policy, fixed when it is made (`local.connect`). Every local key signs through
`sign`, which deployments (transactions.py) and runs (`executor/chain/web3_sender.py`) share.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from eth_account.signers.local import LocalAccount
from web3 import Web3

from zkagent.verifier_contracts.chain.node import latest_block, number, quantity
from zkagent.verifier_contracts.errors import AnswerRefused, FeeRefused, WrongChain

GWEI = 10**9
ETHER = 10**18
#: What is paid at most where nobody says otherwise: per gas unit, to the block's proposer, in all.
MOST_FEE_WEI = 500 * GWEI
MOST_PRIORITY_WEI = 50 * GWEI
MOST_COST_WEI = ETHER
#: Beside a low base fee the proposer gets no more than ten times that, or this.
USUAL_PRIORITY_WEI = 3 * GWEI
LEAST_GAS = 21_000
FARTHEST_NONCE = 1_000  # transactions of one account that may be on their way


@dataclass(frozen=True, slots=True)
class Fees:
    """Of one transaction, for each unit of gas (EIP-1559). base_wei: of the latest block."""

    base_wei: int
    max_fee_wei: int
    priority_wei: int

    def likely_cost_wei(self, gas: int) -> int:
        """At the base fee of now."""
        return gas * min(self.max_fee_wei, self.base_wei + self.priority_wei)

    def most_wei(self, gas: int) -> int:
        return gas * self.max_fee_wei

    def above(self, earlier: "Fees") -> "Fees":
        """At least so much more than `earlier` that nodes let it replace that (an eighth)."""
        return Fees(
            self.base_wei,
            max(self.max_fee_wei, earlier.max_fee_wei * 9 // 8 + 1),
            max(self.priority_wei, earlier.priority_wei * 9 // 8 + 1),
        )


@dataclass(frozen=True, slots=True)
class FeeCaps:
    """What may be paid for a unit of gas. None: MOST_FEE_WEI, and MOST_COST_WEI for the whole
    transaction; MOST_PRIORITY_WEI, and ten times the base fee or USUAL_PRIORITY_WEI. agreed_wei: to
    which somebody said yes, whatever else the caps allow."""

    max_fee_wei: int | None = None
    max_priority_fee_wei: int | None = None
    agreed_wei: int | None = None

    def fees(self, base_wei: int, suggested_priority_wei: int) -> Fees:
        """Twice the base fee and the priority fee, as far as the caps allow. Raises FeeRefused."""
        most = self._most_wei
        wanted = 2 * base_wei + suggested_priority_wei
        least = base_wei + suggested_priority_wei
        fees = Fees(base_wei, max(min(wanted, most), least), suggested_priority_wei)
        self.check(fees)
        return fees

    @property
    def _most_wei(self) -> int:
        most = MOST_FEE_WEI if self.max_fee_wei is None else self.max_fee_wei
        return most if self.agreed_wei is None else min(most, self.agreed_wei)

    def check(self, fees: Fees, gas: int = 0) -> None:
        """Raises FeeRefused. gas: the transaction's limit."""
        priority = self.max_priority_fee_wei
        if priority is None:
            usual = max(10 * fees.base_wei, USUAL_PRIORITY_WEI)
            priority = min(MOST_PRIORITY_WEI, usual)
        most = self._most_wei
        if fees.priority_wei > priority:
            raise FeeRefused("priority fee", fees.priority_wei, priority, "--max-priority-fee")
        if self.agreed_wei is not None and fees.max_fee_wei > self.agreed_wei:
            raise FeeRefused(
                "fee",
                fees.max_fee_wei,
                self.agreed_wei,
                "your yes to a higher one: repeat the command",
            )
        if fees.max_fee_wei > most:
            raise FeeRefused("fee", fees.max_fee_wei, most, "--max-fee")
        if self.max_fee_wei is None and fees.most_wei(gas) > MOST_COST_WEI:
            raise FeeRefused(
                f"fee for {gas:,} gas", fees.most_wei(gas), MOST_COST_WEI, "--max-fee", whole=True
            )


USUAL_CAPS = FeeCaps()


@dataclass(frozen=True, slots=True)
class SigningPolicy:
    """One chain, and what its transactions may cost."""

    chain_id: int
    caps: FeeCaps = USUAL_CAPS


_POLICIES: "WeakKeyDictionary[Web3, SigningPolicy]" = WeakKeyDictionary()


def set_policy(web3: Web3, policy: SigningPolicy) -> None:
    """From now on everything that is signed for this connection follows it."""
    _POLICIES[web3] = policy


def policy_of(web3: Web3) -> SigningPolicy:
    """The connection's; one without gets the chain that it serves when it is first asked."""
    if web3 not in _POLICIES:
        _POLICIES[web3] = SigningPolicy(quantity(web3, "eth_chainId"))
    return _POLICIES[web3]


def check_chain(web3: Web3) -> None:
    """Raises WrongChain when the node now answers for another chain."""
    expected, found = policy_of(web3).chain_id, quantity(web3, "eth_chainId")
    if found != expected:
        raise WrongChain(str(getattr(web3.provider, "endpoint_uri", "")), expected, found)


def fees_now(web3: Web3) -> Fees:
    """By the latest block and the node's advice. Raises FeeRefused, AnswerRefused."""
    base = number("baseFeePerGas of the latest block", latest_block(web3).get("baseFeePerGas"))
    return policy_of(web3).caps.fees(base, quantity(web3, "eth_maxPriorityFeePerGas"))


def gas_limit(web3: Web3, estimate: Any, margin_percent: int) -> int:
    """An estimate with a margin, no more than a block takes. Raises AnswerRefused for an estimate
    that cannot be."""
    most = most_gas(web3)
    possible = isinstance(estimate, int) and LEAST_GAS <= estimate <= most
    if not possible:
        raise AnswerRefused("eth_estimateGas", estimate, f"{LEAST_GAS:,} to {most:,}")
    return min(most, int(estimate) * (100 + margin_percent) // 100)


def most_gas(web3: Web3) -> int:
    """That a block takes, and so a transaction. Raises AnswerRefused."""
    return number("gasLimit of the latest block", latest_block(web3).get("gasLimit"))


def next_nonce(web3: Web3, account: str) -> int:
    """After all that the node has of this account. Raises AnswerRefused."""
    mined = quantity(web3, "eth_getTransactionCount", account, "latest")
    pending = quantity(web3, "eth_getTransactionCount", account, "pending")
    if not mined <= pending <= mined + FARTHEST_NONCE:
        expected = f"{mined} to {mined + FARTHEST_NONCE}"
        raise AnswerRefused("eth_getTransactionCount", pending, expected)
    return pending


def sign(
    web3: Web3,
    signer: LocalAccount,
    fields: Mapping[str, Any],
    *,
    gas: int,
    fees: Fees,
    nonce: int,
) -> bytes:
    """The raw transaction, for the policy's chain. fields: to, data, value. Raises WrongChain,
    FeeRefused, AnswerRefused, and then nothing was signed."""
    policy = policy_of(web3)
    policy.caps.check(fees, gas)
    check_chain(web3)
    transaction = {key: fields[key] for key in fields.keys() & {"to", "data", "value"}} | {
        "type": 2,
        "chainId": policy.chain_id,
        "nonce": nonce,
        "gas": gas,
        "maxFeePerGas": fees.max_fee_wei,
        "maxPriorityFeePerGas": fees.priority_wei,
    }
    return bytes(signer.sign_transaction(transaction).raw_transaction)


__all__ = ["GWEI", "USUAL_CAPS", "FeeCaps", "Fees", "SigningPolicy", "check_chain", "fees_now"]
__all__ += ["gas_limit", "most_gas", "next_nonce", "policy_of", "set_policy", "sign"]

"""What is signed when a node lies: nothing."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from eth_account import Account

from tests.support.lying_node import Garbage, LyingNode, Refusal, Silence, lying_node
from zkagent.verifier_contracts.chain.local import Anvil, connect, send
from zkagent.verifier_contracts.chain.signing import GWEI, FeeCaps, Fees
from zkagent.verifier_contracts.errors import (
    AnswerRefused,
    ChainError,
    ChainTimedOut,
    FeeRefused,
    WrongChain,
)


class Signer:
    """An account that remembers what it signed."""

    def __init__(self, key: bytes) -> None:
        self.account = Account.from_key(key)
        self.address, self.signed = self.account.address, list[Any]()

    def sign_transaction(self, transaction: Any) -> Any:
        self.signed.append(transaction)
        return self.account.sign_transaction(transaction)


@pytest.fixture
def signer(chain: Anvil) -> Signer:
    return Signer(bytes(chain.accounts[4].key))


@pytest.fixture
def liar(chain: Anvil) -> Iterator[LyingNode]:
    with lying_node(chain.rpc_url) as node:
        yield node


def pay(web3: Any, signer: Any) -> Any:
    return send(web3, {"to": "0x" + "11" * 20}, signer, value=5)


def test_an_honest_node_gets_a_transaction_for_its_chain(liar: LyingNode, signer: Signer) -> None:
    assert pay(connect(liar.url), signer)["status"] == 1
    assert [t["chainId"] for t in signer.signed] == [31337]
    assert len(liar.sent) == 1


def test_another_chain_id_when_it_comes_to_signing_gets_no_signature(
    liar: LyingNode, signer: Signer
) -> None:
    web3 = connect(liar.url)
    liar.says("eth_chainId", "0x1")
    with pytest.raises(WrongChain, match="serves chain 1, expected chain 31337"):
        pay(web3, signer)
    assert (signer.signed, liar.sent) == ([], [])


def test_a_chain_id_that_alternates_is_never_signed_for(liar: LyingNode, signer: Signer) -> None:
    web3, turns = connect(liar.url), itertools.cycle(["0x7a69", "0x1"])
    liar.lies["eth_chainId"] = lambda honest: next(turns)
    for _ in range(4):
        with pytest.raises(ChainError):
            pay(web3, signer)
    assert {t["chainId"] for t in signer.signed} <= {31337}


ABSURD = ("0x", "-0x1", "0x" + "f" * 65, "1 gwei", 7, None, {}, [], True, 1.5, "0xzz", "٣")
DEPENDED_ON = (
    "eth_chainId",
    "eth_maxPriorityFeePerGas",
    "eth_estimateGas",
    "eth_getTransactionCount",
    "eth_getBlockByNumber",
)


BODIES = (b"", b"\xff", b"[]", b"5", b"null", b"{}", b'{"result": null}')
NO_ANSWERS = (*ABSURD, *map(Garbage, BODIES), Refusal("no"))


@pytest.mark.parametrize("method", DEPENDED_ON)
def test_garbage_gets_no_signature(liar: LyingNode, signer: Signer, method: str) -> None:
    web3 = connect(liar.url)
    for answer in NO_ANSWERS:
        liar.says(method, answer)
        with pytest.raises(ChainError) as caught:
            pay(web3, signer)
        assert "\n" not in str(caught.value)
    assert (signer.signed, liar.sent) == ([], [])


@pytest.mark.parametrize("field", ["baseFeePerGas", "gasLimit"])
def test_a_block_that_cannot_be_gets_no_signature(
    liar: LyingNode, signer: Signer, field: str
) -> None:
    web3 = connect(liar.url)
    for answer in (*ABSURD, hex(10**15) if field == "baseFeePerGas" else hex(20_000)):
        told = {field: answer}
        liar.lies["eth_getBlockByNumber"] = lambda honest, told=told: honest() | told
        with pytest.raises(ChainError):
            pay(web3, signer)
    assert (signer.signed, liar.sent) == ([], [])


def test_an_absurd_fee_gets_no_signature(liar: LyingNode, signer: Signer) -> None:
    liar.says("eth_maxPriorityFeePerGas", hex(10**15))
    web3 = connect(liar.url)
    base = web3.eth.get_block("latest")["baseFeePerGas"]
    with pytest.raises(FeeRefused, match="priority fee would be 1,000,000 gwei, at most") as caught:
        pay(web3, signer)
    assert caught.value.most_wei == min(50 * GWEI, max(10 * base, 3 * GWEI))
    assert (signer.signed, liar.sent) == ([], [])


def test_a_fee_above_the_users_cap_gets_no_signature(liar: LyingNode, signer: Signer) -> None:
    for caps in (FeeCaps(max_fee_wei=GWEI), FeeCaps(max_priority_fee_wei=GWEI - 1)):
        with pytest.raises(FeeRefused, match="give --max-"):
            pay(connect(liar.url, caps=caps), signer)
    assert (signer.signed, liar.sent) == ([], [])
    assert pay(connect(liar.url, caps=FeeCaps(3 * GWEI, GWEI)), signer)["status"] == 1


def test_a_fee_above_what_was_agreed_to_gets_no_signature(liar: LyingNode, signer: Signer) -> None:
    agreed = connect(liar.url, caps=FeeCaps(agreed_wei=3 * GWEI))
    assert pay(agreed, signer)["status"] == 1
    done = len(signer.signed)
    liar.lies["eth_getBlockByNumber"] = lambda honest: honest() | {"baseFeePerGas": hex(3 * GWEI)}
    with pytest.raises(FeeRefused, match=r"gwei, at most 3 gwei is paid: .* repeat the command"):
        pay(agreed, signer)
    assert len(signer.signed) == done


@pytest.mark.parametrize("gas", [0, 20_999, 10**9 + 1, 2**255])
def test_an_estimate_that_no_block_takes_gets_no_signature(
    liar: LyingNode, signer: Signer, gas: int
) -> None:
    web3 = connect(liar.url)
    liar.says("eth_estimateGas", hex(gas))
    with pytest.raises(AnswerRefused, match="expected 21,000 to 1,000,000,000"):
        pay(web3, signer)
    assert (signer.signed, liar.sent) == ([], [])


def test_a_whole_block_of_gas_costs_more_than_is_paid(liar: LyingNode, signer: Signer) -> None:
    web3 = connect(liar.url)
    liar.says("eth_estimateGas", hex(999_000_000))
    with pytest.raises(FeeRefused, match="at most 1 ETH is paid"):
        pay(web3, signer)
    assert (signer.signed, liar.sent) == ([], [])


def test_a_nonce_far_away_gets_no_signature(liar: LyingNode, signer: Signer) -> None:
    web3, counts = connect(liar.url), itertools.cycle(["0x0", hex(10**6)])
    liar.lies["eth_getTransactionCount"] = lambda honest: next(counts)
    with pytest.raises(AnswerRefused, match="expected 0 to 1000"):
        pay(web3, signer)
    assert (signer.signed, liar.sent) == ([], [])


@pytest.mark.parametrize("method", DEPENDED_ON)
def test_silence_gets_no_signature(liar: LyingNode, signer: Signer, method: str) -> None:
    web3 = connect(liar.url)
    liar.says(method, Silence())
    web3.provider.timeout_s = 0.5  # type: ignore[attr-defined]
    with pytest.raises(ChainTimedOut):
        pay(web3, signer)
    assert (signer.signed, liar.sent) == ([], [])


def test_fees_that_replace_others_are_an_eighth_higher() -> None:
    first = Fees(10, 80, 8)
    assert first.above(first) == Fees(10, 91, 10)
    assert Fees(10, 200, 20).above(first) == Fees(10, 200, 20)

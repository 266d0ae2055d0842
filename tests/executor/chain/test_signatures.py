"""Signatures have one valid form: neither their twin nor another spelling of v passes."""

import pytest
import rlp
from eth_account import Account

from tests.executor.drain import REQUESTER
from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.chain.signatures import read_transaction, receipt_signer, sign_receipt
from zkagent.executor.runs.runner import CompletedRun

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
V = 9  # where it is in the list of an EIP-1559 transaction, before r and s
TEXT = '{"some":"text"}'
SIGNED = bytes.fromhex(sign_receipt(REQUESTER, TEXT)[2:])


def twin(r: bytes, s: bytes, v: int) -> bytes:
    """The other signature of the same key over the same text."""
    return r + (ORDER - int.from_bytes(s, "big")).to_bytes(32, "big") + bytes([v])


def test_the_signer_is_recovered() -> None:
    assert receipt_signer("0x" + SIGNED.hex(), TEXT) == str(REQUESTER.address).lower()


def test_the_twin_of_a_signature_is_refused() -> None:
    other = twin(SIGNED[:32], SIGNED[32:64], 55 - SIGNED[64])
    assert receipt_signer("0x" + other.hex(), TEXT) is None


@pytest.mark.parametrize("v", [0, 1, 2, 26, 29, 255])
def test_another_spelling_of_v_is_refused(v: int) -> None:
    assert receipt_signer("0x" + SIGNED[:64].hex() + f"{v:02x}", TEXT) is None


@pytest.mark.parametrize("signature", ["0x", "0x" + "00" * 65, "0x" + "ff" * 65])
def test_what_is_no_signature_has_no_signer(signature: str) -> None:
    assert receipt_signer(signature, TEXT) is None


def test_a_transaction_tells_its_sender_and_fields(
    completed: CompletedRun, agent: MemoryAgent
) -> None:
    found = read_transaction(completed.inclusion.raw)
    assert found is not None
    assert found[0] == agent.account
    assert found[1]["to"] == agent.identity_now.agent


def test_a_legacy_transaction_and_junk_are_none() -> None:
    legacy = Account.create().sign_transaction(
        {"nonce": 0, "to": None, "value": 0, "gas": 21000, "gasPrice": 1, "data": b"", "chainId": 1}
    )
    assert read_transaction(bytes(legacy.raw_transaction)) is None
    assert read_transaction(b"") is None
    assert read_transaction(b"\x02junk") is None


def respelled(raw: bytes, place: int, written: bytes) -> bytes:
    """With other bytes at this place of the transaction's list."""
    fields = list(rlp.decode(raw[1:]))
    return raw[:1] + rlp.encode([*fields[:place], written, *fields[place + 1 :]])


@pytest.mark.parametrize("v", [*range(2, 40), 0x1B00, 1 << 64])
def test_another_spelling_of_a_transactions_v_is_none(v: int, completed: CompletedRun) -> None:
    """No chain takes it, though the key can be recovered: its hash is of no transaction."""
    written = v.to_bytes(9, "big").lstrip(b"\0")
    assert read_transaction(respelled(completed.inclusion.raw, V, written)) is None


@pytest.mark.parametrize("place", [0, 1, 2, 3, 4, 6, V, V + 1, V + 2])
def test_a_number_with_a_leading_zero_makes_it_none(place: int, completed: CompletedRun) -> None:
    raw = completed.inclusion.raw
    written = rlp.decode(raw[1:])[place]
    assert read_transaction(respelled(raw, place, written)) is not None
    assert read_transaction(respelled(raw, place, b"\0" + written)) is None


def test_the_twin_of_a_transactions_signature_is_none(completed: CompletedRun) -> None:
    raw = completed.inclusion.raw
    v, _, s = rlp.decode(raw[1:])[V:]
    swapped = respelled(raw, V, b"" if v else b"\1")
    other = (ORDER - int.from_bytes(s, "big")).to_bytes(32, "big").lstrip(b"\0")
    assert read_transaction(respelled(swapped, V + 2, other)) is None


def test_bytes_behind_a_transaction_make_it_none(completed: CompletedRun) -> None:
    assert read_transaction(completed.inclusion.raw + b"\0") is None

"""Signed transactions as bytes, each with one valid form.

An ECDSA signature has a twin (r, n - s) that recovers to the same key: it is refused, so that no
bit of a transaction can change without notice. Receipts and the journal of runs read them.
"""

from functools import lru_cache
from typing import Any

from eth_account import Account
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from hexbytes import HexBytes

HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
Recovered = tuple[str, dict[str, Any]]


@lru_cache(maxsize=16)
def read_transaction(raw: bytes) -> Recovered | None:
    """Sender and fields of a signed EIP-1559 transaction; None when it is none.

    Fields: chainId, nonce, to (lower case), value, data and the gas fields.
    """
    try:
        if raw[:1] != b"\x02":
            return None
        fields = dict(TypedTransaction.from_bytes(HexBytes(raw)).as_dict())
        sender = str(Account.recover_transaction(raw)).lower()
    except Exception:  # whatever a decoder raises on foreign bytes, it is no transaction
        return None
    if is_twin(int(fields["s"]).to_bytes(32, "big")):
        return None
    to = fields["to"]
    fields["to"] = "0x" + (bytes(to) if not isinstance(to, str) else bytes.fromhex(to[2:])).hex()
    fields["data"] = bytes(fields["data"])
    return sender, fields


def is_twin(s: bytes) -> bool:
    """Whether s is in the upper half, which only the other form of a signature has."""
    return int.from_bytes(s, "big") > HALF_ORDER


__all__ = ["is_twin", "read_transaction"]

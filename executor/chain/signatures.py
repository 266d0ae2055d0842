"""Signatures of receipts and transactions, with one valid form each.

An ECDSA signature has a twin (r, n - s) that recovers to the same key, and v can be written in
several ways, of which chains take one. All others are refused, so that no bit of a signature can
change without notice.
"""

import hashlib
from functools import lru_cache
from typing import Any

from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError
from hexbytes import HexBytes

HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
Recovered = tuple[str, dict[str, Any]]


def sign_receipt(account: LocalAccount, text: str, kind: str = "receipt") -> str:
    """The requester's statement (EIP-191) over a receipt's canonical text. kind: of receipts; a
    signature of one kind is none of another."""
    return sign_statement(account, _statement(text, kind))


def receipt_signer(signature: str, text: str, kind: str = "receipt") -> str | None:
    """Lower-case address of the signer; None when it is no canonical signature."""
    return statement_signer(signature, _statement(text, kind))


def sign_statement(account: LocalAccount, text: str) -> str:
    """EIP-191, over the text as it stands."""
    return "0x" + account.sign_message(encode_defunct(text=text)).signature.hex()


def statement_signer(signature: str, text: str) -> str | None:
    """Lower-case address of the signer; None when it is no canonical signature."""
    raw = bytes.fromhex(signature[2:])
    if len(raw) != 65 or raw[64] not in (27, 28) or _is_twin(raw[32:64]):
        return None
    try:
        return str(Account.recover_message(encode_defunct(text=text), signature=raw)).lower()
    except (BadSignature, ValidationError, ValueError):
        return None


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
    if fields["v"] not in (0, 1) or _is_twin(int(fields["s"]).to_bytes(32, "big")):
        return None
    to = fields["to"]
    fields["to"] = "0x" + (bytes(to) if not isinstance(to, str) else bytes.fromhex(to[2:])).hex()
    fields["data"] = bytes(fields["data"])
    return sender, fields


def _statement(text: str, kind: str) -> str:
    return f"zkagent {kind} {hashlib.sha256(text.encode()).hexdigest()}"


def _is_twin(s: bytes) -> bool:
    return int.from_bytes(s, "big") > HALF_ORDER

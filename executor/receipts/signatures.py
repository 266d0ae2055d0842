"""Signatures of receipts, with one valid form each.

An ECDSA signature has a twin (r, n - s) that recovers to the same key, and v can be written in
several ways. Both are refused, so that no bit of a signature can change without notice.
"""

import hashlib

from eth_account import Account
from eth_account.messages import SignableMessage, encode_defunct
from eth_account.signers.local import LocalAccount
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError

from zkagent.executor.chain.transaction import is_twin


def sign_receipt(account: LocalAccount, text: str) -> str:
    """The requester's statement (EIP-191) over a receipt's canonical text."""
    return "0x" + account.sign_message(_message(text)).signature.hex()


def receipt_signer(signature: str, text: str) -> str | None:
    """Lower-case address of the signer; None when it is no canonical signature."""
    raw = bytes.fromhex(signature[2:])
    if len(raw) != 65 or raw[64] not in (27, 28) or is_twin(raw[32:64]):
        return None
    try:
        return str(Account.recover_message(_message(text), signature=raw)).lower()
    except (BadSignature, ValidationError, ValueError):
        return None


def _message(text: str) -> SignableMessage:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return encode_defunct(text=f"zkagent receipt {digest}")

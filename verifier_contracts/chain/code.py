"""Contract code as data: how it gets to an address as it is, to which one, and how much of it there
may be."""

from eth_typing import HexAddress, HexStr
from web3.types import Nonce
from web3.utils.address import get_create_address

from zkagent.verifier_contracts.errors import ModelCodeError

MAX_CODE_BYTES = 24_576  # EIP-170


def creation_code(runtime: bytes) -> bytes:
    """Code that, sent as a deployment, leaves `runtime` at the new address."""
    if not 0 < len(runtime) <= MAX_CODE_BYTES:
        raise ModelCodeError(f"a contract holds 1 to {MAX_CODE_BYTES} bytes, not {len(runtime)}")
    # PUSH2 size, DUP1, PUSH1 10, PUSH0, CODECOPY, PUSH0, RETURN
    return b"\x61" + len(runtime).to_bytes(2, "big") + bytes.fromhex("80600a5f395ff3") + runtime


def created_address(maker: str, nonce: int) -> str:
    """Of what `maker` makes by CREATE with this nonce, checksummed; contracts count from 1."""
    return str(get_create_address(HexAddress(HexStr(maker)), Nonce(nonce)))


__all__ = ["MAX_CODE_BYTES", "created_address", "creation_code"]

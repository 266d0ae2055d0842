"""Keccak-256 as the EVM computes it: what words and n-grams hash to in the encoder."""

from functools import lru_cache

from eth_hash.auto import keccak


@lru_cache(maxsize=1 << 16)
def keccak_int(data: bytes) -> int:
    """Keccak-256 of `data` as an unsigned 256-bit big-endian integer."""
    return int.from_bytes(keccak(data), "big")


def keccak_pair(left: int, right: int) -> int:
    """Keccak-256 of two 32-byte words, as Solidity's `keccak256(abi.encode(left, right))`."""
    return keccak_int(left.to_bytes(32, "big") + right.to_bytes(32, "big"))

"""Contract code as data: how it gets to an address as it is, and how much of it there may be."""

from zkagent.verifier_contracts.errors import ModelCodeError

MAX_CODE_BYTES = 24_576  # EIP-170


def creation_code(runtime: bytes) -> bytes:
    """Code that, sent as a deployment, leaves `runtime` at the new address."""
    if not 0 < len(runtime) <= MAX_CODE_BYTES:
        raise ModelCodeError(f"a contract holds 1 to {MAX_CODE_BYTES} bytes, not {len(runtime)}")
    # PUSH2 size, DUP1, PUSH1 10, PUSH0, CODECOPY, PUSH0, RETURN
    return b"\x61" + len(runtime).to_bytes(2, "big") + bytes.fromhex("80600a5f395ff3") + runtime


__all__ = ["MAX_CODE_BYTES", "creation_code"]

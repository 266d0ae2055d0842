"""Genuine code over a storage of somebody's own making, by a constructor of his own."""

from collections.abc import Mapping, Sequence

from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import send

POINTER_SLOT = 2  # of SymbolBook: after the owner and the pending one


def forge(chain: EmbeddedChain, genuine: str, slots: Mapping[int, int]) -> str:
    """A contract with the code of `genuine` and these words in its storage; by a stranger."""
    writes = b"".join(_push(value) + _push(slot) + b"\x55" for slot, value in slots.items())
    code = bytes(chain.web3.eth.get_code(chain.web3.to_checksum_address(genuine)))
    size, begin = len(code).to_bytes(2, "big"), (len(writes) + 15).to_bytes(2, "big")
    # PUSH2 size, PUSH2 begin, PUSH1 0, CODECOPY, PUSH2 size, PUSH1 0, RETURN
    copy = b"\x61" + size + b"\x61" + begin + b"\x60\x00\x39\x61" + size + b"\x60\x00\xf3"
    return _sent(chain, writes + copy + code)


def storage(chain: EmbeddedChain, address: str, slot: int) -> int:
    word = chain.web3.eth.get_storage_at(chain.web3.to_checksum_address(address), slot)
    return int.from_bytes(word, "big")


def forged_book(chain: EmbeddedChain, rows: Sequence[tuple[str, int, str]]) -> str:
    """A symbol book that lists these symbols, decimals and tokens, which none of ours would."""
    data = b"".join(
        symbol.encode().ljust(11, b"\0") + bytes([decimals]) + bytes.fromhex(token[2:])
        for symbol, decimals, token in rows
    )
    pointer = _sent(chain, creation_code(b"\0" + data))
    owner = int(chain.owner.address, 16)
    slots = {0: owner, POINTER_SLOT: int(pointer, 16)}
    return forge(chain, chain.deployment.symbol_book, slots)


def _sent(chain: EmbeddedChain, creation: bytes) -> str:
    return str(send(chain.web3, {"data": "0x" + creation.hex()}, chain.owner)["contractAddress"])


def _push(word: int) -> bytes:
    return b"\x7f" + word.to_bytes(32, "big")

"""Genuine code over a storage of somebody's own making, by a constructor of his own; and agents
that are wired to it."""

from collections.abc import Mapping, Sequence

from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.verifier_contracts.chain.code import created_address, creation_code
from zkagent.verifier_contracts.chain.local import call, send
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, Registered, at

ENOUGH_GAS = 5_000_000  # an estimate is content when a CREATE within fails
POINTER_SLOT = 2  # of SymbolBook: after the owner and the pending one


def forge(
    chain: EmbeddedChain, genuine: str, slots: Mapping[int, int], *, inside: bool = False
) -> str:
    """A contract with the code of `genuine` and these words in its storage; by a stranger. inside:
    of a call, so that no transaction shows its constructor."""
    writes = b"".join(_push(value) + _push(slot) + b"\x55" for slot, value in slots.items())
    code = bytes(chain.web3.eth.get_code(chain.web3.to_checksum_address(genuine)))
    size, begin = len(code).to_bytes(2, "big"), (len(writes) + 15).to_bytes(2, "big")
    # PUSH2 size, PUSH2 begin, PUSH1 0, CODECOPY, PUSH2 size, PUSH1 0, RETURN
    copy = b"\x61" + size + b"\x61" + begin + b"\x60\x00\x39\x61" + size + b"\x60\x00\xf3"
    return (_sent_inside if inside else _sent)(chain, writes + copy + code)


def storage(chain: EmbeddedChain, address: str, slot: int) -> int:
    word = chain.web3.eth.get_storage_at(chain.web3.to_checksum_address(address), slot)
    return int.from_bytes(word, "big")


def forged_book(
    chain: EmbeddedChain, rows: Sequence[tuple[str, int, str]], *, inside: bool = False
) -> str:
    """A symbol book that lists these symbols, decimals and tokens, which none of ours would."""
    data = b"".join(
        symbol.encode().ljust(11, b"\0") + bytes([decimals]) + bytes.fromhex(token[2:])
        for symbol, decimals, token in rows
    )
    pointer = _sent(chain, creation_code(b"\0" + data))
    owner = int(chain.owner.address, 16)
    slots = {0: owner, POINTER_SLOT: int(pointer, 16)}
    return forge(chain, chain.deployment.symbol_book, slots, inside=inside)


def agent_with(chain: EmbeddedChain, **others: str) -> str:
    """A genuine wallet agent of the deployment's parts, but for those that are given."""
    there = chain.deployment
    parts = {"executor": there.executor, "pool": there.pool, "book": there.symbol_book} | others
    deployer = Deployer(DirectCarrier(chain.web3, chain.owner))
    registry = at(chain.web3, "ModelRegistry", there.registry)
    told = bytes(call(chain.web3, registry.functions.commitmentHash(there.model_id)))
    model = Registered(there.model_id, told)
    made = deployer.wallet_agent(parts["executor"], model, registry, parts["pool"], parts["book"])
    return str(made.address)


def _sent(chain: EmbeddedChain, creation: bytes, gas: int | None = None) -> str:
    made = {"data": "0x" + creation.hex()}
    return str(send(chain.web3, made, chain.owner, gas=gas)["contractAddress"])


def _sent_inside(chain: EmbeddedChain, creation: bytes) -> str:
    """By the constructor of a contract that does nothing else."""
    size = len(creation).to_bytes(2, "big")
    # PUSH2 size, PUSH1 15, PUSH0, CODECOPY, PUSH2 size, PUSH0, PUSH0, CREATE, POP, STOP
    maker = b"\x61" + size + b"\x60\x0f\x5f\x39\x61" + size + b"\x5f\x5f\xf0\x50\x00"
    return created_address(_sent(chain, maker + creation, ENOUGH_GAS), 1)


def _push(word: int) -> bytes:
    return b"\x7f" + word.to_bytes(32, "big")

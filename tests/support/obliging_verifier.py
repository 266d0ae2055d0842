"""A verifier that accepts everything in place of a model's, which the registry takes for the
registered one: what an attack meets when nothing but the proof was in its way."""

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.deployment.record import Deployment

STOP = "0x00"  # succeeds and returns nothing
EXECUTABLE_SLOT = 3  # of `ModelRegistry._executable`
HASH = slice(1 + 6 * 32, 1 + 7 * 32)  # in the code that `StoredModel` writes; addresses follow


def oblige(anvil: Anvil, deployment: Deployment) -> None:
    """Put it there, and its code hash into what the registry compares."""
    anvil.rpc("anvil_setCode", deployment.contracts.verifier, STOP)
    slot = keccak(encode(["uint256", "uint256"], [deployment.model_id, EXECUTABLE_SLOT]))
    word = anvil.rpc("eth_getStorageAt", deployment.registry, f"0x{slot.hex()}", "latest")
    pointer = "0x" + word[-40:]
    stored = bytearray.fromhex(anvil.rpc("eth_getCode", pointer, "latest")[2:])
    accounts = [stored[i + 12 : i + 32] for i in range(HASH.stop, len(stored), 32)]
    codes = [anvil.rpc("eth_getCode", f"0x{each.hex()}", "latest")[2:] for each in accounts]
    stored[HASH] = keccak(b"".join(keccak(bytes.fromhex(code)) for code in codes))
    anvil.rpc("anvil_setCode", pointer, f"0x{stored.hex()}")

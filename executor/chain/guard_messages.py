"""What is signed for a guard, by EIP-712: manifests of an issuer's, successions of its owner's.

Called by `zkagent guard manifest issue` and the demo; what is computed here, guards compute as
well.
"""

from collections.abc import Mapping
from typing import Any

#: Domain, types and message, as EIP-712 has them signed.
Message = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
MANIFEST = {
    "issuer": "address",
    "agent": "address",
    "actions": "address[]",
    "targets": "address[]",
    "issued": "uint64",
    "expires": "uint64",
    "nonce": "uint256",
}
SUCCESSION = {
    "predecessor": "address",
    "successor": "address",
    "oldTools": "address[]",
    "newTools": "address[]",
    "nonce": "uint256",
    "deadline": "uint256",
}


def manifest_message(guard: str, chain_id: int, manifest: Mapping[str, Any]) -> Message:
    """Of a capability manifest (`ICapabilities.sol`)."""
    return _message("CapabilityManifest", MANIFEST, guard, chain_id, manifest)


def succession_message(guard: str, chain_id: int, succession: Mapping[str, Any]) -> Message:
    """That one agent takes another's place (`ISuccession.sol`)."""
    return _message("Succession", SUCCESSION, guard, chain_id, succession)


def _message(
    name: str, fields: Mapping[str, str], guard: str, chain_id: int, values: Mapping[str, Any]
) -> Message:
    domain = {
        "name": "zkagent guard",
        "version": "1",
        "chainId": chain_id,
        "verifyingContract": guard,
    }
    types = {name: [{"name": field, "type": kind} for field, kind in fields.items()]}
    return domain, types, {field: values[field] for field in fields}


__all__ = ["MANIFEST", "SUCCESSION", "manifest_message", "succession_message"]

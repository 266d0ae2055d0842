"""Closes the hole in ezkl's generated Solidity, makes it cheaper, and fits it to our interface.

ezkl 23 reads the transcript at the caller's `proof.offset` but the evaluations at fixed calldata
positions. With a non-canonical ABI head the two are different bytes, and any instances verify
(executor/demo/attacks/ezkl_forgeries.py does it). The patched verifier demands the canonical
offset. What makes it cheaper is in verifier_instances.py.

Every change hangs on an anchor that must occur exactly once; a generated file that looks different
fails the build, because nobody has read it.
"""

import hashlib
import re
from dataclasses import dataclass

from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import VerifierChanged
from zkagent.circuits.halo2 import verifier_instances
from zkagent.circuits.halo2.anchors import only_number, replace_once, require_once

CONTRACT = "Halo2Verifier"
LOCAL_CHAIN_ID = 31337

CONTRACT_HEAD = "contract Halo2Verifier {\n"
SIGNATURE = """    function verifyProof(
        bytes calldata proof,
        uint256[] calldata instances
    ) public returns (bool) {
"""
LENGTH_CHECK = "                // Check valid length of proof\n"
RETURN_TRUE = """            // Return 1 as result if everything succeeds
            mstore(0x00, 1)
            return(0x00, 0x20)
"""
# What we rely on and leave alone: a false proof reverts, nothing else returns, instances are
# counted, the transcript starts at proof.offset, and the field is the one of our constants.
RELIED_ON = (
    """            // Revert if anything fails
            if iszero(success) {
                revert(0x00, 0x00)
            }
""",
    "return(",
    "success := and(success, eq(num_instances, instances.length))\n",
    "let proof_cptr := proof.offset\n",
    "let success := true\n",
    f"            let r := {R} ",
)
PROOF_LENGTH = re.compile(r"success := and\(success, eq\((0x[0-9a-f]+), proof\.length\)\)\n")
INSTANCE_COUNT = re.compile(r"mstore\(0x[0-9a-f]+, (0x[0-9a-f]{64})\) // num_instances\n")

PATCHED_SIGNATURE = """    /// @notice Reverts unless `proof` proves the circuit for `instances`.
    function verify(
        bytes calldata proof,
        uint256[] calldata instances
    ) external view {
"""
OFFSET_CHECK = """                // Evaluations are read at the positions of a canonical ABI head
                success := and(success, eq(proof.offset, 0x64))

"""
RETURN_NOTHING = """            // Succeeds without a result, so that no caller can ignore one
            return(0x00, 0x00)
"""
DEVELOPMENT_GUARD = f"""    /// @notice The set-up may be forgeable: its proofs mean nothing here.
    error DevelopmentSetup(uint256 chainId);

    constructor() {{
        if (block.chainid != {LOCAL_CHAIN_ID}) revert DevelopmentSetup(block.chainid);
    }}

"""
PATCHES = (
    PATCHED_SIGNATURE,
    OFFSET_CHECK,
    RETURN_NOTHING,
    DEVELOPMENT_GUARD,
    *verifier_instances.PATCHES,
)
# Part of a circuit's digest, so that a changed patch makes new circuits.
PATCH_VERSION = hashlib.sha256("\0".join(PATCHES).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Verifier:
    """A patched verifier; proof_bytes and instance_count are the only ones that it accepts."""

    source: str
    proof_bytes: int
    instance_count: int


def patch_verifier(generated: str, *, development: bool) -> Verifier:
    """Patch ezkl's source: contract `Halo2Verifier` with `verify(bytes,uint256[])`.

    development: add the constructor that reverts on every chain but a local one. Raises
    VerifierChanged when the source is not what the patches were written for.
    """
    for text in RELIED_ON:
        require_once(generated, text)
    instance_count = _instance_count(generated)
    source = verifier_instances.rewrite_instances(generated, instance_count)
    source = replace_once(source, SIGNATURE, PATCHED_SIGNATURE)
    source = replace_once(source, LENGTH_CHECK, OFFSET_CHECK + LENGTH_CHECK)
    source = replace_once(source, RETURN_TRUE, RETURN_NOTHING)
    head = CONTRACT_HEAD + (DEVELOPMENT_GUARD if development else "")
    source = replace_once(source, CONTRACT_HEAD, head)
    return Verifier(source, only_number(source, PROOF_LENGTH), instance_count)


def _instance_count(source: str) -> int:
    """The verifying key is loaded twice, so this number stands there twice, alike."""
    found = set(INSTANCE_COUNT.findall(source))
    if len(found) != 1:
        raise VerifierChanged(INSTANCE_COUNT.pattern, len(found))
    return int(found.pop(), 16)


__all__ = ["CONTRACT", "LOCAL_CHAIN_ID", "PATCH_VERSION", "Verifier", "patch_verifier"]

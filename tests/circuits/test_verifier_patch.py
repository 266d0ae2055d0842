"""The text patches: applied once each, or not at all."""

from pathlib import Path

import pytest

from circuits import ezkl_engine, verifier_patch
from circuits.artifacts import Circuit
from circuits.errors import VerifierChanged
from circuits.verifier_patch import patch_verifier


@pytest.fixture(scope="module")
def generated(circuit: Circuit) -> str:
    """ezkl's own Solidity for `circuit`."""
    return ezkl_engine.make_verifier(circuit.vk, circuit.settings, circuit.srs)


def test_the_patched_verifier_has_our_interface_and_its_guards(generated: str) -> None:
    verifier = patch_verifier(generated, development=True)
    assert "function verify(\n" in verifier.source
    assert "verifyProof" not in verifier.source
    assert "returns (bool)" not in verifier.source
    guard = verifier.source.index("success := and(success, eq(proof.offset, 0x64))")
    assert guard < verifier.source.index("// Check valid length of proof")
    assert verifier.source.count("revert DevelopmentSetup(block.chainid)") == 1


def test_a_ceremony_s_verifier_may_be_deployed_anywhere(generated: str) -> None:
    assert "DevelopmentSetup" not in patch_verifier(generated, development=False).source


def test_sizes_are_read_from_the_source(generated: str, circuit: Circuit) -> None:
    verifier = patch_verifier(generated, development=False)
    assert verifier.instance_count == 4 + 2
    assert verifier.proof_bytes == circuit.facts.proof_bytes


ANCHORS = {
    "contract": verifier_patch.CONTRACT_HEAD,
    "signature": verifier_patch.SIGNATURE,
    "length check": verifier_patch.LENGTH_CHECK,
    "result": verifier_patch.RETURN_TRUE,
    **{f"relied on {i}": text for i, text in enumerate(verifier_patch.RELIED_ON)},
}


@pytest.mark.parametrize("anchor", ANCHORS.values(), ids=ANCHORS.keys())
def test_a_source_without_an_anchor_is_refused(generated: str, anchor: str) -> None:
    with pytest.raises(VerifierChanged, match="0 times, expected once"):
        patch_verifier(generated.replace(anchor, ""), development=True)


@pytest.mark.parametrize("anchor", ANCHORS.values(), ids=ANCHORS.keys())
def test_a_source_with_an_anchor_twice_is_refused(generated: str, anchor: str) -> None:
    with pytest.raises(VerifierChanged, match="2 times, expected once"):
        patch_verifier(generated.replace(anchor, anchor + anchor), development=True)


def test_a_verifier_that_returned_false_would_be_refused(generated: str) -> None:
    lenient = generated.replace("revert(0x00, 0x00)", "mstore(0x00, 0) return(0x00, 0x20)")
    with pytest.raises(VerifierChanged, match="Revert if anything fails"):
        patch_verifier(lenient, development=True)


def test_a_patched_source_is_not_patched_again(generated: str) -> None:
    once = patch_verifier(generated, development=True).source
    with pytest.raises(VerifierChanged):
        patch_verifier(once, development=True)


def test_the_kept_verifier_is_the_patched_one(circuit: Circuit, generated: str) -> None:
    patched = patch_verifier(generated, development=True).source
    assert Path(circuit.verifier_source).read_text() == patched

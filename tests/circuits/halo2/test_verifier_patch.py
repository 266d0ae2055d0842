"""The text patches: applied once each, or not at all."""

from pathlib import Path

import pytest

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import VerifierChanged
from zkagent.circuits.halo2 import ezkl_engine, verifier_instances, verifier_patch
from zkagent.circuits.halo2.verifier_patch import patch_verifier


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
    "instances copied": verifier_instances.COPY_LOOP,
    "denominators": verifier_instances.DENOMINATORS,
    "inversion": verifier_instances.INVERSION,
    "instances evaluated": verifier_instances.EVALUATION_LOOP,
    **{f"read {i}, begin": begin for i, (begin, _, _) in enumerate(verifier_instances.READ)},
    **{f"read {i}, end": end for i, (_, end, _) in enumerate(verifier_instances.READ)},
}


@pytest.mark.parametrize("anchor", ANCHORS.values(), ids=ANCHORS.keys())
def test_a_source_without_an_anchor_is_refused(generated: str, anchor: str) -> None:
    assert anchor in generated
    with pytest.raises(VerifierChanged, match="0 times, expected once"):
        patch_verifier(generated.replace(anchor, ""), development=True)


@pytest.mark.parametrize("anchor", ANCHORS.values(), ids=ANCHORS.keys())
def test_a_source_with_an_anchor_twice_is_refused(generated: str, anchor: str) -> None:
    with pytest.raises(VerifierChanged, match=r"[02] times, expected once"):
        patch_verifier(generated.replace(anchor, anchor + anchor), development=True)


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("let all_inv := mload(gp_mptr)", "let all_inv := 1"),
        ("mstore(L_LAST_MPTR, l_last)", "mstore(L_LAST_MPTR, l_0)"),
        ("let l_0 := mload(add(X_N_MPTR, 0xc0))", "let l_0 := mload(add(X_N_MPTR, 0xe0))"),
        ("mload(NUM_INSTANCES_MPTR), 6)", "mload(NUM_INSTANCES_MPTR), 7)"),
        ("x_n := mulmod(x_n, x_n, r)", "x_n := mulmod(x_n, x, r)"),
    ],
)
def test_other_code_around_the_instances_is_refused(generated: str, line: str, other: str) -> None:
    assert line in generated
    with pytest.raises(VerifierChanged, match=r"the known text after .* 0 times"):
        patch_verifier(generated.replace(line, other), development=True)


def test_a_source_without_its_root_of_unity_is_refused(generated: str) -> None:
    with pytest.raises(VerifierChanged, match=r"omega.* 0 times"):
        patch_verifier(generated.replace("// omega\n", "// w\n"), development=True)


def test_a_source_with_two_numbers_of_instances_is_refused(generated: str) -> None:
    last = "06) // num_instances"
    assert generated.count(last) == 2
    with pytest.raises(VerifierChanged, match=r"num_instances.* 2 times"):
        patch_verifier(generated.replace(last, last.replace("6", "7"), 1), development=True)


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

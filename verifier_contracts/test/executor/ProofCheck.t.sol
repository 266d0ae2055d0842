// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {ProofCheck} from "../../src/executor/ProofCheck.sol";
import {IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IProofVerifier} from "../../src/interfaces/IProofVerifier.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";

contract ProofCheckTest is Test {
    uint256 private constant FIELD_ORDER =
        0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
    bytes private constant Y = hex"0000000000000001";

    FakeVerifier private verifier = new FakeVerifier();

    function element(int256 v) private pure returns (uint256) {
        return v < 0 ? FIELD_ORDER - uint256(-v) : uint256(v);
    }

    /// @dev In memory where something lay before, as it is after the first claim.
    function encodeCall(bytes calldata proof, bytes memory features, bytes memory y)
        external
        pure
        returns (bytes memory)
    {
        assembly ("memory-safe") {
            let free := mload(0x40)
            for { let i := 0 } lt(i, 0x8000) { i := add(i, 32) } { mstore(add(free, i), not(0)) }
        }
        return ProofCheck.encodeCall(proof, features, y);
    }

    function check(address by, bytes calldata proof, bytes memory features, bytes memory y)
        external
        view
        returns (uint256 memoryUsed)
    {
        uint256 before;
        assembly ("memory-safe") {
            before := mload(0x40)
        }
        ProofCheck.check(by, proof, features, y);
        assembly ("memory-safe") {
            memoryUsed := sub(mload(0x40), before)
        }
    }

    function pack(int16[] memory x, int64[] memory y)
        private
        pure
        returns (bytes memory features, bytes memory output_)
    {
        for (uint256 i = 0; i < x.length; ++i) {
            features = abi.encodePacked(features, x[i]);
        }
        for (uint256 i = 0; i < y.length; ++i) {
            output_ = abi.encodePacked(output_, y[i]);
        }
    }

    function testFuzz_the_call_is_encoded_as_the_compiler_does(
        bytes calldata proof,
        int16[] memory x,
        int64[] memory y
    ) public view {
        checkEncoding(proof, x, y);
    }

    /// @dev Features as they come: long stretches of zeros, which random ones never have.
    function testFuzz_stretches_of_zeros_are_encoded_alike(
        int16[71] calldata values,
        uint256 from,
        uint256 to
    ) public view {
        int16[] memory x = new int16[](71);
        (from, to) = (bound(from, 0, 71), bound(to, 0, 71));
        for (uint256 i = 0; i < 71; ++i) {
            if (i < from || i >= to) x[i] = values[i];
        }
        int64[] memory y = new int64[](5);
        (y[0], y[4]) = (-1, 1);
        checkEncoding("proof", x, y);
    }

    function checkEncoding(bytes memory proof, int16[] memory x, int64[] memory y) private view {
        uint256[] memory instances = new uint256[](x.length + y.length);
        for (uint256 i = 0; i < x.length; ++i) {
            instances[i] = element(x[i]);
        }
        for (uint256 i = 0; i < y.length; ++i) {
            instances[x.length + i] = element(y[i]);
        }
        (bytes memory features, bytes memory output_) = pack(x, y);
        assertEq(
            this.encodeCall(proof, features, output_),
            abi.encodeCall(IProofVerifier.verify, (proof, instances))
        );
    }

    function test_features_have_16_bits_and_outputs_64_and_a_sign() public view {
        uint256[] memory instances = new uint256[](6);
        (instances[0], instances[1], instances[2]) = (1, FIELD_ORDER - 32_768, 32_767);
        (instances[3], instances[4], instances[5]) =
        (FIELD_ORDER - 1, FIELD_ORDER - (1 << 63), (1 << 63) - 1);
        assertEq(
            this.encodeCall(
                "proof", hex"000180007fff", hex"ffffffffffffffff80000000000000007fffffffffffffff"
            ),
            abi.encodeCall(IProofVerifier.verify, ("proof", instances))
        );
    }

    function test_a_true_output_passes_and_leaves_no_memory_behind() public {
        uint256[] memory instances = new uint256[](2);
        (instances[0], instances[1]) = (5, 1);
        bytes memory proof = verifier.admit(instances);
        assertEq(this.check(address(verifier), proof, hex"0005", Y), 0);
    }

    function test_the_verifiers_revert_data_is_kept() public {
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        this.check(address(verifier), "proof", hex"0005", Y);
    }

    function test_a_verifier_without_code_accepts_nothing() public {
        address gone = makeAddr("gone");
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.VerifierGone.selector, gone));
        this.check(gone, "proof", hex"0005", Y);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Groth16Claim, IGroth16Verifier} from "../../src/interfaces/IGroth16Verifier.sol";
import {Groth16World} from "../support/Groth16World.sol";

contract Groth16VerifierTest is Groth16World {
    // On the twist, but not of the group's order: a point with x = 1.
    bytes private constant OUTSIDE = hex"0000000000000000000000000000000000000000000000000000000000000000"
        hex"0000000000000000000000000000000000000000000000000000000000000001"
        hex"0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4"
        hex"2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bb";
    // A precompile that refuses what it is given takes all gas that it has.
    uint256 private constant GAS = 600_000;

    address private key = makeKey(17, 7, "key");
    address private other = makeKey(17, 7, "other");
    address private small = makeKey(3, 2, "small");

    /// @dev Claims of three keys in turn.
    function claimsOf(uint256 count, uint256 seed)
        private
        view
        returns (Groth16Claim[] memory claims)
    {
        claims = new Groth16Claim[](count);
        for (uint256 i = 0; i < count; ++i) {
            uint256 of_ = uint256(keccak256(abi.encode(seed, i))) % 3;
            string memory salt = vm.toString(seed ^ i);
            claims[i] = of_ == 0
                ? prove(small, random(seed ^ i, 6), random(seed ^ i, 16), salt)
                : prove(of_ == 1 ? key : other, random(seed ^ i, 34), random(seed ^ i, 56), salt);
        }
    }

    function claim(string memory salt) private view returns (Groth16Claim memory) {
        uint256 seed = uint256(keccak256(bytes(salt)));
        return prove(key, random(seed, 34), random(~seed, 56), salt);
    }

    function refuse(Groth16Claim[] memory claims) private {
        vm.expectRevert(
            abi.encodeWithSelector(IGroth16Verifier.ProofsFalse.selector, claims.length)
        );
        groth16.verify(claims);
    }

    function testFuzz_true_claims_of_any_keys_hold_together(uint8 count, uint256 seed) public view {
        groth16.verify(claimsOf(1 + count % 7, seed));
    }

    function test_sixteen_hold() public view {
        groth16.verify(claimsOf(16, 16));
    }

    function test_one_false_claim_among_sixteen_is_refused_wherever_it_stands() public {
        for (uint256 i = 0; i < 16; ++i) {
            Groth16Claim[] memory claims = claimsOf(16, 16);
            claims[i].output[7] ^= 0x01;
            assertFalse(plain.holds(claims[i]));
            refuse(claims);
        }
    }

    function testFuzz_together_they_hold_if_each_holds_by_the_book(
        uint256 seed,
        uint8 change,
        uint8 place
    ) public {
        Groth16Claim[] memory claims = claimsOf(3, seed);
        Groth16Claim memory changed = claims[place % 3];
        if (change % 4 == 0) changed.output[place % changed.output.length] ^= 0x10;
        if (change % 4 == 1) changed.features[place % changed.features.length] ^= 0x01;
        if (change % 4 == 2) {
            changed.proof = prove(changed.key, changed.features, changed.output, "new").proof;
        }
        bool true_ = plain.holds(claims[0]) && plain.holds(claims[1]) && plain.holds(claims[2]);
        assertEq(true_, change % 4 > 1);
        if (!true_) refuse(claims);
        else groth16.verify(claims);
    }

    function test_every_byte_of_a_proof_counts() public {
        Groth16Claim memory first = claim("b");
        for (uint256 i = 0; i < 256; ++i) {
            Groth16Claim memory changed = claim("a");
            changed.proof[i] ^= bytes1(uint8(1 << (i % 8)));
            vm.expectRevert();
            groth16.verify{gas: GAS}(one(changed));
            vm.expectRevert();
            groth16.verify{gas: GAS}(two(first, changed));
        }
    }

    function test_every_feature_and_output_counts() public {
        for (uint256 i = 0; i < 17; ++i) {
            Groth16Claim memory changed = claim("a");
            changed.features[2 * i + 1] ^= 0x01;
            refuse(one(changed));
        }
        for (uint256 i = 0; i < 7; ++i) {
            Groth16Claim memory changed = claim("a");
            changed.output[8 * i] ^= 0x80;
            refuse(one(changed));
        }
    }

    function test_swapped_proofs_are_refused() public {
        (Groth16Claim memory a, Groth16Claim memory b) = (claim("a"), claim("b"));
        groth16.verify(two(a, b));
        groth16.verify(two(b, a));
        (a.proof, b.proof) = (b.proof, a.proof);
        refuse(two(a, b));
    }

    function test_exchanged_features_and_outputs_are_refused() public {
        (Groth16Claim memory a, Groth16Claim memory b) = (claim("a"), claim("b"));
        (a.features, b.features) = (b.features, a.features);
        refuse(two(a, b));
        (a.output, b.output) = (b.output, a.output);
        refuse(two(a, b));
        (a.proof, b.proof) = (b.proof, a.proof);
        groth16.verify(two(a, b));
    }

    function test_a_proof_for_another_key_is_refused_alone_and_beside_a_true_one() public {
        Groth16Claim memory wrong = claim("a");
        wrong.key = other;
        refuse(one(wrong));
        refuse(two(claim("b"), wrong));
        refuse(two(wrong, claim("b")));
    }

    /// @dev With equal exponents the two errors would cancel.
    function test_errors_that_cancel_each_other_are_refused() public {
        (Groth16Claim memory a, Groth16Claim memory b) = (claim("a"), claim("b"));
        bytes memory d = point("d", 0);
        (a.proof, b.proof) = (shifted(a.proof, d), shifted(b.proof, negate(d)));
        refuse(two(a, b));
    }

    /// @dev Nor do they when they are chosen for the exponents that the true claims have: these depend
    ///   on the points.
    function test_errors_chosen_for_known_exponents_are_refused() public {
        (Groth16Claim memory a, Groth16Claim memory b) = (claim("a"), claim("b"));
        bytes32 seed =
            keccak256(abi.encode(keccak256("zkagent-groth16-together-v1"), hashOf(a), hashOf(b)));
        uint256 exponent = uint256(keccak256(abi.encode(seed, uint256(1)))) >> 128;
        bytes memory d = point("d", 0);
        a.proof = shifted(a.proof, plain.multiply(d, exponent));
        b.proof = shifted(b.proof, negate(d));
        refuse(two(a, b));
    }

    /// @dev Seen where the points A and C are multiplied: the first claim's are not.
    function testFuzz_exponents_are_the_documented_hash(uint256 seed_) public {
        Groth16Claim[] memory claims = claimsOf(4, seed_);
        bytes memory hashed = abi.encode(keccak256("zkagent-groth16-together-v1"));
        for (uint256 i = 0; i < 4; ++i) {
            hashed = bytes.concat(hashed, hashOf(claims[i]));
        }
        vm.expectCall(address(7), plain.slice(claims[0].proof, 0, 64), 0);
        for (uint256 i = 1; i < 4; ++i) {
            uint256 exponent = uint256(keccak256(abi.encode(keccak256(hashed), i))) >> 128;
            for (uint256 from = 0; from < 256; from += 192) {
                bytes memory given = plain.slice(claims[i].proof, from, 64);
                vm.expectCall(address(7), bytes.concat(given, bytes32(exponent)), 1);
            }
        }
        groth16.verify(claims);
    }

    function hashOf(Groth16Claim memory claim_) private view returns (bytes32) {
        bytes memory words = abi.encodePacked(plain.wordsOf(claim_));
        return keccak256(bytes.concat(claim_.key.codehash, claim_.proof, words));
    }

    function shifted(bytes memory proof, bytes memory by) private view returns (bytes memory) {
        bytes memory c = plain.add(plain.slice(proof, 192, 64), by);
        return bytes.concat(plain.slice(proof, 0, 192), c);
    }

    function test_points_at_infinity_prove_nothing() public {
        Groth16Claim memory empty = claim("a");
        empty.proof = new bytes(256);
        refuse(one(empty));
        refuse(two(claim("b"), empty));
    }

    function test_coordinates_beyond_the_field_are_refused() public {
        Groth16Claim memory first = claim("b");
        for (uint256 i = 0; i < 8; ++i) {
            Groth16Claim memory high = claim("a");
            bytes memory proof = high.proof;
            assembly ("memory-safe") {
                let place := add(add(proof, 32), shl(5, i))
                mstore(place, add(mload(place), P))
            }
            vm.expectRevert(IGroth16Verifier.PairingRefused.selector);
            groth16.verify{gas: GAS}(one(high));
            vm.expectPartialRevert(
                i < 2 || i > 5
                    ? IGroth16Verifier.PointRefused.selector
                    : IGroth16Verifier.PairingRefused.selector
            );
            groth16.verify{gas: GAS}(two(first, high));
        }
    }

    function test_a_point_outside_of_its_group_is_refused() public {
        Groth16Claim memory outside = claim("a");
        bytes memory proof = outside.proof;
        outside.proof =
            bytes.concat(plain.slice(proof, 0, 64), OUTSIDE, plain.slice(proof, 192, 64));
        vm.expectRevert(IGroth16Verifier.PairingRefused.selector);
        groth16.verify{gas: GAS}(one(outside));
    }

    function test_sizes_of_other_models_are_refused() public {
        (Groth16Claim memory first, Groth16Claim memory wrong) = (claim("b"), claim("a"));
        wrong.proof = bytes.concat(wrong.proof, "!");
        vm.expectRevert(
            abi.encodeWithSelector(IGroth16Verifier.WrongProofSize.selector, 1, 256, 257)
        );
        groth16.verify(two(first, wrong));
        wrong = claim("a");
        wrong.features = random(1, 32);
        vm.expectRevert(
            abi.encodeWithSelector(IGroth16Verifier.WrongFeaturesSize.selector, 0, 34, 32)
        );
        groth16.verify(one(wrong));
        wrong = claim("a");
        wrong.output = "";
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.WrongOutputSize.selector, 0, 56, 0));
        groth16.verify(one(wrong));
        vm.expectRevert(IGroth16Verifier.NoClaims.selector);
        groth16.verify(new Groth16Claim[](0));
    }

    function testFuzz_what_is_no_key_is_refused(uint16 size) public {
        bytes memory code = key.code;
        size = uint16(bound(size, 0, code.length + 100));
        vm.assume(size != code.length);
        Groth16Claim memory wrong = claim("a");
        vm.etch(
            key,
            size < code.length
                ? plain.slice(code, 0, size)
                : bytes.concat(code, new bytes(size - code.length))
        );
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.NotAKey.selector, key));
        groth16.verify(one(wrong));
    }

    function test_a_key_has_features_and_outputs() public {
        Groth16Claim[] memory claims = one(claim("a"));
        (claims[0].key, claims[0].features) = (other, "");
        vm.etch(other, keyCode(0, 7, 0, "other"));
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.NotAKey.selector, other));
        groth16.verify(claims);
        claims[0] = claim("a");
        (claims[0].key, claims[0].output) = (other, "");
        vm.etch(other, keyCode(17, 0, 0, "other"));
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.NotAKey.selector, other));
        groth16.verify(claims);
    }

    function test_a_key_cannot_be_called() public {
        (bool success,) = key.call{gas: GAS}("");
        assertFalse(success);
    }

    function test_other_contracts_and_accounts_are_no_keys() public {
        address[4] memory wrong = [address(0), address(groth16), makeAddr("account"), address(8)];
        for (uint256 i = 0; i < wrong.length; ++i) {
            Groth16Claim memory claim_ = claim("a");
            claim_.key = wrong[i];
            vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.NotAKey.selector, wrong[i]));
            groth16.verify(one(claim_));
        }
        for (uint256 i = 0; i < 12; ++i) {
            bytes memory code = keyCode(17, 7, 0, "key");
            code[i] ^= i == 11 ? bytes1(0x02) : bytes1(0x01); // the mark: neither 0 nor 1
            Groth16Claim memory claim_ = claim("a");
            vm.etch(other, code);
            claim_.key = other;
            vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.NotAKey.selector, other));
            groth16.verify(one(claim_));
        }
    }

    function test_marks_other_than_one_width_each_are_no_keys() public {
        for (uint256 mark = 0; mark < 256; ++mark) {
            if (mark < 2 || (mark >= 4 && mark < 32)) continue;
            vm.etch(other, keyCode(17, 7, uint8(mark), "other"));
            Groth16Claim memory claim_ = claim("a");
            claim_.key = other;
            vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.NotAKey.selector, other));
            groth16.verify(one(claim_));
        }
    }

    /// @dev One to a word would be 17 words; 14 bits take one, 16 bits two.
    function testFuzz_a_narrow_key_takes_narrow_features(uint256 seed, uint8 bits) public {
        bits = uint8(bound(bits, 2, 15));
        address slim = makeAddr("slim");
        vm.etch(slim, keyCode(17, 7, 2 * bits, "slim"));
        Groth16Claim memory true_ = prove(slim, narrow(seed, 17, bits), random(seed, 56), "a");
        groth16.verify(two(claim("b"), true_));
        Groth16Claim memory changed = copied(true_);
        changed.features[33] ^= 0x01;
        refuse(two(claim("b"), changed));
        // 2**bits less is the same in so many bits.
        changed.features[32] = bytes1(uint8(0x80));
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.FeatureTooWide.selector, bits));
        groth16.verify(one(changed));
        // The same words' points under another width.
        vm.etch(slim, keyCode(17, 7, 2 * bits == 30 ? 28 : 30, "slim"));
        vm.expectRevert();
        groth16.verify(one(true_));
    }

    function test_a_narrow_development_key_is_taken_on_local_chains_only() public {
        address marked = makeAddr("marked");
        vm.etch(marked, keyCode(17, 7, 29, "marked"));
        Groth16Claim memory claim_ = prove(marked, narrow(1, 17, 14), random(2, 56), "salt");
        groth16.verify(one(claim_));
        vm.chainId(1);
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.DevelopmentKey.selector, marked, 1));
        groth16.verify(one(claim_));
    }

    function test_a_development_key_is_taken_on_local_chains_only() public {
        address marked = makeAddr("marked");
        vm.etch(marked, keyCode(17, 7, 1, "marked"));
        Groth16Claim memory claim_ = prove(marked, random(1, 34), random(2, 56), "salt");
        groth16.verify(one(claim_));
        vm.chainId(1);
        groth16.verify(one(claim("a")));
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.DevelopmentKey.selector, marked, 1));
        groth16.verify(one(claim_));
    }

    function test_a_chain_without_the_precompiles_is_no_reason_to_believe() public {
        Groth16Claim[] memory claims = two(claim("a"), claim("b"));
        for (uint160 precompile = 6; precompile < 9; ++precompile) {
            vm.mockCall(address(precompile), bytes(""), bytes(""));
            vm.expectRevert();
            groth16.verify{gas: GAS}(claims);
            vm.clearMockedCalls();
        }
        groth16.verify(claims);
    }

    function test_cut_calldata_is_refused() public view {
        bytes memory data = abi.encodeCall(IGroth16Verifier.verify, (two(claim("a"), claim("b"))));
        (bool whole,) = address(groth16).staticcall(data);
        assert(whole);
        for (uint256 size = 0; size < data.length - 31; size += 31) {
            (bool success,) = address(groth16).staticcall(plain.slice(data, 0, size));
            assert(!success);
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {FrameMode, UsedClaim} from "../../src/executor/FrameState.sol";
import {KeptPrompt, KeptPrompts} from "../../src/executor/KeptPrompts.sol";
import {AgreedCall, Claim, Range} from "../../src/interfaces/IAgentExecutor.sol";

contract FrameStateTest is Test, KeptPrompts {
    function begin(Claim[] calldata claims) external {
        _beginFrame(FrameMode.PROVEN, claims);
    }

    function agree(AgreedCall[] calldata calls) external {
        _agreeTo(calls);
    }

    /// @dev A frame with two claims, both used, of values that have `mark` in them.
    function useTwoClaims(uint256 mark) private {
        Claim[] memory claims = new Claim[](2);
        AgreedCall[] memory calls = new AgreedCall[](2);
        for (uint256 i = 0; i < 2; ++i) {
            bytes32 hash = bytes32(mark + i);
            claims[i] = Claim(mark + i, hash, bytes.concat(new bytes(192), hash));
            calls[i] = AgreedCall(hash, new Range[](2));
            calls[i].ranges[1] = Range(uint16(mark + i), mark, mark + i);
        }
        this.begin(claims);
        this.agree(calls);
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory features = bytes.concat(new bytes(242), bytes32(mark + i));
            _markUsed(i, UsedClaim(address(this), msg.sender, bytes32(mark + i), features));
        }
    }

    function assertEmpty(uint256 index) private view {
        assertEq(
            abi.encode(_claimAt(index), _usedClaimAt(index), _agreedAt(index)),
            abi.encode(
                Claim(0, 0, ""),
                UsedClaim(address(0), address(0), 0, ""),
                AgreedCall(0, new Range[](0))
            )
        );
    }

    function test_a_claim_keeps_what_it_is_given() public {
        useTwoClaims(7);
        Claim memory claim = _claimAt(1);
        assertEq(claim.modelId, 8);
        assertEq(claim.featuresHash, bytes32(uint256(8)));
        assertEq(claim.output, bytes.concat(new bytes(192), bytes32(uint256(8))));
        UsedClaim memory used = _usedClaimAt(1);
        assertEq(used.verifier, address(this));
        assertEq(used.agent, msg.sender);
        assertEq(used.commitmentHash, bytes32(uint256(8)));
        assertEq(used.features, bytes.concat(new bytes(242), bytes32(uint256(8))));
        AgreedCall memory agreed = _agreedAt(1);
        assertEq(agreed.callHash, bytes32(uint256(8)));
        assertEq(abi.encode(agreed.ranges[0]), abi.encode(Range(0, 0, 0)));
        assertEq(abi.encode(agreed.ranges[1]), abi.encode(Range(8, 7, 8)));
        assertEq(agreed.ranges.length, 2);
        assertEq(_claimsUsed(), 2);
        assertEq(_claimsGiven(), 2);
    }

    function test_no_value_of_a_frame_is_readable_after_it_or_in_the_next_one() public {
        useTwoClaims(7);
        _endFrame();
        assertEq(_claimsUsed() + _claimsGiven(), 0);
        assertTrue(_frameMode() == FrameMode.NONE);
        Claim[] memory none = new Claim[](0);
        for (uint256 frame = 0; frame < 3; ++frame) {
            this.begin(none);
            assertEq(_claimsUsed() + _claimsGiven(), 0);
            for (uint256 i = 0; i < 3; ++i) {
                assertEmpty(i);
            }
            _endFrame();
        }
    }

    function test_a_claim_like_another_has_its_features() public {
        useTwoClaims(7);
        _endFrame();
        this.begin(new Claim[](3));
        _markUsed(0, UsedClaim(address(1), address(2), "a", "features"));
        _markUsedLike(1, 0, UsedClaim(address(3), address(4), "b", "not these"));
        _markUsed(2, UsedClaim(address(5), address(6), "c", "others"));
        bytes memory used = abi.encode(UsedClaim(address(3), address(4), "b", "features"));
        assertEq(abi.encode(_usedClaimAt(1)), used);
        assertEq(_usedClaimAt(0).features, "features");
        assertEq(_usedClaimAt(2).features, "others");
        assertEq(_claimsUsed(), 3);
        _endFrame();
    }

    function test_a_prompt_is_kept_for_the_frame_and_under_its_key() public {
        this.begin(new Claim[](1));
        assertFalse(_keepsIn(_frameWord()));
        _keepPrompt("key", KeptPrompt("readings", 3, new bytes(99)));
        assertTrue(_keepsIn(_frameWord()));
        bytes memory kept = abi.encode(_keptPrompt("key"));
        assertEq(kept, abi.encode(KeptPrompt("readings", 3, new bytes(99))));
        assertEq(_keptPrompt("other").readings, 0);
        _keepPrompt("key", KeptPrompt("new", 4, "short"));
        assertEq(abi.encode(_keptPrompt("key")), abi.encode(KeptPrompt("new", 4, "short")));
        assertEq(_claimsUsed(), 0);
        assertEq(_claimsGiven(), 1);
        _endFrame();
        assertFalse(_keepsIn(_frameWord()));
        this.begin(new Claim[](1));
        assertFalse(_keepsIn(_frameWord()));
        assertEq(_keptPrompt("key").readings, 0);
        _endFrame();
    }

    function keep(bytes[] calldata proofs) external {
        _keepProofs(proofs);
    }

    function test_proofs_are_kept_for_the_frame_and_beside_all_else() public {
        useTwoClaims(7);
        assertFalse(_keepsProofsIn(_frameWord()));
        bytes[] memory proofs = new bytes[](2);
        (proofs[0], proofs[1]) = (new bytes(3300), "second");
        this.keep(proofs);
        assertTrue(_keepsProofsIn(_frameWord()));
        assertEq(_keptProofAt(0), proofs[0]);
        assertEq(_keptProofAt(1), "second");
        assertEq(_claimAt(1).output, bytes.concat(new bytes(192), bytes32(uint256(8))));
        assertEq(_usedClaimAt(1).features, bytes.concat(new bytes(242), bytes32(uint256(8))));
        assertEq(abi.encode(_agreedAt(1).ranges[1]), abi.encode(Range(8, 7, 8)));
        _endFrame();
        assertFalse(_keepsProofsIn(_frameWord()));
        this.begin(new Claim[](2));
        assertFalse(_keepsProofsIn(_frameWord()));
        assertEq(_keptProofAt(0).length + _keptProofAt(1).length, 0);
        _endFrame();
    }

    function test_what_is_counted_is_counted_apart_and_from_zero_in_each_frame() public {
        for (uint256 frame = 0; frame < 2; ++frame) {
            useTwoClaims(7);
            assertEq(_verifiedIn(_frameWord()), 0);
            assertEq(_depth(), 0);
            assertEq(_enterRun(), 1);
            assertEq(_enterRun(), 2);
            _markVerified(2);
            _leaveRun();
            assertEq(_depth(), 1);
            _leaveRun();
            _leaveRun(); // ends nothing
            assertEq(_depth(), 0);
            assertEq(_verifiedIn(_frameWord()), 2);
            assertEq(_claimsUsed(), 2);
            assertEq(_claimsGiven(), 2);
            assertEq(_enterRun(), 1);
            _endFrame();
        }
    }

    /// @dev Longer and shorter values, more and fewer ranges: nothing of the first frame shows through.
    function test_a_frame_writes_over_nothing() public {
        useTwoClaims(7);
        _endFrame();
        Claim[] memory claims = new Claim[](1);
        claims[0].output = "y";
        this.begin(claims);
        this.agree(new AgreedCall[](1));
        _markUsed(0, UsedClaim(address(1), address(2), 0, "x"));
        assertEq(_claimAt(0).output, "y");
        assertEq(_usedClaimAt(0).features, "x");
        assertEq(_agreedAt(0).ranges.length, 0);
        assertEmpty(1);
        _endFrame();
    }
}

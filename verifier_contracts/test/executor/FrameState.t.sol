// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {FrameMode, FrameState, UsedClaim} from "../../src/executor/FrameState.sol";
import {Claim} from "../../src/interfaces/IAgentExecutor.sol";

contract FrameStateTest is Test, FrameState {
    uint256 private constant FIRST_CLAIM = uint256(keccak256("zkagent.executor.claims"));

    function begin(Claim[] calldata claims) external {
        _beginFrame(FrameMode.PROVEN, claims);
    }

    function useTwoClaims() private {
        Claim[] memory claims = new Claim[](2);
        for (uint256 i = 0; i < 2; ++i) {
            claims[i] = Claim(i + 1, bytes32(i + 1), bytes.concat(new bytes(223), "y"));
        }
        this.begin(claims);
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory features = bytes.concat(new bytes(273), "x");
            _markUsed(i, UsedClaim(address(this), msg.sender, "commitment", features));
        }
    }

    /// @dev Words that are not zero among all that two claims of this size can take.
    function wordsInUse() private view returns (uint256 count) {
        for (uint256 i = 0; i < 2; ++i) {
            uint256 claim = FIRST_CLAIM + (i << 32);
            count += _inUse(claim, 5) + _inUse(claim + (1 << 16), 16)
            + _inUse(claim + (1 << 17), 16);
        }
    }

    function _inUse(uint256 slot, uint256 length) private view returns (uint256 count) {
        for (uint256 end = slot + length; slot < end; ++slot) {
            assembly ("memory-safe") {
                count := add(count, iszero(iszero(tload(slot))))
            }
        }
    }

    function test_a_claim_keeps_what_it_is_given() public {
        useTwoClaims();
        Claim memory claim = _claimAt(1);
        assertEq(claim.modelId, 2);
        assertEq(claim.featuresHash, bytes32(uint256(2)));
        assertEq(claim.output, bytes.concat(new bytes(223), "y"));
        UsedClaim memory used = _usedClaimAt(1);
        assertEq(used.verifier, address(this));
        assertEq(used.agent, msg.sender);
        assertEq(used.commitmentHash, "commitment");
        assertEq(used.features, bytes.concat(new bytes(273), "x"));
        assertEq(_claimsUsed(), 2);
        assertEq(_claimsGiven(), 2);
    }

    function test_the_end_of_a_frame_leaves_no_word_in_use() public {
        useTwoClaims();
        // Per claim: model, features hash, verifier, agent, commitment, and length and last word of
        // each string.
        assertEq(wordsInUse(), 2 * 9);
        _endFrame();
        assertEq(wordsInUse(), 0);
        assertEq(_claimsUsed() + _claimsGiven(), 0);
        assertTrue(_frameMode() == FrameMode.NONE);
    }
}

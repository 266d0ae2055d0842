// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim} from "../interfaces/IAgentExecutor.sol";

/// @title Which claims a proof covers
/// @notice There is a proof for each claim, and an empty one means: the claim is covered by the last
///   proof before it, of its model, that is not empty. Where there is none, the empty proof is the
///   claim's own, and for its verifier to judge. So each claim is covered exactly once, by a proof
///   about one model that takes its decisions in the order in which they were made, whatever the
///   sender writes.
library ProofCoverage {
    /// @notice The claims that proof `index` covers, in order, which are marked as covered.
    /// @dev Call it for the claims in order, with those left out that are marked already.
    function coveredBy(
        uint256 index,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        bool[] memory covered
    ) internal pure returns (uint256[] memory members) {
        uint256 modelId = claims[index].modelId;
        members = new uint256[](claims.length - index);
        uint256 count = 0;
        for (uint256 i = index; i < claims.length; ++i) {
            if (claims[i].modelId != modelId) continue;
            bool own = proofs[i].length != 0 || proofs[index].length == 0;
            if (own && i != index) break;
            covered[i] = true;
            members[count++] = i;
        }
        assembly ("memory-safe") {
            mstore(members, count)
        }
    }
}

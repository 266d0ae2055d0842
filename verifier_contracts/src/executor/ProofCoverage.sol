// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim} from "../interfaces/IAgentExecutor.sol";

/// @title Which claims a proof covers
/// @notice There is a proof for each claim, and an empty one means: where the claim says what an earlier
///   one says, it is covered with that one; else it is covered by the last proof before it, of its
///   model, that is not empty, as a row more. Where there is none, the empty proof is the claim's own,
///   and for its verifier to judge. So each claim is covered exactly once, by a proof about one model
///   that takes its decisions in the order in which they were made, whatever the sender writes.
library ProofCoverage {
    /// @notice The rows of proof `index`: the claims that it covers, in order, without repeated ones. They
    ///   are marked as covered.
    /// @dev Call it for the claims in order, with those left out that are marked already.
    function coveredBy(
        uint256 index,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        bool[] memory covered
    ) internal pure returns (uint256[] memory members) {
        bool shared = proofs[index].length != 0;
        uint256 modelId = claims[index].modelId;
        members = new uint256[](shared ? claims.length - index : 1);
        (members[0], covered[index]) = (index, true);
        uint256 count = 1;
        for (uint256 i = index + 1; shared && i < claims.length; ++i) {
            if (covered[i] || claims[i].modelId != modelId) continue;
            if (proofs[i].length != 0) break;
            covered[i] = true;
            members[count++] = i;
        }
        assembly ("memory-safe") {
            mstore(members, count)
        }
    }
}

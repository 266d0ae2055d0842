// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgreedCall, IAgentExecutor, Range, RunTerms} from "../interfaces/IAgentExecutor.sol";

/// @title Whether a decision is the call that the sender of a run agreed to
library AgreedCalls {
    /// @notice Reverts unless the run may still happen, every claim has its call, and all ranges are
    ///   well-formed.
    function checkTerms(RunTerms calldata terms, uint256 claims) internal view {
        if (block.timestamp > terms.deadline) {
            revert IAgentExecutor.RunExpired(terms.deadline, block.timestamp);
        }
        if (terms.calls.length != claims) {
            revert IAgentExecutor.CallCountMismatch(claims, terms.calls.length);
        }
        for (uint256 i = 0; i < claims; ++i) {
            Range[] calldata ranges = terms.calls[i].ranges;
            for (uint256 j = 0; j < ranges.length; ++j) {
                bool ascends = j == 0 || ranges[j - 1].word < ranges[j].word;
                if (!ascends || ranges[j].least > ranges[j].most) {
                    revert IAgentExecutor.MalformedRange(i, ranges[j].word);
                }
            }
        }
    }

    /// @notice Whether `agent` calling `tool` with these parameters is what was agreed to. A range that
    ///   is not wholly inside the parameters holds for none.
    function covers(AgreedCall memory agreed, address agent, address tool, bytes memory params)
        internal
        pure
        returns (bool)
    {
        bytes memory whole = abi.encode(agent, tool, params);
        for (uint256 i = 0; i < agreed.ranges.length; ++i) {
            Range memory range = agreed.ranges[i];
            uint256 start = uint256(range.word) * 32;
            if (start + 32 > params.length) return false;
            uint256 value;
            assembly ("memory-safe") {
                let word := add(add(whole, 160), start) // behind length, agent, tool, offset, length
                value := mload(word)
                mstore(word, 0)
            }
            if (value < range.least || value > range.most) return false;
        }
        return keccak256(whole) == agreed.callHash;
    }
}

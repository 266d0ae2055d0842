// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Fact, IAgentExecutor} from "../interfaces/IAgentExecutor.sol";

/// @title Whether what the sender of a run was shown rests on what the chain says
/// @notice A plan reads symbols and decimals from a node. One that lies alike wherever it is asked would
///   have its reader sign for other amounts than those in words; the chain itself is asked here.
library AgreedFacts {
    /// @notice Reverts unless every fact holds now.
    function check(Fact[] calldata facts) internal view {
        for (uint256 i = 0; i < facts.length; ++i) {
            Fact calldata fact = facts[i];
            bool holds = fact.selector == 0
                ? fact.target.codehash == fact.expected
                : _returns(fact.target, fact.selector, fact.expected);
            if (!holds) revert IAgentExecutor.FactChanged(i, fact.target);
        }
    }

    /// @dev Whether a static call succeeds and returns this word and nothing else.
    function _returns(address target, bytes4 selector, bytes32 expected)
        private
        view
        returns (bool same)
    {
        assembly ("memory-safe") {
            mstore(0, selector)
            same := staticcall(gas(), target, 0, 4, 0, 32)
            same := and(same, eq(returndatasize(), 32))
            same := and(same, eq(mload(0), expected))
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

import {AgentBase} from "../agents/AgentBase.sol";
import {OwnedAgent} from "../agents/OwnedAgent.sol";
import {INumericAgent} from "../interfaces/INumericAgent.sol";

/// @title An agent that decides by numbers on chain, for its owner
/// @notice Derive from it, and say which numbers (`readings`).
abstract contract NumericAgent is OwnedAgent, INumericAgent {
    /// @dev A decision that acts, and the answer.
    uint16 internal constant MAX_ITERATIONS = 2;

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view virtual override returns (bool) {
        return
            interfaceId == type(INumericAgent).interfaceId
                || AgentBase.supportsInterface(interfaceId);
    }
}

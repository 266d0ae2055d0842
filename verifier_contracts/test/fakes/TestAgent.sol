// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentBase} from "../../src/agents/AgentBase.sol";
import {AgentTool} from "../../src/agents/ToolPins.sol";
import {IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ModelIds} from "../../src/libraries/ModelIds.sol";

/// @dev Serves its owner, or everyone when the owner is zero.
contract TestAgent is AgentBase {
    error NotServed(address requester);

    address private immutable _owner;

    constructor(
        IAgentExecutor executor,
        string memory modelId,
        address owner,
        IERCAgentTool[] memory tools_,
        uint16 maxIterations
    )
        AgentBase(
            executor,
            modelId,
            executor.registry().commitmentHash(ModelIds.parse(modelId)),
            "TestAgent",
            "For tests",
            "what to do",
            "Be good.",
            _foreign(tools_),
            maxIterations
        )
    {
        _owner = owner;
    }

    function _foreign(IERCAgentTool[] memory given) private pure returns (AgentTool[] memory all) {
        all = new AgentTool[](given.length);
        for (uint256 i = 0; i < given.length; ++i) {
            all[i] = AgentTool(given[i], false);
        }
    }

    function _authorize(address requester) internal view override {
        if (_owner != address(0) && requester != _owner) revert NotServed(requester);
    }

    function _authorizeModelChange(address caller) internal view override {
        _authorize(caller);
    }
}

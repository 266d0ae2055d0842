// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Vm} from "forge-std/Test.sol";

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {StrictAgent} from "../fakes/StrictAgent.sol";
import {FrameHandler} from "./FrameHandler.sol";
import {PayTool} from "./Hostile.sol";

/// @dev The same with agents that pay nothing before the decision to pay is proven.
contract StrictFrameHandler is FrameHandler {
    /// @dev The first payment that came before its proof; empty while all is well.
    string public hasty;

    function _makeAgent(string memory model, IERCAgentTool[] memory tools)
        internal
        virtual
        override
        returns (IProvenAgent)
    {
        return new StrictAgent(executor, model, address(0), tools, 4);
    }

    function _judgeOrder(Claim[] memory claims, Vm.Log[] memory logs) internal override {
        (uint256 verified, uint256 next) = (0, 0);
        for (uint256 i = 0; i < logs.length; ++i) {
            bytes32 topic = logs[i].topics[0];
            if (topic == IAgentExecutor.DecisionVerified.selector) ++verified;
            if (topic != PayTool.Paid.selector) continue;
            while (next < claims.length && !_pays(claims[next])) ++next;
            if (next++ >= verified) hasty = "paid before the decision was proven";
        }
    }
}

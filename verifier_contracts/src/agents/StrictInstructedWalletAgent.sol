// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {InstructedWalletAgent} from "./InstructedWalletAgent.sol";

/// @title The wallet agent for whole instructions that moves nothing before the decision is proven
contract StrictInstructedWalletAgent is InstructedWalletAgent {
    constructor(Setup memory setup) InstructedWalletAgent(setup) {}

    /// @notice Always.
    function strict() public pure override returns (bool) {
        return true;
    }
}

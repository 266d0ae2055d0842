// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {TwoBookAgent} from "./InstructionHarness.sol";

/// @notice What the decoder asks an agent: whom it serves, and how sure it has to be.
contract CautiousAgent {
    address public immutable owner;
    uint256 public immutable caution;

    constructor(address owner_, uint256 caution_) {
        owner = owner_;
        caution = caution_;
    }
}

/// @notice What encoder and decoder ask an agent.
contract WholeAgent is TwoBookAgent, CautiousAgent {
    constructor(bytes memory symbols, bytes memory contacts, address owner_, uint256 caution_)
        TwoBookAgent(symbols, contacts)
        CautiousAgent(owner_, caution_)
    {}
}

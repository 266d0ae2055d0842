// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What the decoder asks an agent: whom it serves, and how sure it has to be.
contract CautiousAgent {
    address public immutable owner;
    uint256 public immutable caution;

    constructor(address owner_, uint256 caution_) {
        owner = owner_;
        caution = caution_;
    }
}

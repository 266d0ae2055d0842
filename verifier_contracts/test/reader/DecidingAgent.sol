// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IReadingAgent} from "../../src/interfaces/IReadingAgent.sol";
import {IToolVectors} from "../../src/interfaces/IToolVectors.sol";
import {TwoBookAgent} from "../instructions/InstructionHarness.sol";

/// @notice An agent with books, an owner, tools as they were, and a caution that it may tell.
contract DecidingAgent is TwoBookAgent, IReadingAgent {
    address public immutable owner;
    bytes32[] private _texts;
    bool private _tells;
    uint256 private _caution;

    constructor(
        bytes memory symbols,
        bytes memory contacts,
        address owner_,
        IToolVectors vectors,
        address[] memory tools
    ) TwoBookAgent(symbols, contacts) {
        owner = owner_;
        for (uint256 i = 0; i < tools.length; ++i) {
            _texts.push(vectors.store(tools[i]));
        }
    }

    function setCaution(bool tells, uint256 caution_) external {
        (_tells, _caution) = (tells, caution_);
    }

    function caution() external view returns (uint256) {
        require(_tells);
        return _caution;
    }

    function toolTexts() external view returns (bytes32[] memory) {
        return _texts;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IReadingAgent} from "../../src/interfaces/IReadingAgent.sol";
import {IToolVectors} from "../../src/interfaces/IToolVectors.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {TwoBookAgent} from "../instructions/InstructionHarness.sol";

/// @notice An agent with books, an owner, tools as they were, and a caution that it may tell.
contract DecidingAgent is TwoBookAgent, IReadingAgent {
    address public immutable owner;
    address private immutable _texts;
    bool private _tells;
    uint256 private _caution;

    constructor(
        bytes memory symbols,
        bytes memory contacts,
        address owner_,
        IToolVectors vectors,
        IERCAgentTool[] memory tools,
        bool together
    ) TwoBookAgent(symbols, contacts) {
        owner = owner_;
        _texts = _pinned(vectors, tools, together);
    }

    function setCaution(bool tells, uint256 caution_) external {
        (_tells, _caution) = (tells, caution_);
    }

    function caution() external view returns (uint256) {
        require(_tells);
        return _caution;
    }

    function toolTexts() external view returns (bytes32[] memory) {
        return abi.decode(SSTORE2.read(_texts), (bytes32[]));
    }

    /// @dev As a set, or each by itself.
    function _pinned(IToolVectors vectors, IERCAgentTool[] memory tools, bool together)
        private
        returns (address)
    {
        bytes32[] memory texts = new bytes32[](tools.length);
        if (together) texts = vectors.storeAll(tools);
        for (uint256 i = 0; i < tools.length && !together; ++i) {
            texts[i] = vectors.store(address(tools[i]));
        }
        return SSTORE2.write(abi.encode(texts));
    }
}

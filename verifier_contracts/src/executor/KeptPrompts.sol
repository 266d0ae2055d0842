// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {TransientBytes} from "../libraries/TransientBytes.sol";
import {FrameState} from "./FrameState.sol";

/// @notice What an encoder made of a prompt in the present frame, where that does not depend on the history.
struct KeptPrompt {
    /// @notice Of everything beside the prompt that it depends on.
    bytes32 readings;
    /// @notice The claim with which its features are.
    uint256 claim;
    bytes parse;
}

/// @title What encoders made of prompts in the present frame
abstract contract KeptPrompts is FrameState {
    using TransientBytes for uint256;

    bytes32 private constant PROMPTS = keccak256("zkagent.executor.prompts");
    // Of prompts, at a hash with the epoch in it.
    uint256 private constant PROMPT_CLAIM = 1;
    uint256 private constant PROMPT_PARSE = 2;

    function _keepPrompt(bytes32 key, KeptPrompt memory kept) internal {
        uint256 slot = _promptSlot(key);
        _tstore(slot, uint256(kept.readings));
        _tstore(slot + PROMPT_CLAIM, kept.claim);
        (slot + PROMPT_PARSE).store(kept.parse);
        _keepsPrompt();
    }

    /// @dev Without readings if nothing is kept.
    function _keptPrompt(bytes32 key) internal view returns (KeptPrompt memory kept) {
        uint256 slot = _promptSlot(key);
        kept.readings = bytes32(_tload(slot));
        if (kept.readings == 0) return kept;
        kept.claim = _tload(slot + PROMPT_CLAIM);
        kept.parse = (slot + PROMPT_PARSE).load();
    }

    /// @dev Far from all other slots, and from those of other frames.
    function _promptSlot(bytes32 key) private view returns (uint256) {
        return uint256(keccak256(abi.encode(PROMPTS, _epoch(), key)));
    }
}

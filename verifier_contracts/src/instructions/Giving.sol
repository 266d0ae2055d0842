// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";

/// @title Who is to get something: what stands before a payee, as `models/instructions/decoder.py`
library Giving {
    uint256 private constant BLANK = 0x20;
    uint256 private constant ARROW = 0x3e; // its head
    uint256 private constant TO = 0x746f;
    uint256 private constant PAY = 0x706179;
    uint256 private constant SEND = 0x73656e64;
    uint256 private constant GIVE = 0x67697665;

    /// @notice Whether "to", "pay", "send", "give" or an arrow's head, and a blank or none, stand right before
    ///   the character `start` of a prompt that begins at `prompt` in calldata.
    function isGiven(uint256 prompt, uint256 start) internal pure returns (bool) {
        unchecked {
            uint256 w;
            assembly ("memory-safe") {
                w := calldataload(sub(add(prompt, start), 32))
            }
            if (start < 32) w &= (1 << (8 * start)) - 1;
            w |= Ascii.SPACES; // letters in lower case
            if (w & 0xff == BLANK) w >>= 8;
            return w & 0xff == ARROW || w & 0xffff == TO || w & 0xffffff == PAY
                || w & 0xffffffff == SEND || w & 0xffffffff == GIVE;
        }
    }
}

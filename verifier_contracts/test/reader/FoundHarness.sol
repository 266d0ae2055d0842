// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Context} from "../../src/interfaces/IEncoder.sol";
import {Pinned, PinnedTools} from "../../src/reader/PinnedTools.sol";
import {PromptWords} from "../../src/reader/PromptWords.sol";
import {ReaderEncoder, ReadingParts} from "../../src/reader/ReaderEncoder.sol";

/// @notice An encoder that says what it would hand to the decoder if a given tool of any number were the closest one.
contract PlacedEncoder is ReaderEncoder {
    constructor(address[] memory chunks, uint256 buckets, ReadingParts memory parts)
        ReaderEncoder(chunks, buckets, parts)
    {}

    function parseFor(Context calldata c, uint256 place)
        external
        view
        returns (bytes memory parse)
    {
        PromptWords.Words memory words = PromptWords.read(_table(), bytes(c.prompt));
        Pinned memory pinned = PinnedTools.read(this.vectors(), c.agent, c.tools);
        (parse,) = _find(c, pinned, place, words, new bytes(1000));
    }
}

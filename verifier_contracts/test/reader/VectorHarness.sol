// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {TextVector, ToolTexts} from "../../src/reader/TextVector.sol";
import {WordSum, WordSums} from "../../src/reader/WordSums.sol";
import {WordTable} from "../../src/reader/WordTable.sol";

/// @notice Sums and directions of many texts.
contract VectorHarness is WordTable {
    using WordSums for WordSum;

    constructor(address[] memory chunks, uint256 buckets) WordTable(chunks, buckets) {}

    function sums(bytes[] memory texts) external view returns (int256[64][] memory found) {
        found = new int256[64][](texts.length);
        WordSum memory sum = _table();
        for (uint256 i = 0; i < texts.length; ++i) {
            sum.clear();
            sum.add(texts[i]);
            for (uint256 k = 0; k < 64; ++k) {
                found[i][k] = _number(sum, k);
            }
        }
    }

    /// @dev In plain terms: of four words, each with every fourth number in a lane of 16 bits, `bias` too large.
    function _number(WordSum memory sum, uint256 k) private pure returns (int256) {
        uint256[4] memory words = [sum.from0, sum.from1, sum.from2, sum.from3];
        return int256((words[k % 4] >> (240 - 16 * (k / 4))) & 0xffff) - int256(sum.bias);
    }

    function prompts(bytes[] memory texts) external view returns (bytes32[2][] memory found) {
        found = new bytes32[2][](texts.length);
        WordSum memory sum = _table();
        for (uint256 i = 0; i < texts.length; ++i) {
            (found[i][0], found[i][1]) = TextVector.ofPrompt(sum, texts[i]);
        }
    }

    function tools(ToolTexts[] memory all, uint256 shares)
        external
        view
        returns (bytes32[2][] memory found)
    {
        found = new bytes32[2][](all.length);
        WordSum memory sum = _table();
        for (uint256 i = 0; i < all.length; ++i) {
            (found[i][0], found[i][1],) = TextVector.ofTool(sum, all[i], shares, i % 7);
        }
    }

    /// @notice Gas of a prompt's vector, and of a tool's: each with nothing touched before if asked alone.
    function measurePrompt(bytes memory text) external view returns (uint256 first, uint256 later) {
        first = gasleft();
        TextVector.ofPrompt(_table(), text);
        first -= gasleft();
        later = gasleft();
        TextVector.ofPrompt(_table(), text);
        later -= gasleft();
    }

    function measureTool(ToolTexts memory tool, uint256 shares)
        external
        view
        returns (uint256 gas)
    {
        gas = gasleft();
        TextVector.ofTool(_table(), tool, shares, 6);
        gas -= gasleft();
    }
}

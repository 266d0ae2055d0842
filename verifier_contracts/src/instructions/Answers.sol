// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DecisionEncoding} from "../encoding/DecisionEncoding.sol";
import {HistoryReading} from "../encoding/HistoryReading.sol";
import {ModelData} from "../encoding/ModelData.sol";
import {Texts} from "../encoding/Texts.sol";

/// @title Answers that are put together of pieces
/// @notice A piece is a span of calldata, see `Texts`, or a text in memory, which
///   `DecisionEncoding.inMemory` gives.
library Answers {
    // Behind the actions in the manifest's directory.
    uint256 internal constant HELP = 9;
    uint256 internal constant SHORT = 10;
    uint256 internal constant DOUBTFUL = 11;
    uint256 internal constant DONE = 12;

    /// @dev Of eight steps: what stands between, the action's name, a blank, its input; and the beginning.
    uint256 private constant MOST_PIECES = 33;

    /// @notice No pieces, and room for them.
    function none() internal pure returns (uint256[] memory pieces) {
        pieces = new uint256[](MOST_PIECES);
        assembly ("memory-safe") {
            mstore(pieces, 0)
        }
    }

    /// @notice Adds a text of the manifest.
    function addText(uint256[] memory pieces, uint256 text) internal pure {
        add(pieces, DecisionEncoding.inMemory(text + 2, ModelData.lengthOf(text)));
    }

    /// @notice Adds a piece.
    function add(uint256[] memory pieces, uint256 piece) internal pure {
        assembly ("memory-safe") {
            let length := add(mload(pieces), 1)
            mstore(add(pieces, shl(5, length)), piece)
            mstore(pieces, length)
        }
    }

    /// @notice Adds an action's name and its input, which begins at `from` of its entry. What parts it
    ///   from the action before comes first, unless there are `least` pieces only.
    function addAction(
        uint256[] memory pieces,
        uint256 least,
        uint256 name,
        string calldata entry,
        uint256 from
    ) internal pure {
        separate(pieces, least);
        addText(pieces, name);
        _addLiteral(pieces, " ");
        uint256 end = HistoryReading.lineEnd(entry, from);
        add(pieces, Texts.slice(entry, from, end));
    }

    /// @notice Adds what stands between two, unless there are `least` pieces only.
    function separate(uint256[] memory pieces, uint256 least) internal pure {
        if (pieces.length > least) _addLiteral(pieces, "; ");
    }

    /// @notice Ends the call with the pieces as an answer.
    function finish(uint256[] memory pieces) internal pure {
        uint256 start;
        assembly ("memory-safe") {
            start := mload(0x40)
        }
        uint256 end = start;
        for (uint256 i = 0; i < pieces.length; ++i) {
            end = DecisionEncoding.appendPiece(end, pieces[i]);
        }
        assembly ("memory-safe") {
            mstore(0x40, and(add(end, 63), not(31)))
        }
        DecisionEncoding.returnAnswer(start, end - start);
    }

    /// @notice Whether `entry` begins with the text at `text` in memory.
    function beginsWith(string calldata entry, uint256 text) internal pure returns (bool begins) {
        assembly ("memory-safe") {
            let length := shr(240, mload(text))
            if iszero(gt(length, entry.length)) {
                let free := mload(0x40)
                calldatacopy(free, entry.offset, length)
                begins := eq(keccak256(free, length), keccak256(add(text, 2), length))
            }
        }
    }

    function _addLiteral(uint256[] memory pieces, string memory literal) private pure {
        add(pieces, DecisionEncoding.inMemory(literal));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";

/// @title An action's record in the manifest's part, read where it lies in memory; see `ModelData`
/// @notice Positions are memory addresses. A text is its length (2 bytes) and its characters.
library ManifestText {
    /// @notice The record of an action, which has to be one of the manifest's.
    function record(uint256 manifest, uint256 action) internal pure returns (uint256) {
        unchecked {
            return ModelData.answer(manifest, ModelData.ANSWERS + action);
        }
    }

    /// @notice The text that a call's reasoning begins with.
    function prefixOf(uint256 manifest, uint256 record_) internal pure returns (uint256) {
        unchecked {
            return manifest + ModelData.lengthOf(record_);
        }
    }

    /// @notice The text of the tool's name.
    function nameOf(uint256 record_) internal pure returns (uint256) {
        unchecked {
            return record_ + 2;
        }
    }

    /// @notice What stands behind a text.
    function behind(uint256 text) internal pure returns (uint256) {
        unchecked {
            return text + 2 + ModelData.lengthOf(text);
        }
    }

    /// @notice Behind type and slot of the parameter at `pos`, the text that stands before its value.
    function openingOf(uint256 pos) internal pure returns (uint256) {
        unchecked {
            return pos + 2;
        }
    }

    /// @notice Where the parameter behind that at `pos` is.
    function nextParameter(uint256 pos) internal pure returns (uint256) {
        return behind(behind(openingOf(pos)));
    }

    /// @notice The byte at `pos`.
    function byteAt(uint256 pos) internal pure returns (uint256 b) {
        assembly ("memory-safe") {
            b := byte(0, mload(pos))
        }
    }
}

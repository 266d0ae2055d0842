// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";

/// @title The ERC's model id strings: registry numbers, or names that a registry has for them
library ModelIds {
    /// @notice Registry numbers count up from 1; 28 digits are out of reach and cannot overflow.
    uint256 private constant MAX_DIGITS = 28;
    uint256 private constant MAX_NAME = 64;

    /// @notice Strict, so that one model has one number: decimal digits without leading zeros.
    function parse(string memory text) internal pure returns (uint256 modelId) {
        bytes memory b = bytes(text);
        if (b.length == 0 || b.length > MAX_DIGITS || b[0] == "0") {
            revert IAgentExecutor.MalformedModelId(text);
        }
        for (uint256 i = 0; i < b.length; ++i) {
            if (!_isDigit(b[i])) revert IAgentExecutor.MalformedModelId(text);
            modelId = modelId * 10 + (uint8(b[i]) - 0x30);
        }
    }

    /// @notice The number that `text` is, or that `registry` has for the name that it is.
    function resolve(string memory text, IModelRegistry registry)
        internal
        view
        returns (uint256 modelId)
    {
        return _isNumber(text) ? parse(text) : registry.modelNamed(text);
    }

    /// @notice Reverts unless `text` can be a name.
    function checkAlias(string memory text) internal pure {
        bytes memory b = bytes(text);
        if (b.length > MAX_NAME || _isNumber(text)) revert IModelRegistry.MalformedAlias(text);
        for (uint256 i = 0; i < b.length; ++i) {
            if (b[i] < 0x21 || b[i] > 0x7e) revert IModelRegistry.MalformedAlias(text);
        }
    }

    /// @dev Whether it is digits alone, or nothing at all: no name looks like that.
    function _isNumber(string memory text) private pure returns (bool) {
        bytes memory b = bytes(text);
        for (uint256 i = 0; i < b.length; ++i) {
            if (!_isDigit(b[i])) return false;
        }
        return true;
    }

    function _isDigit(bytes1 b) private pure returns (bool) {
        return b >= "0" && b <= "9";
    }
}

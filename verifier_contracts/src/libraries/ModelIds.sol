// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";

/// @title The ERC's model id strings as registry numbers
library ModelIds {
    /// @notice Registry numbers count up from 1; 28 digits are out of reach and cannot overflow.
    uint256 private constant MAX_DIGITS = 28;

    /// @notice Strict, so that one model has one id: decimal digits without leading zeros.
    function parse(string memory text) internal pure returns (uint256 modelId) {
        bytes memory b = bytes(text);
        if (b.length == 0 || b.length > MAX_DIGITS || b[0] == "0") {
            revert IAgentExecutor.MalformedModelId(text);
        }
        for (uint256 i = 0; i < b.length; ++i) {
            if (b[i] < "0" || b[i] > "9") revert IAgentExecutor.MalformedModelId(text);
            modelId = modelId * 10 + (uint8(b[i]) - 0x30);
        }
    }
}

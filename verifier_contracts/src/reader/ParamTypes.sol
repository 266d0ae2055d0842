// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";

/// @title Numbers of parameters' types: `ParamType` in `models/reader/kinds.py`
library ParamTypes {
    uint256 internal constant STRING = uint256(IERCAgentTool.ParamType.STRING);
    uint256 internal constant ADDRESS = uint256(IERCAgentTool.ParamType.ADDRESS);
    uint256 internal constant BOOL = uint256(IERCAgentTool.ParamType.BOOL);
    uint256 internal constant INT = uint256(IERCAgentTool.ParamType.INT);
    uint256 internal constant UINT = uint256(IERCAgentTool.ParamType.UINT);
    uint256 internal constant STRING_ARRAY = uint256(IERCAgentTool.ParamType.STRING_ARRAY);
    /// @notice Bytes, which the ERC has not.
    uint256 internal constant BYTES = 10;

    /// @notice This contract reads no parameters of such a type.
    error UnreadParamType(uint256 received);

    function isArray(uint256 paramType) internal pure returns (bool) {
        return paramType >= STRING_ARRAY && paramType < BYTES;
    }

    /// @notice Whether it is a number, or an array of them.
    function isNumber(uint256 paramType) internal pure returns (bool) {
        uint256 one = elementOf(paramType);
        return one == INT || one == UINT;
    }

    /// @notice The type whose candidates a parameter has: signed numbers have those of others.
    function read(uint256 paramType) internal pure returns (uint256) {
        if (paramType == INT) return UINT;
        return paramType == STRING_ARRAY + INT ? STRING_ARRAY + UINT : paramType;
    }

    /// @notice The type of an array's elements; of anything else itself.
    function elementOf(uint256 paramType) internal pure returns (uint256) {
        return isArray(paramType) ? paramType - STRING_ARRAY : paramType;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {ToolMetadata} from "../../src/tools/ToolMetadata.sol";

/// @notice An agent that is its own symbol book, with the entries that it is given.
contract BookAgent {
    address public immutable pointer;

    constructor(bytes memory packed) {
        pointer = SSTORE2.write(packed);
    }

    function symbolBook() external view returns (address) {
        return address(this);
    }

    function find(bytes32 symbol) external view returns (address token, uint8 decimals) {
        bytes memory packed = SSTORE2.read(pointer);
        for (uint256 i = 0; i < packed.length; i += 32) {
            bytes32 entry = _entry(packed, i);
            if (_symbolOf(entry) == symbol) return _rest(entry);
        }
    }

    function symbolOf(address token) external view returns (bytes32 symbol, uint8 decimals) {
        bytes memory packed = SSTORE2.read(pointer);
        for (uint256 i = 0; i < packed.length; i += 32) {
            bytes32 entry = _entry(packed, i);
            address listed;
            (listed, decimals) = _rest(entry);
            if (listed == token) return (_symbolOf(entry), decimals);
        }
        return (0, 0);
    }

    function _entry(bytes memory packed, uint256 i) private pure returns (bytes32 entry) {
        for (uint256 k = 0; k < 32; ++k) {
            entry |= bytes32(packed[i + k]) >> (8 * k);
        }
    }

    function _symbolOf(bytes32 entry) private pure returns (bytes32) {
        return bytes11(entry);
    }

    function _rest(bytes32 entry) private pure returns (address token, uint8 decimals) {
        return (address(uint160(uint256(entry))), uint8(entry[11]));
    }
}

/// @notice A tool that has a name and parameters and does nothing.
contract NamedTool is ToolMetadata {
    constructor(string memory name_, ParamType[] memory types)
        ToolMetadata(name_, "Does nothing", _describe(types))
    {}

    function run(Input calldata, address) external pure returns (int256, string memory) {
        return (-1, "");
    }

    function _describe(ParamType[] memory types)
        private
        pure
        returns (InputDescription memory description)
    {
        description.paramDescriptions = new ParamDescription[](types.length);
        for (uint256 i = 0; i < types.length; ++i) {
            description.paramDescriptions[i] =
                ParamDescription(types[i], "some parameter", "what it is for, in a few words");
        }
    }
}

/// @notice A token that tells its decimals and nothing else.
contract DecimalsToken {
    uint8 public immutable decimals;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }
}

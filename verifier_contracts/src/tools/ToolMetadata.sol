// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165, IERC165} from "@openzeppelin/contracts/utils/introspection/ERC165.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";

/// @title A tool's name, description and parameters, fixed when it is made
/// @dev Every decision reads them of every tool. They lie ready-encoded in one contract's code, which
///   is read for a tenth of what storage costs.
abstract contract ToolMetadata is IERCAgentTool, ERC165 {
    address private immutable _blob;
    uint256 private immutable _descriptionStart;
    uint256 private immutable _inputStart;
    uint256 private immutable _end;

    constructor(string memory name_, string memory description_, InputDescription memory input) {
        bytes memory encodedName = abi.encode(name_);
        bytes memory encodedDescription = abi.encode(description_);
        _descriptionStart = encodedName.length;
        _inputStart = encodedName.length + encodedDescription.length;
        bytes memory all = bytes.concat(encodedName, encodedDescription, abi.encode(input));
        _end = all.length;
        _blob = SSTORE2.write(all);
    }

    /// @inheritdoc IERCAgentTool
    function name() external view returns (string memory name_) {
        name_; // named for the ABI: the call ends below
        _returnEncoded(0, _descriptionStart);
    }

    /// @inheritdoc IERCAgentTool
    function description() external view returns (string memory description_) {
        description_;
        _returnEncoded(_descriptionStart, _inputStart);
    }

    /// @inheritdoc IERCAgentTool
    function inputDescription() external view returns (InputDescription memory input) {
        input;
        _returnEncoded(_inputStart, _end);
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view virtual override returns (bool) {
        return
            interfaceId == type(IERCAgentTool).interfaceId || super.supportsInterface(interfaceId);
    }

    /// @dev Ends the call with a part of the code as return data.
    function _returnEncoded(uint256 start, uint256 end) private view {
        bytes memory encoded = SSTORE2.read(_blob, start, end);
        assembly ("memory-safe") {
            return(add(encoded, 32), mload(encoded))
        }
    }
}

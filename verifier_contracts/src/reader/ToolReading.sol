// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";

import {IToolExamples} from "../interfaces/IToolExamples.sol";
import {IToolLooks} from "../interfaces/IToolLooks.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ToolTexts} from "./TextVector.sol";

/// @title Asks a tool for all that it says of itself
/// @notice A tool that cannot be asked, or whose answers are no texts, reverts: it has no vector. One may tell
///   its callers apart; what counts is what it tells whoever asks here.
library ToolReading {
    /// @notice The last bit of a hash of texts: whether the tool said that it only looks.
    uint256 internal constant LOOKS = 1;

    /// @return textsHash Of `ToolPins.metadataHash` and of the raw answer to examples(), which is zero of a tool
    ///   that has none; its last bit is one of a tool that says that it only looks, and zero of any other.
    function read(address tool)
        internal
        view
        returns (
            bytes32 textsHash,
            ToolTexts memory texts,
            IERCAgentTool.ParamDescription[] memory parameters
        )
    {
        bool tells = ERC165Checker.supportsERC165(tool);
        bytes32 ofExamples = tells ? _readExamples(tool, texts) : bytes32(0);
        bytes32[3] memory parts;
        (texts.name, parts[0]) = _text(tool, IERCAgentTool.name.selector);
        (texts.description, parts[1]) = _text(tool, IERCAgentTool.description.selector);
        bytes memory input = _told(tool, IERCAgentTool.inputDescription.selector);
        parts[2] = keccak256(input);
        textsHash =
            keccak256(abi.encode(keccak256(abi.encode(parts)), ofExamples)) & ~bytes32(LOOKS);
        if (tells && _onlyLooks(tool)) textsHash |= bytes32(LOOKS);
        parameters = abi.decode(input, (IERCAgentTool.InputDescription)).paramDescriptions;
        texts.parameters = _textsOf(parameters);
    }

    function _readExamples(address tool, ToolTexts memory texts) private view returns (bytes32) {
        if (!_has(tool, type(IToolExamples).interfaceId)) return 0;
        bytes memory told = _told(tool, IToolExamples.examples.selector);
        texts.examples = abi.decode(told, (bytes[])); // strings, of any bytes
        return keccak256(told);
    }

    function _onlyLooks(address tool) private view returns (bool) {
        return _has(tool, type(IToolLooks).interfaceId) && IToolLooks(tool).onlyLooks();
    }

    /// @dev Of a tool that tells interfaces at all.
    function _has(address tool, bytes4 interfaceId) private view returns (bool) {
        return ERC165Checker.supportsERC165InterfaceUnchecked(tool, interfaceId);
    }

    /// @dev An answer that is a text, and the hash of all of the answer.
    function _text(address tool, bytes4 selector)
        private
        view
        returns (bytes memory text, bytes32 hash)
    {
        bytes memory told = _told(tool, selector);
        return (abi.decode(told, (bytes)), keccak256(told));
    }

    function _textsOf(IERCAgentTool.ParamDescription[] memory parameters)
        private
        pure
        returns (bytes[] memory texts)
    {
        texts = new bytes[](2 * parameters.length);
        for (uint256 i = 0; i < parameters.length; ++i) {
            texts[2 * i] = bytes(parameters[i].name);
            texts[2 * i + 1] = bytes(parameters[i].description);
        }
    }

    function _told(address tool, bytes4 selector) private view returns (bytes memory answer) {
        assembly ("memory-safe") {
            mstore(0, selector)
            let success := staticcall(gas(), tool, 0, 4, 0, 0)
            let size := returndatasize()
            answer := mload(0x40)
            returndatacopy(add(answer, 32), 0, size)
            if iszero(success) { revert(add(answer, 32), size) }
            mstore(answer, size)
            mstore(0x40, and(add(answer, add(size, 63)), not(31)))
        }
    }
}

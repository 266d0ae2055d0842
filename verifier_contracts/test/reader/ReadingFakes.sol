// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {Context, IEncoder} from "../../src/interfaces/IEncoder.sol";
import {IReadingAgent} from "../../src/interfaces/IReadingAgent.sol";
import {IToolExamples} from "../../src/interfaces/IToolExamples.sol";
import {IToolLooks} from "../../src/interfaces/IToolLooks.sol";
import {IToolVectors} from "../../src/interfaces/IToolVectors.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @notice A tool that says whatever it is told to, raw bytes included.
contract SayingTool is IToolExamples, IToolLooks, IERC165 {
    mapping(bytes4 selector => bytes answer) private _answers;
    bool private _hasExamples;
    bool private _tellsLooks;
    bool private _isQuiet;
    /// @notice How often it was run.
    uint256 public runs;

    function say(bytes4[] calldata selectors, bytes[] calldata answers, bool hasExamples) external {
        for (uint256 i = 0; i < selectors.length; ++i) {
            _answers[selectors[i]] = answers[i];
        }
        _hasExamples = hasExamples;
    }

    /// @notice What it says by `onlyLooks`, if it has that.
    function sayLooks(bool tells, bytes calldata answer) external {
        (_tellsLooks, _answers[IToolLooks.onlyLooks.selector]) = (tells, answer);
    }

    /// @notice From now on a run changes nothing.
    function beQuiet() external {
        _isQuiet = true;
    }

    function run(IERCAgentTool.Input calldata, address) external returns (int256, string memory) {
        if (!_isQuiet) ++runs;
        return (-1, "It ran.");
    }

    function supportsInterface(bytes4 id) external view returns (bool) {
        return id == type(IERC165).interfaceId
            || (_hasExamples && id == type(IToolExamples).interfaceId)
            || (_tellsLooks && id == type(IToolLooks).interfaceId);
    }

    function examples() external view returns (string[] memory) {
        _answer();
    }

    function onlyLooks() external view returns (bool) {
        _answer();
    }

    function name() external view returns (string memory) {
        _answer();
    }

    function description() external view returns (string memory) {
        _answer();
    }

    function inputDescription() external view returns (IERCAgentTool.InputDescription memory) {
        _answer();
    }

    function _answer() private view {
        bytes memory answer = _answers[msg.sig];
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }
}

/// @notice An agent that remembers what its tools said when it was made: as a set, or each by itself.
contract ReadingAgent is IReadingAgent {
    address private immutable _texts;

    constructor(IToolVectors vectors, IERCAgentTool[] memory tools, bool together) {
        bytes32[] memory texts = new bytes32[](tools.length);
        if (together) texts = vectors.storeAll(tools);
        for (uint256 i = 0; i < tools.length && !together; ++i) {
            texts[i] = vectors.store(address(tools[i]));
        }
        _texts = SSTORE2.write(abi.encode(texts));
    }

    function toolTexts() external view returns (bytes32[] memory) {
        return abi.decode(SSTORE2.read(_texts), (bytes32[]));
    }

    /// @notice Gas of two calls, the first with nothing touched before.
    function measure(IEncoder encoder, IERCAgentTool[] calldata tools, string calldata prompt)
        external
        view
        returns (uint256 first, uint256 later)
    {
        Context memory c = Context(address(this), "", tools, new string[](0), prompt);
        first = gasleft();
        encoder.encode(c);
        first -= gasleft();
        later = gasleft();
        encoder.encode(c);
        later -= gasleft();
    }
}

/// @notice An agent with any pins.
contract PinnedAgent is IReadingAgent {
    bytes32[] private _texts;

    constructor(bytes32[] memory texts) {
        _texts = texts;
    }

    function toolTexts() external view returns (bytes32[] memory) {
        return _texts;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IDecoder} from "../../src/interfaces/IDecoder.sol";
import {Context, IEncoder, IPromptEncoder} from "../../src/interfaces/IEncoder.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @dev A word that anybody changes, as an owner does a symbol book.
contract OpenBook {
    uint256 public word = 1;

    function set(uint256 word_) external {
        word = word_;
    }
}

/// @dev Encoder and decoder of a model whose features are functions of prompt, agent and a book, or of
///   prompt and book alone. The first output says how many calls of the first tool there are before
///   the answer; the decoder refuses to work with a parse of anything but the context at hand.
contract PromptModel is IPromptEncoder, IDecoder {
    OpenBook private immutable _book;
    uint256 private immutable _inputs;
    bool private immutable _byAgent;

    error ForeignParse();

    constructor(OpenBook book, uint256 inputs, bool byAgent) {
        (_book, _inputs, _byAgent) = (book, inputs, byAgent);
    }

    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        bytes memory features = new bytes(2 * _inputs);
        bytes32 seed = _seed(_byAgent ? c.agent : address(0), c.prompt);
        for (uint256 i = 0; i < features.length; ++i) {
            features[i] = seed[i % 32];
        }
        bytes memory found = abi.encode(features, abi.encode(_seed(c.agent, c.prompt)), _readings());
        assembly ("memory-safe") {
            return(add(found, 32), mload(found))
        }
    }

    function readings(address) external view returns (bytes32) {
        return _readings();
    }

    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory result)
    {
        if (abi.decode(parse, (bytes32)) != _seed(c.agent, c.prompt)) revert ForeignParse();
        if (c.agentReasoning.length >= uint64(bytes8(output[:8]))) {
            result.isFinalAnswer = true;
            result.finalAnswer = "done";
            return result;
        }
        result.tool = c.tools[0];
        result.toolInput.params = new IERCAgentTool.ParamValue[](1);
        result.toolInput.params[0] =
            IERCAgentTool.ParamValue(IERCAgentTool.ParamType.STRING, abi.encode(c.prompt));
        result.toolInput.abiEncodedParams = abi.encode(c.prompt);
    }

    function _readings() private view returns (bytes32) {
        return keccak256(abi.encode(_book.word()));
    }

    function _seed(address agent, string calldata prompt) private view returns (bytes32) {
        return keccak256(abi.encode(agent, prompt, _book.word()));
    }
}

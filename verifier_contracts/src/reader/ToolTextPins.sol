// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {AgentTool} from "../agents/ToolPins.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {IReadingEncoder} from "../interfaces/IReadingEncoder.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ModelIds} from "../libraries/ModelIds.sol";

/// @title Has a reader read the tools of an agent that is being made
library ToolTextPins {
    /// @notice Stores the tools' vectors where the registered reader looks for them. Reverts for none, and for
    ///   more than it chooses among.
    /// @return texts The hashes of what they say.
    /// @return pointer The contract whose code is the encoding of these.
    function pin(IModelRegistry registry, string memory modelId, AgentTool[] memory tools)
        internal
        returns (bytes32[] memory texts, address pointer)
    {
        IReadingEncoder encoder =
            IReadingEncoder(registry.bindingOf(ModelIds.parse(modelId)).encoder);
        uint256 most = encoder.mostTools();
        if (tools.length == 0 || tools.length > most) {
            revert IReadingEncoder.ToolCountOutOfRange(tools.length, most);
        }
        IERCAgentTool[] memory read = new IERCAgentTool[](tools.length);
        for (uint256 i = 0; i < tools.length; ++i) {
            read[i] = tools[i].tool;
        }
        texts = encoder.vectors().storeAll(read);
        pointer = SSTORE2.write(abi.encode(texts));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {
    Claim,
    IAgentExecutor,
    IFramedAgent,
    RunTerms
} from "../../src/interfaces/IAgentExecutor.sol";
import {Context, IEncoder} from "../../src/interfaces/IEncoder.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @dev Owns model 2, pins nothing, and updates the model right after it has used its claims.
contract CarelessAgent is IFramedAgent {
    IAgentExecutor private immutable _executor;
    bytes private _update;
    uint256 private _decisions = 1;

    constructor(IAgentExecutor executor) {
        _executor = executor;
    }

    function setUpdate(bytes calldata update) external {
        _update = update;
    }

    function setDecisions(uint256 decisions) external {
        _decisions = decisions;
    }

    function open(Claim[] calldata claims, bytes[] calldata proofs, RunTerms calldata terms)
        external
        returns (string memory answer)
    {
        (answer,) = _executor.runInFrame(claims, proofs, terms, "");
    }

    function onFrame(bytes calldata) external returns (string memory answer, string[] memory none) {
        for (uint256 i = 0; i < _decisions; ++i) {
            answer =
            _executor.runNextIteration("2", "", new IERCAgentTool[](0), none, "").finalAnswer;
        }
        (bool success,) = address(_executor.registry()).call(_update);
        require(success, "not updated");
    }

    function featuresBy(IEncoder encoder) external view returns (bytes memory features) {
        (features,) =
            encoder.encode(Context(address(this), "", new IERCAgentTool[](0), new string[](0), ""));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentInput} from "../../src/agents/AgentInput.sol";
import {
    Claim,
    IAgentExecutor,
    IFramedAgent,
    RunTerms
} from "../../src/interfaces/IAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @dev A tool that answers its input; the others differ in what they do first.
contract EchoTool is IERCAgentTool {
    string public name = "Echo";
    string public description = "Says it again";
    int256 public runId = -1;

    event Used(address by);

    function inputDescription() external pure returns (InputDescription memory) {
        return AgentInput.describe("anything");
    }

    function run(Input calldata input, address) external virtual returns (int256, string memory) {
        emit Used(msg.sender);
        return (runId, abi.decode(input.abiEncodedParams, (string)));
    }

    function rename(string calldata name_, string calldata description_) external {
        (name, description) = (name_, description_);
    }

    function setRunId(int256 runId_) external {
        runId = runId_;
    }
}

/// @dev Reverts with data of its own.
contract FailingTool is EchoTool {
    error ToolFailed(string text, uint256 code);

    function run(Input calldata, address) external pure override returns (int256, string memory) {
        revert ToolFailed("as it must", 7);
    }
}

/// @dev Calls another tool and goes on when that fails: what our own tools never do.
contract CatchingTool is EchoTool {
    IERCAgentTool private immutable _inner;

    constructor(IERCAgentTool inner) {
        _inner = inner;
    }

    function run(Input calldata input, address) external override returns (int256, string memory) {
        try _inner.run(input, address(0)) returns (int256, string memory result) {
            return (-1, string.concat("inner says ", result));
        } catch {
            return (-1, "inner failed");
        }
    }
}

/// @dev Calls another tool and does not take an empty answer.
contract InsistingTool is EchoTool {
    IERCAgentTool private immutable _inner;

    error EmptyAnswer();

    constructor(IERCAgentTool inner) {
        _inner = inner;
    }

    function run(Input calldata input, address) external override returns (int256, string memory) {
        (, string memory result) = _inner.run(input, address(0));
        if (bytes(result).length == 0) revert EmptyAnswer();
        return (-1, result);
    }
}

/// @dev Does an arbitrary call on the way.
contract MeddlingTool is EchoTool {
    address private _target;
    bytes private _data;

    function arm(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function run(Input calldata, address) external override returns (int256, string memory) {
        (bool success, bytes memory returned) = _target.call(_data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(returned, 32), mload(returned))
            }
        }
        return (-1, "meddled");
    }
}

/// @dev Opens a frame of its own and runs an agent in it.
contract FrameOpener is IFramedAgent {
    IAgentExecutor private immutable _executor;
    IERCAgentTool private immutable _agent;

    constructor(IAgentExecutor executor, IERCAgentTool agent) {
        _executor = executor;
        _agent = agent;
    }

    function open(
        IERCAgentTool.Input calldata input,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (string memory answer) {
        (answer,) = _executor.runInFrame(claims, proofs, terms, abi.encode(input));
    }

    function onFrame(bytes calldata request) external returns (string memory, string[] memory) {
        IERCAgentTool.Input memory input = abi.decode(request, (IERCAgentTool.Input));
        (, string memory answer) = _agent.run(input, address(0));
        return (answer, new string[](0));
    }
}

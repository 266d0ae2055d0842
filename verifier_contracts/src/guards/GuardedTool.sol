// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165, IERC165} from "@openzeppelin/contracts/utils/introspection/ERC165.sol";
import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IFrameWatch} from "../interfaces/IFrameWatch.sol";
import {IStrictAgent} from "../interfaces/IStrictAgent.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {IGuard} from "../interfaces/guards/IGuard.sol";
import {IGuardedTool} from "../interfaces/guards/IGuardedTool.sol";
import {ToolFace} from "../tools/ToolFace.sol";
import {GuardedCalls} from "./GuardedCalls.sol";

/// @title A tool behind a guard, for agents that know nothing of guards
/// @notice It looks like the tool behind it, obeys the guard's agent alone, and has the guard asked. In
///   supervised mode it answers later, as an asynchronous tool, once the owner has approved.
/// @dev A strict one has the decisions so far proven before anything is called or asked for: what a strict
///   agent of ours does by itself.
contract GuardedTool is ToolFace, IGuardedTool, IStrictAgent, GuardedCalls, ERC165 {
    IGuard private immutable _guard;
    bytes32 private immutable _codeHash;
    IAgentExecutor private immutable _executor;
    bool private immutable _strict;
    bool private immutable _needsProofs;

    mapping(uint256 ticket => address) private _handlers;

    /// @param guard_ Who is asked; its owner allows this contract (`ToolRule.wrapped`).
    /// @param tool_ What is called.
    /// @param executor_ By which the agents here decide.
    /// @param strict_ Whether decisions are proven before the tool is called.
    constructor(IGuard guard_, IERCAgentTool tool_, IAgentExecutor executor_, bool strict_)
        ToolFace(tool_)
    {
        if (address(tool_).code.length == 0) revert NoToolToGuard(address(tool_));
        (_guard, _executor) = (guard_, executor_);
        _codeHash = address(tool_).codehash;
        _strict = strict_;
        _needsProofs = strict_ || _toolNeedsProofs(tool_);
    }

    /// @inheritdoc IERCAgentTool
    function run(Input calldata input, address resultHandler)
        external
        returns (int256 runId, string memory result)
    {
        address agent = _guard.agent();
        if (msg.sender != agent) revert CallerIsNotTheGuardedAgent(msg.sender, agent);
        _checkCode();
        if (_strict && !_executor.verifySoFar()) return (-1, ""); // the frame is poisoned
        (runId, result) = _callGuarded(this, _tool, input);
        if (runId == -1) return (runId, result);
        _handlers[uint256(runId)] = resultHandler == address(0) ? agent : resultHandler;
    }

    /// @inheritdoc IGuardedTool
    function wiring() external view returns (address agent, address target, bytes4 selector) {
        (bool told, bytes memory data) =
            address(_tool).staticcall(abi.encodeCall(IGuardedTool.wiring, ()));
        if (told && data.length == 96) return abi.decode(data, (address, address, bytes4));
    }

    /// @inheritdoc IGuardedTool
    function guardedTool() external view returns (IERCAgentTool) {
        return _tool;
    }

    /// @inheritdoc IStrictAgent
    function strict() external view returns (bool) {
        return _strict;
    }

    /// @inheritdoc IStrictAgent
    function needsProofs() external view returns (bool) {
        return _needsProofs;
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IERCAgentTool).interfaceId
            || interfaceId == type(IGuardedTool).interfaceId
            || interfaceId == type(IStrictAgent).interfaceId || super.supportsInterface(interfaceId);
    }

    function guard() public view override returns (IGuard) {
        return _guard;
    }

    /// @dev Whoever handles results may refuse this one: the call is then not made either. An account
    ///   without code reads the event.
    function _deliver(uint256 ticket, string memory result) internal override {
        address handler = _handlers[ticket];
        delete _handlers[ticket];
        if (handler.code.length == 0) return;
        IERCAgentClient(handler).handleAgentResult(int256(ticket), result);
    }

    function _checkAwaited(uint256 ticket) internal view override {
        if (_handlers[ticket] == address(0)) revert NotWaitedFor(ticket);
    }

    function _behind(IERCAgentTool) internal view override returns (IERCAgentTool) {
        _checkCode();
        return _tool;
    }

    function _frames() internal view override returns (IFrameWatch) {
        return IFrameWatch(address(_executor));
    }

    function _toolNeedsProofs(IERCAgentTool tool) private view returns (bool) {
        bytes4 strictAgent = type(IStrictAgent).interfaceId;
        return ERC165Checker.supportsInterface(address(tool), strictAgent)
            && IStrictAgent(address(tool)).needsProofs();
    }

    function _checkCode() private view {
        bytes32 actual = address(_tool).codehash;
        if (actual != _codeHash) revert GuardedCodeChanged(address(_tool), _codeHash, actual);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IServingAgent} from "../interfaces/IServingAgent.sol";
import {AgentBase} from "./AgentBase.sol";

/// @title An agent that serves its owner, and whom the owner tells it to
abstract contract OwnedAgent is AgentBase, IServingAgent {
    address private immutable _owner;
    address private _alsoServed;

    constructor(address owner_) {
        _owner = owner_;
    }

    /// @inheritdoc IServingAgent
    function alsoServe(address served) external {
        _onlyOwner(msg.sender);
        emit AlsoServedChanged(_alsoServed, served);
        _alsoServed = served;
    }

    /// @inheritdoc IServingAgent
    function owner() external view returns (address) {
        return _owner;
    }

    /// @inheritdoc IServingAgent
    function alsoServed() external view returns (address) {
        return _alsoServed;
    }

    function _authorize(address requester) internal view override {
        if (requester == _owner) return;
        if (requester == address(0) || requester != _alsoServed) {
            revert CallerIsNotTheOwner(requester, _owner);
        }
    }

    function _authorizeModelChange(address caller) internal view override {
        _onlyOwner(caller);
    }

    function _onlyOwner(address caller) internal view {
        if (caller != _owner) revert CallerIsNotTheOwner(caller, _owner);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IDelayedChanges} from "../interfaces/guards/IDelayedChanges.sol";
import {IGuard, Mode} from "../interfaces/guards/IGuard.sol";

/// @title What every call reads first, and who may change it
abstract contract GuardState is IGuard, IDelayedChanges {
    /// @dev One word.
    struct State {
        address agent;
        Mode mode;
        bool paused;
        bool manifestRequired;
        uint8 budgets;
        uint24 manifest;
        uint40 manifestExpires;
    }

    address internal immutable _owner;
    address internal immutable _wallet;

    State internal _state;
    uint32 private _delay;
    mapping(bytes32 id => uint256) private _announcedAt;

    /// @dev The tool whose call is under way.
    address internal transient _calling;

    modifier onlyOwner() {
        _checkOwner();
        _;
    }

    constructor(address owner_, address agent_, address wallet_) {
        (_owner, _wallet) = (owner_, wallet_);
        (_state.agent, _state.mode) = (agent_, Mode.SUPERVISED);
    }

    /// @inheritdoc IDelayedChanges
    function announce(bytes calldata call) external onlyOwner {
        bytes32 id = keccak256(call);
        _announcedAt[id] = block.timestamp;
        emit ChangeAnnounced(id, call, block.timestamp + _delay);
    }

    /// @inheritdoc IDelayedChanges
    function withdrawChange(bytes32 id) external onlyOwner {
        if (_announcedAt[id] == 0) revert ChangeNotAnnounced(id);
        delete _announcedAt[id];
        emit ChangeWithdrawn(id);
    }

    /// @inheritdoc IDelayedChanges
    function setDelay(uint32 delay_) external {
        _authorizeChange(delay_ < _delay);
        emit DelaySet(_delay, delay_);
        _delay = delay_;
    }

    /// @inheritdoc IDelayedChanges
    function delay() external view returns (uint32) {
        return _delay;
    }

    /// @inheritdoc IDelayedChanges
    function announcedAt(bytes32 id) external view returns (uint256) {
        return _announcedAt[id];
    }

    /// @inheritdoc IGuard
    function owner() external view returns (address) {
        return _owner;
    }

    /// @inheritdoc IGuard
    function wallet() external view returns (address) {
        return _wallet;
    }

    /// @inheritdoc IGuard
    function agent() external view returns (address) {
        return _state.agent;
    }

    /// @dev For changes from outside: the owner's, not during a call, and announced if they loosen.
    function _authorizeChange(bool loosens) internal {
        _checkOwner();
        if (_calling != address(0)) revert CallInProgress(_calling);
        if (loosens) _useAnnouncement();
    }

    /// @dev Takes the announcement of the present call. Reverts if it needs one and has none of age.
    function _useAnnouncement() internal {
        uint256 wait = _delay;
        if (wait == 0) return;
        bytes32 id = keccak256(msg.data);
        uint256 since = _announcedAt[id];
        if (since == 0) revert ChangeNotAnnounced(id);
        if (block.timestamp < since + wait) revert ChangeTooEarly(id, since + wait);
        delete _announcedAt[id];
    }

    function _checkOwner() internal view {
        if (msg.sender != _owner) revert CallerIsNotTheGuardsOwner(msg.sender, _owner);
    }
}

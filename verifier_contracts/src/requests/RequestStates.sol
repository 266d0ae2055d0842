// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IRequestDesk, Request, RequestStatus} from "../interfaces/IRequestDesk.sol";

/// @title How far each request of a desk is
/// @dev A word for each: a hash whose last byte is the status; of the request, and of its result once it
///   has one.
abstract contract RequestStates is IRequestDesk {
    uint256 private constant STATUS_BITS = 0xff;

    mapping(uint256 id => bytes32) private _states;

    /// @inheritdoc IRequestDesk
    function statusOf(uint256 id) public view returns (RequestStatus) {
        return RequestStatus(uint8(uint256(_states[id])));
    }

    function _become(uint256 id, bytes32 hash, RequestStatus status) internal {
        _states[id] = _state(hash, status);
    }

    /// @dev The same hash in another state.
    function _turn(uint256 id, RequestStatus status) internal {
        _states[id] = _state(_states[id], status);
    }

    /// @dev Reverts unless the request is in this state with this hash, which is returned.
    function _checkState(uint256 id, RequestStatus expected, bytes32 hash)
        internal
        view
        returns (bytes32)
    {
        _checkStatus(id, expected);
        if (_states[id] != _state(hash, expected)) revert NotAsPosted(id);
        return hash;
    }

    function _checkStatus(uint256 id, RequestStatus expected) internal view {
        RequestStatus actual = statusOf(id);
        if (actual != expected) revert WrongStatus(id, expected, actual);
    }

    /// @dev Reverts unless the request is open, begun or not. Returns its hash.
    function _checkOpen(uint256 id, Request calldata posted) internal view returns (bytes32) {
        RequestStatus open =
            statusOf(id) == RequestStatus.WAITING ? RequestStatus.WAITING : RequestStatus.PENDING;
        return _checkState(id, open, _hashOf(posted));
    }

    function _hashOf(Request memory posted) internal pure returns (bytes32) {
        return keccak256(abi.encode(posted));
    }

    function _hashWith(bytes32 hash, string memory result) internal pure returns (bytes32) {
        return keccak256(abi.encode(hash, keccak256(bytes(result))));
    }

    function _state(bytes32 hash, RequestStatus status) private pure returns (bytes32) {
        return bytes32((uint256(hash) & ~STATUS_BITS) | uint8(status));
    }
}

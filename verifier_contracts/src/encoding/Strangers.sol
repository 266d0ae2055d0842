// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Asks contracts that need not answer
/// @notice Agents and tools are strangers: they may lack a function, revert, return rubbish or use up what
///   gas they get. None of this is fatal; it is no answer. What a contract says is its own affair, but
///   whether it had the gas to say it must not be the sender's: with less gas than every answer may take
///   nothing is asked at all.
/// @dev Whoever asks for more than `GAS` of work, or for just about as much as that, has no answer, or one
///   that depends on what a transaction touched before.
library Strangers {
    /// @notice What an answer may take: some ninety words of storage that nothing touched before.
    uint256 internal constant GAS = 200_000;
    /// @dev A call passes on 63 of 64 parts, after what it costs itself.
    uint256 private constant NEEDED = GAS + GAS / 63 + 5000;
    uint256 private constant MAX_DECIMALS = 77; // as `Assets` has it
    bytes4 private constant DECIMALS = 0x313ce567; // decimals()

    /// @notice Too little gas is left to ask a contract and know that it had what it needs: set a higher
    ///   gas limit.
    error TooLittleGas(uint256 needed, uint256 left);

    /// @notice What `to` returns for a call without arguments: `size` bytes at `pos` in free memory, of
    ///   which nothing is taken; none if it has no answer.
    function told(address to, bytes4 selector) internal view returns (uint256 pos, uint256 size) {
        _checkGas();
        uint256 limit = GAS;
        assembly ("memory-safe") {
            mstore(0, selector)
            if staticcall(limit, to, 0, 4, 0, 0) {
                size := returndatasize()
                pos := mload(0x40)
                returndatacopy(pos, 0, size)
            }
        }
    }

    /// @notice The first word of it, if it is that long.
    function word(address to, bytes4 selector) internal view returns (bool known, uint256 answer) {
        _checkGas();
        uint256 limit = GAS;
        assembly ("memory-safe") {
            mstore(0, selector)
            known := staticcall(limit, to, 0, 4, 0, 32)
            known := and(known, gt(returndatasize(), 31))
            if known { answer := mload(0) }
        }
    }

    /// @notice The address that `to` names; zero if it names none.
    function addressOf(address to, bytes4 selector) internal view returns (address) {
        (bool known, uint256 answer) = word(to, selector);
        if (!known || answer > type(uint160).max) return address(0);
        return address(uint160(answer));
    }

    /// @notice The address that another contract names, which `to` names; zero if there is none.
    function addressOf(address to, bytes4 selector, bytes4 ofNamed)
        internal
        view
        returns (address found)
    {
        found = addressOf(to, selector);
        if (found != address(0)) found = addressOf(found, ofNamed);
    }

    /// @notice Whether it tells decimals, as tokens do.
    function isToken(address account) internal view returns (bool) {
        (bool known, uint256 decimals) = word(account, DECIMALS);
        return known && decimals <= MAX_DECIMALS;
    }

    function _checkGas() private view {
        uint256 left = gasleft();
        if (left < NEEDED) revert TooLittleGas(NEEDED, left);
    }
}

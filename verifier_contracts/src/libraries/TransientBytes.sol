// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Byte strings in transient storage (EIP-1153)
/// @dev A string takes its slot (the length) and the slots behind it (32 bytes each, in order), so
///   slots of different strings have to lie further apart than the strings are long.
library TransientBytes {
    /// @notice Stores `value`, which comes from memory.
    function store(uint256 slot, bytes memory value) internal {
        assembly ("memory-safe") {
            let length := mload(value)
            tstore(slot, length)
            for { let end := add(value, length) } lt(value, end) {} {
                slot := add(slot, 1)
                value := add(value, 32)
                tstore(slot, mload(value)) // bytes behind the end, too, which are never read
            }
        }
    }

    /// @notice Stores `value`, which comes from calldata.
    function storeCalldata(uint256 slot, bytes calldata value) internal {
        assembly ("memory-safe") {
            tstore(slot, value.length)
            let from := value.offset
            for { let end := add(from, value.length) } lt(from, end) { from := add(from, 32) } {
                slot := add(slot, 1)
                tstore(slot, calldataload(from))
            }
        }
    }

    /// @notice Reads what was stored; empty if nothing was.
    function load(uint256 slot) internal view returns (bytes memory value) {
        assembly ("memory-safe") {
            value := mload(0x40)
            let length := tload(slot)
            mstore(value, length)
            let end := add(add(value, 32), length)
            for { let to := add(value, 32) } lt(to, end) { to := add(to, 32) } {
                slot := add(slot, 1)
                mstore(to, tload(slot))
            }
            mstore(end, 0) // clean padding
            mstore(0x40, and(add(end, 63), not(31)))
        }
    }

    /// @notice Length of what was stored.
    function lengthOf(uint256 slot) internal view returns (uint256 length) {
        assembly ("memory-safe") {
            length := tload(slot)
        }
    }

    /// @notice Sets every word of the string to zero.
    function clear(uint256 slot) internal {
        assembly ("memory-safe") {
            let length := tload(slot)
            tstore(slot, 0)
            for { let i := 0 } lt(i, length) { i := add(i, 32) } {
                slot := add(slot, 1)
                tstore(slot, 0)
            }
        }
    }
}

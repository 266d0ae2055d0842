// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Asks contracts for one word each
/// @notice What they revert with is passed on.
library Asking {
    /// @notice Whoever is asked answers with less than a word, or with no address where one is asked for:
    ///   likely not the contract that it is taken for.
    error NoAnswer(address asked, bytes4 selector);

    /// @notice What `to` answers to a call without arguments.
    function word(address to, bytes4 selector) internal view returns (uint256 answer) {
        bool told;
        assembly ("memory-safe") {
            mstore(0, selector)
            if iszero(staticcall(gas(), to, 0, 4, 0, 32)) {
                let free := mload(0x40)
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
            answer := mload(0)
            told := gt(returndatasize(), 31)
        }
        if (!told) revert NoAnswer(to, selector);
    }

    /// @notice The address that `to` answers.
    function addressOf(address to, bytes4 selector) internal view returns (uint160) {
        uint256 answer = word(to, selector);
        if (answer > type(uint160).max) revert NoAnswer(to, selector);
        return uint160(answer);
    }
}

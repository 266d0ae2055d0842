// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice A contract that has no answer to anything it is asked, in one of several ways.
contract Stranger {
    uint256 internal constant WAYS = 9;

    uint256 private immutable _way;

    constructor(uint256 way) {
        _way = way;
    }

    fallback() external {
        uint256 way = _way % WAYS;
        if (way == 0) revert();
        if (way == 1) revert("not for you");
        if (way == 2) return;
        assembly ("memory-safe") {
            switch way
            case 3 { return(0x80, 31) }
            case 4 {
                mstore(0x80, not(0))
                return(0x80, 32)
            }
            // until there is no gas left
            case 5 { for {} 1 {} {} }
            case 6 { invalid() }
            case 7 {
                mstore(0x80, 0xdead) // an account without code, or far too many decimals
                return(0x80, 32)
            }
            default {
                // a string of the length of the world, and as much of it as the gas allows
                mstore(0x80, 0x100000000000000000000000000000020)
                mstore(0xa0, not(0))
                return(0x80, 0x8000)
            }
        }
    }
}

/// @notice A tool that tells its name and has no answer to anything else.
contract HalfTool is Stranger {
    string public name;

    constructor(string memory name_, uint256 way) Stranger(way) {
        name = name_;
    }
}

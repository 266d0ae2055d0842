// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Candidate} from "./Candidate.sol";

/// @title Lists of candidates as words one behind the other, which need not be decoded to be read
/// @notice First the prompt's mood, then of each list where it is, in bytes from the first word on. A list is the number of candidates, their
///   spans, their quantities, and where the elements of each are, in bytes from where the list is, zero if it has
///   none; elements are their number and words. So a list begins as an array of spans does, and may be moved
///   with what follows.
library FlatLists {
    function pack(Candidate[][] memory all, uint256 mood)
        internal
        pure
        returns (bytes memory packed)
    {
        uint256 free;
        assembly ("memory-safe") {
            packed := mload(0x40)
            mstore(add(packed, 32), mood)
            free := add(add(packed, 64), shl(5, mload(all)))
        }
        unchecked {
            for (uint256 i = 0; i < all.length; ++i) {
                Candidate[] memory list = all[i];
                assembly ("memory-safe") {
                    mstore(add(add(packed, 64), shl(5, i)), sub(sub(free, packed), 32))
                    let count := shl(5, mload(list))
                    let to := add(free, 32)
                    let behind := add(to, mul(3, count))
                    mstore(free, mload(list))
                    for { let at := 0 } lt(at, count) { at := add(at, 32) } {
                        let one := mload(add(add(list, 32), at))
                        mstore(add(to, at), mload(one))
                        mstore(add(add(to, at), count), mload(add(one, 32)))
                        let elements := mload(add(one, 64))
                        let size := mload(elements)
                        let where := 0
                        if size {
                            size := shl(5, add(size, 1))
                            where := sub(behind, free)
                            mcopy(behind, elements, size)
                            behind := add(behind, size)
                        }
                        mstore(add(add(to, at), shl(1, count)), where)
                    }
                    free := behind
                }
            }
        }
        assembly ("memory-safe") {
            mstore(packed, sub(sub(free, packed), 32))
            mstore(0x40, free)
        }
    }

    /// @notice List `i`, as an array of its spans.
    function listAt(bytes memory packed, uint256 i) internal pure returns (uint256[] memory spans) {
        assembly ("memory-safe") {
            let first := add(packed, 32)
            spans := add(first, mload(add(first, shl(5, add(i, 1)))))
        }
    }

    function moodOf(bytes memory packed) internal pure returns (uint256 mood) {
        assembly ("memory-safe") {
            mood := mload(add(packed, 32))
        }
    }

    /// @notice Candidate `k` of a list.
    function candidate(uint256[] memory spans, uint256 k)
        internal
        pure
        returns (Candidate memory one)
    {
        one.span = spans[k];
        uint256 quantity;
        uint256[] memory elements = one.elements; // none
        assembly ("memory-safe") {
            let count := shl(5, mload(spans))
            let place := add(add(spans, 32), add(count, shl(5, k)))
            quantity := mload(place)
            let where := mload(add(place, count))
            if where { elements := add(spans, where) }
        }
        (one.quantity, one.elements) = (quantity, elements);
    }
}

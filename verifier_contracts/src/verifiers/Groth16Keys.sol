// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IGroth16Verifier} from "../interfaces/IGroth16Verifier.sol";
import {PublicWords} from "./PublicWords.sol";

/// @title Verifying keys: as the code of contracts, and in memory with the sums over their claims
/// @notice The code: a head; -alpha (64 bytes), beta, -gamma, -delta (128 each); for one and for each
///   public word a point (64). Points are as a pairing takes them, negated so that nothing has to be.
///   The head: INVALID, so that a call of it fails; "groth16 v1"; a mark, which is 1 for a development
///   set-up's, plus twice the width of features where that is less than 16 bits; numbers of features
///   and of outputs, 2 bytes each.
/// @dev That points are on their curves and in their groups, the precompiles check whenever they are
///   used. That they come from a set-up of the model's circuit is what its commitment says.
library Groth16Keys {
    uint256 internal constant LOCAL_CHAIN_ID = 31_337;
    uint256 private constant TITLE = uint88(bytes11("\xfegroth16 v1"));
    uint256 private constant HEAD_BYTES = 16;
    uint256 private constant POINTS_BYTES = 448;
    // Of features that are narrower than 16 bits.
    uint256 private constant LEAST_BITS = 2;
    uint256 private constant MOST_MARK = 2 * 15 + 1;

    // In memory, from a key's place on.
    uint256 internal constant ACCOUNT = 0;
    uint256 internal constant CODE_HASH = 32;
    /// @notice Of a claim's features, and of its output.
    uint256 internal constant FEATURE_BYTES = 64;
    uint256 internal constant OUTPUT_BYTES = 96;
    /// @notice How many public words a claim has.
    uint256 internal constant WORDS = 128;
    /// @notice Where the sums of ones and of each word lie: all 0 at first.
    uint256 internal constant SUMS = 160;
    /// @notice The sum of the points C; written with the first claim.
    uint256 internal constant C = 192;
    /// @notice How wide a feature is, with its sign.
    uint256 internal constant FEATURE_BITS = 256;
    uint256 private constant CODE = 288;
    /// @notice -alpha, beta, -gamma, -delta.
    uint256 internal constant POINTS = CODE + HEAD_BYTES;
    /// @notice The points of one and of each word.
    uint256 internal constant WORD_POINTS = POINTS + POINTS_BYTES;

    /// @notice Whether the code at `account` begins like a key's, which cannot be called.
    function isKey(address account) internal view returns (bool) {
        uint256 head;
        assembly ("memory-safe") {
            extcodecopy(account, 0, 0, 32) // zeros behind the end
            head := mload(0)
        }
        return head >> 168 == TITLE;
    }

    /// @notice Reads the key at `account`. Reverts for what is none, and for a development set-up's on
    ///   a chain that is not local.
    /// @return key Its place in memory.
    function load(address account) internal view returns (uint256 key) {
        uint256 size = account.code.length;
        uint256 head;
        assembly ("memory-safe") {
            key := mload(0x40)
            let code := add(key, CODE)
            mstore(code, 0) // where there is less than a head
            extcodecopy(account, code, 0, size)
            head := shr(128, mload(code))
        }
        (uint256 bits, uint256 inputs, uint256 outputs) = _sizes(account, head);
        uint256 words = PublicWords.count(inputs, bits, outputs);
        unchecked {
            if (size != HEAD_BYTES + POINTS_BYTES + 64 * (1 + words)) {
                revert IGroth16Verifier.NotAKey(account);
            }
        }
        assembly ("memory-safe") {
            let sums := add(add(key, CODE), size)
            let bytes_ := shl(5, add(words, 1))
            mstore(add(key, ACCOUNT), account)
            mstore(add(key, CODE_HASH), extcodehash(account))
            mstore(add(key, FEATURE_BYTES), shl(1, inputs))
            mstore(add(key, OUTPUT_BYTES), shl(3, outputs))
            mstore(add(key, WORDS), words)
            mstore(add(key, SUMS), sums)
            mstore(add(key, FEATURE_BITS), bits)
            calldatacopy(sums, calldatasize(), bytes_)
            mstore(0x40, and(add(add(sums, bytes_), 31), not(31)))
        }
    }

    /// @return bits How wide a feature is; 2 to 16.
    /// @return inputs How many features; at least one.
    /// @return outputs How many outputs; at least one.
    function _sizes(address account, uint256 head)
        private
        view
        returns (uint256 bits, uint256 inputs, uint256 outputs)
    {
        uint256 mark = uint8(head >> 32);
        bits = mark < 2 ? PublicWords.FEATURE_BITS : mark >> 1;
        (inputs, outputs) = (uint16(head >> 16), uint16(head));
        bool marked = mark <= MOST_MARK && bits >= LEAST_BITS;
        if (head >> 40 != TITLE || !marked || inputs == 0 || outputs == 0) {
            revert IGroth16Verifier.NotAKey(account);
        }
        if (mark & 1 == 1 && block.chainid != LOCAL_CHAIN_ID) {
            revert IGroth16Verifier.DevelopmentKey(account, block.chainid);
        }
    }
}

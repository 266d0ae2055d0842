// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";

/// @title What of a classifier lies in its data contract: which words it knows, and its labels
/// @notice Behind a zero byte: 16,384 fingerprints of known words, as `models/classifier/words.py` has
///   them; then the number of labels (2 bytes), and each label, its length (2 bytes) and its bytes.
library LabelData {
    uint256 internal constant WORDS_AT = 1;
    uint256 internal constant WORDS_BYTES = 1 << 14;
    uint256 internal constant LABELS_AT = WORDS_AT + WORDS_BYTES;

    /// @notice Fewer than two labels, or not exactly the bytes that they take: other data.
    error MalformedLabels(address data);

    /// @notice Whether the word with this hash is known. Bits 234 to 247 say where its fingerprint
    ///   stands, which is the hash's top 8 bits; zero is nobody's.
    function knows(address data, uint256 wordHash) internal view returns (bool) {
        uint256 found;
        assembly ("memory-safe") {
            mstore(0, 0)
            extcodecopy(data, 31, add(WORDS_AT, and(shr(234, wordHash), sub(WORDS_BYTES, 1))), 1)
            found := mload(0)
        }
        return found != 0 && found == wordHash >> 248;
    }

    /// @notice How many labels there are. Reverts unless the data are whole.
    function check(address data) internal view returns (uint256 count) {
        uint256 size = data.code.length;
        if (size < LABELS_AT + 2) revert ModelData.DataTooShort(data, LABELS_AT + 2, size);
        bytes memory all = load(data);
        count = _uint16(all, 0);
        uint256 pos = 2;
        for (uint256 i = 0; i < count; ++i) {
            if (pos + 2 > all.length) revert MalformedLabels(data);
            pos += 2 + _uint16(all, pos);
        }
        if (count < 2 || pos != all.length) revert MalformedLabels(data);
    }

    /// @notice All that is behind the words.
    function load(address data) internal view returns (bytes memory all) {
        uint256 length = data.code.length - LABELS_AT;
        all = new bytes(length);
        uint256 from = LABELS_AT;
        assembly ("memory-safe") {
            extcodecopy(data, add(all, 32), from, length)
        }
    }

    /// @notice Label `index` of data that `check` passed, which has to be one of them.
    function labelAt(bytes memory all, uint256 index) internal pure returns (string memory label) {
        uint256 pos = 2;
        for (uint256 i = 0; i < index; ++i) {
            pos += 2 + _uint16(all, pos);
        }
        uint256 length = _uint16(all, pos);
        label = new string(length);
        assembly ("memory-safe") {
            mcopy(add(label, 32), add(add(all, 34), pos), length)
        }
    }

    function _uint16(bytes memory all, uint256 pos) private pure returns (uint256) {
        return (uint256(uint8(all[pos])) << 8) | uint8(all[pos + 1]);
    }
}

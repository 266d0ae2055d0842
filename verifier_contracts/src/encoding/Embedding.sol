// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Languages} from "./Languages.sol";
import {Scan} from "./PromptText.sol";
import {Tokenizer} from "./Tokenizer.sol";

/// @title Sums of table rows that tokens select by their hashes, exactly as `models/encoding/encoder.py`
/// @notice A word of the vocabulary hashes by its letters, any other token by its type; a pair by the
///   hashes of both. The hashes stay in memory at fixed distances from the tokens: four
///   of START, those of the tokens, four of END, those of the pairs.
/// @dev Tables lie in contract code behind a leading zero byte, int8 values plus 128, so that
///   they add as unsigned numbers in 16-bit lanes. In a row of 2 n bytes, byte 2 k is dimension k
///   and byte 2 k + 1 is dimension n + k: then even and odd bytes, taken apart, are lanes in order.
library Embedding {
    /// @notice Rows of the text table in one contract: 767 * 32 + 1 bytes of code.
    uint256 internal constant ROWS_PER_CHUNK = 767;

    uint256 private constant UNKNOWN = 10; // type of a word outside the vocabulary
    /// @dev Types of tokens that end a clause.
    uint256 private constant ENDS =
        (1 << Tokenizer.STRING) | (1 << Tokenizer.QUESTION) | (1 << Tokenizer.BREAK);

    // Where a token's hashes are, counted from the token: the room for tokens is 2048 bytes.
    uint256 private constant WINDOW_START = 2048; // that of the token four places before
    uint256 private constant SECOND_LAST = 2112;
    uint256 private constant PREDECESSOR = 2144;
    uint256 private constant OWN = 2176;
    uint256 private constant PAIRS = 4352; // behind 4 + 64 + 4 hashes

    uint256 private constant LANES =
        0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
    /// @dev Of a row of the local table, read to the middle of a word so that sums have room.
    uint256 private constant LOCAL_LANES =
        0x000000000000000000ff00ff00ff00ff00ff00ff00ff00ff0000000000000000;
    uint256 private constant ONE_PER_LANE = LANES / 0xff;
    uint256 private constant SIGNS = 0x8000 * ONE_PER_LANE;

    /// @notice Hashes the tokens and adds up the rows of the text table that they select: each
    ///   token's own row, that of its pair with the token before and, from the second token on, of
    ///   its pair with the one before that, and that of a word's last 3 letters if it has more.
    /// @param mask The table's number of rows, a power of two, less one.
    /// @param chunks Memory position of the addresses of the table's contracts, a word each.
    /// @param vocabulary Memory position of the fingerprints.
    /// @return low Dimensions 0 to 15 of the sum, 16-bit lanes in two's complement.
    /// @return high Dimensions 16 to 31.
    function sumText(Scan memory scan, uint256 mask, uint256 chunks, uint256 vocabulary)
        internal
        view
        returns (uint256 low, uint256 high)
    {
        _hashEdges(scan);
        uint256 rows;
        uint256 token = scan.tokens;
        uint256 end = scan.next;
        assembly ("memory-safe") {
            mstore(add(scan, 320), mload(0x40))
            for {} lt(token, end) { token := add(token, 32) } {
                let h := mload(token)
                let row
                switch shr(64, h)
                case 0 {
                    let start := and(shr(32, h), 0xffffffff)
                    let length := sub(and(h, 0xffffffff), start)
                    h := keccak256(start, length)
                    if gt(length, 3) {
                        row := and(shr(32, keccak256(add(start, sub(length, 3)), 3)), mask)
                        extcodecopy(
                            mload(add(chunks, shl(5, div(row, ROWS_PER_CHUNK)))),
                            0,
                            add(1, shl(5, mod(row, ROWS_PER_CHUNK))),
                            32
                        )
                        row := mload(0)
                        low := add(low, shr(8, row))
                        high := add(high, and(row, LANES))
                        rows := add(rows, 1)
                    }
                    row := byte(0, mload(add(vocabulary, and(shr(236, h), 4095))))
                    if or(iszero(row), xor(row, shr(248, h))) {
                        row := mload(add(scan, 320))
                        mstore(row, h)
                        mstore(add(scan, 320), add(row, 32))
                        mstore8(0, UNKNOWN)
                        h := keccak256(0, 1)
                    }
                }
                default {
                    mstore8(0, shr(64, h))
                    h := keccak256(0, 1)
                }
                mstore(add(token, OWN), h)
                row := and(h, mask)
                extcodecopy(
                    mload(add(chunks, shl(5, div(row, ROWS_PER_CHUNK)))),
                    0,
                    add(1, shl(5, mod(row, ROWS_PER_CHUNK))),
                    32
                )
                row := mload(0)
                low := add(low, shr(8, row))
                high := add(high, and(row, LANES))
                if xor(token, mload(add(scan, 128))) {
                    mstore(0, mload(add(token, SECOND_LAST)))
                    mstore(32, h)
                    row := and(shr(48, keccak256(0, 64)), mask)
                    extcodecopy(
                        mload(add(chunks, shl(5, div(row, ROWS_PER_CHUNK)))),
                        0,
                        add(1, shl(5, mod(row, ROWS_PER_CHUNK))),
                        32
                    )
                    row := mload(0)
                    low := add(low, shr(8, row))
                    high := add(high, and(row, LANES))
                }
                h := keccak256(add(token, PREDECESSOR), 64)
                mstore(add(token, PAIRS), h)
                row := and(h, mask)
                extcodecopy(
                    mload(add(chunks, shl(5, div(row, ROWS_PER_CHUNK)))),
                    0,
                    add(1, shl(5, mod(row, ROWS_PER_CHUNK))),
                    32
                )
                row := mload(0)
                low := add(low, shr(8, row))
                high := add(high, and(row, LANES))
            }
        }
        unchecked {
            // a row and two pairs of every token, but for one of the first
            rows += 3 * ((end - scan.tokens) >> 5) - 1;
        }
        unchecked {
            // shr(8, row) also brought the odd bytes but the last, each to half a lane further
            low -= (high & ~uint256(0xffff)) >> 8;
        }
        low = _unbias(low, rows);
        high = _unbias(high, rows);
    }

    /// @notice Whether the prompt is in another language; see `Languages`. To be called right after
    ///   `sumText`, which has left the hashes of unknown words in free memory.
    function isForeign(Scan memory scan) internal pure returns (bool) {
        uint256 pos;
        uint256 end = scan.unknown;
        assembly ("memory-safe") {
            pos := mload(0x40)
            mstore(0x40, end)
        }
        if (pos == end) return false;
        uint256 filter = Languages.filter();
        unchecked {
            bool several = end - pos >= 32 * Languages.MARGIN;
            for (; pos < end; pos += 32) {
                if (Languages.lists(filter, _load(pos))) return true;
            }
            return several && _hasForeignClause(scan);
        }
    }

    function _hasForeignClause(Scan memory scan) private pure returns (bool) {
        uint256 end = scan.next;
        uint256 ofUnknown = _hashOf(UNKNOWN);
        uint256 unknown;
        uint256 known;
        uint256 arguments;
        unchecked {
            for (uint256 token = scan.tokens; token < end; token += 32) {
                uint256 kind = _load(token) >> 64;
                if (kind == Tokenizer.WORD) {
                    if (_load(token + OWN) == ofUnknown) ++unknown;
                    else ++known;
                } else if ((ENDS >> kind) & 1 == 0) {
                    ++arguments;
                } else {
                    if (Languages.prevail(unknown, known, arguments)) return true;
                    (unknown, known, arguments) = (0, 0, 0);
                }
            }
        }
        return Languages.prevail(unknown, known, arguments);
    }

    function _hashOf(uint256 kind) private pure returns (uint256 h) {
        assembly ("memory-safe") {
            mstore8(0, kind)
            h := keccak256(0, 1)
        }
    }

    /// @notice The sum of the local table's rows for what stands around the token at `place`: the
    ///   tokens up to four to either side, each by the 16 bits of its hash that belong to its
    ///   offset; the pair before it and the pair behind it. To be called after `sumText`.
    /// @param table Contract that the local table, rows of 16 bytes, begins in.
    /// @param mask The table's number of rows, a power of two, less one.
    /// @return sum 16 lanes in two's complement.
    function sumLocal(Scan memory scan, uint256 place, address table, uint256 mask)
        internal
        view
        returns (uint256 sum)
    {
        uint256 token;
        uint256 rows = 9;
        bool hasRight;
        unchecked {
            token = scan.tokens + (place << 5);
            hasRight = token + 64 < scan.next;
        }
        uint256 all;
        uint256 odd;
        assembly ("memory-safe") {
            mstore(0, 0)
            let pos := add(token, WINDOW_START)
            for { let shift := 64 } lt(shift, 208) { shift := add(shift, 16) } {
                extcodecopy(table, 8, add(1, shl(4, and(shr(shift, mload(pos)), mask))), 16)
                let row := mload(0)
                all := add(all, row)
                odd := add(odd, and(row, LOCAL_LANES))
                pos := add(pos, 32)
            }
            pos := add(token, PAIRS)
            if place {
                extcodecopy(table, 8, add(1, shl(4, and(shr(208, mload(sub(pos, 32))), mask))), 16)
                let row := mload(0)
                all := add(all, row)
                odd := add(odd, and(row, LOCAL_LANES))
                rows := add(rows, 1)
            }
            if hasRight {
                extcodecopy(table, 8, add(1, shl(4, and(shr(224, mload(add(pos, 64))), mask))), 16)
                let row := mload(0)
                all := add(all, row)
                odd := add(odd, and(row, LOCAL_LANES))
                rows := add(rows, 1)
            }
        }
        unchecked {
            uint256 even = (all - odd) >> 8;
            return _unbias((even << 64) | (odd >> 64), rows);
        }
    }

    /// @dev Writes the hashes of START before those of the tokens and of END behind them.
    function _hashEdges(Scan memory scan) private pure {
        uint256 first = scan.tokens;
        uint256 end = scan.next;
        uint256 startType = Tokenizer.START;
        uint256 endType = Tokenizer.END;
        assembly ("memory-safe") {
            mstore8(0, startType)
            mstore8(1, endType)
            let h := keccak256(0, 1)
            let pos := add(first, WINDOW_START)
            mstore(pos, h)
            mstore(add(pos, 32), h)
            mstore(add(pos, 64), h)
            mstore(add(pos, 96), h)
            h := keccak256(1, 1)
            pos := add(end, OWN)
            mstore(pos, h)
            mstore(add(pos, 32), h)
            mstore(add(pos, 64), h)
            mstore(add(pos, 96), h)
        }
    }

    function _load(uint256 pos) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(pos)
        }
    }

    /// @dev Subtracts 128 `rows` from each lane, without borrowing from its neighbour.
    function _unbias(uint256 lanes, uint256 rows) private pure returns (uint256) {
        unchecked {
            uint256 bias = ONE_PER_LANE * (rows << 7);
            return ((lanes | SIGNS) - (bias & ~SIGNS)) ^ ((lanes ^ ~bias) & SIGNS);
        }
    }
}

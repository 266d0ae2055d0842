// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {Embedding} from "../../src/encoding/Embedding.sol";
import {PlainSums} from "../reference/PlainSums.sol";
import {BookAgent, DecimalsToken} from "./EncodingFakes.sol";

/// @dev A symbol book, made-up tables, the wallet model's actions, and prompts out of pieces that
///   are likely to collide with the tokenizer's rules.
abstract contract EncodingWorld is Test {
    uint256 internal constant TEXT_ROWS = 1024; // two contracts
    uint256 internal constant LOCAL_ROWS = 256;

    DecimalsToken internal listed = new DecimalsToken(18);
    DecimalsToken internal unlisted = new DecimalsToken(2);
    address internal usdc = 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48;
    BookAgent internal agent = new BookAgent(_book());
    PlainSums internal sums = new PlainSums(TEXT_ROWS, LOCAL_ROWS, _vocabulary());
    address internal data = SSTORE2.write(bytes.concat(_localTable(), _vocabulary(), _manifest()));

    function _book() internal view returns (bytes memory) {
        return abi.encodePacked(
            bytes11("usdc"), uint8(6), usdc, bytes11("weth"), uint8(18), address(listed)
        );
    }

    function _symbols() internal pure returns (bytes32[] memory symbols) {
        symbols = new bytes32[](2);
        (symbols[0], symbols[1]) = (bytes32("usdc"), bytes32("weth"));
    }

    // Prompts

    /// @dev A piece of the list for each byte; a space before most of them.
    function _prompt(bytes memory choices) internal view returns (string memory prompt) {
        string[32] memory pieces = _pieces();
        for (uint256 i = 0; i < choices.length && i < 40; ++i) {
            uint8 choice = uint8(choices[i]);
            prompt = string.concat(prompt, choice >= 64 ? " " : "", pieces[choice % 32]);
        }
    }

    function _pieces() private view returns (string[32] memory) {
        return [
            "withdraw",
            "a",
            "cats",
            "Deposit",
            "supercalifragilisticexpialidocious",
            "USDC",
            "weth",
            "wETHs",
            "12",
            "0.50",
            "1.",
            ".",
            ",",
            "?",
            "!?",
            '"',
            "'",
            "(",
            ")",
            "$",
            "%",
            "x5",
            "5x",
            "7usdc",
            "0x",
            vm.toString(address(listed)),
            vm.toString(address(unlisted)),
            "0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", // a wrong checksum
            "0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb4",
            "-",
            "  ",
            "\n"
        ];
    }

    // The model's data

    function _textChunks() internal returns (address[] memory chunks) {
        uint256 perChunk = Embedding.ROWS_PER_CHUNK;
        chunks = new address[](2);
        chunks[0] = SSTORE2.write(_rows("text", 0, perChunk, 32));
        chunks[1] = SSTORE2.write(_rows("text", perChunk, TEXT_ROWS, 32));
    }

    function _vocabulary() private pure returns (bytes memory fingerprints) {
        fingerprints = new bytes(4096);
        string[5] memory words = ["withdraw", "a", "deposit", "send", "to"];
        for (uint256 i = 0; i < words.length; ++i) {
            bytes32 h = keccak256(bytes(words[i]));
            fingerprints[(uint256(h) >> 236) % 4096] = h[0];
        }
    }

    function _localTable() private view returns (bytes memory) {
        return _rows("local", 0, LOCAL_ROWS, 16);
    }

    /// @dev Rows biased by 128, the halves interleaved.
    function _rows(string memory table, uint256 from, uint256 to, uint256 width)
        private
        view
        returns (bytes memory rows)
    {
        rows = new bytes((to - from) * width);
        for (uint256 r = from; r < to; ++r) {
            bytes32 row = sums.row(table, r);
            for (uint256 d = 0; d < width; ++d) {
                uint256 place = d < width / 2 ? 2 * d : 2 * (d - width / 2) + 1;
                rows[(r - from) * width + place] = row[d] ^ 0x80;
            }
        }
    }

    /// @dev Two actions: View(asset), Send(recipient, amount, asset).
    function _manifest() private pure returns (bytes memory) {
        bytes memory prefixes = bytes.concat(_text(_prefix("View")), _text(_prefix("Send")));
        bytes[] memory bodies = new bytes[](7);
        bodies[0] = _text("nothing");
        bodies[1] = _text("ask");
        bodies[2] = _text("decline");
        bodies[3] = _text("zero");
        bodies[4] = _text("unreadable");
        bytes memory asset = _parameter(1, 0, '{"asset":"', "which asset?");
        bodies[5] = _record(4, "View", 1, asset);
        bodies[6] = _record(
            uint16(6 + bytes(_prefix("View")).length),
            "Send",
            3,
            bytes.concat(
                _parameter(1, 2, '{"to":"', "to whom?"),
                _parameter(4, 1, '","amount":"', "how much?"),
                _parameter(1, 0, '","asset":"', "which asset?")
            )
        );
        bytes memory part = bytes.concat(hex"0200", bytes2(uint16(prefixes.length)), prefixes);
        uint256 offset = part.length + 2 * bodies.length;
        bytes memory rest;
        for (uint256 i = 0; i < bodies.length; ++i) {
            part = bytes.concat(part, bytes2(uint16(offset + rest.length)));
            rest = bytes.concat(rest, bodies[i]);
        }
        return bytes.concat(part, rest);
    }

    function _record(uint16 prefix, string memory name, uint8 count, bytes memory parameters)
        private
        pure
        returns (bytes memory)
    {
        bytes memory names = bytes.concat(_text(name), _text(string.concat("no ", name)));
        return bytes.concat(bytes2(prefix), names, bytes1(count), parameters);
    }

    function _parameter(uint8 kind, uint8 slot, string memory opening, string memory missing)
        private
        pure
        returns (bytes memory)
    {
        return bytes.concat(bytes1(kind), bytes1(slot), _text(opening), _text(missing));
    }

    function _prefix(string memory name) internal pure returns (string memory) {
        return string.concat("Thought: I ", name, ".\nAction: ", name, "\nAction Input: ");
    }

    function _text(string memory text) private pure returns (bytes memory) {
        return bytes.concat(bytes2(uint16(bytes(text).length)), bytes(text));
    }
}

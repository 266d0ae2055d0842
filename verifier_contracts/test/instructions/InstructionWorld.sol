// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {Codebook} from "../../src/instructions/Codebook.sol";
import {InstructionEncoder} from "../../src/instructions/InstructionEncoder.sol";
import {Kinds} from "../../src/instructions/Kinds.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {TwoBookAgent} from "./InstructionHarness.sol";

/// @dev A vocabulary of a few words in one contract, a token, a contact. The code of kind k is
///   0x800000000000 + k, that of the nth word listed 0x800000000100 + n.
abstract contract InstructionWorld is Test {
    uint256 internal constant PRESENT = 1 << 47;
    address internal constant USDC = 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48;

    bytes internal table = new bytes(32 * Codebook.BUCKETS_PER_CHUNK);
    uint256 internal listed;
    TwoBookAgent internal agent = new TwoBookAgent(
        abi.encodePacked(bytes11("usdc"), bytes1(0), USDC),
        abi.encodePacked(bytes11("bob"), bytes1(0), address(0xb0b))
    );
    InstructionEncoder internal encoder;

    function setUp() public virtual {
        _list("send", 0);
        _list("depo*", 0);
        _list("*ing", 0);
        _list(".", 0);
        _list("five", 5);
        _list("two", 2);
        _list("three", 3);
        _list("one", 1);
        _list("ten", 10);
        _list("twenty", 20);
        _list("zero", 100);
        _list("hundred", 101);
        _list("thousand", 102);
        _list("million", 103);
        _list("dozen", 104);
        _list("point", 105);
        _list("percent", 106);
        _list("half", 107);
        _list("all", 108);
        _list("but", 109);
        _list("of", 110);
        _list("per", 114);
        _list("billion", 115);
        _list("bps", 115);
        _list("my", 110);
        _list("a", 111);
        _list("and", 112);
        _list("me", 113);
        _list("third", 123);
        _list("quarter", 124);
        _list("quarters", 124);
        encoder = new InstructionEncoder(_chunks(1), _kinds());
    }

    function _encode(string memory prompt) internal view returns (bytes memory, bytes memory) {
        Context memory c;
        c.agent = address(agent);
        c.prompt = prompt;
        return encoder.encode(c);
    }

    function _chunks(uint256 count) internal returns (address[] memory chunks) {
        chunks = new address[](count);
        for (uint256 i = 0; i < count; ++i) {
            chunks[i] = SSTORE2.write(table);
        }
    }

    function _kinds() internal pure returns (uint256[3] memory kinds) {
        for (uint256 k = 0; k <= Kinds.OWNER; ++k) {
            kinds[k / 5] |= (PRESENT + k) << (48 * (k % 5));
        }
    }

    /// @dev Into the first of its buckets, where there has to be room.
    function _list(string memory key, uint8 meaning) internal {
        uint256 h = uint256(keccak256(bytes(key)));
        uint256 pos = 32 * ((h >> 32) % Codebook.BUCKETS_PER_CHUNK) + 21;
        while (table[pos + 8] != 0) pos -= 10;
        bytes memory entry =
            abi.encodePacked(uint24(h), uint48(PRESENT + 0x100 + listed++), meaning);
        for (uint256 i = 0; i < entry.length; ++i) {
            table[pos + i] = entry[i];
        }
    }
}

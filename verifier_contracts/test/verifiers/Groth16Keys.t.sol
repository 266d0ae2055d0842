// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IGroth16Verifier} from "../../src/interfaces/IGroth16Verifier.sol";
import {Groth16Keys} from "../../src/verifiers/Groth16Keys.sol";
import {Groth16World} from "../support/Groth16World.sol";

/// @dev Reads keys where precompiles and others left their numbers behind the free memory pointer.
contract UsedMemory {
    function load(address account) external view returns (uint256[] memory sums, address[] memory) {
        _use();
        uint256 key = Groth16Keys.load(account);
        sums = new uint256[](_at(key + Groth16Keys.WORDS) + 1);
        for (uint256 i = 0; i < sums.length; ++i) {
            sums[i] = _at(_at(key + Groth16Keys.SUMS) + 32 * i);
        }
        address[] memory accounts = new address[](1);
        accounts[0] = address(uint160(_at(key + Groth16Keys.ACCOUNT)));
        return (sums, accounts);
    }

    function _use() private pure {
        assembly ("memory-safe") {
            let free := mload(0x40)
            for { let i := 0 } lt(i, 8192) { i := add(i, 32) } {
                mstore(add(free, i), not(0))
            }
        }
    }

    function _at(uint256 place) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(place)
        }
    }
}

contract Groth16KeysTest is Groth16World {
    UsedMemory private immutable _MEMORY = new UsedMemory();

    function test_sums_begin_at_zero_in_memory_that_was_used() public {
        for (uint16 inputs = 1; inputs < 40; inputs += 13) {
            address key = makeKey(inputs, 3, "used");
            (uint256[] memory sums, address[] memory accounts) = _MEMORY.load(key);
            assertEq(accounts[0], key);
            assertGt(sums.length, 2);
            for (uint256 i = 0; i < sums.length; ++i) {
                assertEq(sums[i], 0);
            }
        }
    }

    function test_every_mark_that_a_key_can_have_is_read() public {
        address key = makeAddr("marked");
        for (uint8 mark = 0; mark < 32; ++mark) {
            if (mark > 1 && mark < 4) continue; // a width of one bit
            vm.etch(key, keyCode(17, 3, mark, "marked"));
            _MEMORY.load(key);
        }
    }

    function test_code_that_ends_within_a_head_is_no_key_whatever_lies_behind_it() public {
        bytes memory code = keyCode(2, 1, 0, "cut");
        address cut = makeAddr("cut");
        for (uint256 size = 1; size < 20; ++size) {
            bytes memory part = new bytes(size);
            for (uint256 i = 0; i < size; ++i) {
                part[i] = code[i];
            }
            vm.etch(cut, part);
            vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.NotAKey.selector, cut));
            _MEMORY.load(cut);
        }
    }
}

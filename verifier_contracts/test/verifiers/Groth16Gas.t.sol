// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {console} from "forge-std/console.sol";

import {Groth16Claim, IGroth16Verifier} from "../../src/interfaces/IGroth16Verifier.sol";
import {Groth16World} from "../support/Groth16World.sol";

/// @notice What verification costs for claims of the wallet's shape, with the calldata of proofs and
///   outputs, of which no byte is zero. Features are not sent, executors derive them.
contract Groth16GasTest is Groth16World {
    address private wallet = makeKey(137, 28, "wallet");
    address private other = makeKey(137, 28, "other");

    function gasOf(uint256 count, uint256 others) private view returns (uint256) {
        Groth16Claim[] memory claims = new Groth16Claim[](count);
        for (uint256 i = 0; i < count; ++i) {
            address key = i < others ? other : wallet;
            claims[i] = prove(key, random(i, 274), random(~i, 224), vm.toString(i));
        }
        return gasOf(claims);
    }

    function gasOf(Groth16Claim[] memory claims) private view returns (uint256) {
        bytes memory data = abi.encodeCall(IGroth16Verifier.verify, (claims));
        uint256 before = gasleft();
        (bool success,) = address(groth16).staticcall(data);
        uint256 used = before - gasleft();
        assertTrue(success);
        return used + claims.length * 16 * (256 + claims[0].output.length);
    }

    function report(string memory what, uint256 count, uint256 used, uint256 most) private pure {
        console.log(what, used / count);
        assertLe(used / count, most);
    }

    function test_one() public view {
        report("a claim alone:", 1, gasOf(1, 0), 300_000);
    }

    function test_three() public view {
        report("each of three:", 3, gasOf(3, 0), 140_000);
    }

    function test_sixteen() public view {
        report("each of sixteen:", 16, gasOf(16, 0), 90_000);
    }

    /// @dev The shape of a network that reads text: 64 features of 14 bits in four words, 5 outputs.
    function test_narrow_features() public {
        address key = makeAddr("text");
        vm.etch(key, keyCode(64, 5, 28, "text"));
        assertEq(key.code.length, 16 + 448 + 64 * 7);
        Groth16Claim[] memory claims = one(prove(key, narrow(1, 64, 14), random(2, 40), "salt"));
        report("six words alone:", 1, gasOf(claims), 270_000);
    }

    function test_a_further_key() public view {
        uint256 more = gasOf(3, 1) - gasOf(3, 0);
        console.log("a further key:", more);
        assertLe(more, 210_000);
    }
}

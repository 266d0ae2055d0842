// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {Groth16Claim} from "../../src/interfaces/IGroth16Verifier.sol";
import {Groth16Verifier} from "../../src/verifiers/Groth16Verifier.sol";
import {PlainGroth16} from "../reference/PlainGroth16.sol";

/// @dev Keys whose secrets are known, beta, gamma and delta being 1: with the generator as B, a proof
///   is any C and A = alpha + L + C. Proofs of real circuits are in tests/verifier_contracts/verifiers.
abstract contract Groth16World is Test {
    uint256 internal constant P =
        0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
    bytes internal constant G1 = abi.encode(uint256(1), uint256(2));
    uint256 private constant X_IM =
        0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2;
    uint256 private constant X_RE =
        0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed;
    uint256 private constant Y_IM =
        0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b;
    uint256 private constant Y_RE =
        0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa;

    Groth16Verifier internal groth16 = new Groth16Verifier();
    PlainGroth16 internal plain = new PlainGroth16();

    function makeKey(uint16 inputs, uint16 outputs, string memory name)
        internal
        returns (address key)
    {
        key = makeAddr(name);
        vm.etch(key, keyCode(inputs, outputs, 0, name));
    }

    function keyCode(uint16 inputs, uint16 outputs, uint8 mark, string memory name)
        internal
        view
        returns (bytes memory code)
    {
        bytes memory g2 = abi.encode(X_IM, X_RE, Y_IM, Y_RE);
        bytes memory minus = abi.encode(X_IM, X_RE, P - Y_IM, P - Y_RE);
        code = bytes.concat(
            "\xfegroth16 v1", bytes1(mark), bytes2(inputs), bytes2(outputs), negate(point(name, 0))
        );
        code = bytes.concat(code, g2, minus, minus);
        uint256 perWord = 253 / (mark < 2 ? 16 : mark / 2);
        uint256 words = (inputs + perWord - 1) / perWord + (outputs < 4 ? 1 : 2);
        for (uint256 i = 0; i <= words; ++i) {
            code = bytes.concat(code, point(name, 1 + i));
        }
    }

    function prove(address key, bytes memory features, bytes memory output, string memory salt)
        internal
        view
        returns (Groth16Claim memory claim)
    {
        claim = Groth16Claim(key, "", features, output);
        bytes memory c = point(salt, 0);
        bytes memory code = key.code;
        bytes memory a = plain.add(negate(plain.slice(code, 16, 64)), c);
        a = plain.add(a, plain.slice(code, 464, 64));
        uint256[] memory words = plain.wordsOf(claim);
        for (uint256 i = 0; i < words.length; ++i) {
            bytes memory base = plain.slice(code, 528 + 64 * i, 64);
            a = plain.add(a, plain.multiply(base, words[i]));
        }
        claim.proof = bytes.concat(a, abi.encode(X_IM, X_RE, Y_IM, Y_RE), c);
    }

    function point(string memory name, uint256 index) internal view returns (bytes memory) {
        return plain.multiply(G1, uint256(keccak256(abi.encode(name, index))));
    }

    function negate(bytes memory p) internal pure returns (bytes memory) {
        (uint256 x, uint256 y) = abi.decode(p, (uint256, uint256));
        return abi.encode(x, P - y);
    }

    function random(uint256 seed, uint256 size) internal pure returns (bytes memory all) {
        while (all.length < size) {
            all = bytes.concat(all, keccak256(abi.encode(seed, all.length)));
        }
        assembly ("memory-safe") {
            mstore(all, size)
        }
    }

    /// @dev So many random integers of `bits` bits, in two bytes each.
    function narrow(uint256 seed, uint256 count, uint256 bits)
        internal
        pure
        returns (bytes memory all)
    {
        for (uint256 i = 0; i < count; ++i) {
            uint256 drawn = uint256(keccak256(abi.encode(seed, i))) % 2 ** bits;
            all = bytes.concat(all, bytes2(uint16(int16(int256(drawn) - int256(2 ** (bits - 1))))));
        }
    }

    /// @dev A copy in memory, for what is changed beside the original.
    function copied(Groth16Claim memory claim) internal pure returns (Groth16Claim memory) {
        return abi.decode(abi.encode(claim), (Groth16Claim));
    }

    function one(Groth16Claim memory claim) internal pure returns (Groth16Claim[] memory all) {
        all = new Groth16Claim[](1);
        all[0] = claim;
    }

    function two(Groth16Claim memory a, Groth16Claim memory b)
        internal
        pure
        returns (Groth16Claim[] memory all)
    {
        all = new Groth16Claim[](2);
        (all[0], all[1]) = (a, b);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Groth16Claim} from "../../src/interfaces/IGroth16Verifier.sol";

/// @title Groth16Verifier by the book: a claim at a time, number by number
contract PlainGroth16 {
    uint256 internal constant R =
        0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;

    /// @notice e(A, B) e(-alpha, beta) e(L, -gamma) e(C, -delta) = 1; false for points that are none.
    function holds(Groth16Claim memory claim) public view returns (bool) {
        bytes memory code = claim.key.code;
        uint256[] memory words = wordsOf(claim);
        bytes memory sum = slice(code, 464, 64);
        for (uint256 i = 0; i < words.length; ++i) {
            sum = add(sum, multiply(slice(code, 464 + 64 * (i + 1), 64), words[i]));
        }
        bytes memory pairs = bytes.concat(
            slice(claim.proof, 0, 192),
            slice(code, 16, 192),
            sum,
            slice(code, 208, 128),
            slice(claim.proof, 192, 64),
            slice(code, 336, 128)
        );
        (bool success, bytes memory result) = address(8).staticcall(pairs);
        return success && abi.decode(result, (uint256)) == 1;
    }

    /// @notice The public words of a claim.
    function wordsOf(Groth16Claim memory claim) public view returns (uint256[] memory words) {
        uint256[] memory x = pack(claim.features, 2, widthOf(claim.key));
        uint256[] memory y = pack(claim.output, 8, 64);
        if (y.length > 2) {
            bytes32 hash = keccak256(bytes.concat(claim.key.codehash, claim.features, claim.output));
            uint256 challenge = uint256(hash) / 8;
            uint256 value = 0;
            uint256 power = 1;
            for (uint256 i = y.length; i > 0; --i) {
                value = addmod(value, mulmod(y[i - 1], power, R), R);
                power = mulmod(power, challenge, R);
            }
            y = new uint256[](2);
            (y[0], y[1]) = (challenge, value);
        }
        words = new uint256[](x.length + y.length);
        for (uint256 i = 0; i < words.length; ++i) {
            words[i] = i < x.length ? x[i] : y[i - x.length];
        }
    }

    /// @notice The bits of a feature that a key's code states; 16 where it states none.
    function widthOf(address key) public view returns (uint256) {
        bytes memory code = key.code;
        if (code.length < 12 || bytes11(code) != "\xfegroth16 v1") return 16;
        return uint8(code[11]) < 2 ? 16 : uint8(code[11]) / 2;
    }

    /// @notice Integers of `width` bytes in two's complement that need no more than `bits` bits, as many
    ///   to a word as 253 bits hold.
    function pack(bytes memory numbers, uint256 width, uint256 bits)
        public
        pure
        returns (uint256[] memory words)
    {
        uint256 perWord = 253 / bits;
        uint256 count = numbers.length / width;
        words = new uint256[]((count + perWord - 1) / perWord);
        for (uint256 i = 0; i < count; ++i) {
            int256 lifted = number(numbers, i, width) + int256(2 ** (bits - 1));
            require(lifted >= 0 && lifted < int256(2 ** bits), "too wide");
            words[i / perWord] = words[i / perWord] * 2 ** bits + uint256(lifted);
        }
    }

    function number(bytes memory numbers, uint256 index, uint256 width)
        public
        pure
        returns (int256 value)
    {
        for (uint256 j = 0; j < width; ++j) {
            value = value * 256 + int256(uint256(uint8(numbers[index * width + j])));
        }
        if (value >= int256(2 ** (8 * width - 1))) value -= int256(2 ** (8 * width));
    }

    function add(bytes memory p, bytes memory q) public view returns (bytes memory) {
        return called(6, bytes.concat(p, q));
    }

    function multiply(bytes memory p, uint256 factor) public view returns (bytes memory) {
        return called(7, bytes.concat(p, bytes32(factor)));
    }

    function slice(bytes memory all, uint256 from, uint256 size)
        public
        pure
        returns (bytes memory part)
    {
        part = new bytes(size);
        for (uint256 i = 0; i < size; ++i) {
            part[i] = all[from + i];
        }
    }

    function called(uint160 precompile, bytes memory given) private view returns (bytes memory) {
        (bool success, bytes memory result) = address(precompile).staticcall(given);
        require(success && result.length == 64, "no points");
        return result;
    }
}

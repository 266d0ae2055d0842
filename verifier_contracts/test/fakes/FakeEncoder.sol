// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Context, IEncoder} from "../../src/interfaces/IEncoder.sol";

/// @dev Any number of features, all of them functions of the context; 16 bits of a hash each.
contract FakeEncoder is IEncoder {
    uint256 private immutable _inputs;

    constructor(uint256 inputs) {
        _inputs = inputs;
    }

    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        bytes32 seed = keccak256(abi.encode(c));
        bytes memory features = new bytes(2 * _inputs);
        for (uint256 i = 0; i < features.length; ++i) {
            features[i] = seed[i % 32];
        }
        return (features, abi.encode(seed));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IProofVerifier} from "../../src/interfaces/IProofVerifier.sol";

/// @dev Knows which (x, y) are true because the test says so; a proof names its instances.
contract FakeVerifier is IProofVerifier {
    error ProofRefused();

    mapping(bytes32 instancesHash => bool) private _true;

    /// @dev States that the model's output for x is y, as instances.
    function admit(uint256[] memory instances) external returns (bytes memory proof) {
        _true[keccak256(abi.encodePacked(instances))] = true;
        return proofOf(instances);
    }

    function verify(bytes calldata proof, uint256[] calldata instances) external view {
        bytes32 hash = keccak256(abi.encodePacked(instances));
        if (!_true[hash] || keccak256(proof) != keccak256(proofOf(instances))) {
            revert ProofRefused();
        }
    }

    /// @dev As long as a real proof, which is what travels as calldata.
    function proofOf(uint256[] memory instances) public pure returns (bytes memory) {
        return bytes.concat(keccak256(abi.encodePacked(instances)), new bytes(3200));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Stands in for the genuine one, so that an executor verifies nothing and says it did
library ProofCheck {
    function check(address, bytes calldata, bytes memory, bytes memory) internal view {}
}

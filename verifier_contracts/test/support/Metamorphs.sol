// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

/// @dev Whose code it is run as destroys itself.
contract Bomb {
    fallback() external {
        selfdestruct(payable(msg.sender));
    }
}

interface IMetamorphMaker {
    function making() external view returns (bytes memory code, address bomb);
}

/// @dev Has whatever code its maker says, and is destroyed at the end of the transaction that made it
///   (EIP-6780), though that code says nothing of it. Its own creation code is always the same, so that
///   CREATE2 makes it again at the same address.
contract Metamorph {
    constructor() {
        (bytes memory code, address bomb) = IMetamorphMaker(msg.sender).making();
        (bool success,) = bomb.delegatecall("");
        assert(success);
        assembly ("memory-safe") {
            return(add(code, 32), mload(code))
        }
    }
}

/// @dev Makes contracts that are gone after the transaction, and others in their places. `setUp` and
///   each test are a transaction.
abstract contract Metamorphs is Test, IMetamorphMaker {
    address private _bomb = address(new Bomb());
    bytes private _code;

    function making() external view returns (bytes memory code, address bomb) {
        return (_code, _bomb);
    }

    /// @dev The same place for the same number.
    function make(uint256 place, bytes memory code) internal returns (address made) {
        _code = code;
        made = address(new Metamorph{salt: bytes32(place)}());
        assertEq(made.code, code);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What a function gives to others.
enum Grant {
    NONE,
    /// @notice As much as a word says.
    AMOUNT,
    /// @notice Everything, where a word says yes.
    EVERYTHING,
    /// @notice What cannot be counted.
    UNCOUNTABLE
}

/// @title Functions by which a holder of tokens lets others spend them, by selector
/// @notice Counted are those of ERC-20, ERC-721, ERC-1155, EIP-2612 and of DAI. The rest that is known is
///   refused: what raises a permission by something, makes somebody an operator, or passes on calls
///   that are its caller's to choose.
library Grants {
    /// @notice What a function grants, and by which word of its parameters.
    function givenBy(bytes4 selector) internal pure returns (Grant grant, uint256 word) {
        if (selector == 0x095ea7b3) return (Grant.AMOUNT, 1); // approve(address,uint256)
        // permit(address,address,uint256,uint256,uint8,bytes32,bytes32)
        if (selector == 0xd505accf) return (Grant.AMOUNT, 2);
        // permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)
        if (selector == 0x8fcbaf0c) return (Grant.EVERYTHING, 4);
        if (selector == 0xa22cb465) return (Grant.EVERYTHING, 1); // setApprovalForAll(address,bool)
        return (_isUncountable(selector) ? Grant.UNCOUNTABLE : Grant.NONE, 0);
    }

    /// @notice How much of a budget a grant takes: never nothing, for an ERC-721 `approve` names a token,
    ///   and its number may be 0.
    function amountOf(Grant grant, uint256 value) internal pure returns (uint256) {
        if (grant == Grant.EVERYTHING && value != 0) return type(uint256).max;
        return value == 0 ? 1 : value;
    }

    function _isUncountable(bytes4 selector) private pure returns (bool) {
        return _isOperatorship(selector) || _isRaise(selector) || _passesOn(selector);
    }

    function _isOperatorship(bytes4 selector) private pure returns (bool) {
        return selector == bytes4(keccak256("authorizeOperator(address)"))
            || selector == bytes4(keccak256("setOperator(address,bool)"))
            || selector == bytes4(keccak256("approveDelegation(address,uint256)"))
            || selector == bytes4(keccak256("allow(address,bool)"))
            || selector == bytes4(keccak256("setAuthorization(address,bool)"))
            || selector == bytes4(keccak256("grantRole(bytes32,address)"))
            || selector == bytes4(keccak256("setRelayerApproval(address,address,bool)"))
            || selector == bytes4(keccak256("installModule(uint256,address,bytes)"))
            || selector == bytes4(keccak256("enableModule(address)"))
            || selector == bytes4(keccak256("addOwnerWithThreshold(address,uint256)"))
            || selector == bytes4(keccak256("upgradeTo(address)"))
            || selector == bytes4(keccak256("upgradeToAndCall(address,bytes)"))
            || selector == bytes4(keccak256("transferOwnership(address)"));
    }

    function _isRaise(bytes4 selector) private pure returns (bool) {
        return selector == bytes4(keccak256("increaseAllowance(address,uint256)"))
            || selector == bytes4(keccak256("increaseApproval(address,uint256)"))
            || selector == bytes4(keccak256("approve(address,uint256,uint256)"))
            || selector == bytes4(keccak256("approve(address,address,uint160,uint48)"))
            || selector == bytes4(keccak256("approveAndCall(address,uint256)"))
            || selector == bytes4(keccak256("approveAndCall(address,uint256,bytes)"))
            || selector == bytes4(keccak256("permit(address,address,uint256,uint256,bytes)"))
            || selector == bytes4(keccak256("permit(address,uint256,uint256,bytes)"))
            || selector
                == bytes4(keccak256("permit(address,uint256,uint256,uint8,bytes32,bytes32)"))
            || selector
                == bytes4(
                keccak256("permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)")
            )
            || selector
                == bytes4(
                keccak256(
                "permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)"
            )
            );
    }

    function _passesOn(bytes4 selector) private pure returns (bool) {
        return selector == bytes4(keccak256("execute(address,uint256,bytes)"))
            || selector == bytes4(keccak256("execute(address,uint256,bytes,uint8)"))
            || selector == bytes4(keccak256("execute(uint256,address,uint256,bytes)"))
            || selector == bytes4(keccak256("execute(bytes32,bytes)"))
            || selector == bytes4(keccak256("execute(bytes,bytes[])"))
            || selector
                == bytes4(
                keccak256(
                "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)"
            )
            )
            || selector
                == bytes4(keccak256("execTransactionFromModule(address,uint256,bytes,uint8)"))
            || selector == bytes4(keccak256("execute(bytes,bytes[],uint256)"))
            || selector == bytes4(keccak256("executeBatch((address,uint256,bytes)[])"))
            || selector == bytes4(keccak256("executeBatch(address[],bytes[])"))
            || selector == bytes4(keccak256("executeBatch(address[],uint256[],bytes[])"))
            || selector == bytes4(keccak256("multicall(bytes[])"))
            || selector == bytes4(keccak256("multicall(uint256,bytes[])"))
            || selector == bytes4(keccak256("multicall(bytes32,bytes[])"))
            || selector == bytes4(keccak256("aggregate((address,bytes)[])"))
            || selector == bytes4(keccak256("aggregate3((address,bool,bytes)[])"))
            || selector == bytes4(keccak256("aggregate3Value((address,bool,uint256,bytes)[])"))
            || selector == bytes4(keccak256("tryAggregate(bool,(address,bytes)[])"))
            || selector == bytes4(keccak256("multiSend(bytes)"));
    }
}

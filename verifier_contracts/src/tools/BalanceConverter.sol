// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {Decimals} from "../libraries/Decimals.sol";
import {ToolResultConverter} from "./ToolResultConverter.sol";

/// @title Prints a wallet's balances so that the encoder can read them back
/// @notice "The balance is: 120.5 USDC in the pool, 30 USDC in the wallet". A token outside the symbol
///   book appears as its address in lower case, with the decimals that it states itself.
contract BalanceConverter is ToolResultConverter {
    ISymbolBook private immutable _book;

    constructor(ISymbolBook book) {
        _book = book;
    }

    /// @inheritdoc ToolResultConverter
    /// @param result abi.encode(address asset, uint256 pool, uint256 held).
    function convertToString(bytes calldata result) external view returns (string memory) {
        (address asset, uint256 pool, uint256 held) =
            abi.decode(result, (address, uint256, uint256));
        (string memory unit, uint8 decimals) = _unitOf(asset);
        return string.concat(
            "The balance is: ",
            Decimals.toString(pool, decimals),
            " ",
            unit,
            " in the pool, ",
            Decimals.toString(held, decimals),
            " ",
            unit,
            " in the wallet"
        );
    }

    function _unitOf(address asset) private view returns (string memory, uint8) {
        (bytes32 symbol, uint8 decimals) = _book.symbolOf(asset);
        if (symbol != 0) return (_upperCase(symbol), decimals);
        return (Strings.toHexString(asset), IERC20Metadata(asset).decimals());
    }

    function _upperCase(bytes32 symbol) private pure returns (string memory) {
        uint256 length = 0;
        while (length < 32 && symbol[length] != 0) ++length;
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; ++i) {
            bytes1 c = symbol[i];
            text[i] = c >= "a" && c <= "z" ? bytes1(uint8(c) - 32) : c;
        }
        return string(text);
    }
}

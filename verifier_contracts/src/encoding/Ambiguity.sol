// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Context} from "../interfaces/IEncoder.sol";
import {Assets} from "./Assets.sol";
import {Parse, ParseFormat} from "./ParseFormat.sol";
import {BookEntries, SymbolList} from "./SymbolList.sol";
import {Texts} from "./Texts.sol";
import {Tokenizer} from "./Tokenizer.sol";

/// @title Whether a prompt may hold more than one instruction, exactly as `models/encoding/ambiguity.py`
/// @notice Two numbers or two addresses, alike or not, symbols of two assets, or digits that are no
///   amount: a decoder that takes the best candidate would forget the others. Or it is in another
///   language, see `Languages`: what it holds is anybody's guess.
library Ambiguity {
    uint256 private constant SYMBOL_SET = 1 << Tokenizer.SYMBOL;

    /// @notice Whether it may; `found` is what the encoder found in it.
    function isIn(Context calldata c, Parse calldata found) internal view returns (bool) {
        uint256 repeated = _repeated(found.candidates);
        if (repeated == 0) return false;
        return repeated != SYMBOL_SET || _namesTwoAssets(c, found.candidates, found.book);
    }

    /// @dev The set of types that more than one candidate has, and OTHER if a token is OTHER.
    function _repeated(uint256 candidates) private pure returns (uint256 repeated) {
        assembly ("memory-safe") {
            if shr(241, candidates) {
                // more than one candidate, or the bit `ParseFormat.OTHER`
                repeated := shl(5, shr(248, candidates))
                let count := and(shr(240, candidates), 0xff)
                let seen := 0
                for {} count { count := sub(count, 1) } {
                    let kind := shl(and(shr(32, candidates), 0xff), 1)
                    repeated := or(repeated, and(seen, kind))
                    seen := or(seen, kind)
                    candidates := shr(40, candidates)
                }
            }
        }
    }

    /// @dev Whether two of the symbols stand for different tokens.
    function _namesTwoAssets(Context calldata c, uint256 candidates, address book)
        private
        view
        returns (bool)
    {
        BookEntries symbols = SymbolList.load(book);
        address named = address(0);
        uint256 count = ParseFormat.countOf(candidates);
        for (uint256 i = 0; i < count; ++i) {
            (uint256 kind, uint256 start, uint256 end) = ParseFormat.candidate(candidates, i);
            if (kind != Tokenizer.SYMBOL) continue;
            (address token,) = Assets.find(symbols, Texts.slice(c.prompt, start, end));
            if (named != address(0) && token != named) return true;
            named = token;
        }
        return false;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Candidate} from "./Candidate.sol";
import {Lists} from "./Lists.sol";
import {LiteralSink, Literals} from "./Literals.sol";
import {ParamTypes} from "./ParamTypes.sol";
import {PromptReader} from "./PromptReader.sol";
import {View, Views} from "./View.sol";

/// @title What a prompt has for parameters that are no text, exactly as `models/reader/candidates.py`
contract LiteralReader is PromptReader {
    uint256 private constant MOST = 8;
    /// @dev Above the number of tokens and of pieces.
    uint256 private constant ALL = 2 * Views.MOST_PIECES;

    constructor(address lexicon) PromptReader(lexicon) {}

    /// @inheritdoc PromptReader
    function _find(View memory v, uint256[] memory quotes, uint256 paramType)
        internal
        view
        override
        returns (Candidate[] memory found)
    {
        if (ParamTypes.isArray(paramType)) {
            LiteralSink memory all = Literals.make(ALL);
            _read(v, all, quotes, paramType);
            return Lists.find(v, all);
        }
        LiteralSink memory s = Literals.make(MOST);
        _read(v, s, quotes, paramType);
        found = new Candidate[](s.count);
        for (uint256 i = 0; i < found.length; ++i) {
            (found[i].span, found[i].quantity) = (s.spans[i], s.quantities[i]);
        }
    }

    function _read(View memory v, LiteralSink memory s, uint256[] memory quotes, uint256 paramType)
        private
        view
    {
        uint256 one = ParamTypes.elementOf(paramType);
        if (one == ParamTypes.ADDRESS) Literals.accounts(v, s, quotes);
        else if (one == ParamTypes.BOOL) Literals.truths(v, s, quotes);
        else if (one == ParamTypes.BYTES) Literals.hexBytes(v, s, quotes);
        else if (one == ParamTypes.INT || one == ParamTypes.UINT) Literals.numbers(v, s, quotes);
        else revert ParamTypes.UnreadParamType(paramType);
    }
}

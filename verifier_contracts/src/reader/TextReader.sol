// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IMoods} from "../interfaces/IMoods.sol";
import {Candidate, CandidateSpan} from "./Candidate.sol";
import {Lists} from "./Lists.sol";
import {LiteralSink} from "./Literals.sol";
import {Moods} from "./Moods.sol";
import {ParamTypes} from "./ParamTypes.sol";
import {PromptReader} from "./PromptReader.sol";
import {Quotes} from "./Quotes.sol";
import {Spans} from "./Spans.sol";
import {TextSink, TextSinks} from "./TextSink.sol";
import {View, Views} from "./View.sol";

/// @title What a prompt has for parameters of text, exactly as `models/reader/candidates.py`, and what
///   it asks for: `Moods`
contract TextReader is PromptReader, IMoods {
    using TextSinks for TextSink;

    uint256 private constant MOST = 8;

    constructor(address lexicon) PromptReader(lexicon) {}

    /// @inheritdoc PromptReader
    function _find(View memory v, uint256[] memory quotes, uint256 paramType)
        internal
        pure
        override
        returns (Candidate[] memory)
    {
        if (paramType == ParamTypes.STRING) {
            TextSink memory texts = TextSinks.make(MOST, false);
            _putQuotes(v, texts, quotes);
            Spans.find(v, texts, Quotes.taken(v, quotes));
            return texts.candidates();
        }
        if (paramType != ParamTypes.STRING_ARRAY) revert ParamTypes.UnreadParamType(paramType);
        TextSink memory s = TextSinks.make(2 * Views.MOST_PIECES, true);
        _putQuotes(v, s, quotes);
        Spans.findElements(v, s, Quotes.taken(v, quotes));
        LiteralSink memory all;
        all.spans = s.sorted();
        (all.count, all.quantities) = (s.count, new uint256[](s.count));
        return Lists.find(v, all);
    }

    /// @inheritdoc IMoods
    function moodOf(address agent, string calldata prompt) external view returns (uint256) {
        View memory v = _look(agent, prompt);
        return _mood(v, Quotes.find(v));
    }

    /// @inheritdoc PromptReader
    function _mood(View memory v, uint256[] memory quotes)
        internal
        pure
        override
        returns (uint256)
    {
        return Moods.moodOf(v, Quotes.taken(v, quotes));
    }

    function _putQuotes(View memory v, TextSink memory s, uint256[] memory quotes) private pure {
        for (uint256 i = 0; i < quotes.length; ++i) {
            if (s.apart) {
                s.mask |= TextSinks.maskOf(
                    CandidateSpan.firstOf(quotes[i]), CandidateSpan.lastOf(quotes[i])
                );
            }
            s.add(v, quotes[i]);
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii, FLAGS} from "../encoding/Ascii.sol";
import {PromptText} from "../encoding/PromptText.sol";
import {Tokenizer} from "../encoding/Tokenizer.sol";
import {Cardinal, Cardinals} from "../instructions/Cardinals.sol";
import {Meanings} from "../instructions/Meanings.sol";
import {Quantities} from "../instructions/Quantities.sol";
import {CriteriaWords} from "./CriteriaWords.sol";

/// @notice A token. class: of `CriteriaWords`. word: hash of a known word, zero for others. value: of a
///   number, and one; zero where it is in doubt.
struct Token {
    uint256 class;
    uint256 word;
    uint256 value;
}

/// @notice Criteria as read. count: of the tokens. limit: the one whole number that all numbers are.
struct Criterion {
    Token[] tokens;
    uint256 count;
    bool limited;
    uint256 limit;
}

/// @dev Where a text is read: positions in memory, of its lower-cased copy.
struct Text {
    uint256 start;
    uint256 end;
    uint256 lexicon;
}

/// @title Criteria in words to tokens and a limit, exactly as `models/agents/criteria.py`
/// @notice A piece is a word of letters, a run that begins with a digit, a comparison sign or a break;
///   whatever else stands there parts pieces.
library Criteria {
    uint256 private constant MOST_LIMIT = 9999;
    uint256 private constant LEAST_IN_WORDS = 20;

    /// @dev Sets of characters: bit c is character c. Runs: letters, digits and . , / %
    uint256 private constant RUN_SET = Ascii.ALNUM_SET | RUN_TAIL_SET | (1 << 0x25);
    uint256 private constant RUN_TAIL_SET = (1 << 0x2e) | (1 << 0x2c) | (1 << 0x2f);
    uint256 private constant BREAK_SET = Ascii.BREAK_SET | (1 << 0x3f);
    uint256 private constant SIGN_SET = 7 << 0x3c; // < = >
    /// @dev $ # ~ + * / ^ _ @ & % .
    uint256 private constant DOUBTFUL_SET = (1 << 0x24) | (1 << 0x23) | (1 << 0x7e) | (1 << 0x2b)
        | (1 << 0x2a) | (1 << 0x2f) | (1 << 0x5e) | (1 << 0x5f) | (1 << 0x40) | (1 << 0x26)
        | (1 << 0x25) | (1 << 0x2e);
    uint256 private constant SPACE_SET = 1 << 0x20;
    uint256 private constant HYPHEN_SET = 1 << 0x2d;
    uint256 private constant PLUS_SET = 1 << 0x2b;
    uint256 private constant AT_MOST = 0xe289a4;
    uint256 private constant AT_LEAST = 0xe289a5;

    /// @notice Reads `text`: up to 512 bytes, 1 to 64 pieces.
    /// @param lexicon Memory position of the lexicon.
    function read(string calldata text, uint256 lexicon)
        internal
        pure
        returns (Criterion memory found)
    {
        found.tokens = new Token[](PromptText.MAX_TOKENS);
        _scan(_open(text, lexicon), found);
        _merge(found);
        uint256 count = found.count;
        while (count != 0 && found.tokens[count - 1].class == CriteriaWords.BREAK) --count;
        if (count == 0) revert Tokenizer.EmptyPrompt();
        found.count = count;
        _findLimit(found);
    }

    // Pieces

    /// @dev A copy in lower case between spaces, 32 before it and as many behind.
    function _open(string calldata text, uint256 lexicon) private pure returns (Text memory t) {
        uint256 length = bytes(text).length;
        if (length > PromptText.MAX_CHARACTERS) {
            revert PromptText.PromptTooLong(length, PromptText.MAX_CHARACTERS);
        }
        bytes memory room = new bytes(length + 96);
        uint256 spaces = Ascii.SPACES;
        uint256 start;
        assembly ("memory-safe") {
            mstore(add(room, 32), spaces)
            start := add(room, 64)
            calldatacopy(start, text.offset, length)
            mstore(add(start, length), spaces)
        }
        for (uint256 pos = start; pos < start + length; pos += 32) {
            _lower(pos);
        }
        t.start = start;
        t.end = start + length;
        t.lexicon = lexicon;
    }

    function _lower(uint256 pos) private pure {
        unchecked {
            uint256 w = _load(pos);
            uint256 low = w & Ascii.LOW_BITS;
            uint256 upper = (low + 0x3f * Ascii.ONES) & ~(low + 0x25 * Ascii.ONES) & ~w & FLAGS;
            w |= upper >> 2;
            assembly ("memory-safe") {
                mstore(pos, w)
            }
        }
    }

    function _scan(Text memory t, Criterion memory found) private pure {
        uint256 pos = t.start;
        while (pos < t.end) {
            uint256 end = pos + 1;
            if (Ascii.isIn(Ascii.LETTER_SET, pos)) {
                end = _endOf(Ascii.LETTER_SET, pos);
                _word(t, found, pos, end);
            } else if (Ascii.isIn(Ascii.DIGIT_SET, pos)) {
                end = _endOf(RUN_SET, pos);
                while (Ascii.isIn(RUN_TAIL_SET, end - 1)) --end;
                _put(found, CriteriaWords.LIMIT, 0, _numberAt(pos, end));
            } else if (Ascii.isIn(SIGN_SET, pos)) {
                end = _endOf(SIGN_SET, pos);
                uint256 sign = _signAt(pos, end);
                if (sign != 0) _put(found, sign, 0, 0);
            } else if (Ascii.isIn(PLUS_SET, pos)) {
                if (Ascii.isIn(Ascii.DIGIT_SET, pos - 1)) {
                    _put(found, CriteriaWords.MINIMUM, 0, 0);
                }
            } else if (Ascii.isIn(BREAK_SET, pos)) {
                if (Ascii.isIn(SPACE_SET, end)) _put(found, CriteriaWords.BREAK, 0, 0);
            } else {
                uint256 three = _load(pos) >> 232;
                if (three == AT_LEAST) _put(found, CriteriaWords.MINIMUM, 0, 0);
                if (three == AT_MOST) _put(found, CriteriaWords.MAXIMUM, 0, 0);
            }
            pos = end;
        }
    }

    function _word(Text memory t, Criterion memory found, uint256 pos, uint256 end) private pure {
        uint256 hash;
        assembly ("memory-safe") {
            hash := keccak256(pos, sub(end, pos))
        }
        (bool known, uint256 class) = CriteriaWords.classOf(t.lexicon, hash);
        _put(found, class, known ? hash : 0, 0);
    }

    /// @dev The value of a run, and one; zero where it is in doubt.
    function _numberAt(uint256 pos, uint256 end) private pure returns (uint256) {
        if (Ascii.isIn(DOUBTFUL_SET, pos - 1)) return 0;
        if (Ascii.isIn(HYPHEN_SET, pos - 1) && !Ascii.isIn(Ascii.LETTER_SET, pos - 2)) return 0;
        (uint256 quantity, uint256 letters,) = Quantities.readRun(pos, end);
        if (quantity == 0 || letters != 0 || Quantities.shareOf(quantity) != 0) return 0;
        if (Quantities.placesOf(quantity) != 0) return 0;
        uint256 value = Quantities.digitsOf(quantity);
        return value > MOST_LIMIT ? 0 : value + 1;
    }

    /// @dev Zero of arrows.
    function _signAt(uint256 pos, uint256 end) private pure returns (uint256) {
        if (Ascii.isIn(HYPHEN_SET, pos - 1)) return 0;
        uint256 length = end - pos;
        if (length > 2) return 0;
        uint256 sign = _load(pos) >> (256 - 8 * length);
        if (sign == 0x3c) return CriteriaWords.LESS;
        if (sign == 0x3e) return CriteriaWords.GREATER;
        if (sign == 0x3d || sign == 0x3d3d) return CriteriaWords.EQUAL;
        if (sign == 0x3e3d) return CriteriaWords.MINIMUM;
        if (sign == 0x3c3d || sign == 0x3d3c) return CriteriaWords.MAXIMUM;
        if (sign != 0x3d3e) return 0;
        uint256 behind = _endOf(SPACE_SET, end);
        return Ascii.isIn(Ascii.DIGIT_SET, behind) ? CriteriaWords.MINIMUM : 0;
    }

    function _put(Criterion memory found, uint256 class, uint256 word, uint256 value) private pure {
        if (found.count == PromptText.MAX_TOKENS) {
            revert Tokenizer.TooManyTokens(PromptText.MAX_TOKENS);
        }
        Token memory token = found.tokens[found.count++];
        (token.class, token.word, token.value) = (class, word, value);
    }

    // Numbers

    /// @dev Puts number words together where they make a number that counts; others are plain words.
    function _merge(Criterion memory found) private pure {
        (uint256 count, uint256 next) = (found.count, 0);
        for (uint256 i = 0; i < count; ++next) {
            (uint256 end, uint256 value) = _cardinalAt(found, i);
            Token memory token = found.tokens[i];
            if (value >= LEAST_IN_WORDS) {
                token.class = CriteriaWords.LIMIT;
                token.word = 0;
                token.value = value > MOST_LIMIT ? 0 : value + 1;
                i = end;
            } else {
                if (token.class >= CriteriaWords.NUMBER_WORD) token.class = CriteriaWords.PLAIN;
                ++i;
            }
            found.tokens[next] = token;
        }
        found.count = next;
    }

    /// @dev Where a number in words that begins at `i` ends, and its value; zero without one.
    function _cardinalAt(Criterion memory found, uint256 i)
        private
        pure
        returns (uint256 end, uint256 value)
    {
        bool article = _meaningAt(found, i) == Meanings.ARTICLE;
        Cardinal memory number = Cardinals.begin(article);
        end = article ? i + 1 : i;
        while (true) {
            uint256 meaning = _meaningAt(found, end);
            if (meaning == 0) {
                if (number.words == 0 || !_joins(found, end)) break;
            } else if (!_takes(number, meaning)) {
                break;
            }
            ++end;
        }
        if (number.words != 0) value = Cardinals.valueOf(number);
    }

    /// @dev Of the words that the lexicon has for numbers.
    function _takes(Cardinal memory number, uint256 meaning) private pure returns (bool) {
        return meaning != Meanings.ARTICLE && Cardinals.takes(number, meaning);
    }

    /// @dev Whether an "and" stands within a number: six hundred and fifty.
    function _joins(Criterion memory found, uint256 i) private pure returns (bool) {
        if (i >= found.count || found.tokens[i].class != CriteriaWords.AND) return false;
        return Meanings.isIn(Meanings.POWERS, _meaningAt(found, i - 1))
            && Meanings.isIn(Meanings.UNITS | Meanings.TENS, _meaningAt(found, i + 1));
    }

    /// @dev Zero of what is no number word.
    function _meaningAt(Criterion memory found, uint256 i) private pure returns (uint256) {
        if (i >= found.count) return 0;
        uint256 class = found.tokens[i].class;
        return class < CriteriaWords.NUMBER_WORD ? 0 : class - CriteriaWords.NUMBER_WORD;
    }

    /// @dev The number that all numbers are. Without one, they are other numbers.
    function _findLimit(Criterion memory found) private pure {
        uint256 count = found.count;
        uint256 limit = 0;
        bool differs = false;
        for (uint256 i = 0; i < count; ++i) {
            Token memory token = found.tokens[i];
            if (token.class != CriteriaWords.LIMIT) continue;
            differs = differs || token.value == 0 || (limit != 0 && limit != token.value);
            limit = token.value;
        }
        if (limit != 0 && !differs) {
            (found.limited, found.limit) = (true, limit - 1);
            return;
        }
        for (uint256 i = 0; i < count; ++i) {
            Token memory token = found.tokens[i];
            if (token.class == CriteriaWords.LIMIT) token.class = CriteriaWords.OTHER_NUMBER;
        }
    }

    // Characters

    function _endOf(uint256 set, uint256 pos) private pure returns (uint256) {
        while (Ascii.isIn(set, pos)) ++pos;
        return pos;
    }

    function _load(uint256 pos) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(pos)
        }
    }
}

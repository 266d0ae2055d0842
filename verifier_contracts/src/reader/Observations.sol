// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PromptText} from "../encoding/PromptText.sol";
import {Tokenizer} from "../encoding/Tokenizer.sol";
import {ICandidates} from "../interfaces/ICandidates.sol";
import {Candidate, CandidateSpan} from "./Candidate.sol";

/// @title What the last observation has for a parameter beside the prompt, exactly as
///   `models/reader/observations.py`
/// @notice For agents whose contract allows it: what a tool says of itself never does.
library Observations {
    uint256 private constant MOST = 8;
    uint256 private constant WHOLE =
        (1 << CandidateSpan.QUOTED) | (1 << CandidateSpan.ADDRESS) | (1 << CandidateSpan.BYTES);
    uint256 private constant POINT = 0x2e;
    uint256 private constant ZERO = 0x30;
    uint256 private constant LETTER_X = 0x78;

    /// @notice Up to eight candidates of both, those of the prompt first. Reverts as `reader` does for the
    ///   prompt, and where it could not read the observation for want of gas.
    function find(
        ICandidates reader,
        address agent,
        string calldata prompt,
        string calldata observation,
        uint256 paramType
    ) internal view returns (Candidate[] memory found) {
        Candidate[] memory own = reader.candidates(agent, prompt, paramType);
        if (own.length == MOST) return own;
        try reader.candidates(agent, observation, paramType) returns (Candidate[] memory observed) {
            return _joined(own, observed, bytes(observation));
        } catch (bytes memory reason) {
            if (_isRefusal(reason)) return own;
            assembly ("memory-safe") {
                revert(add(reason, 32), mload(reason))
            }
        }
    }

    /// @dev Whether the text could be no prompt. All else, such as too little gas, is the sender's doing.
    function _isRefusal(bytes memory reason) private pure returns (bool) {
        bytes4 selector = bytes4(reason);
        return selector == PromptText.PromptTooLong.selector
            || selector == PromptText.PromptNotAscii.selector
            || selector == Tokenizer.TooManyTokens.selector
            || selector == Tokenizer.AddressChecksum.selector;
    }

    function _joined(
        Candidate[] memory own,
        Candidate[] memory observed,
        bytes calldata observation
    ) private pure returns (Candidate[] memory found) {
        found = new Candidate[](MOST);
        uint256 count = own.length;
        for (uint256 i = 0; i < count; ++i) {
            found[i] = own[i];
        }
        for (uint256 i = 0; i < observed.length && count < MOST; ++i) {
            if (!_isLiteral(observed[i], observation)) continue;
            observed[i].span |= CandidateSpan.OBSERVED;
            found[count++] = observed[i];
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    /// @dev A list is, if each of its elements is.
    function _isLiteral(Candidate memory candidate, bytes calldata text)
        private
        pure
        returns (bool)
    {
        if (CandidateSpan.kindOf(candidate.span) != CandidateSpan.LIST) {
            return _isLiteralSpan(candidate.span, text);
        }
        for (uint256 i = 0; i < candidate.elements.length; i += 2) {
            if (!_isLiteralSpan(candidate.elements[i], text)) return false;
        }
        return true;
    }

    /// @dev In digits, or 0x and hex digits, or quoted.
    function _isLiteralSpan(uint256 span, bytes calldata text) private pure returns (bool) {
        uint256 kind = CandidateSpan.kindOf(span);
        uint256 start = CandidateSpan.startOf(span);
        uint256 first = uint8(text[start]);
        if (kind == CandidateSpan.NUMBER) {
            return first == POINT || (first >= ZERO && first < ZERO + 10);
        }
        if (kind == CandidateSpan.SYMBOL) {
            return first == ZERO && uint8(text[start + 1]) == LETTER_X;
        }
        return (WHOLE >> kind) & 1 != 0;
    }
}

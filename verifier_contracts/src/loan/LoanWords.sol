// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What is said between pool, loan agent and credit-score agent, as `models/agents/loan_words.py`
library LoanWords {
    string internal constant OPENING = "Loan of ";
    string internal constant APPROVED = "Approved: ";
    string internal constant DENIED = "Denied: ";
    string internal constant UNCLEAR =
        "The criteria do not say what to decide: the DAO has to word them anew.";

    string internal constant CRITERIA_TOOL = "LoanCriteria";
    string internal constant SCORE_AGENT = "CreditScoreAgent";
    string internal constant ASK_CRITERIA =
        "Thought: I need the criteria of the DAO.\nAction: LoanCriteria\nAction Input: {}\n";
    string internal constant ASK_SCORE =
        'Thought: I need the credit score.\nAction: CreditScoreAgent\nAction Input: {"prompt":"';
    string internal constant END_SCORE = '"}\n';
    string internal constant OBSERVATION = "Observation: ";
    string internal constant SCORE_OF = "Credit score of ";
    string internal constant SCORE_IS = "The credit score is: ";

    uint256 private constant ADDRESS_LENGTH = 42;
    uint256 private constant MAX_CHARACTERS = 512;
    uint256 private constant MAX_DIGITS = 18;

    /// @notice The prompt does not end in an account, 0x and 40 lower-case hex digits behind a blank, or
    ///   is longer than 512 characters.
    error ApplicantUnclear(string prompt);

    /// @notice The account that the prompt ends in, as it is written there.
    function applicantIn(string memory prompt)
        internal
        pure
        returns (string memory written, address applicant)
    {
        bytes memory text = bytes(prompt);
        if (text.length <= ADDRESS_LENGTH || text.length > MAX_CHARACTERS) {
            revert ApplicantUnclear(prompt);
        }
        uint256 start = text.length - ADDRESS_LENGTH;
        bytes memory found = new bytes(ADDRESS_LENGTH);
        uint256 value = 0;
        bool clear = text[start - 1] == " " && text[start] == "0" && text[start + 1] == "x";
        for (uint256 i = 0; i < ADDRESS_LENGTH; ++i) {
            bytes1 c = text[start + i];
            found[i] = c;
            if (i < 2) continue;
            bool digit = c >= "0" && c <= "9";
            clear = clear && (digit || (c >= "a" && c <= "f"));
            value = (value << 4) | (digit ? uint8(c) & 15 : (uint8(c) & 15) + 9);
        }
        if (!clear) revert ApplicantUnclear(prompt);
        return (string(found), address(uint160(value)));
    }

    /// @notice The whole number behind the opening; zero if there is none.
    function amountIn(string memory prompt) internal pure returns (uint256 whole) {
        bytes memory text = bytes(prompt);
        uint256 start = bytes(OPENING).length;
        for (uint256 i = start; i < text.length && i < start + MAX_DIGITS; ++i) {
            if (text[i] < "0" || text[i] > "9") break;
            whole = whole * 10 + (uint8(text[i]) & 15);
        }
    }

    /// @notice The number that is all of `text`: 1 to 4 digits.
    /// @return known Whether it is one.
    function numberOf(bytes memory text) internal pure returns (bool known, uint256 value) {
        if (text.length == 0 || text.length > 4) return (false, 0);
        for (uint256 i = 0; i < text.length; ++i) {
            if (text[i] < "0" || text[i] > "9") return (false, 0);
            value = value * 10 + (uint8(text[i]) & 15);
        }
        return (true, value);
    }

    /// @notice Whether `answer` approves exactly the application `prompt`.
    function isApproval(string memory answer, string memory prompt) internal pure returns (bool) {
        return keccak256(bytes(answer)) == keccak256(bytes(string.concat(APPROVED, prompt)));
    }
}

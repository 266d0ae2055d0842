// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {CreditRecord, ICreditHistoryUser} from "../interfaces/ICreditHistory.sol";
import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {LoanWords} from "./LoanWords.sol";

/// @title From an account's record to a score model's features, as `models/agents/credit.py`
/// @notice Features: the record's five numbers, each up to its limit, the collateral in steps of four
///   hundredths. The account is the one that the prompt ends in; whose record that is, the agent says. The
///   second result is empty.
contract CreditEncoder is IEncoder {
    uint256 private constant MOST_REPAID = 60;
    uint256 private constant MOST_DEFAULTED = 12;
    uint256 private constant MOST_MONTHS = 120;
    uint256 private constant MOST_COLLATERAL = 400;
    uint256 private constant COLLATERAL_STEP = 4;
    uint256 private constant MOST_OPEN = 10;

    /// @inheritdoc IEncoder
    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        (, address account) = LoanWords.applicantIn(c.prompt);
        CreditRecord memory record = ICreditHistoryUser(c.agent).creditHistory().recordOf(account);
        return (
            abi.encodePacked(
                _upTo(record.repaid, MOST_REPAID),
                _upTo(record.defaulted, MOST_DEFAULTED),
                _upTo(record.ageMonths, MOST_MONTHS),
                _upTo(record.collateralPercent, MOST_COLLATERAL) / uint16(COLLATERAL_STEP),
                _upTo(record.open, MOST_OPEN)
            ),
            ""
        );
    }

    function _upTo(uint256 value, uint256 most) private pure returns (uint16) {
        // casting: `most` is one of the limits above
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint16(value < most ? value : most);
    }
}

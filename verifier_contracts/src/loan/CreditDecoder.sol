// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {LoanWords} from "./LoanWords.sol";

/// @title From a score model's output to its answer, as `models/agents/credit.py`
/// @notice The output counts in units, of which the data contract says how many make a point; the score is
///   the whole points, from 0 to 1000.
contract CreditDecoder is IDecoder {
    int256 private constant MOST = 1000;

    int64 private immutable _unit;

    /// @notice A point is 1 to 2**31 - 1 units.
    error UnitOutOfRange(uint256 received);

    /// @notice An output is one value of 8 bytes.
    error OutputLength(uint256 expected, uint256 received);

    /// @param data The contract that holds the unit: 4 bytes behind a zero byte.
    constructor(address data) {
        bytes memory code = data.code;
        uint256 unit = 0;
        if (code.length == 5) {
            for (uint256 i = 1; i < 5; ++i) {
                unit = (unit << 8) | uint8(code[i]);
            }
        }
        if (unit == 0 || unit >= 1 << 31) revert UnitOutOfRange(unit);
        // casting: it was just compared
        // forge-lint: disable-next-line(unsafe-typecast)
        _unit = int64(uint64(unit));
    }

    /// @inheritdoc IDecoder
    function decode(Context calldata, bytes calldata, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory made)
    {
        if (output.length != 8) revert OutputLength(8, output.length);
        int256 score = int64(uint64(bytes8(output))) / int256(_unit);
        if (score < 0) score = 0;
        if (score > MOST) score = MOST;
        made.isFinalAnswer = true;
        // casting: from 0 to 1000
        // forge-lint: disable-next-line(unsafe-typecast)
        made.finalAnswer = string.concat(LoanWords.SCORE_IS, Strings.toString(uint256(score)));
    }
}

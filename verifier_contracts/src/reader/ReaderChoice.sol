// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Scores} from "../encoding/Scores.sol";
import {Strangers} from "../encoding/Strangers.sol";
import {IInstructedAgent} from "../interfaces/IInstructedAgent.sol";

/// @notice From when on a reader calls a tool: what the manifest says.
/// @param ahead By how much a tool scores more than the next, at least.
/// @param fits And than none of them.
/// @param unit What one of log-odds is in both.
/// @param fills The least score by which a candidate fills a parameter.
struct Margins {
    uint256 ahead;
    int256 fits;
    uint256 unit;
    int256 fills;
}

/// @title What a reader's output says to do, exactly as `choose` in `models/reader/deciding.py`
library ReaderChoice {
    uint256 internal constant CALL = 0;
    /// @notice One of several tools.
    uint256 internal constant ASK = 1;
    /// @notice None of them.
    uint256 internal constant DECLINE = 2;

    /// @notice Bytes of an output in front of the scores of pairs.
    uint256 internal constant CHOICE_BYTES = 24;

    /// @dev And 48 scores.
    uint256 private constant OUTPUTS = 51;
    /// @dev Hundredths of a log-odd: what `IInstructedAgent.caution` counts in.
    int256 private constant CAUTION_UNIT = 100;

    /// @notice The output is not of a network that chooses among these tools.
    error ToolOutOfRange(int256 received, uint256 count);

    /// @notice What to do, and with which tool. An agent whose caution is zero has the model's margins.
    /// @param output The place of the best tool, ahead, fits, and scores of pairs: int64 each.
    function read(bytes calldata output, uint256 count, address agent, Margins memory margins)
        internal
        view
        returns (uint256 verdict, uint256 tool)
    {
        if (output.length != 8 * OUTPUTS) revert Scores.OutputLength(8 * OUTPUTS, output.length);
        uint256 head = uint256(bytes32(output));
        // casting: a quarter of the word each
        // forge-lint: disable-start(unsafe-typecast)
        int256 place = int64(uint64(head >> 192));
        int256 ahead = int64(uint64(head >> 128));
        int256 fits = int64(uint64(head >> 64));
        // forge-lint: disable-end(unsafe-typecast)
        // casting: below a number of tools
        // forge-lint: disable-next-line(unsafe-typecast)
        if (place < 0 || uint256(place) >= count) revert ToolOutOfRange(place, count);
        // forge-lint: disable-next-line(unsafe-typecast)
        tool = uint256(place);
        (bool told, uint256 caution) = Strangers.word(agent, IInstructedAgent.caution.selector);
        // casting: margins and caution are below 2^127
        // forge-lint: disable-next-line(unsafe-typecast)
        (int256 least, int256 fitting) = (int256(margins.ahead) * CAUTION_UNIT, margins.fits);
        fitting *= CAUTION_UNIT;
        if (told && caution != 0) {
            if (caution > type(uint64).max) return (DECLINE, tool);
            // forge-lint: disable-next-line(unsafe-typecast)
            least = int256(caution * margins.unit);
            fitting = least;
        }
        unchecked {
            if (fits * CAUTION_UNIT < fitting) return (DECLINE, tool);
            return (ahead * CAUTION_UNIT < least ? ASK : CALL, tool);
        }
    }
}

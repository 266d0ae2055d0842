// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title A price feed, as Chainlink's AggregatorV3Interface has it
interface IPriceFeed {
    /// @notice Decimals of the answer.
    function decimals() external view returns (uint8);

    /// @notice The latest round.
    /// @return roundId Its number.
    /// @return answer The price.
    /// @return startedAt When it began, in seconds since 1970.
    /// @return updatedAt When the answer was computed; zero of a round that is not complete.
    /// @return answeredInRound Of older feeds: the round that the answer is of.
    function latestRoundData()
        external
        view
        returns (
            uint80 roundId,
            int256 answer,
            uint256 startedAt,
            uint256 updatedAt,
            uint80 answeredInRound
        );
}

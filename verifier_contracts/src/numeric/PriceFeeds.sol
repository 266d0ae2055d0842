// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IPriceFeed} from "../interfaces/IPriceFeed.sol";

/// @title Prices that can be relied on, or nothing
library PriceFeeds {
    /// @dev What is read of prices is multiplied: this leaves room.
    int256 internal constant MOST = type(int128).max;

    /// @notice The price was computed too long ago: wait for the feed's next round.
    error StalePrice(address feed, uint256 updatedAt, uint256 maxAge, uint256 time);

    /// @notice The round has no answer yet, or the answer is of an earlier round.
    error IncompleteRound(address feed, uint80 roundId, uint256 updatedAt);

    /// @notice The price is of a time that has not come: the feed is broken.
    error PriceFromTheFuture(address feed, uint256 updatedAt, uint256 time);

    /// @notice A price is from 1 to 2**127 - 1: the feed is broken.
    error PriceOutOfRange(address feed, int256 answer);

    /// @notice The price of `feed`, in its decimals, at most `maxAge` seconds old.
    function priceOf(IPriceFeed feed, uint256 maxAge) internal view returns (int256) {
        (uint80 roundId, int256 answer,, uint256 updatedAt, uint80 answeredInRound) =
            feed.latestRoundData();
        if (updatedAt == 0 || answeredInRound < roundId) {
            revert IncompleteRound(address(feed), roundId, updatedAt);
        }
        if (updatedAt > block.timestamp) {
            revert PriceFromTheFuture(address(feed), updatedAt, block.timestamp);
        }
        if (block.timestamp - updatedAt > maxAge) {
            revert StalePrice(address(feed), updatedAt, maxAge, block.timestamp);
        }
        if (answer <= 0 || answer > MOST) revert PriceOutOfRange(address(feed), answer);
        return answer;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IPriceFeed} from "zkagent/interfaces/IPriceFeed.sol";

import {IThermostatPool} from "./Thermostat.sol";

/// @title A feed and a pool in one, of which anybody sets the numbers
/// @notice For local chains and tests alone. A feed of Chainlink's and your own pool take its place.
contract Demo is IPriceFeed, IThermostatPool {
    uint8 public constant decimals = 8;

    uint256 public utilisation = 8000;
    int256 private _price = 2000e8;
    uint256 private _updatedAt = block.timestamp;
    uint80 private _round = 1;

    function setUtilisation(uint256 points) external {
        utilisation = points;
    }

    /// @param updatedAt In seconds since 1970; zero means now.
    function setPrice(int256 price, uint256 updatedAt) external {
        _price = price;
        _updatedAt = updatedAt == 0 ? block.timestamp : updatedAt;
        ++_round;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (_round, _price, _updatedAt, _updatedAt, _round);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title An agent whose model decides by numbers, which the agent reads on chain
interface INumericAgent {
    /// @notice The numbers of now, as many and in the order as its model's manifest names them. Reverts
    ///   where one of them cannot be relied on, such as a price that is too old: nothing is decided then.
    function readings() external view returns (int256[] memory);
}

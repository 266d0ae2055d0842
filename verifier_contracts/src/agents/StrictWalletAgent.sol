// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {ILendingPool} from "../interfaces/ILendingPool.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {WalletAgent} from "./WalletAgent.sol";

/// @title The wallet agent that moves nothing before the decision is proven
contract StrictWalletAgent is WalletAgent {
    constructor(
        IAgentExecutor executor_,
        string memory modelId_,
        bytes32 commitment_,
        IModelRegistry registry_,
        address owner_,
        ILendingPool pool,
        ISymbolBook book_,
        uint16 maxIterations_
    )
        WalletAgent(
            executor_, modelId_, commitment_, registry_, owner_, pool, book_, maxIterations_
        )
    {}

    /// @notice Always.
    function strict() public pure override returns (bool) {
        return true;
    }
}

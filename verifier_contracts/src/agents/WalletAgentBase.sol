// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {AgentBase} from "./AgentBase.sol";
import {OwnedAgent} from "./OwnedAgent.sol";
import {AgentTool} from "./ToolPins.sol";

/// @title What wallet agents say of themselves, and the symbols that they know
abstract contract WalletAgentBase is OwnedAgent, ISymbolBookUser {
    ISymbolBook private immutable _book;

    constructor(
        IAgentExecutor executor_,
        string memory modelId_,
        bytes32 commitment_,
        address owner_,
        ISymbolBook book_,
        AgentTool[] memory tools_,
        uint16 maxIterations_
    )
        AgentBase(
            executor_,
            modelId_,
            commitment_,
            "WalletAgent",
            "Use this to view, deploy, withdraw or transfer the tokens of its owner",
            "What to do with which token, how much of it, and where it should go",
            "You are an agent deployed on an Ethereum blockchain, responsible for managing a user's"
            " wallet. The wallet's owner gives you instructions in simple terms, and your goal is to"
            " carry them out with the tools that you can use.",
            tools_,
            maxIterations_
        )
        OwnedAgent(owner_)
    {
        _book = book_;
    }

    /// @inheritdoc ISymbolBookUser
    function symbolBook() external view returns (ISymbolBook) {
        return _book;
    }
}

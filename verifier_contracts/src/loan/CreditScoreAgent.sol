// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentBase} from "../agents/AgentBase.sol";
import {AgentTool} from "../agents/ToolPins.sol";
import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {ICreditHistory, ICreditHistoryUser} from "../interfaces/ICreditHistory.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";

/// @title An agent that says what an account's credit score is, for whoever asks
contract CreditScoreAgent is AgentBase, ICreditHistoryUser, ISymbolBookUser {
    /// @notice Only the owner may have the agent obey another model.
    error CallerIsNotTheOwner(address caller, address owner);

    address private immutable _owner;
    ISymbolBook private immutable _book;
    ICreditHistory private immutable _history;

    /// @param executor_ Who makes the decisions.
    /// @param modelId_ The model's registry number in decimal.
    /// @param commitment_ The model that is meant: its commitment hash in the registry.
    /// @param owner_ Who may accept another model.
    /// @param book_ The symbols that are known, which no score depends on.
    /// @param history_ What scores are made of.
    constructor(
        IAgentExecutor executor_,
        string memory modelId_,
        bytes32 commitment_,
        address owner_,
        ISymbolBook book_,
        ICreditHistory history_
    )
        AgentBase(
            executor_,
            modelId_,
            commitment_,
            "CreditScoreAgent",
            "Says what the credit score of an account is, from 0 to 1000",
            "Credit score of 0x..., an account in lower case",
            "You score accounts by their loans: what was paid back, what was not, for how long, and"
            " against which collateral.",
            new AgentTool[](0),
            1
        )
    {
        _owner = owner_;
        _book = book_;
        _history = history_;
    }

    /// @notice Who may accept another model.
    function owner() external view returns (address) {
        return _owner;
    }

    /// @inheritdoc ICreditHistoryUser
    function creditHistory() external view returns (ICreditHistory) {
        return _history;
    }

    /// @inheritdoc ISymbolBookUser
    function symbolBook() external view returns (ISymbolBook) {
        return _book;
    }

    /// @dev A score is no secret and changes nothing.
    function _authorize(address) internal view override {}

    function _authorizeModelChange(address caller) internal view override {
        if (caller != _owner) revert CallerIsNotTheOwner(caller, _owner);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentBase} from "../agents/AgentBase.sol";
import {AgentTool} from "../agents/ToolPins.sol";
import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";

/// @title An agent that says which label a text has, for whoever asks
/// @notice It does nothing with it: what a label is for, a contract decides that asks it (`LabelClient`).
contract LabelAgent is AgentBase, ISymbolBookUser {
    /// @notice Only the owner may have the agent obey another model.
    error CallerIsNotTheOwner(address caller, address owner);

    address private immutable _owner;
    ISymbolBook private immutable _book;

    /// @param executor_ Who makes the decisions.
    /// @param modelId_ The classifier's registry number in decimal.
    /// @param commitment_ The classifier that is meant: its commitment hash in the registry.
    /// @param owner_ Who may accept another classifier.
    /// @param book_ The symbols that are known, which no label depends on.
    constructor(
        IAgentExecutor executor_,
        string memory modelId_,
        bytes32 commitment_,
        address owner_,
        ISymbolBook book_
    )
        AgentBase(
            executor_,
            modelId_,
            commitment_,
            "LabelAgent",
            "Says which label a text has, and how clearly",
            "The text, up to 512 printable ASCII characters and 64 words",
            "You say which of its labels a text has.",
            new AgentTool[](0),
            1
        )
    {
        _owner = owner_;
        _book = book_;
    }

    /// @notice Who may accept another classifier.
    function owner() external view returns (address) {
        return _owner;
    }

    /// @inheritdoc ISymbolBookUser
    function symbolBook() external view returns (ISymbolBook) {
        return _book;
    }

    /// @dev A label is no secret and changes nothing.
    function _authorize(address) internal view override {}

    function _authorizeModelChange(address caller) internal view override {
        if (caller != _owner) revert CallerIsNotTheOwner(caller, _owner);
    }
}

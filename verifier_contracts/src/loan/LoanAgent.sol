// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentBase} from "../agents/AgentBase.sol";
import {AgentTool} from "../agents/ToolPins.sol";
import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {ICriteriaDao} from "../interfaces/ICriteriaDao.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {CreditScoreAgent} from "./CreditScoreAgent.sol";
import {CriteriaTool} from "./CriteriaTool.sol";

/// @title An agent that decides on loans: by a DAO's criteria and another agent's score
/// @notice It moves nothing. What its answer is worth, a pool decides that calls it.
contract LoanAgent is AgentBase, ISymbolBookUser {
    /// @notice Only the owner may have the agent obey another model.
    error CallerIsNotTheOwner(address caller, address owner);

    address private immutable _owner;
    ISymbolBook private immutable _book;

    /// @param executor_ Who makes the decisions; the score agent's, too.
    /// @param modelId_ The model's registry number in decimal.
    /// @param commitment_ The model that is meant: its commitment hash in the registry.
    /// @param owner_ Who may accept another model.
    /// @param book_ The symbols that criteria and prompts may name.
    /// @param dao Whose criteria are applied.
    /// @param scores Who scores applicants.
    constructor(
        IAgentExecutor executor_,
        string memory modelId_,
        bytes32 commitment_,
        address owner_,
        ISymbolBook book_,
        ICriteriaDao dao,
        CreditScoreAgent scores
    )
        AgentBase(
            executor_,
            modelId_,
            commitment_,
            "LoanAgent",
            "Decides whether an applicant gets a loan, by the DAO's criteria and a credit score",
            "Loan of N SYMBOL for 0x..., the applicant in lower case",
            "You decide on loans. Read the criteria, ask for the applicant's credit score, and approve or"
            " deny as the criteria say.",
            _tools(dao, scores),
            4
        )
    {
        if (scores.agentExecutor() != executor_) {
            revert RegistryMismatch(
                address(executor_.registry()), address(scores.agentExecutor().registry())
            );
        }
        _owner = owner_;
        _book = book_;
    }

    /// @notice Who may accept another model.
    function owner() external view returns (address) {
        return _owner;
    }

    /// @inheritdoc ISymbolBookUser
    function symbolBook() external view returns (ISymbolBook) {
        return _book;
    }

    /// @dev A decision changes nothing by itself.
    function _authorize(address) internal view override {}

    function _authorizeModelChange(address caller) internal view override {
        if (caller != _owner) revert CallerIsNotTheOwner(caller, _owner);
    }

    function _tools(ICriteriaDao dao, CreditScoreAgent scores)
        private
        returns (AgentTool[] memory list)
    {
        list = new AgentTool[](2);
        list[0] = AgentTool(new CriteriaTool(dao), true);
        list[1] = AgentTool(scores, false);
    }
}

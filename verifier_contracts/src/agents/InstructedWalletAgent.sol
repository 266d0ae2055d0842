// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IContactBook, IContactBookUser} from "../interfaces/IContactBook.sol";
import {IInstructedAgent} from "../interfaces/IInstructedAgent.sol";
import {ILendingPool} from "../interfaces/ILendingPool.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {WalletAgent} from "./WalletAgent.sol";

/// @title The wallet agent for models that read whole instructions: it pays contacts by name, and its
///   owner says how sure it has to be
contract InstructedWalletAgent is WalletAgent, IInstructedAgent {
    /// @notice What the agent is made with.
    /// @param executor Who makes the decisions.
    /// @param modelId The model's registry number in decimal.
    /// @param commitment The model that its owner means: its commitment hash in the registry.
    /// @param registry Where the owner looked that number up; the executor has to agree.
    /// @param owner Whose tokens these are, and whom the agent obeys.
    /// @param pool Where Deploy and Withdraw move tokens to and from.
    /// @param symbols The symbols that the owner may use.
    /// @param contacts The names that the owner may use; zero for none.
    /// @param caution See `IInstructedAgent.caution`.
    /// @param maxIterations Limit of decisions in one run: nine for four calls of parts of balances.
    struct Setup {
        IAgentExecutor executor;
        string modelId;
        bytes32 commitment;
        IModelRegistry registry;
        address owner;
        ILendingPool pool;
        ISymbolBook symbols;
        IContactBook contacts;
        uint256 caution;
        uint16 maxIterations;
    }

    uint256 private constant MAX_CAUTION = 10_000;

    IContactBook private immutable _contacts;
    uint256 private _caution;

    constructor(Setup memory setup)
        WalletAgent(
            setup.executor,
            setup.modelId,
            setup.commitment,
            setup.registry,
            setup.owner,
            setup.pool,
            setup.symbols,
            setup.maxIterations
        )
    {
        _contacts = setup.contacts;
        _setCaution(setup.caution);
    }

    /// @inheritdoc IInstructedAgent
    function setCaution(uint256 caution_) external {
        _onlyOwner(msg.sender);
        _setCaution(caution_);
    }

    /// @inheritdoc IInstructedAgent
    function caution() external view returns (uint256) {
        return _caution;
    }

    /// @inheritdoc IContactBookUser
    function contactBook() external view returns (IContactBook) {
        return _contacts;
    }

    function _setCaution(uint256 caution_) private {
        if (caution_ > MAX_CAUTION) revert CautionTooHigh(caution_, MAX_CAUTION);
        emit CautionSet(_caution, caution_);
        _caution = caution_;
    }
}

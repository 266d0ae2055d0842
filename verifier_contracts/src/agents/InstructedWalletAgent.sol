// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IContactBook, IContactBookUser} from "../interfaces/IContactBook.sol";
import {ILendingPool} from "../interfaces/ILendingPool.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {CautiousAgent} from "./CautiousAgent.sol";
import {WalletAgent} from "./WalletAgent.sol";

/// @title The wallet agent for models that read whole instructions: it pays contacts by name, and its
///   owner says how sure it has to be
contract InstructedWalletAgent is WalletAgent, CautiousAgent {
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

    IContactBook private immutable _contacts;

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
        CautiousAgent(setup.caution)
    {
        _contacts = setup.contacts;
    }

    /// @inheritdoc IContactBookUser
    function contactBook() external view returns (IContactBook) {
        return _contacts;
    }
}

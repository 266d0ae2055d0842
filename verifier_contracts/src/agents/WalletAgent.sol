// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IAgentWallet} from "../interfaces/IAgentWallet.sol";
import {ILendingPool} from "../interfaces/ILendingPool.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {SimpleSmartContractTool} from "../tools/SimpleSmartContractTool.sol";
import {WalletAgentBase} from "./WalletAgentBase.sol";
import {WalletTools} from "./WalletTools.sol";

/// @title The ERC's wallet agent: it manages its owner's tokens on the owner's word
contract WalletAgent is WalletAgentBase {
    IAgentWallet private immutable _wallet;

    /// @param executor_ Who makes the decisions.
    /// @param modelId_ The model's registry number in decimal.
    /// @param commitment_ The model that its owner means: its commitment hash in the registry.
    /// @param registry_ Where the owner looked that number up; the executor has to agree.
    /// @param owner_ Whose tokens these are, and whom the agent obeys.
    /// @param pool Where Deploy and Withdraw move tokens to and from.
    /// @param book_ The symbols that the owner may use.
    /// @param maxIterations_ Limit of decisions in one run.
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
        WalletAgentBase(
            executor_,
            modelId_,
            commitment_,
            owner_,
            book_,
            WalletTools.create(owner_, pool, book_),
            maxIterations_
        )
    {
        address ofExecutor = address(executor_.registry());
        if (ofExecutor != address(registry_)) {
            revert RegistryMismatch(address(registry_), ofExecutor);
        }
        (IERCAgentTool[] memory made,) = tools();
        _wallet = _walletBehind(made[0]);
    }

    /// @notice Where the owner's tokens lie.
    function wallet() external view returns (IAgentWallet) {
        return _wallet;
    }

    function _walletBehind(IERCAgentTool tool) private view returns (IAgentWallet) {
        (, address toolContract,) = SimpleSmartContractTool(address(tool)).wiring();
        return IAgentWallet(toolContract);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IAgentWallet} from "../interfaces/IAgentWallet.sol";
import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {WalletAgentBase} from "./WalletAgentBase.sol";
import {WalletTools} from "./WalletTools.sol";

/// @title A wallet agent that takes over the wallet of another
/// @notice It serves the wallet's owner, who has the wallet obey its tools (`IAgentWallet.replaceTools`) and
///   its guard guard it (`ISuccession.succeed`). Until then it can do nothing.
contract SuccessorWalletAgent is WalletAgentBase {
    IAgentWallet private immutable _wallet;
    address private immutable _predecessor;

    /// @param executor_ Who makes the decisions.
    /// @param modelId_ The model's registry number in decimal.
    /// @param commitment_ The model that its owner means: its commitment hash in the registry.
    /// @param wallet_ Whose tokens it moves.
    /// @param predecessor_ Whose place it takes.
    /// @param book_ The symbols that the owner may use.
    /// @param maxIterations_ Limit of decisions in one run.
    constructor(
        IAgentExecutor executor_,
        string memory modelId_,
        bytes32 commitment_,
        IAgentWallet wallet_,
        address predecessor_,
        ISymbolBook book_,
        uint16 maxIterations_
    )
        WalletAgentBase(
            executor_,
            modelId_,
            commitment_,
            wallet_.owner(),
            book_,
            WalletTools.createFor(wallet_, book_),
            maxIterations_
        )
    {
        (_wallet, _predecessor) = (wallet_, predecessor_);
    }

    /// @notice Where the owner's tokens lie.
    function wallet() external view returns (IAgentWallet) {
        return _wallet;
    }

    /// @notice Whose place it takes.
    function predecessor() external view returns (address) {
        return _predecessor;
    }
}

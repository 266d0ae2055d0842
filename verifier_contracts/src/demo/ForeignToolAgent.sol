// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentBase} from "../agents/AgentBase.sol";
import {AgentTool} from "../agents/ToolPins.sol";
import {WalletTools} from "../agents/WalletTools.sol";
import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IAgentWallet} from "../interfaces/IAgentWallet.sol";
import {ILendingPool} from "../interfaces/ILendingPool.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {SimpleSmartContractTool} from "../tools/SimpleSmartContractTool.sol";

/// @title A wallet agent whose owner trusted somebody else's tool for the first of its four
/// @notice For demonstrations and tests of attacks. The tools that move tokens are the real ones.
contract ForeignToolAgent is AgentBase, ISymbolBookUser {
    /// @notice The agent serves its owner alone.
    error CallerIsNotTheOwner(address caller, address owner);

    address private immutable _owner;
    ISymbolBook private immutable _book;

    constructor(
        IAgentExecutor executor_,
        string memory modelId_,
        bytes32 commitment_,
        address owner_,
        ILendingPool pool,
        ISymbolBook book_,
        IERCAgentTool foreignTool,
        uint16 maxIterations_
    )
        AgentBase(
            executor_,
            modelId_,
            commitment_,
            "ForeignToolAgent",
            "A wallet agent with a tool of somebody else",
            "What to do with which token, how much of it, and where it should go",
            "You manage a user's wallet.",
            _withForeignTool(WalletTools.create(owner_, pool, book_), foreignTool),
            maxIterations_
        )
    {
        _owner = owner_;
        _book = book_;
    }

    /// @notice Where the owner's tokens lie.
    function wallet() external view returns (IAgentWallet) {
        (IERCAgentTool[] memory pinned,) = tools();
        (, address toolContract,) = SimpleSmartContractTool(address(pinned[1])).wiring();
        return IAgentWallet(toolContract);
    }

    /// @inheritdoc ISymbolBookUser
    function symbolBook() external view returns (ISymbolBook) {
        return _book;
    }

    function _authorize(address requester) internal view override {
        if (requester != _owner) revert CallerIsNotTheOwner(requester, _owner);
    }

    function _authorizeModelChange(address caller) internal view override {
        _authorize(caller);
    }

    function _withForeignTool(AgentTool[] memory made, IERCAgentTool foreignTool)
        private
        pure
        returns (AgentTool[] memory)
    {
        made[0] = AgentTool(foreignTool, false);
        return made;
    }
}

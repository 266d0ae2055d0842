// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentWallet} from "../interfaces/IAgentWallet.sol";
import {ILendingPool} from "../interfaces/ILendingPool.sol";
import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {BalanceConverter} from "../tools/BalanceConverter.sol";
import {SimpleSmartContractTool} from "../tools/SimpleSmartContractTool.sol";
import {ToolResultConverter} from "../tools/ToolResultConverter.sol";
import {AgentWallet} from "../wallet/AgentWallet.sol";
import {AgentTool} from "./ToolPins.sol";

/// @title Makes a wallet and the four tools that move its tokens, for the calling agent alone
library WalletTools {
    ToolResultConverter private constant NO_CONVERTER = ToolResultConverter(address(0));

    /// @notice ViewBalance, Deploy, Withdraw and Transfer, bound to this agent and to a new wallet.
    function create(address owner, ILendingPool pool, ISymbolBook book)
        internal
        returns (AgentTool[] memory tools)
    {
        AgentWallet wallet = new AgentWallet(owner, pool);
        tools = createFor(wallet, book);
        wallet.bindTools(_addresses(tools));
    }

    /// @notice The same for a wallet that is there: its owner has it obey them (`replaceTools`).
    function createFor(IAgentWallet wallet, ISymbolBook book)
        internal
        returns (AgentTool[] memory tools)
    {
        tools = new AgentTool[](4);
        tools[0] = _viewBalance(address(wallet), book);
        tools[1] = _move(
            address(wallet),
            "Deploy",
            "Deploy funds from the wallet into the pool",
            IAgentWallet.deploy.selector,
            _parameters("token to deposit", "tokens to deposit", ""),
            "Successfully deployed"
        );
        tools[2] = _move(
            address(wallet),
            "Withdraw",
            "Withdraw funds from the pool into the wallet",
            IAgentWallet.withdraw.selector,
            _parameters("token to withdraw", "tokens to withdraw", ""),
            "Successfully withdrawn"
        );
        tools[3] = _move(
            address(wallet),
            "Transfer",
            "Send funds from the wallet to an address",
            IAgentWallet.transfer.selector,
            _parameters("token to send", "tokens to send", "account that receives the tokens"),
            "Successfully transferred"
        );
    }

    function _viewBalance(address wallet, ISymbolBook book) private returns (AgentTool memory) {
        return _own(
            new SimpleSmartContractTool(
                address(this),
                "ViewBalance",
                "See the balance of a token in the pool and in the wallet",
                wallet,
                IAgentWallet.balances.selector,
                _parameters("token to view the balance of", "", ""),
                "",
                new BalanceConverter(book)
            )
        );
    }

    function _move(
        address wallet,
        string memory name,
        string memory description,
        bytes4 selector,
        IERCAgentTool.InputDescription memory input,
        string memory result
    ) private returns (AgentTool memory) {
        return _own(
            new SimpleSmartContractTool(
                address(this), name, description, wallet, selector, input, result, NO_CONVERTER
            )
        );
    }

    /// @dev A tool whose metadata its code fixes.
    function _own(SimpleSmartContractTool made) private pure returns (AgentTool memory) {
        return AgentTool(made, true);
    }

    /// @dev asset, amount, recipient; what has no description is left off the end.
    function _parameters(string memory asset, string memory amount, string memory recipient)
        private
        pure
        returns (IERCAgentTool.InputDescription memory input)
    {
        uint256 count = bytes(recipient).length > 0 ? 3 : bytes(amount).length > 0 ? 2 : 1;
        IERCAgentTool.ParamDescription[] memory p = new IERCAgentTool.ParamDescription[](count);
        p[0] = IERCAgentTool.ParamDescription(
            IERCAgentTool.ParamType.ADDRESS, "asset", string.concat("address of the ", asset)
        );
        if (count > 1) {
            p[1] = IERCAgentTool.ParamDescription(
                IERCAgentTool.ParamType.UINT, "amount", string.concat("amount of ", amount)
            );
        }
        if (count > 2) {
            p[2] = IERCAgentTool.ParamDescription(
                IERCAgentTool.ParamType.ADDRESS, "recipient", recipient
            );
        }
        input.paramDescriptions = p;
    }

    function _addresses(AgentTool[] memory tools) private pure returns (address[] memory list) {
        list = new address[](tools.length);
        for (uint256 i = 0; i < tools.length; ++i) {
            list[i] = address(tools[i].tool);
        }
    }
}

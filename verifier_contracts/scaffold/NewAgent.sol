// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {AgentBase} from "zkagent/agents/AgentBase.sol";
import {AgentTool} from "zkagent/agents/ToolPins.sol";
import {IAgentExecutor} from "zkagent/interfaces/IAgentExecutor.sol";
import {ISymbolBook, ISymbolBookUser} from "zkagent/interfaces/ISymbolBook.sol";
import {IERCAgentTool} from "zkagent/interfaces/erc/IERCAgentTool.sol";
import {BalanceConverter} from "zkagent/tools/BalanceConverter.sol";
import {SimpleSmartContractTool} from "zkagent/tools/SimpleSmartContractTool.sol";
import {ToolResultConverter} from "zkagent/tools/ToolResultConverter.sol";

/// @title What the agent may do: pay out tokens, each time up to a limit
/// @notice Whatever the agent decides, this contract has the last word. Put your rules here.
contract NewAgentPurse {
    using SafeERC20 for IERC20;

    /// @notice More than one payment may be.
    error OverTheLimit(uint256 asked, uint256 limit);
    error NotForYou(address caller);

    /// @notice In whole tokens.
    uint256 public constant LIMIT = 100;

    address private immutable _maker = msg.sender;
    address private immutable _owner;
    address private _payer;

    constructor(address owner) {
        _owner = owner;
    }

    /// @notice The one tool that may pay; set once, by whoever made the purse.
    function setPayer(address payer) external {
        if (msg.sender != _maker || _payer != address(0)) revert NotForYou(msg.sender);
        _payer = payer;
    }

    /// @notice A tool's function takes what the model names: asset, amount, recipient, in this order.
    function pay(address asset, uint256 amount, address recipient) external {
        if (msg.sender != _payer) revert NotForYou(msg.sender);
        uint256 limit = LIMIT * 10 ** IERC20Metadata(asset).decimals();
        if (amount > limit) revert OverTheLimit(amount, limit);
        IERC20(asset).safeTransfer(recipient, amount);
    }

    /// @notice The owner's way out, without an agent.
    function takeBack(address asset, uint256 amount) external {
        if (msg.sender != _owner) revert NotForYou(msg.sender);
        IERC20(asset).safeTransfer(_owner, amount);
    }

    /// @notice As BalanceConverter reads it: the token, how much of it lies in a pool, how much here.
    function balances(address asset) external view returns (address, uint256, uint256) {
        return (asset, 0, IERC20(asset).balanceOf(address(this)));
    }
}

/// @title An agent of one's own
/// @notice It obeys its owner, and decides with the tools that are made in `_tools`.
contract NewAgent is AgentBase, ISymbolBookUser {
    error NotTheOwner(address caller);

    uint16 private constant MAX_ITERATIONS = 8;

    address private immutable _owner;
    ISymbolBook private immutable _book;

    /// @notice Where the tokens lie that the agent may pay out.
    NewAgentPurse public immutable PURSE;

    /// @dev `zkagent agent deploy` fills in parameters of these names from a deployment.json; others
    ///   are given with --arg NAME=VALUE.
    constructor(
        IAgentExecutor executor,
        string memory model,
        bytes32 commitment,
        ISymbolBook book,
        address owner
    )
        AgentBase(
            executor,
            model,
            commitment,
            "NewAgent",
            "Use this to see and send the tokens in the purse of its owner",
            "What to do with which token, how much of it, and where it should go",
            "You are an agent with a purse. Carry out what its owner says.",
            _tools(new NewAgentPurse(owner), book),
            MAX_ITERATIONS
        )
    {
        _owner = owner;
        _book = book;
        (IERCAgentTool[] memory made,) = tools();
        (, address purse,) = SimpleSmartContractTool(address(made[0])).wiring();
        PURSE = NewAgentPurse(purse);
    }

    /// @notice Which words name which token: the model reads it with every prompt.
    function symbolBook() external view returns (ISymbolBook) {
        return _book;
    }

    /// @dev Whom the agent serves. A parent agent or a role would do, too.
    function _authorize(address requester) internal view override {
        if (requester != _owner) revert NotTheOwner(requester);
    }

    /// @dev Who may have it obey another version of the model.
    function _authorizeModelChange(address caller) internal view override {
        _authorize(caller);
    }

    /// @dev The wallet model chooses among tools called ViewBalance, Deploy, Withdraw and Transfer; have
    ///   as many of them as you like, each with the parameters that it has here. `true`: the agent makes
    ///   them itself, of code that cannot change; any other tool is `AgentTool(tool, false)`.
    function _tools(NewAgentPurse purse, ISymbolBook book)
        private
        returns (AgentTool[] memory made)
    {
        SimpleSmartContractTool viewBalance = new SimpleSmartContractTool(
            address(this),
            "ViewBalance",
            "See how much of a token is in the purse",
            address(purse),
            NewAgentPurse.balances.selector,
            _input(1),
            "",
            new BalanceConverter(book)
        );
        SimpleSmartContractTool transfer = new SimpleSmartContractTool(
            address(this),
            "Transfer",
            "Send tokens from the purse to an address",
            address(purse),
            NewAgentPurse.pay.selector,
            _input(3),
            "Successfully transferred",
            ToolResultConverter(address(0))
        );
        purse.setPayer(address(transfer));
        made = new AgentTool[](2);
        made[0] = AgentTool(viewBalance, true);
        made[1] = AgentTool(transfer, true);
    }

    /// @dev The first `count` of asset, amount, recipient.
    function _input(uint256 count)
        private
        pure
        returns (IERCAgentTool.InputDescription memory input)
    {
        IERCAgentTool.ParamDescription[] memory p = new IERCAgentTool.ParamDescription[](count);
        p[0] = _parameter(IERCAgentTool.ParamType.ADDRESS, "asset", "address of the token");
        if (count > 1) {
            p[1] = _parameter(IERCAgentTool.ParamType.UINT, "amount", "how much of it");
        }
        if (count > 2) {
            p[2] = _parameter(IERCAgentTool.ParamType.ADDRESS, "recipient", "who receives it");
        }
        input.paramDescriptions = p;
    }

    function _parameter(IERCAgentTool.ParamType kind, string memory name_, string memory meaning)
        private
        pure
        returns (IERCAgentTool.ParamDescription memory)
    {
        return IERCAgentTool.ParamDescription(kind, name_, meaning);
    }
}

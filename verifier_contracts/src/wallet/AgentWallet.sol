// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

import {IAgentWallet} from "../interfaces/IAgentWallet.sol";
import {ILendingPool} from "../interfaces/ILendingPool.sol";

/// @title An owner's tokens, moved by the tools of the owner's agent
contract AgentWallet is IAgentWallet {
    using SafeERC20 for IERC20;

    address private immutable _maker;
    address private immutable _owner;
    ILendingPool private immutable _pool;

    bool private _toolsAreBound;
    mapping(address account => bool) private _isTool;

    modifier onlyTools() {
        if (!_isTool[msg.sender]) revert CallerIsNotATool(msg.sender);
        _;
    }

    modifier onlyOwner() {
        if (msg.sender != _owner) revert CallerIsNotTheWalletOwner(msg.sender, _owner);
        _;
    }

    constructor(address owner_, ILendingPool pool) {
        _maker = msg.sender;
        _owner = owner_;
        _pool = pool;
    }

    /// @inheritdoc IAgentWallet
    function bindTools(address[] calldata tools) external {
        if (msg.sender != _maker || _toolsAreBound) revert ToolsCannotBeBound(msg.sender);
        _toolsAreBound = true;
        _setTools(tools, true);
        emit ToolsBound(tools);
    }

    /// @inheritdoc IAgentWallet
    function replaceTools(address[] calldata oldTools, address[] calldata newTools)
        external
        onlyOwner
    {
        _setTools(oldTools, false);
        _setTools(newTools, true);
        emit ToolsReplaced(oldTools, newTools);
    }

    /// @inheritdoc IAgentWallet
    /// @dev A pool that takes less than it may is not left an allowance for later.
    function deploy(address asset, uint256 amount) external onlyTools {
        IERC20(asset).forceApprove(address(_pool), amount);
        _pool.deposit(asset, amount);
        if (IERC20(asset).allowance(address(this), address(_pool)) != 0) {
            IERC20(asset).forceApprove(address(_pool), 0);
        }
    }

    /// @inheritdoc IAgentWallet
    function withdraw(address asset, uint256 amount) external onlyTools {
        _pool.withdraw(asset, amount);
    }

    /// @inheritdoc IAgentWallet
    function transfer(address asset, uint256 amount, address recipient) external onlyTools {
        IERC20(asset).safeTransfer(recipient, amount);
    }

    /// @inheritdoc IAgentWallet
    function rescue(address asset, uint256 amount, address recipient) external onlyOwner {
        emit Rescued(asset, amount, recipient);
        IERC20(asset).safeTransfer(recipient, amount);
    }

    /// @inheritdoc IAgentWallet
    function rescueFromPool(address asset, uint256 amount) external onlyOwner {
        emit Rescued(asset, amount, address(this));
        _pool.withdraw(asset, amount);
    }

    /// @inheritdoc IAgentWallet
    function balances(address asset)
        external
        view
        returns (address asset_, uint256 pool, uint256 held)
    {
        return
            (asset, _pool.depositOf(address(this), asset), IERC20(asset).balanceOf(address(this)));
    }

    /// @inheritdoc IAgentWallet
    function owner() external view returns (address) {
        return _owner;
    }

    function _setTools(address[] calldata tools, bool obeyed) private {
        for (uint256 i = 0; i < tools.length; ++i) {
            _isTool[tools[i]] = obeyed;
        }
    }
}

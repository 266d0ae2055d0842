// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {IApprovals} from "../interfaces/guards/IApprovals.sol";
import {IGuard, Mode, Way} from "../interfaces/guards/IGuard.sol";
import {AgentSuccession} from "./AgentSuccession.sol";
import {Budgets} from "./Budgets.sol";
import {Grant, Grants} from "./Grants.sol";
import {GuardState} from "./GuardState.sol";
import {HourlyRate} from "./HourlyRate.sol";

/// @title Stands between an agent's decisions and its tools
/// @notice A new guard allows no tool and no spending, asks before every call, and lets sixty calls be
///   made in an hour.
contract Guard is Budgets, AgentSuccession {
    using HourlyRate for uint256;

    uint16 private constant FIRST_RATE = 60;

    uint256 private _rate = uint256(0).withLimit(FIRST_RATE);
    string private _reason;
    /// @dev Who began the call that is under way.
    address private transient _caller;

    /// @param owner_ Who may change the guard.
    /// @param agent_ Whose calls these are.
    /// @param wallet_ Whose balances are measured.
    constructor(address owner_, address agent_, address wallet_)
        GuardState(owner_, agent_, wallet_)
    {}

    /// @inheritdoc IGuard
    function beforeCall(IERCAgentTool tool, bytes calldata params) external returns (Way) {
        State memory state = _state;
        if (state.paused) revert GuardIsPaused(_reason);
        if (state.mode != Mode.AUTONOMOUS) {
            if (state.mode == Mode.PAPER) return Way.ON_PAPER;
            if (!_tools[address(tool)].unattended) return Way.ASK_FIRST;
        }
        _beginCall(state, address(tool), params);
        return Way.MAKE_IT;
    }

    /// @inheritdoc IGuard
    function beforePaperCall(IERCAgentTool tool, bytes calldata params) external {
        _beginCall(_state, address(tool), params);
    }

    /// @inheritdoc IApprovals
    function beforeApprovedCall(uint256 ticket, IERCAgentTool.Input calldata input)
        external
        returns (IERCAgentTool tool)
    {
        State memory state = _state;
        if (state.mode == Mode.PAPER) revert OnPaperOnly();
        tool = _useApproval(ticket, input);
        _beginCall(state, address(tool), input.abiEncodedParams);
    }

    /// @inheritdoc IGuard
    function afterCall(IERCAgentTool tool) external {
        if (_calling != address(tool)) revert NoSuchCallInProgress(address(tool), _calling);
        if (msg.sender != _caller) revert CallerIsNotGuarded(msg.sender, _caller);
        _chargeCall(_state.budgets);
        _calling = address(0);
    }

    /// @inheritdoc IGuard
    function bindAgent(address agent_) external onlyOwner {
        if (_state.agent != address(0)) revert AgentAlreadyBound(_state.agent);
        _state.agent = agent_;
        emit AgentBound(agent_);
    }

    /// @inheritdoc IGuard
    function pause(string calldata reason) external onlyOwner {
        _state.paused = true;
        _reason = reason;
        emit Paused(reason);
    }

    /// @inheritdoc IGuard
    function resume() external onlyOwner {
        _state.paused = false;
        delete _reason;
        emit Resumed();
    }

    /// @inheritdoc IGuard
    function setMode(Mode mode_) external {
        Mode previous = _state.mode;
        _authorizeChange(mode_ < previous);
        _state.mode = mode_;
        emit ModeSet(previous, mode_);
    }

    /// @inheritdoc IGuard
    function setRate(uint16 callsPerHour) external {
        uint256 previous = _rate.limitOf();
        _authorizeChange(callsPerHour > previous);
        _rate = _rate.withLimit(callsPerHour);
        emit RateSet(previous, callsPerHour);
    }

    /// @inheritdoc IGuard
    function mode() external view returns (Mode) {
        return _state.mode;
    }

    /// @inheritdoc IGuard
    function paused() external view returns (bool isPaused, string memory reason) {
        return (_state.paused, _reason);
    }

    /// @inheritdoc IGuard
    function rate() external view returns (uint256 callsPerHour, uint256 counted) {
        return (_rate.limitOf(), _rate.current());
    }

    /// @dev From the cheapest refusal to the dearest.
    function _beginCall(State memory state, address tool, bytes calldata params) private {
        if (state.paused) revert GuardIsPaused(_reason);
        if (_calling != address(0)) revert CallInProgress(_calling);
        Allowed memory rule = _countRun(tool, state.agent);
        _countInRate();
        if (state.manifestRequired) _checkCapability(state, rule, tool, params);
        (_calling, _caller) = (tool, msg.sender);
        (bool names, address asset, uint256 amount) = _namedSpending(rule, tool, params);
        _readBalances(state.budgets, names, asset, amount);
        emit CallMade(tool);
    }

    function _countInRate() private {
        (bool allowed, uint256 next) = _rate.counted();
        if (!allowed) revert RateExceeded(_rate.limitOf());
        _rate = next;
    }

    /// @dev What the call says that it spends: of the token whose function grants, of the asset that
    ///   it names, or else of the native one.
    function _namedSpending(Allowed memory rule, address tool, bytes calldata params)
        private
        view
        returns (bool names, address asset, uint256 amount)
    {
        names = rule.assetWord != NO_WORD || rule.amountWord != NO_WORD;
        if (rule.grant != Grant.NONE) {
            asset = _tools[tool].target; // whatever word the owner says
        } else if (rule.assetWord != NO_WORD) {
            asset = _addressOf(tool, params, rule.assetWord);
        }
        if (rule.amountWord != NO_WORD) amount = _wordOf(tool, params, rule.amountWord);
        if (rule.grant != Grant.NONE) amount = Grants.amountOf(rule.grant, amount);
    }
}

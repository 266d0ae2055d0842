// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAllowList, ToolRule} from "../interfaces/guards/IAllowList.sol";
import {Grant, Grants} from "./Grants.sol";
import {GuardState} from "./GuardState.sol";

/// @title Which tools may be called, how often, and what their parameters mean
abstract contract AllowList is GuardState, IAllowList {
    uint256 internal constant NO_WORD = type(uint8).max;
    uint256 private constant RUNS_BITS = 32;
    uint32 private constant NO_LIMIT = type(uint32).max;

    /// @dev What a call reads: one word and, behind it, the tool's code hash.
    struct Allowed {
        bool allowed;
        bool wrapped;
        bool unattended;
        uint8 assetWord;
        uint8 amountWord;
        uint8 targetWord;
        Grant grant;
        uint32 cooldown;
        uint32 maxRuns;
        /// @dev How often it was called, and above 32 bits when last: one write for both.
        uint72 usage;
        uint24 manifest;
        bytes32 codeHash;
        address target;
        bytes4 selector;
        bool vouched;
    }

    mapping(address tool => Allowed) internal _tools;
    address[] private _listed;

    /// @inheritdoc IAllowList
    /// @dev What a function grants follows from its selector; the owner cannot say otherwise.
    function allow(address tool, ToolRule calldata rule) external {
        _authorizeChange(true);
        _checkWiring(tool, rule.target, rule.selector, rule.vouched);
        (Grant grant, uint256 word) = Grants.givenBy(rule.selector);
        if (grant == Grant.UNCOUNTABLE) revert GrantRefused(rule.selector);
        Allowed storage allowed = _tools[tool];
        allowed.allowed = true;
        (allowed.wrapped, allowed.unattended) = (rule.wrapped, rule.unattended);
        (allowed.assetWord, allowed.targetWord) = (rule.assetWord, rule.targetWord);
        allowed.grant = grant;
        allowed.amountWord = grant == Grant.NONE ? rule.amountWord : uint8(word);
        (allowed.cooldown, allowed.maxRuns) = (rule.cooldown, rule.maxRuns);
        _fixCode(tool);
        (allowed.target, allowed.selector) = (rule.target, rule.selector);
        allowed.vouched = rule.vouched;
        allowed.manifest = 0;
        emit ToolAllowed(tool, rule);
    }

    /// @inheritdoc IAllowList
    function disallow(address tool) external {
        _authorizeChange(false);
        if (!_tools[tool].allowed) revert ToolNotAllowed(tool);
        _tools[tool].allowed = false;
        emit ToolDisallowed(tool);
    }

    /// @inheritdoc IAllowList
    function limitRuns(address tool, uint32 cooldown, uint32 maxRuns) external {
        Allowed storage allowed = _tools[tool];
        _authorizeChange(cooldown < allowed.cooldown || maxRuns > allowed.maxRuns);
        if (!allowed.allowed) revert ToolNotAllowed(tool);
        (allowed.cooldown, allowed.maxRuns) = (cooldown, maxRuns);
        emit RunsLimited(tool, cooldown, maxRuns);
    }

    /// @inheritdoc IAllowList
    function ruleOf(address tool) external view returns (bool allowed, ToolRule memory rule) {
        Allowed storage it = _tools[tool];
        return (
            it.allowed,
            ToolRule(
                it.target,
                it.selector,
                it.wrapped,
                it.unattended,
                it.assetWord,
                it.amountWord,
                it.targetWord,
                it.cooldown,
                it.maxRuns,
                it.vouched
            )
        );
    }

    /// @inheritdoc IAllowList
    function listedTools() external view returns (address[] memory) {
        return _listed;
    }

    /// @inheritdoc IAllowList
    function runsOf(address tool) external view returns (uint256 runs, uint256 lastRun) {
        uint256 usage = _tools[tool].usage;
        return (uint32(usage), usage >> RUNS_BITS);
    }

    /// @dev Reverts unless the caller may have this tool called, now once more; counts it.
    function _countRun(address tool, address agent_) internal returns (Allowed memory rule) {
        Allowed storage stored = _tools[tool];
        rule = _readRule(stored);
        if (!rule.allowed) revert ToolNotAllowed(tool);
        _checkCaller(tool, rule.wrapped, agent_);
        bytes32 codeHash = stored.codeHash;
        if (tool.codehash != codeHash) revert AllowedCodeChanged(tool, codeHash, tool.codehash);
        (uint256 runs, uint256 last) = (uint32(rule.usage), rule.usage >> RUNS_BITS);
        uint256 free = last + rule.cooldown;
        if (runs != 0 && block.timestamp < free) revert CoolingDown(tool, free);
        if (rule.maxRuns != NO_LIMIT && runs >= rule.maxRuns) {
            revert NoRunsLeft(tool, rule.maxRuns);
        }
        if (runs != NO_LIMIT) ++runs;
        stored.usage = uint72((block.timestamp << RUNS_BITS) | runs);
    }

    /// @dev From now on the tool has to have the code that it has now.
    function _fixCode(address tool) internal {
        if (_tools[tool].codeHash == 0) _listed.push(tool);
        _tools[tool].codeHash = tool.codehash;
    }

    /// @dev A wrapped tool calls the hooks for itself, the agent for all others.
    function _checkCaller(address tool, bool wrapped, address agent_) internal view {
        address caller = wrapped ? tool : agent_;
        if (msg.sender != caller) revert CallerIsNotGuarded(msg.sender, caller);
    }

    /// @dev A word of the parameters.
    function _wordOf(address tool, bytes calldata params, uint256 word)
        internal
        pure
        returns (uint256)
    {
        uint256 from = 32 * word;
        if (params.length < from + 32) revert WordMissing(tool, word, params.length);
        return uint256(bytes32(params[from:from + 32]));
    }

    function _addressOf(address tool, bytes calldata params, uint256 word)
        internal
        pure
        returns (address)
    {
        uint256 value = _wordOf(tool, params, word);
        if (value > type(uint160).max) revert WordIsNoAddress(tool, word, value);
        return address(uint160(value));
    }

    /// @dev The first word alone.
    function _readRule(Allowed storage stored) private view returns (Allowed memory rule) {
        (rule.allowed, rule.wrapped, rule.unattended) =
        (stored.allowed, stored.wrapped, stored.unattended);
        (rule.assetWord, rule.amountWord, rule.targetWord) =
        (stored.assetWord, stored.amountWord, stored.targetWord);
        (rule.grant, rule.cooldown, rule.maxRuns) = (stored.grant, stored.cooldown, stored.maxRuns);
        (rule.usage, rule.manifest) = (stored.usage, stored.manifest);
    }

    /// @dev A tool that tells what it wraps has to tell what the owner says. Of one that does not, the owner
    ///   has to vouch for a function, whose grants count as if it was told, or that there is none.
    function _checkWiring(address tool, address expected, bytes4 expectedSelector, bool vouched)
        internal
        view
    {
        (bool told, bytes memory data) = tool.staticcall(abi.encodeWithSignature("wiring()"));
        (address target, bytes4 selector) = (address(0), bytes4(0));
        if (told && data.length == 96) {
            (, target, selector) = abi.decode(data, (address, address, bytes4));
        }
        if (tool.code.length == 0) revert OtherWiring(tool, target, selector);
        bool tells = target != address(0) || selector != 0;
        if (!tells) {
            bool whole = (expected == address(0)) == (expectedSelector == 0);
            if (!vouched || !whole) revert ToolTellsNothing(tool);
        } else if (vouched || target != expected || selector != expectedSelector) {
            revert OtherWiring(tool, target, selector);
        }
    }
}

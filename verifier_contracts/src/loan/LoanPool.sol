// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

import {AgentInput} from "../agents/AgentInput.sol";
import {Claim, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {ICreditHistory} from "../interfaces/ICreditHistory.sol";
import {ILoanPool} from "../interfaces/ILoanPool.sol";
import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {LoanWords} from "./LoanWords.sol";

/// @title A pool of one token that lends what one agent approves
/// @notice The agent is asked in the caller's transaction, so that no approval lies around: it is for this
///   applicant, this amount, on the criteria and the record of now. The loan is counted in the credit
///   history, so that the same claims are not good for the next one.
contract LoanPool is ILoanPool {
    using SafeERC20 for IERC20Metadata;

    IProvenAgent private immutable _agent;
    IERC20Metadata private immutable _token;
    ICreditHistory private immutable _history;

    mapping(address applicant => uint256 units) private _owed;
    bool private transient _asking;

    /// @dev The agent calls handlers and tools: none of them pays back or borrows before this is decided.
    modifier whileNobodyIsAsked() {
        if (_asking) revert ApplicationInProgress();
        _asking = true;
        _;
        _asking = false;
    }

    /// @param agent_ Whose approval counts.
    /// @param token_ What is lent.
    /// @param history_ Where loans are counted; it has to let this pool.
    constructor(IProvenAgent agent_, IERC20Metadata token_, ICreditHistory history_) {
        _agent = agent_;
        _token = token_;
        _history = history_;
    }

    /// @inheritdoc ILoanPool
    /// @dev The loan is owed before the agent is asked.
    function runWithProofs(
        IERCAgentTool.Input calldata input,
        address resultHandler,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external whileNobodyIsAsked returns (int256 runId, string memory result) {
        string memory prompt = AgentInput.promptOf(input);
        uint256 whole = _applied(prompt);
        uint256 units = whole * 10 ** _token.decimals();
        if (_owed[msg.sender] != 0) revert LoanOpen(msg.sender, _owed[msg.sender]);
        uint256 available = _token.balanceOf(address(this));
        if (available < units) revert PoolTooSmall(available, units);
        _owed[msg.sender] = units;
        (runId, result) = _agent.runWithProofs(input, resultHandler, claims, proofs, terms);
        if (LoanWords.isApproval(result, prompt)) {
            emit LoanPaid(msg.sender, whole, units);
            _history.opened(msg.sender);
            _token.safeTransfer(msg.sender, units);
        } else {
            _owed[msg.sender] = 0;
            emit LoanRefused(msg.sender, result);
        }
    }

    /// @inheritdoc ILoanPool
    function simulate(IERCAgentTool.Input calldata input, Claim[] calldata claims) external {
        _applied(AgentInput.promptOf(input));
        _agent.simulate(input, claims);
    }

    /// @inheritdoc ILoanPool
    function repay() external whileNobodyIsAsked {
        uint256 units = _owed[msg.sender];
        if (units == 0) revert NoLoan(msg.sender);
        _owed[msg.sender] = 0;
        emit LoanRepaid(msg.sender, units);
        _token.safeTransferFrom(msg.sender, address(this), units);
    }

    /// @inheritdoc ILoanPool
    function applicationOf(address applicant, uint256 whole) public view returns (string memory) {
        return string.concat(
            LoanWords.OPENING,
            Strings.toString(whole),
            " ",
            _token.symbol(),
            " for ",
            Strings.toHexString(applicant)
        );
    }

    /// @inheritdoc ILoanPool
    function agent() external view returns (IProvenAgent) {
        return _agent;
    }

    /// @inheritdoc ILoanPool
    function owedBy(address applicant) external view returns (uint256 units) {
        return _owed[applicant];
    }

    /// @dev The amount of an application, which has to be word for word the caller's.
    function _applied(string memory prompt) private view returns (uint256 whole) {
        whole = LoanWords.amountIn(prompt);
        string memory expected = applicationOf(msg.sender, whole);
        if (whole == 0 || keccak256(bytes(expected)) != keccak256(bytes(prompt))) {
            revert MalformedApplication(expected, prompt);
        }
    }
}

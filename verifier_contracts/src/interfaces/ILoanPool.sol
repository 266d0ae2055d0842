// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, RunTerms} from "./IAgentExecutor.sol";
import {IProvenAgent} from "./IProvenAgent.sol";
import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @title A pool that pays out what one agent approves, proven in the same transaction
/// @notice An applicant sends the agent's run through the pool: `runWithProofs` has the agent's own
///   signature, and the prompt says how much and for whom.
interface ILoanPool {
    /// @notice The agent approved, and the loan was paid out.
    event LoanPaid(address indexed applicant, uint256 whole, uint256 units);

    /// @notice The agent did not approve.
    event LoanRefused(address indexed applicant, string answer);

    /// @notice A loan was paid back.
    event LoanRepaid(address indexed applicant, uint256 units);

    /// @notice A prompt is "Loan of N SYMBOL for 0x...": a whole number from 1 on without leading zeros,
    ///   the pool's token, and the caller's own address in lower case.
    error MalformedApplication(string expected, string received);

    /// @notice The applicant has a loan that is not paid back.
    error LoanOpen(address applicant, uint256 units);

    /// @notice The applicant has no loan to pay back.
    error NoLoan(address applicant);

    /// @notice The agent is being asked about a loan, and somebody whom it called came back to the pool.
    error ApplicationInProgress();

    /// @notice The pool has less than the loan.
    error PoolTooSmall(uint256 available, uint256 needed);

    /// @notice Has the agent decide on the caller's application, and pays out if it approves.
    /// @param input One STRING, the application.
    /// @return runId Always -1.
    /// @return result The agent's answer.
    function runWithProofs(
        IERCAgentTool.Input calldata input,
        address resultHandler,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (int256 runId, string memory result);

    /// @notice Plans an application by eth_call: always reverts, as the agent's own.
    function simulate(IERCAgentTool.Input calldata input, Claim[] calldata claims) external;

    /// @notice Pays the caller's loan back.
    function repay() external;

    /// @notice What `applicant` would have to say for a loan of `whole` tokens.
    function applicationOf(address applicant, uint256 whole) external view returns (string memory);

    /// @notice Whose approval the pool accepts.
    function agent() external view returns (IProvenAgent);

    /// @notice What an applicant owes, in the token's smallest units.
    function owedBy(address applicant) external view returns (uint256 units);
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title A DAO that says in words whom its pool lends to, and changes the words by a vote
interface ICriteriaDao {
    /// @notice A member proposes other criteria.
    event Proposed(uint256 indexed proposal, address indexed member, string criteria);

    /// @notice A member votes for a proposal.
    event Voted(uint256 indexed proposal, address indexed member, uint256 votes);

    /// @notice More than half of the members voted for a proposal: its words are the criteria now.
    event CriteriaChanged(uint256 indexed proposal, string criteria);

    /// @notice Only members propose and vote.
    error CallerIsNotAMember(address caller);

    /// @notice There is no such proposal.
    error UnknownProposal(uint256 proposal, uint256 proposals);

    /// @notice The member voted for this proposal before.
    error AlreadyVoted(uint256 proposal, address member);

    /// @notice The proposal was carried before.
    error AlreadyCarried(uint256 proposal);

    /// @notice A DAO needs members, each once.
    error MalformedMembers(uint256 index);

    /// @notice Criteria are 1 to 512 characters, as many as the model's encoder reads.
    error CriteriaLength(uint256 received, uint256 limit);

    /// @notice Whom the pool lends to, in words.
    function criteria() external view returns (string memory);

    /// @notice Proposes other criteria; the caller's own vote is in it.
    function propose(string calldata text) external returns (uint256 proposal);

    /// @notice Votes for a proposal, which is carried when more than half of the members have.
    function vote(uint256 proposal) external;
}

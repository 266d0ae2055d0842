// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ICriteriaDao} from "../interfaces/ICriteriaDao.sol";

/// @title A DAO of a few members, for demonstrations: more than half of them change the criteria
contract CriteriaDao is ICriteriaDao {
    uint256 private constant MAX_CHARACTERS = 512;

    struct Proposal {
        string criteria;
        uint256 votes;
        bool carried;
        mapping(address member => bool) voted;
    }

    uint256 private immutable _members;

    string private _criteria;
    mapping(address member => bool) private _isMember;
    mapping(uint256 proposal => Proposal) private _proposals;
    uint256 private _count;

    /// @param members Who proposes and votes.
    /// @param criteria_ The words at first.
    constructor(address[] memory members, string memory criteria_) {
        for (uint256 i = 0; i < members.length; ++i) {
            if (members[i] == address(0) || _isMember[members[i]]) revert MalformedMembers(i);
            _isMember[members[i]] = true;
        }
        if (members.length == 0) revert MalformedMembers(0);
        _checkLength(criteria_);
        _members = members.length;
        _criteria = criteria_;
    }

    /// @inheritdoc ICriteriaDao
    function propose(string calldata text) external returns (uint256 proposal) {
        _onlyMember();
        _checkLength(text);
        proposal = ++_count;
        _proposals[proposal].criteria = text;
        emit Proposed(proposal, msg.sender, text);
        _vote(proposal);
    }

    /// @inheritdoc ICriteriaDao
    function vote(uint256 proposal) external {
        _onlyMember();
        if (proposal == 0 || proposal > _count) revert UnknownProposal(proposal, _count);
        _vote(proposal);
    }

    /// @inheritdoc ICriteriaDao
    function criteria() external view returns (string memory) {
        return _criteria;
    }

    function _vote(uint256 number) private {
        Proposal storage proposal = _proposals[number];
        if (proposal.carried) revert AlreadyCarried(number);
        if (proposal.voted[msg.sender]) revert AlreadyVoted(number, msg.sender);
        proposal.voted[msg.sender] = true;
        uint256 votes = ++proposal.votes;
        emit Voted(number, msg.sender, votes);
        if (2 * votes <= _members) return;
        proposal.carried = true;
        _criteria = proposal.criteria;
        emit CriteriaChanged(number, proposal.criteria);
    }

    function _onlyMember() private view {
        if (!_isMember[msg.sender]) revert CallerIsNotAMember(msg.sender);
    }

    function _checkLength(string memory text) private pure {
        uint256 length = bytes(text).length;
        if (length == 0 || length > MAX_CHARACTERS) revert CriteriaLength(length, MAX_CHARACTERS);
    }
}

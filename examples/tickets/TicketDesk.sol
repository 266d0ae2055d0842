// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, RunTerms} from "zkagent/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "zkagent/interfaces/IProvenAgent.sol";
import {LabelClient} from "zkagent/labels/LabelClient.sol";

/// @notice A ticket. queue: empty while it waits. place: among those that wait with the same text.
struct Ticket {
    address customer;
    bytes32 textHash;
    uint256 place;
    uint256 margin;
    string queue;
}

/// @title A desk that routes support tickets by what a classifier is proven to say of them
/// @notice Anybody files a text, and anybody has it routed by a proof of its label: to the queue that is
///   called like the label, or to people where the label is not clear or has no queue. What the classifier
///   does not read goes to people when it is filed.
/// @dev `runWithProofs` routes one of the tickets with its text; where none waits, the sender has filed one.
contract TicketDesk is LabelClient {
    /// @notice The queue of what no label decides.
    string public constant PEOPLE = "people";

    /// @notice The ticket is on the desk.
    event TicketFiled(uint256 indexed id, address indexed customer, string text);

    /// @notice The ticket is in a queue for good.
    /// @param margin How clear the label was; zero where none was asked for.
    event TicketRouted(uint256 indexed id, string queue, string label, uint256 margin);

    /// @notice There is no such ticket, or it is in a queue already.
    error TicketDoesNotWait(uint256 id);

    /// @notice Only who filed the ticket, or the desk's owner, may take it to people.
    error NotYourTicket(uint256 id, address caller);

    /// @notice A queue has a name.
    error QueueWithoutName();

    /// @notice This is not the text that was filed under this number.
    error NotTheText(uint256 id);

    address private immutable _owner;
    uint256 private immutable _least;

    mapping(bytes32 label => bool) private _hasQueue;
    mapping(uint256 id => Ticket) private _tickets;
    mapping(bytes32 textHash => uint256[] ids) private _waiting;
    uint256 private _count;

    /// @param agent_ Who says labels.
    /// @param commitment The classifier that is meant: its commitment hash in the registry.
    /// @param owner_ Who may take anybody's tickets to people.
    /// @param queues Labels that have a queue.
    /// @param least Margin that a label takes, in the classifier's own units; below, people decide.
    constructor(
        IProvenAgent agent_,
        bytes32 commitment,
        address owner_,
        string[] memory queues,
        uint256 least
    ) LabelClient(agent_, commitment) {
        for (uint256 i = 0; i < queues.length; ++i) {
            if (bytes(queues[i]).length == 0) revert QueueWithoutName();
            _hasQueue[keccak256(bytes(queues[i]))] = true;
        }
        _owner = owner_;
        _least = least;
    }

    /// @notice Files a ticket, which waits for whoever proves its label; to people at once, where the
    ///   classifier does not read it.
    function file(string calldata text) external returns (uint256 id) {
        bytes4 reason = refusal(text);
        id = _file(msg.sender, text);
        if (reason != 0) _route(id, PEOPLE, "", 0);
    }

    /// @notice Routes one ticket, by claims, proofs and terms of a run with its text as the prompt.
    function route(
        uint256 id,
        string calldata text,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external {
        if (_tickets[id].textHash != keccak256(bytes(text))) {
            revert NotTheText(id);
        }
        (string memory label, uint256 margin) = _labelOf(text, claims, proofs, terms);
        _routeByLabel(id, label, margin);
    }

    /// @notice Takes a ticket that waits to people.
    function takeToPeople(uint256 id) external {
        address customer = _tickets[id].customer;
        if (msg.sender != customer && msg.sender != _owner) revert NotYourTicket(id, msg.sender);
        _route(id, PEOPLE, "", 0);
    }

    /// @notice The ticket of this number: the first one is 1.
    function ticket(uint256 id) external view returns (Ticket memory) {
        return _tickets[id];
    }

    /// @notice How many tickets were filed.
    function count() external view returns (uint256) {
        return _count;
    }

    /// @notice How many tickets with this text wait.
    function waitingWith(string calldata text) external view returns (uint256) {
        return _waiting[keccak256(bytes(text))].length;
    }

    /// @notice The margin that a label takes.
    function leastMargin() external view returns (uint256) {
        return _least;
    }

    /// @inheritdoc LabelClient
    /// @dev Who may take anybody's tickets to people.
    function owner() external view override returns (address) {
        return _owner;
    }

    function _labelled(address sender, string memory text, string memory label, uint256 margin)
        internal
        override
    {
        uint256[] storage waiting = _waiting[keccak256(bytes(text))];
        uint256 id = waiting.length == 0 ? _file(sender, text) : waiting[0];
        _routeByLabel(id, label, margin);
    }

    function _routeByLabel(uint256 id, string memory label, uint256 margin) private {
        bool clear = margin >= _least && _hasQueue[keccak256(bytes(label))];
        _route(id, clear ? label : PEOPLE, label, margin);
    }

    function _file(address customer, string memory text) private returns (uint256 id) {
        bytes32 textHash = keccak256(bytes(text));
        id = ++_count;
        _tickets[id] = Ticket(customer, textHash, _waiting[textHash].length, 0, "");
        _waiting[textHash].push(id);
        emit TicketFiled(id, customer, text);
    }

    function _route(uint256 id, string memory queue, string memory label, uint256 margin) private {
        Ticket storage found = _tickets[id];
        if (id == 0 || id > _count || bytes(found.queue).length != 0) revert TicketDoesNotWait(id);
        uint256[] storage waiting = _waiting[found.textHash];
        uint256 last = waiting[waiting.length - 1];
        waiting[found.place] = last;
        _tickets[last].place = found.place;
        waiting.pop();
        (found.queue, found.margin) = (queue, margin);
        emit TicketRouted(id, queue, label, margin);
    }
}

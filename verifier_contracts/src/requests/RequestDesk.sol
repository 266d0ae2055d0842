// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentInput} from "../agents/AgentInput.sol";
import {AgreedFacts} from "../executor/AgreedFacts.sol";
import {Claim, Fact, IAgentExecutor, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {
    DoorTerms,
    IRequestDesk,
    Order,
    Request,
    RequestStatus
} from "../interfaces/IRequestDesk.sol";
import {IERCAgent} from "../interfaces/erc/IERCAgent.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Callbacks} from "./Callbacks.sol";
import {DeskRuns} from "./DeskRuns.sol";
import {RequestStates} from "./RequestStates.sol";

/// @title Requests of one agent's runs
/// @dev A request's number, status and hash are all that is stored, in one word (`RequestStates`);
///   besides, of one that waits, which run of the agent's it waits for (`DeskRuns`). Its status changes
///   before anybody else is called: what calls back meets a request that is not open any more.
contract RequestDesk is DeskRuns, RequestStates {
    uint256 private constant MOST_LIFETIME = 30 days;
    bytes4 private constant ERC165_ID = 0x01ffc9a7;

    address private immutable _patron;
    bool private immutable _tellsModel;
    uint256 private immutable _doorFee;
    uint64 private immutable _doorLifetime;
    uint32 private immutable _doorGas;

    /// @dev From 1 on: its first write is the deployment's to pay.
    uint256 private _next = 1;

    modifier onlyPatron() {
        if (_patron != address(0) && msg.sender != _patron) {
            revert CallerIsNotThePatron(msg.sender, _patron);
        }
        _;
    }

    /// @param agent_ Whose runs: it has to serve this desk.
    /// @param executor_ Where the agent has its decisions made.
    /// @param patron_ Whose requests are taken; zero for everybody's. An agent that moves one owner's
    ///   money wants a patron.
    /// @param door_ On which terms `run` posts requests.
    /// @param strict_ Whether its frames have their proofs at hand, for tools of an agent that knows only
    ///   the ERC and act on proven decisions alone; an agent that tells that it needs them gets them.
    constructor(
        IERCAgent agent_,
        IAgentExecutor executor_,
        address patron_,
        DoorTerms memory door_,
        bool strict_
    ) DeskRuns(agent_, executor_, strict_) {
        if (door_.lifetime == 0 || door_.lifetime > MOST_LIFETIME) {
            revert LifetimeOutOfRange(door_.lifetime, MOST_LIFETIME);
        }
        _patron = patron_;
        (_doorFee, _doorLifetime, _doorGas) = (door_.fee, door_.lifetime, door_.gasForCallback);
        _tellsModel = _tells(agent_, executor_);
    }

    /// @inheritdoc IRequestDesk
    function request(string calldata prompt, uint256 fee, uint64 deadline, uint32 gasForCallback)
        external
        payable
        onlyPatron
        returns (uint256 id)
    {
        address handler = gasForCallback == 0 ? address(0) : msg.sender;
        return
            _post(
                Order(prompt, fee, deadline, 0, gasForCallback, handler, address(0), new Fact[](0))
            );
    }

    /// @inheritdoc IRequestDesk
    function place(Order calldata order) external payable onlyPatron returns (uint256 id) {
        return _post(order);
    }

    /// @inheritdoc IERCAgentTool
    /// @dev The ERC's door. What it costs is in `door`, and is paid from the caller's balance.
    function run(Input calldata input, address resultHandler)
        external
        onlyPatron
        returns (int256 runId, string memory result)
    {
        Order memory order;
        order.prompt = AgentInput.promptOf(input);
        order.fee = _doorFee;
        order.deadline = uint64(block.timestamp) + _doorLifetime;
        order.handler = resultHandler;
        if (resultHandler != address(0)) order.gasForCallback = _doorGas;
        return (int256(_postUnpaid(order)), result);
    }

    /// @inheritdoc IRequestDesk
    function fulfil(
        uint256 id,
        Request calldata posted,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (string memory result) {
        bytes32 hash = _begin(id, posted, RequestStatus.PENDING);
        AgreedFacts.check(posted.order.facts);
        bool waits;
        (result, waits) = _runInFrame(id, _beginning(posted.order.prompt), claims, proofs, terms);
        _end(id, posted, hash, result, waits);
    }

    /// @inheritdoc IRequestDesk
    function resume(
        uint256 id,
        Request calldata posted,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (string memory result) {
        bytes32 hash = _begin(id, posted, RequestStatus.WAITING);
        bool waits;
        (result, waits) = _runInFrame(id, _goingOn(id), claims, proofs, terms);
        _end(id, posted, hash, result, waits);
    }

    /// @inheritdoc IRequestDesk
    function deliver(uint256 id, Request calldata posted, string calldata result)
        external
        returns (bool taken)
    {
        bytes32 hash = _hashWith(_hashOf(posted), result);
        _checkState(id, RequestStatus.ANSWERED, hash);
        _become(id, hash, RequestStatus.DELIVERED);
        return _tell(id, posted.order, result);
    }

    /// @inheritdoc IRequestDesk
    function refund(uint256 id, Request calldata posted) external {
        bytes32 hash = _checkOpen(id, posted);
        (uint64 deadline, uint64 lastBlock) = (posted.order.deadline, posted.order.lastBlock);
        if (!_isOver(deadline, lastBlock)) revert RequestNotOver(id, deadline, lastBlock);
        _become(id, hash, RequestStatus.REFUNDED);
        _credit(posted.requester, posted.order.fee);
        emit RequestRefunded(id, posted.requester, posted.order.fee);
    }

    /// @inheritdoc IRequestDesk
    function fail(uint256 id, Request calldata posted) external {
        bytes32 hash = _checkOpen(id, posted);
        bytes32 present = _model();
        if (present == posted.commitment) revert ModelIsTheSame(id, present);
        _become(id, hash, RequestStatus.FAILED);
        _credit(posted.requester, posted.order.fee);
        emit RequestFailed(id, posted.commitment, present);
    }

    /// @inheritdoc IRequestDesk
    function simulate(Input calldata input, Claim[] calldata claims) external {
        _executor.simulateInFrame(claims, _beginning(AgentInput.promptOf(input)));
    }

    /// @inheritdoc IRequestDesk
    function simulateResume(uint256 id, Claim[] calldata claims) external {
        _checkStatus(id, RequestStatus.WAITING);
        _executor.simulateInFrame(claims, _goingOn(id));
    }

    /// @inheritdoc IERCAgentTool
    function name() external view returns (string memory) {
        return _agent.name();
    }

    /// @inheritdoc IERCAgentTool
    function description() external view returns (string memory) {
        return _agent.description();
    }

    /// @inheritdoc IERCAgentTool
    function inputDescription() external view returns (InputDescription memory) {
        return _agent.inputDescription();
    }

    /// @inheritdoc IRequestDesk
    function requestCount() external view returns (uint256) {
        return _next - 1;
    }

    /// @inheritdoc IRequestDesk
    function agent() external view returns (IERCAgent) {
        return _agent;
    }

    /// @inheritdoc IRequestDesk
    function agentExecutor() external view returns (IAgentExecutor) {
        return _executor;
    }

    /// @inheritdoc IRequestDesk
    function patron() external view returns (address) {
        return _patron;
    }

    /// @inheritdoc IRequestDesk
    function door() external view returns (DoorTerms memory) {
        return DoorTerms(_doorFee, _doorLifetime, _doorGas);
    }

    /// @inheritdoc IERCAgentClient
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == ERC165_ID || interfaceId == type(IERCAgentTool).interfaceId
            || interfaceId == type(IRequestDesk).interfaceId
            || interfaceId == type(IERCAgentClient).interfaceId;
    }

    function _post(Order memory order) private returns (uint256 id) {
        _collect(order.fee);
        return _open(order);
    }

    /// @dev For calls that cannot carry value.
    function _postUnpaid(Order memory order) private returns (uint256 id) {
        if (order.fee != 0) _debit(msg.sender, order.fee);
        return _open(order);
    }

    function _open(Order memory order) private returns (uint256 id) {
        uint256 time = block.timestamp;
        if (order.deadline <= time || order.deadline > time + MOST_LIFETIME) {
            revert DeadlineOutOfRange(order.deadline, time, MOST_LIFETIME);
        }
        if (order.lastBlock != 0 && block.number > order.lastBlock) {
            revert LastBlockPassed(order.lastBlock, block.number);
        }
        if ((order.handler == address(0)) != (order.gasForCallback == 0)) {
            revert CallbackIncomplete(order.handler, order.gasForCallback);
        }
        if (order.handler != address(0) && !Callbacks.isClient(order.handler)) {
            revert HandlerIsNoClient(order.handler);
        }
        id = _next++;
        Request memory posted = Request(msg.sender, _model(), order);
        _become(id, _hashOf(posted), RequestStatus.PENDING);
        emit RequestPosted(id, msg.sender, posted);
    }

    /// @dev Takes a request in hand that is in this state, within its bounds.
    function _begin(uint256 id, Request calldata posted, RequestStatus from)
        private
        returns (bytes32 hash)
    {
        hash = _checkState(id, from, _hashOf(posted));
        _checkBounds(id, posted);
        _become(id, hash, RequestStatus.RUNNING);
    }

    /// @dev With the answer, or where the run waits.
    function _end(
        uint256 id,
        Request calldata posted,
        bytes32 hash,
        string memory result,
        bool waits
    ) private {
        if (waits) {
            _become(id, hash, RequestStatus.WAITING);
            emit RequestWaits(id, msg.sender, runOf(id));
            return;
        }
        _become(id, _hashWith(hash, result), RequestStatus.DELIVERED);
        _credit(msg.sender, posted.order.fee);
        emit AgentRunResult(int256(id), posted.requester, new string[](0), result);
        emit RequestAnswered(id, msg.sender, posted.order.fee);
        if (posted.order.handler != address(0)) _tell(id, posted.order, result);
    }

    function _tell(uint256 id, Order calldata order, string memory result)
        private
        returns (bool taken)
    {
        taken = Callbacks.tell(order.handler, order.gasForCallback, id, result);
        if (taken) {
            emit ResultDelivered(id, order.handler);
        } else {
            _turn(id, RequestStatus.ANSWERED);
            emit ResultUndelivered(id, order.handler);
        }
    }

    function _checkBounds(uint256 id, Request calldata posted) private view {
        Order calldata order = posted.order;
        if (order.operator != address(0) && msg.sender != order.operator) {
            revert OperatorNotNamed(msg.sender, order.operator);
        }
        if (_isOver(order.deadline, order.lastBlock)) {
            revert RequestOver(id, order.deadline, order.lastBlock);
        }
        bytes32 present = _model();
        if (present != posted.commitment) revert ModelIsAnother(id, posted.commitment, present);
    }

    /// @dev The commitment that the agent obeys; zero if it is no agent that tells.
    function _model() private view returns (bytes32) {
        return _tellsModel ? IProvenAgent(address(_agent)).pinnedCommitment() : bytes32(0);
    }

    function _isOver(uint64 deadline, uint64 lastBlock) private view returns (bool) {
        return block.timestamp > deadline || (lastBlock != 0 && block.number > lastBlock);
    }

    /// @dev Whether the agent tells its model. One that tells its executor has to tell this one.
    function _tells(IERCAgent agent_, IAgentExecutor executor_) private view returns (bool) {
        (bool known, bytes32 word) = _word(agent_, IProvenAgent.agentExecutor.selector);
        address theirs = address(uint160(uint256(word)));
        if (known && theirs != address(executor_)) {
            revert ExecutorMismatch(address(executor_), theirs);
        }
        (bool tells,) = _word(agent_, IProvenAgent.pinnedCommitment.selector);
        return tells;
    }
}

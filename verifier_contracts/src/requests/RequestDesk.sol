// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentInput} from "../agents/AgentInput.sol";
import {AgreedFacts} from "../executor/AgreedFacts.sol";
import {
    Claim,
    Fact,
    IAgentExecutor,
    IFramedAgent,
    RunTerms
} from "../interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {
    DoorTerms,
    IRequestDesk,
    Order,
    Request,
    RequestStatus
} from "../interfaces/IRequestDesk.sol";
import {IStrictAgent} from "../interfaces/IStrictAgent.sol";
import {IERCAgent} from "../interfaces/erc/IERCAgent.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Balances} from "./Balances.sol";
import {Callbacks} from "./Callbacks.sol";

/// @title Requests of one agent's runs
/// @dev A request's number, status and hash are all that is stored, in one word. Its status changes
///   before anybody else is called: what calls back meets a request that is not open any more.
contract RequestDesk is Balances {
    uint256 private constant MOST_LIFETIME = 30 days;
    uint256 private constant STATUS_BITS = 0xff;
    bytes4 private constant ERC165_ID = 0x01ffc9a7;

    IERCAgent private immutable _agent;
    IAgentExecutor private immutable _executor;
    address private immutable _patron;
    bool private immutable _tellsModel;
    bool private immutable _needsProofs;
    uint256 private immutable _doorFee;
    uint64 private immutable _doorLifetime;
    uint32 private immutable _doorGas;

    /// @dev From 1 on: its first write is the deployment's to pay.
    uint256 private _next = 1;
    /// @dev A hash whose last byte is the status: of the request, and of its result once it has one.
    mapping(uint256 id => bytes32) private _states;

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
    constructor(
        IERCAgent agent_,
        IAgentExecutor executor_,
        address patron_,
        DoorTerms memory door_
    ) {
        if (door_.lifetime == 0 || door_.lifetime > MOST_LIFETIME) {
            revert LifetimeOutOfRange(door_.lifetime, MOST_LIFETIME);
        }
        (_agent, _executor, _patron) = (agent_, executor_, patron_);
        (_doorFee, _doorLifetime, _doorGas) = (door_.fee, door_.lifetime, door_.gasForCallback);
        _tellsModel = _tells(agent_, executor_);
        (, bytes32 needs) = _word(agent_, IStrictAgent.needsProofs.selector);
        _needsProofs = uint256(needs) == 1;
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
        bytes32 hash = _checkState(id, RequestStatus.PENDING, keccak256(abi.encode(posted)));
        _checkBounds(id, posted);
        _states[id] = _state(hash, RequestStatus.RUNNING);
        bytes memory prompt = bytes(posted.order.prompt);
        (result,) = _needsProofs
            ? _executor.runInStrictFrame(claims, proofs, terms, prompt)
            : _executor.runInFrame(claims, proofs, terms, prompt);
        _states[id] = _state(_hashWith(hash, result), RequestStatus.DELIVERED);
        _credit(msg.sender, posted.order.fee);
        emit AgentRunResult(int256(id), posted.requester, new string[](0), result);
        emit RequestAnswered(id, msg.sender, posted.order.fee);
        if (posted.order.handler != address(0)) _tell(id, posted.order, result);
    }

    /// @inheritdoc IRequestDesk
    function deliver(uint256 id, Request calldata posted, string calldata result)
        external
        returns (bool taken)
    {
        bytes32 hash = _hashWith(keccak256(abi.encode(posted)), result);
        _checkState(id, RequestStatus.ANSWERED, hash);
        _states[id] = _state(hash, RequestStatus.DELIVERED);
        return _tell(id, posted.order, result);
    }

    /// @inheritdoc IRequestDesk
    function refund(uint256 id, Request calldata posted) external {
        bytes32 hash = _checkState(id, RequestStatus.PENDING, keccak256(abi.encode(posted)));
        (uint64 deadline, uint64 lastBlock) = (posted.order.deadline, posted.order.lastBlock);
        if (!_isOver(deadline, lastBlock)) revert RequestNotOver(id, deadline, lastBlock);
        _states[id] = _state(hash, RequestStatus.REFUNDED);
        _credit(posted.requester, posted.order.fee);
        emit RequestRefunded(id, posted.requester, posted.order.fee);
    }

    /// @inheritdoc IRequestDesk
    function fail(uint256 id, Request calldata posted) external {
        bytes32 hash = _checkState(id, RequestStatus.PENDING, keccak256(abi.encode(posted)));
        bytes32 present = _model();
        if (present == posted.commitment) revert ModelIsTheSame(id, present);
        _states[id] = _state(hash, RequestStatus.FAILED);
        _credit(posted.requester, posted.order.fee);
        emit RequestFailed(id, posted.commitment, present);
    }

    /// @inheritdoc IRequestDesk
    function simulate(Input calldata input, Claim[] calldata claims) external {
        _executor.simulateInFrame(claims, bytes(AgentInput.promptOf(input)));
    }

    /// @inheritdoc IFramedAgent
    /// @dev The executor only calls back who called it, so this is what began above.
    function onFrame(bytes calldata prompt)
        external
        returns (string memory answer, string[] memory executionSteps)
    {
        if (msg.sender != address(_executor)) {
            revert IProvenAgent.CallerIsNotTheExecutor(msg.sender);
        }
        int256 runId;
        (runId, answer) = _agent.run(AgentInput.encode(string(prompt)), address(0));
        if (runId != -1) revert AgentIsAsynchronous(runId);
        executionSteps = new string[](0);
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
    function statusOf(uint256 id) external view returns (RequestStatus) {
        return _status(id);
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

    /// @inheritdoc IRequestDesk
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == ERC165_ID || interfaceId == type(IERCAgentTool).interfaceId
            || interfaceId == type(IRequestDesk).interfaceId;
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
        _states[id] = _state(keccak256(abi.encode(posted)), RequestStatus.PENDING);
        emit RequestPosted(id, msg.sender, posted);
    }

    function _tell(uint256 id, Order calldata order, string memory result)
        private
        returns (bool taken)
    {
        taken = Callbacks.tell(order.handler, order.gasForCallback, id, result);
        if (taken) {
            emit ResultDelivered(id, order.handler);
        } else {
            _states[id] = _state(_states[id], RequestStatus.ANSWERED);
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
        AgreedFacts.check(order.facts);
    }

    /// @dev Reverts unless the request is in this state with this hash, which is returned.
    function _checkState(uint256 id, RequestStatus expected, bytes32 hash)
        private
        view
        returns (bytes32)
    {
        RequestStatus actual = _status(id);
        if (actual != expected) revert WrongStatus(id, expected, actual);
        if (_states[id] != _state(hash, expected)) revert NotAsPosted(id);
        return hash;
    }

    function _status(uint256 id) private view returns (RequestStatus) {
        return RequestStatus(uint8(uint256(_states[id])));
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

    function _word(IERCAgent agent_, bytes4 selector)
        private
        view
        returns (bool known, bytes32 word)
    {
        (bool success, bytes memory data) =
            address(agent_).staticcall(abi.encodeWithSelector(selector));
        known = success && data.length == 32;
        if (known) word = abi.decode(data, (bytes32));
    }

    function _state(bytes32 hash, RequestStatus status) private pure returns (bytes32) {
        return bytes32((uint256(hash) & ~STATUS_BITS) | uint8(status));
    }

    function _hashWith(bytes32 hash, string memory result) private pure returns (bytes32) {
        return keccak256(abi.encode(hash, keccak256(bytes(result))));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, Fact, IAgentExecutor, IFramedAgent, RunTerms} from "./IAgentExecutor.sol";
import {IERCAgent} from "./erc/IERCAgent.sol";
import {IERCAgentClient} from "./erc/IERCAgentClient.sol";
import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @notice What a requester wants, and within which bounds.
struct Order {
    string prompt;
    /// @notice In wei, for whoever answers.
    uint256 fee;
    /// @notice Seconds since 1970: the last block time at which it may be answered.
    uint64 deadline;
    /// @notice The last block in which it may be answered; zero for no such bound.
    uint64 lastBlock;
    /// @notice What `handler` gets for its callback at least and at most; zero without a handler.
    uint32 gasForCallback;
    /// @notice Who is told the result (`IERCAgentClient`); zero for nobody.
    address handler;
    /// @notice Who alone may answer; zero for anybody.
    address operator;
    /// @notice What has to be so on chain when the request's run begins.
    Fact[] facts;
}

/// @notice A request as it was posted. The desk keeps only its hash.
struct Request {
    address requester;
    /// @notice The commitment of the agent's model when the request was made; zero of agents that do
    ///   not tell (`IProvenAgent.pinnedCommitment`).
    bytes32 commitment;
    Order order;
}

/// @notice How far a request is. It ends in exactly one way: ANSWERED and DELIVERED are success.
enum RequestStatus {
    NONE,
    PENDING,
    /// @notice Inside the transaction that answers it.
    RUNNING,
    /// @notice Success; the handler has not taken the result yet.
    ANSWERED,
    /// @notice Success; nobody is to be told any more.
    DELIVERED,
    FAILED,
    REFUNDED,
    /// @notice Open, and begun: the agent's run waits for a tool that answers later.
    WAITING
}

/// @notice On which terms clients are served that know only `run`.
struct DoorTerms {
    /// @notice In wei, from the caller's balance at the desk.
    uint256 fee;
    /// @notice Seconds until the deadline.
    uint64 lifetime;
    uint32 gasForCallback;
}

/// @title Requests of one agent's runs, answered later by whoever proves them
/// @notice A requester escrows a fee; an operator makes the run, with a proof of every decision, and gets
///   the fee; the result goes to the requester's handler. `run` is the ERC's door to the same: it posts
///   a request and returns its number, and the handler's `handleAgentResult` is called later by this
///   address.
/// @dev Success: the agent's run came to its answer in frames whose claims were all proven, within the
///   order's bounds. What the operator adds (`RunTerms`) can only make a run fail. Refund: the time is
///   over. Failure: the agent obeys another model than the one that the request was made for, which
///   only the agent's owner can bring about. That a run reverts is no end: whoever sends it chooses gas
///   and moment, so no revert says anything for good, and the time-out covers it.
///
///   An operator chooses the state on which the run happens, within the bounds, and may have prepared it
///   in the same transaction: who minds binds the order to facts, or to one operator.
///
///   A run that waits for a tool (`ISuspendingAgent`) is gone on with by `resume` once the tool has
///   answered, by whoever proves the rest, who is paid. Until then the request is open as before: the
///   time-out and another model end it, too. What the run did before it waited stays done.
///
///   Requests, results and callbacks know no order among each other. A callback may do anything at the
///   desk, the next request included.
interface IRequestDesk is IERCAgent, IFramedAgent, IERCAgentClient {
    /// @notice A request was posted, and its fee is held.
    event RequestPosted(uint256 indexed id, address indexed requester, Request request);

    /// @notice A request was answered, and the operator was credited the fee. The answer is in
    ///   `AgentRunResult` of the same transaction.
    event RequestAnswered(uint256 indexed id, address indexed operator, uint256 fee);

    /// @notice The agent's run waits for a tool, under this id at the agent; nobody was paid.
    event RequestWaits(uint256 indexed id, address indexed operator, int256 runId);

    /// @notice The handler took the result.
    event ResultDelivered(uint256 indexed id, address indexed handler);

    /// @notice The handler is no client of agents any more, or did not take the result: anybody may
    ///   `deliver` it again.
    event ResultUndelivered(uint256 indexed id, address indexed handler);

    /// @notice The agent obeys another model by now; the fee was credited to the requester.
    event RequestFailed(uint256 indexed id, bytes32 commitment, bytes32 present);

    /// @notice Nobody answered in time; the fee was credited to the requester.
    event RequestRefunded(uint256 indexed id, address indexed requester, uint256 fee);

    /// @notice Somebody paid into an account's balance.
    event Deposited(address indexed account, address indexed from, uint256 amount);

    /// @notice An account took some of its balance.
    event Withdrawn(address indexed account, address indexed to, uint256 amount);

    /// @notice This desk takes requests of its patron alone.
    error CallerIsNotThePatron(address caller, address patron);

    /// @notice The request is not in the state that this needs. NONE: nothing has this number.
    error WrongStatus(uint256 id, RequestStatus expected, RequestStatus actual);

    /// @notice Not what was posted, or answered, under this number: it is in the events.
    error NotAsPosted(uint256 id);

    /// @notice A deadline lies ahead, and not further than `most` seconds.
    error DeadlineOutOfRange(uint64 deadline, uint256 blockTime, uint256 most);

    /// @notice The block of which the order speaks is over.
    error LastBlockPassed(uint64 lastBlock, uint256 blockNumber);

    /// @notice The balance, with what was sent, is less than the fee: deposit first.
    error BalanceTooLow(address account, uint256 balance, uint256 needed);

    /// @notice A callback needs both a handler and gas.
    error CallbackIncomplete(address handler, uint32 gasForCallback);

    /// @notice The handler does not tell by ERC-165 that it is an `IERCAgentClient`.
    error HandlerIsNoClient(address handler);

    /// @notice The order names another operator.
    error OperatorNotNamed(address caller, address operator);

    /// @notice The time to answer is over: the fee goes back.
    error RequestOver(uint256 id, uint64 deadline, uint64 lastBlock);

    /// @notice The time to answer is not over.
    error RequestNotOver(uint256 id, uint64 deadline, uint64 lastBlock);

    /// @notice The agent obeys another model than when the request was made: `fail` it.
    error ModelIsAnother(uint256 id, bytes32 expected, bytes32 actual);

    /// @notice The agent obeys the model that the request was made for.
    error ModelIsTheSame(uint256 id, bytes32 commitment);

    /// @notice The agent answers later, and not as one does that can be resumed (`ISuspendingAgent`).
    error AgentIsAsynchronous(int256 runId);

    /// @notice The desk takes results from the runs in its frames, and from nobody who calls.
    error ResultNotProven(address caller, int256 runId);

    /// @notice Too little gas is left for the callback that the requester paid for.
    error CallbackGasMissing(uint256 needed, uint256 left);

    /// @notice The account did not take what it was paid.
    error PaymentRefused(address to, uint256 amount);

    /// @notice The agent has its decisions made by another executor than this desk opens frames at.
    error ExecutorMismatch(address expected, address ofAgent);

    /// @notice A time that is zero or longer than `most` seconds.
    error LifetimeOutOfRange(uint64 lifetime, uint256 most);

    /// @notice Posts a request of the caller, who is also its handler where `gasForCallback` is not zero.
    /// @param fee In wei: from what is sent with the call, the rest from the caller's balance; what is
    ///   sent beyond it goes to the balance.
    /// @return id Its number, from 1.
    function request(string calldata prompt, uint256 fee, uint64 deadline, uint32 gasForCallback)
        external
        payable
        returns (uint256 id);

    /// @notice The same with everything that can be said.
    function place(Order calldata order) external payable returns (uint256 id);

    /// @notice Answers a request: makes the run in a frame of the executor, credits the caller the fee,
    ///   and tells the handler. Reverts unless the run comes to an answer, or to where it waits for a tool,
    ///   and all its claims are proven. A run that waits leaves the request WAITING, its result empty.
    /// @param posted As in `RequestPosted`.
    /// @param claims As in `IAgentExecutor.runInFrame`, and so are `proofs` and `terms`.
    function fulfil(
        uint256 id,
        Request calldata posted,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (string memory result);

    /// @notice Goes on with a request that is WAITING, in a frame of its own, and else as `fulfil` does.
    ///   Reverts while the tool has not answered. The order's facts are not looked at: they are about
    ///   the beginning.
    function resume(
        uint256 id,
        Request calldata posted,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (string memory result);

    /// @notice Tells the handler a result that it has not taken. Anybody may call, who pays for the gas.
    /// @param result As in `AgentRunResult`.
    /// @return taken Whether the handler took it now; else it can be tried again.
    function deliver(uint256 id, Request calldata posted, string calldata result)
        external
        returns (bool taken);

    /// @notice Credits the fee of a request that was not answered in time to its requester. Anybody may
    ///   call.
    function refund(uint256 id, Request calldata posted) external;

    /// @notice Ends a request whose agent obeys another model by now, and credits the fee to its
    ///   requester. Anybody may call.
    function fail(uint256 id, Request calldata posted) external;

    /// @notice Pays into an account's balance, from which it is withdrawn, or requests are paid.
    function deposit(address account) external payable;

    /// @notice Sends some of the caller's balance.
    function withdraw(address payable to, uint256 amount) external;

    /// @notice Plans a run by eth_call: always reverts, see `IAgentExecutor.simulateInFrame`. The desk is
    ///   the agent's requester, as in `fulfil`.
    function simulate(IERCAgentTool.Input calldata input, Claim[] calldata claims) external;

    /// @notice Plans `resume` by eth_call, of a request that is WAITING: always reverts, as `simulate`.
    function simulateResume(uint256 id, Claim[] calldata claims) external;

    /// @notice The agent's run that a request waited for last; zero of one that never waited.
    function runOf(uint256 id) external view returns (int256 runId);

    /// @notice How far a request is.
    function statusOf(uint256 id) external view returns (RequestStatus);

    /// @notice What the desk owes an account, beside fees that are held for open requests.
    function balanceOf(address account) external view returns (uint256);

    /// @notice How many requests were posted: the last one's number.
    function requestCount() external view returns (uint256);

    /// @notice Whose runs these are.
    function agent() external view returns (IERCAgent);

    /// @notice Where frames are opened.
    function agentExecutor() external view returns (IAgentExecutor);

    /// @notice Whose requests are taken; zero for everybody's.
    function patron() external view returns (address);

    /// @notice On which terms `run` posts requests.
    function door() external view returns (DoorTerms memory);

    /// @notice Whether its frames have their proofs at hand, as `IAgentExecutor.runInStrictFrame` has them:
    ///   each decision is then proven by itself.
    function needsProofs() external view returns (bool);
}

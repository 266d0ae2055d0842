// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IModelRegistry} from "./IModelRegistry.sol";
import {IERCAgentExecutor} from "./erc/IERCAgentExecutor.sol";

/// @notice An output that is backed by a proof in the same frame.
struct Claim {
    uint256 modelId;
    /// @notice keccak256 of the packed features that the output belongs to. The executor derives
    ///   the features itself; this only keeps a claim from being spent on another decision.
    bytes32 featuresHash;
    /// @notice The model's output: int64 values, big-endian two's complement, 8 bytes each.
    bytes output;
}

/// @notice A word of a call's parameters that may differ from the plan, because the plan took it from
///   an observation: bounds inclusive.
struct Range {
    /// @notice Which 32 bytes of the parameters, from 0.
    uint16 word;
    uint256 least;
    uint256 most;
}

/// @notice What one decision has to come to.
struct AgreedCall {
    /// @notice keccak256(abi.encode(agent, tool, params)) with the words of `ranges` zeroed: who decides,
    ///   what it calls, and its `abiEncodedParams`. Tool zero and no parameters for a final answer.
    bytes32 callHash;
    /// @notice By word, each word once, all of them inside the parameters.
    Range[] ranges;
}

/// @notice What was read before signing and relied on, such as a token's decimals.
struct Fact {
    address target;
    /// @notice Of a function without parameters that returns one word; 0 for the code hash of `target`.
    bytes4 selector;
    bytes32 expected;
}

/// @notice What the sender agrees to, beyond what the claims show.
struct RunTerms {
    /// @notice Seconds since 1970: the last block time at which the run may happen.
    uint64 deadline;
    /// @notice One for each claim, in order.
    AgreedCall[] calls;
    /// @notice What makes the calls mean what the sender was shown: checked before the run begins.
    Fact[] facts;
}

/// @title The opener of a frame: the executor calls it back inside
interface IFramedAgent {
    /// @notice Does the run that the frame was opened for. Only the executor may call this.
    /// @param request What the agent gave the executor when it opened the frame.
    function onFrame(bytes calldata request)
        external
        returns (string memory answer, string[] memory executionSteps);
}

/// @title Makes decisions that are proven
/// @notice A decision needs an output, which is either claimed inside a frame or recorded before.
///   A frame is one call: the executor takes the claims, calls its opener back, and before it
///   returns it verifies a proof for every claim or reverts all that happened. So there is no frame
///   that could be left open and no moment at which an unproven decision outlives its transaction.
/// @dev No way out by failing. Who sends the claims also chooses them, and could try to make a
///   nested run fail on purpose where some contract catches the failure and goes on differently.
///   Two rules stand against this. A missing or foreign claim, or a decision that comes to another
///   call than was agreed to, does not revert: it poisons the frame, which then reverts in its outermost call. And every claim names the features it is for,
///   and has to be used and proven in the end: so an output that made a nested run fail was the
///   model's true output. The price is that no claims complete
///   a frame in which a decision was undone by a failure that someone caught.
///
///   What is left to contracts that call agents and catch failures, because no executor can do it:
///   - inside of what they catch they must not revert on an agent's answer, nor starve it of gas:
///     the poison of a frame is undone with the rest;
///   - they must not catch at all when the agent may run outside of a frame, on recorded decisions.
///     There `DecisionUnavailable` is the sender's choice, who need only not record a decision;
///   - nor must they take `IProvenAgent.RunInProgress` or `FrameAlreadyOpen` for a verdict: whoever
///     opens a frame by way of an agent chooses that this agent is busy inside of it.
///   Our own agents and tools never catch.
///
///   Anything that a run calls can veto it: by reverting, by using up gas, and, where a caller would
///   catch that, by calling `runNextIteration` itself, which takes a claim that is not for it and
///   poisons the frame. To ignore the calls of strangers would need a list of who is none, and a
///   sender who writes that list could leave a nested agent off it. A veto costs the sender gas and
///   nothing else; a run never comes to anything that its sender did not agree to (`RunTerms`).
///
///   `runInFrame` verifies when the run is over, and all that happened reverts if one proof is false.
///   Who wants nothing to happen before, however revertible, uses `runInStrictFrame` and `verifySoFar`.
interface IAgentExecutor is IERCAgentExecutor {
    /// @notice A claim's proof was accepted, of the model as this commitment has it: a number may
    ///   stand for others before and after, also within the same block.
    event DecisionVerified(
        uint256 indexed modelId,
        address indexed agent,
        bytes32 commitmentHash,
        bytes32 featuresHash,
        bytes32 outputHash
    );

    /// @notice An output was proven and stored for later runs.
    event DecisionRecorded(uint256 indexed modelId, bytes32 indexed featuresHash, bytes output);

    /// @notice Frames do not nest: an agent inside a frame was asked to open one. Use `run`
    ///   instead.
    error FrameAlreadyOpen();

    /// @notice One proof per claim, empty where an earlier one covers it. Likely proofs and claims of
    ///   different plans were put together.
    error ProofCountMismatch(uint256 expected, uint256 received);

    /// @notice One agreed call per claim. Likely terms and claims of different plans were put together.
    error CallCountMismatch(uint256 expected, uint256 received);

    /// @notice The run's deadline has passed: plan it again.
    error RunExpired(uint64 deadline, uint256 blockTime);

    /// @notice Ranges are listed by word, each word once, with `least` not above `most`.
    error MalformedRange(uint256 index, uint16 word);

    /// @notice A decision comes to another call than the sender agreed to, or one of its words is out
    ///   of its range: likely the state changed since planning, or a symbol names another token now.
    ///   Tool zero is a final answer.
    error CallNotAgreed(uint256 index, address agent, address tool, bytes params);

    /// @notice The chain says something else than what the sender relied on, or nothing: the state
    ///   changed since planning, or the node that was asked then lied.
    error FactChanged(uint256 index, address target);

    /// @notice An output's length is not 8 bytes for each of the model's outputs: made for another
    ///   model or another version, or wider than 64 bits.
    error MalformedOutput(uint256 index, uint256 expected, uint256 received);

    /// @notice Claims that share a proof were used under another commitment of their model than it has
    ///   now: it was updated inside the frame.
    error ModelChangedInFrame(uint256 modelId, bytes32 used, bytes32 present);

    /// @notice Decisions to be recorded are as many features as outputs, and at least one.
    error DecisionCountMismatch(uint256 features, uint256 outputs);

    /// @notice A frame takes so many decisions, and not more: divide the task, or have agents with fewer
    ///   iterations.
    error TooManyDecisions(uint256 limit, uint256 received);

    /// @notice An agent that is an agent's tool, and so on, was asked to run further down than frames
    ///   allow. Likely agents that use each other in turn.
    error RunTooDeep(uint256 limit, address agent);

    /// @notice Somebody wants decisions proven before the frame ends, whose proofs are not at hand: open
    ///   it by `runInStrictFrame`. Likely a strict agent behind a tool that does not say so
    ///   (`IStrictAgent.needsProofs`).
    error ProofsNotKept(uint256 index, address by);

    /// @notice A verifier refused a proof without saying why, or ran out of gas.
    error ProofRefused();

    /// @notice Only the executor hands itself what it kept.
    error CallerIsNotTheExecutor(address caller);

    /// @notice The run needed more decisions than were claimed: likely the state changed since
    ///   planning.
    error ClaimMissing(uint256 index, address agent, uint256 modelId);

    /// @notice The next claim is for another model than the agent's: likely the state changed since
    ///   planning, or the claims are out of order.
    error ClaimForOtherModel(uint256 index, uint256 expected, uint256 received);

    /// @notice The next claim is for another model input than the one derived on chain: likely the
    ///   state changed since planning, or the claims are out of order.
    error ClaimForOtherFeatures(uint256 index, address agent, bytes32 expected, bytes32 received);

    /// @notice The run ended before all claims were used: likely the state changed since planning.
    error ClaimsLeftOver(uint256 used, uint256 given);

    /// @notice No output is recorded for this model input: prove it and call `recordDecision`, or
    ///   run with proofs.
    error DecisionUnavailable(uint256 modelId, address agent, bytes features);

    /// @notice The encoder's features do not have the length that the model was registered with.
    error MalformedFeatures(uint256 expected, uint256 received);

    /// @notice What the model's encoder or decoder returned is not encoded as its interface says.
    error MalformedReturn(address from);

    /// @notice A model id of digits is a registry number in decimal, without leading zeros. Any other is
    ///   a name that the registry has: see `IModelRegistry.addAlias`.
    error MalformedModelId(string modelId);

    /// @notice There is no code where the verifier should be; choose another model.
    /// @dev Our registry refuses such a model first (`ModelCodeChanged`). That nothing counts as a proof
    ///   without a verifier does not rest on it.
    error VerifierGone(address verifier);

    /// @notice Simulation: the first decision that no claim is given for. Evaluate the model on
    ///   `features`, append the claim, simulate again.
    /// @param context abi.encode(basePrompt, tools, agentReasoning, prompt).
    error MissingDecision(
        uint256 index, address agent, uint256 modelId, bytes features, bytes context
    );

    /// @notice Simulation: the run ends with this answer, every decision claimed.
    error SimulationResult(string answer, string[] executionSteps);

    /// @notice Opens a frame and runs the caller in it by `IFramedAgent.onFrame(request)`.
    /// @param claims The outputs of all decisions, in the order in which they are made.
    /// @param proofs The proof of each claim, in the same order. A claim that says what an earlier one
    ///   says (the same output for the same features, under the same commitment) needs none: it is
    ///   covered with that one, and its proof may be empty. A proof of one of the model's batch
    ///   verifiers may cover later claims of the same model, too, whose proofs are then empty: all of
    ///   them up to the next one that is not. Its verifier is the smallest that holds them, and what
    ///   it lacks in decisions is filled up with the last of them. No proof that is given is passed over.
    /// @param terms What every decision has to come to, nested agents' too, until when, and on which
    ///   facts.
    function runInFrame(
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms,
        bytes calldata request
    ) external returns (string memory answer, string[] memory executionSteps);

    /// @notice Does the same in a frame that has its proofs at hand for `verifySoFar`, which costs more.
    function runInStrictFrame(
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms,
        bytes calldata request
    ) external returns (string memory answer, string[] memory executionSteps);

    /// @notice Verifies the proofs of all decisions that this frame has made so far and not verified
    ///   yet. Whoever may not act on a decision that is not proven calls it before acting: a strict
    ///   agent, a guard. A proof covers of later claims only those whose decisions are made by then.
    /// @return proven Whether all decisions so far are proven: where there is no frame, they are before
    ///   they are recorded; in a simulation it is taken for granted. If not, the frame is poisoned, and
    ///   the caller must not act: what it returns instead does not matter, and it should not revert,
    ///   for somebody might catch that.
    function verifySoFar() external returns (bool proven);

    /// @notice For the executor itself alone: a part of `verifySoFar`.
    function verifyKept(Claim[] calldata claims, bytes[] calldata proofs) external;

    /// @notice Does the same without proofs and terms and always reverts, with `SimulationResult`,
    ///   `MissingDecision` or the run's own failure. For eth_call.
    function simulateInFrame(Claim[] calldata claims, bytes calldata request) external;

    /// @notice Verifies an output and stores it. Anyone may call: what is stored is the model's
    ///   output for an input, never a decision.
    function recordDecision(
        uint256 modelId,
        bytes calldata features,
        bytes calldata output,
        bytes calldata proof
    ) external;

    /// @notice Verifies several outputs of one model by one proof and stores them, as `recordDecision`
    ///   does. The proof is as in `runInFrame`.
    function recordDecisions(
        uint256 modelId,
        bytes[] calldata features,
        bytes[] calldata outputs,
        bytes calldata proof
    ) external;

    /// @notice The recorded output for this model input; empty if there is none.
    function recordedOutput(uint256 modelId, bytes calldata features)
        external
        view
        returns (bytes memory);

    /// @notice Whether a frame is open. What is called in one may still come to nothing.
    function isInFrame() external view returns (bool);

    /// @notice How many decisions a frame takes, and how many runs may be under way in it, one in the
    ///   other.
    /// @dev An agent that misstates its reasoning is miscounted, which takes it further down and nowhere
    ///   else. Outside of frames, gas is the limit.
    function limits() external view returns (uint256 decisions, uint256 depth);

    /// @notice Where models are looked up.
    function registry() external view returns (IModelRegistry);
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {AgentExecutor} from "../../src/executor/AgentExecutor.sol";
import {AgreedCall, Claim, IFramedAgent, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgent} from "../../src/interfaces/erc/IERCAgent.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {FrameHandler} from "./FrameHandler.sol";
import {StateHandler} from "./StateHandler.sol";
import {StrictFrameHandler} from "./StrictFrameHandler.sol";

/// @dev Runs as an agent does, and wrongly in one respect.
contract FaultyAgent is IFramedAgent {
    enum Fault {
        NONE,
        ACTS_TWICE,
        TELLS_NOTHING,
        TELLS_ANOTHER_ANSWER
    }

    AgentExecutor private immutable _executor;
    string private _model;
    IERCAgentTool[] private _tools;
    Fault private immutable _fault;

    constructor(
        AgentExecutor executor,
        string memory model,
        IERCAgentTool[] memory tools,
        Fault fault
    ) {
        (_executor, _model, _tools, _fault) = (executor, model, tools, fault);
    }

    function runWithProofs(
        IERCAgentTool.Input calldata input,
        address,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (int256, string memory result) {
        (result,) = _executor.runInFrame(claims, proofs, terms, input.abiEncodedParams);
        return (-1, result);
    }

    function simulate(IERCAgentTool.Input calldata input, Claim[] calldata claims) external {
        _executor.simulateInFrame(claims, input.abiEncodedParams);
    }

    function run(IERCAgentTool.Input calldata input, address)
        external
        returns (int256, string memory result)
    {
        (result,) = this.onFrame(input.abiEncodedParams);
        return (-1, result);
    }

    function onFrame(bytes calldata request)
        external
        returns (string memory answer, string[] memory steps)
    {
        string memory prompt = abi.decode(request, (string));
        for (uint256 i = 0; i < 4; ++i) {
            AgentIterationResult memory decision =
                _executor.runNextIteration(_model, "", _tools, steps, prompt);
            if (decision.isFinalAnswer) {
                answer = decision.finalAnswer;
                if (_fault == Fault.TELLS_NOTHING) return (answer, steps);
                string memory told = _fault == Fault.TELLS_ANOTHER_ANSWER ? "other" : answer;
                emit IERCAgent.AgentRunResult(1, msg.sender, steps, told);
                return (answer, steps);
            }
            decision.tool.run(decision.toolInput, address(0));
            if (_fault == Fault.ACTS_TWICE) decision.tool.run(decision.toolInput, address(0));
            string[] memory longer = new string[](i + 1);
            for (uint256 j = 0; j < i; ++j) {
                longer[j] = steps[j];
            }
            longer[i] = "done";
            steps = longer;
        }
        revert("too many");
    }
}

/// @dev Agents with a fault in place of our own.
contract FaultyHandler is FrameHandler {
    FaultyAgent.Fault private immutable _fault;

    constructor(FaultyAgent.Fault fault) FrameHandler() {
        _fault = fault;
        _makeAgents();
    }

    function _makeAgent(string memory model, IERCAgentTool[] memory tools)
        internal
        override
        returns (IProvenAgent)
    {
        return IProvenAgent(address(new FaultyAgent(executor, model, tools, _fault)));
    }
}

/// @dev Judges agents that act first by the order of those that prove first.
contract HastyHandler is StrictFrameHandler {
    function _makeAgent(string memory model, IERCAgentTool[] memory tools)
        internal
        override
        returns (IProvenAgent)
    {
        return new TestAgent(executor, model, address(0), tools, 4);
    }
}

/// @dev Takes tokens behind every agent's back.
contract Thief is FrameHandler {
    function steal() external {
        vm.prank(address(_payTool()));
        token.take(vault, 1);
    }
}

/// @dev Begins a frame where the last one stood, as if there were no epochs.
contract LeakyState is StateHandler {
    uint256 private constant EPOCH_WORD = 0;

    function _end() internal override {
        super._end();
        assembly ("memory-safe") {
            let word := tload(EPOCH_WORD)
            tstore(EPOCH_WORD, and(word, not(shl(136, 0xffffffffffffffff))))
        }
    }
}

/// @dev Does not mark what it covers.
contract OverlappingState is StateHandler {
    function _coveredBy(
        uint256 index,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        bool[] memory covered
    ) internal pure override returns (uint256[] memory) {
        bool[] memory unmarked = new bool[](covered.length);
        return super._coveredBy(index, claims, proofs, unmarked);
    }
}

/// @dev Each invariant trips over a contract that breaks it, and over nothing else.
contract FaultsTest is Test {
    function runAll(FrameHandler handler) private {
        for (uint256 seed = 0; seed < 30; ++seed) {
            handler.run(seed, 0, uint8(seed), 0);
        }
        assertGt(handler.finished(), 0, "no run finished");
    }

    function test_agents_that_do_right_trip_nothing() public {
        FaultyHandler handler = new FaultyHandler(FaultyAgent.Fault.NONE);
        runAll(handler);
        assertEq(string.concat(handler.unproven(), handler.story(), handler.leak()), "");
    }

    function test_a_payment_before_its_proof_is_seen() public {
        HastyHandler handler = new HastyHandler();
        runAll(handler);
        assertEq(handler.hasty(), "paid before the decision was proven");
        StrictFrameHandler patient = new StrictFrameHandler();
        runAll(patient);
        assertGt(patient.decided(), 0);
        assertEq(patient.hasty(), "");
    }

    function test_an_effect_without_a_decision_is_seen() public {
        FaultyHandler handler = new FaultyHandler(FaultyAgent.Fault.ACTS_TWICE);
        runAll(handler);
        assertEq(handler.unproven(), "paid without a decision to pay");
    }

    function test_an_accepted_false_output_is_seen() public {
        FrameHandler handler = new FrameHandler();
        vm.mockCall(
            handler.verifierAddress(), abi.encodeWithSignature("verify(bytes,uint256[])"), ""
        );
        for (uint256 seed = 0; seed < 20; ++seed) {
            handler.run(seed, 0, 7, 0); // with a false output
        }
        assertEq(handler.unproven(), "a false output was accepted");
    }

    function test_a_false_fact_that_is_relied_on_is_seen() public {
        FrameHandler handler = new FrameHandler();
        address other = address(uint160(address(handler.registry())) ^ 1);
        vm.mockCall(
            address(handler.executor()), abi.encodeWithSignature("registry()"), abi.encode(other)
        );
        for (uint256 seed = 0; seed < 20; ++seed) {
            handler.run(seed, 0, 21, 0); // whose fact is off by one
        }
        assertEq(handler.unproven(), "a run happened that relied on what is not so");
    }

    function test_a_run_that_is_not_told_is_seen() public {
        FaultyHandler handler = new FaultyHandler(FaultyAgent.Fault.TELLS_NOTHING);
        runAll(handler);
        assertEq(handler.story(), "a run was not told");
    }

    function test_a_false_story_is_seen() public {
        FaultyHandler handler = new FaultyHandler(FaultyAgent.Fault.TELLS_ANOTHER_ANSWER);
        runAll(handler);
        assertEq(handler.story(), "a run was told otherwise than it was decided");
    }

    function test_tokens_that_no_decision_moved_are_missed() public {
        Thief handler = new Thief();
        handler.steal();
        uint256 left = handler.token().balanceOf(handler.vault());
        assertLt(left + handler.decided(), handler.SUPPLY());
    }

    function test_a_value_of_another_frame_is_seen() public {
        LeakyState handler = new LeakyState();
        for (uint256 seed = 0; seed < 20; ++seed) {
            handler.useFrames(seed);
        }
        assertGt(bytes(handler.leak()).length, 0);
    }

    function test_a_claim_that_is_covered_twice_is_seen() public {
        OverlappingState handler = new OverlappingState();
        for (uint256 seed = 0; seed < 20; ++seed) {
            handler.cover(uint256(keccak256(abi.encode(seed))));
        }
        assertEq(handler.hole(), "a claim is not covered once");
    }
}

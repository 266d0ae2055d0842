// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PlainRunner} from "../../src/agents/PlainRunner.sol";
import {Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {IResultSource} from "../../src/interfaces/IResultSource.sol";
import {IERCAgent} from "../../src/interfaces/erc/IERCAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {BadClient, Client, NoClient} from "../fakes/Clients.sol";
import {EchoTool, MeddlingTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {InheritingClient, YesSayer} from "../requests/Clients.sol";
import {World} from "../support/World.sol";

/// @dev Who else is told a run's answer, when, and what becomes of it if that fails.
contract ResultHandlersTest is World {
    EchoTool private echo = new EchoTool();
    TestAgent private agent = openOn(echo);
    Client private client = new Client(address(agent));

    function openOn(IERCAgentTool tool) private returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        return agentWith(tools, address(0));
    }

    function runs(address handler) private returns (string memory answer) {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        int256 runId;
        (runId, answer) =
            agent.runWithProofs(inputOf("go"), handler, claims, proofs, termsFor(claims));
        assertEq(runId, -1);
    }

    /// @dev As a run of recorded decisions.
    function runsRecorded(address handler) private returns (string memory answer) {
        Claim[] memory claims;
        bytes[] memory ys = list(output(CALL, 0), output(ANSWER, 5));
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory x = missing(agent, "go", claims).features;
            claims = append(claims, Claim(model, keccak256(x), ys[i]));
            executor.recordDecision(model, x, ys[i], truth(x, ys[i]));
        }
        (, answer) = agent.run(inputOf("go"), handler);
    }

    function assertTold(Client who) private view {
        assertEq(who.calls(), 1);
        assertEq(who.runId(), -1);
        assertEq(who.result(), "answer 5");
    }

    function test_a_handler_is_told_the_answer_of_a_run_with_proofs() public {
        assertEq(runs(address(client)), "answer 5");
        assertTold(client);
    }

    function test_a_handler_is_told_the_answer_of_a_run_of_recorded_decisions() public {
        assertEq(runsRecorded(address(client)), "answer 5");
        assertTold(client);
    }

    function test_a_handler_is_told_once_the_frame_is_closed() public {
        FrameProbe probe = new FrameProbe();
        runs(address(probe));
        assertEq(probe.seen(), "closed");
    }

    function test_a_false_proof_tells_nobody() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        RunTerms memory terms = termsFor(claims);
        proofs[1] = proofs[0];
        vm.expectCall(address(client), abi.encodeWithSelector(client.handleAgentResult.selector), 0);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        agent.runWithProofs(inputOf("go"), address(client), claims, proofs, terms);
    }

    function test_a_handler_has_to_be_a_client() public {
        address[4] memory none = [
            makeAddr("nobody"),
            address(echo),
            address(new NoClient(true)),
            address(new NoClient(false))
        ];
        RunTerms memory terms;
        for (uint256 i = 0; i < none.length; ++i) {
            bytes memory refusal =
                abi.encodeWithSelector(IResultSource.HandlerIsNoClient.selector, none[i]);
            vm.expectRevert(refusal);
            agent.run(inputOf("go"), none[i]);
            vm.expectRevert(refusal);
            agent.runWithProofs(inputOf("go"), none[i], new Claim[](0), new bytes[](0), terms);
            vm.expectRevert(refusal);
            agent.simulateFor(inputOf("go"), none[i], new Claim[](0));
        }
    }

    /// @dev As a desk takes it: with the number of an interface that inherits `supportsInterface`.
    function test_a_client_whose_interface_inherits_erc165_is_one() public {
        InheritingClient other = new InheritingClient(IERCAgent(address(agent)));
        runs(address(other));
        assertEq(other.result(), "answer 5");
        assertEq(other.calls(), 1);
        address yesSayer = address(new YesSayer(IERCAgent(address(agent))));
        vm.expectRevert(abi.encodeWithSelector(IResultSource.HandlerIsNoClient.selector, yesSayer));
        agent.run(inputOf("go"), yesSayer);
    }

    function test_a_handler_that_fails_undoes_nothing_and_loses_nothing() public {
        address bad = address(new BadClient(address(agent), BadClient.Way.REVERTS));
        bytes memory reason = abi.encodeWithSignature("Error(string)", "not in the mood");
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        RunTerms memory terms = termsFor(claims);
        vm.expectEmit(address(agent));
        emit IResultSource.ResultUndelivered(-1, bad, "answer 5", reason);
        (, string memory answer) = agent.runWithProofs(inputOf("go"), bad, claims, proofs, terms);
        assertEq(answer, "answer 5");
        runsRecorded(address(0));
        vm.expectEmit(address(agent));
        emit IResultSource.ResultUndelivered(-1, bad, "answer 5", reason);
        (, answer) = agent.run(inputOf("go"), bad);
        assertEq(answer, "answer 5");
    }

    function test_a_handler_that_says_much_or_never_ends_costs_what_it_was_given() public {
        BadClient.Way[2] memory ways = [BadClient.Way.RETURNS_MUCH, BadClient.Way.BURNS];
        for (uint256 i = 0; i < 2; ++i) {
            address bad = address(new BadClient(address(agent), ways[i]));
            (Claim[] memory claims, bytes[] memory proofs) =
                plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
            RunTerms memory terms = termsFor(claims);
            uint256 without = gasleft();
            agent.runWithProofs(inputOf("go"), address(0), claims, proofs, terms);
            without -= gasleft();
            uint256 with = gasleft();
            (, string memory answer) =
                agent.runWithProofs(inputOf("go"), bad, claims, proofs, terms);
            with -= gasleft();
            assertEq(answer, "answer 5");
            assertLt(with, without + 235_000);
        }
    }

    function test_the_sender_does_not_choose_whether_a_handler_has_gas() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        bytes memory call_ = abi.encodeCall(
            agent.runWithProofs, (inputOf("go"), address(client), claims, proofs, termsFor(claims))
        );
        (bool told, bool short) = (false, false);
        for (uint256 spare = 1_500_000; spare > 400_000; spare -= 20_000) {
            (bool success, bytes memory returned) = address(agent).call{gas: spare}(call_);
            if (!success && bytes4(returned) == IResultSource.CallbackGasMissing.selector) {
                short = true;
            }
            if (!success) continue;
            told = true;
            assertEq(client.result(), "answer 5");
            assertGt(client.gasAtCall(), 190_000);
        }
        assertTrue(told && short);
    }

    function test_a_handler_may_have_the_agent_run_again_and_changes_nothing_of_this_run() public {
        bytes memory x = missing(agent, "hi", new Claim[](0)).features;
        executor.recordDecision(model, x, output(ANSWER, 1), truth(x, output(ANSWER, 1)));
        BadClient again = new BadClient(address(agent), BadClient.Way.ENTERS);
        again.arm(abi.encodeCall(agent.run, (inputOf("hi"), address(0))));
        assertEq(runs(address(again)), "answer 5");
        assertEq(again.calls(), 1);
    }

    // In somebody else's frame

    function test_a_nested_run_tells_its_handler_and_nobody_catches() public {
        TestAgent inner = openOn(echo);
        NestingTool nesting = new NestingTool(inner);
        agent = openOn(nesting);
        Client told = new Client(address(inner));
        nesting.tell(address(told));
        bytes[] memory outputs =
            append(list(output(CALL, 0), output(CALL, 0), output(ANSWER, 3)), output(ANSWER, 4));
        (Claim[] memory claims, bytes[] memory proofs) = plan(agent, "go", outputs);
        RunTerms memory terms = termsFor(claims);
        agent.runWithProofs(inputOf("go"), address(0), claims, proofs, terms);
        assertEq(told.calls(), 1);
        assertEq(told.result(), "answer 3");
        nesting.tell(address(new BadClient(address(inner), BadClient.Way.REVERTS)));
        vm.expectRevert("not in the mood");
        agent.runWithProofs(inputOf("go"), address(0), claims, proofs, terms);
    }

    function test_the_runner_of_a_plain_agent_tells_too() public {
        PlainRunner runner = new PlainRunner(executor, agent, address(this), false);
        client = new Client(address(runner));
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(TestAgent(address(runner)), "go", list(output(CALL, 0), output(ANSWER, 5)));
        runner.runWithProofs(inputOf("go"), address(client), claims, proofs, termsFor(claims));
        assertTold(client);
        address bad = address(new BadClient(address(runner), BadClient.Way.REVERTS));
        vm.expectEmit(true, true, false, false, address(runner));
        emit IResultSource.ResultUndelivered(-1, bad, "", "");
        runner.runWithProofs(inputOf("go"), bad, claims, proofs, termsFor(claims));
    }

    function test_a_client_takes_results_from_its_agent_alone() public {
        TestAgent other = openOn(echo);
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(other, "go", list(output(CALL, 0), output(ANSWER, 5)));
        other.runWithProofs(inputOf("go"), address(client), claims, proofs, termsFor(claims));
        assertEq(client.calls(), 0);
    }
}

/// @dev Asks an agent with a handler.
contract NestingTool is EchoTool {
    IERCAgentTool private immutable _inner;
    address private _handler;

    constructor(IERCAgentTool inner) {
        _inner = inner;
    }

    function tell(address handler) external {
        _handler = handler;
    }

    function run(Input calldata input, address) external override returns (int256, string memory) {
        (, string memory result) = _inner.run(input, _handler);
        return (-1, result);
    }
}

/// @dev Sees whether a frame is open when it is told.
contract FrameProbe is Client {
    string public seen;

    constructor() Client(address(0)) {}

    function handleAgentResult(int256, string memory) external override {
        seen = TestAgent(msg.sender).agentExecutor().isInFrame() ? "open" : "closed";
    }
}

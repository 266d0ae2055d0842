// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {
    Claim,
    IAgentExecutor,
    IFramedAgent,
    RunTerms
} from "../../src/interfaces/IAgentExecutor.sol";
import {Context, IEncoder, IPromptEncoder} from "../../src/interfaces/IEncoder.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {EchoTool, MeddlingTool} from "../fakes/FakeTools.sol";
import {PromptModel} from "../fakes/PromptModel.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {PromptWorld} from "../support/PromptWorld.sol";

/// @dev Decides twice, with an update of model 3, which it owns, in between.
contract UpdatingOpener is IFramedAgent {
    uint256 public constant MODEL = 3;

    IAgentExecutor private immutable _executor;
    bytes private _update;

    constructor(IAgentExecutor executor) {
        _executor = executor;
    }

    function open(
        bytes calldata update,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external {
        _update = update;
        _executor.runInFrame(claims, proofs, terms, "");
    }

    function onFrame(bytes calldata) external returns (string memory, string[] memory none) {
        _decide();
        (bool success,) = address(_executor.registry()).call(_update);
        require(success, "not updated");
        _decide();
        return ("", none);
    }

    function _decide() private {
        _executor.runNextIteration("3", "", new IERCAgentTool[](0), new string[](0), "go");
    }
}

/// @dev What an encoder makes of a prompt is kept in a frame, for the same agent, prompt and readings; and
///   every way to be given what is not so.
contract SharedPromptsTest is PromptWorld {
    function expectEncodings(uint64 encodings, uint64 readings) private {
        vm.expectCall(address(light), abi.encodeWithSelector(IEncoder.encode.selector), encodings);
        bytes4 selector = IPromptEncoder.readings.selector;
        vm.expectCall(address(light), abi.encodeWithSelector(selector), readings);
    }

    function test_a_prompt_is_read_once_in_a_run() public {
        threeDecisions();
        assertEq(claims[0].featuresHash, claims[2].featuresHash);
        expectEncodings(1, 2);
        assertEq(runs(list(proofs[0], "", "")), "done");
    }

    function test_a_simulation_tells_the_features_that_are_kept() public {
        tool.arm(address(book), abi.encodeCall(book.word, ()));
        bytes memory first = decide(agent, "go", 2, 0);
        bytes memory second = decide(agent, "go", 2, 1);
        assertEq(first.length, 2 * INPUTS);
        assertEq(second, first);
        assertEq(decide(agent, "go", 2, 2), first);
    }

    /// @dev The attack: what was read before the swap would say another thing than what is there now.
    function test_a_book_that_a_tool_swaps_is_read_anew() public {
        tool.arm(address(book), abi.encodeCall(book.set, (2)));
        bytes memory before = decide(agent, "go", 2, 0);
        bytes memory swapped = decide(agent, "go", 2, 1);
        assertNotEq(keccak256(before), keccak256(swapped));
        assertEq(decide(agent, "go", 2, 2), swapped);
        expectEncodings(2, 2);
        assertEq(runs(list(proofs[0], proofs[1], "")), "done");
    }

    function test_claims_for_what_was_read_before_a_swap_are_refused() public {
        threeDecisions();
        tool.arm(address(book), abi.encodeCall(book.set, (2)));
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        runs(proofs);
    }

    function test_a_book_that_is_swapped_back_is_as_it_was() public {
        threeDecisions();
        book.set(2);
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        runs(proofs);
        book.set(1);
        assertEq(runs(list(proofs[0], "", "")), "done");
    }

    function test_nothing_is_kept_for_a_later_frame() public {
        threeDecisions();
        expectEncodings(2, 4);
        runs(proofs);
        runs(proofs);
    }

    function test_nothing_is_kept_outside_of_frames() public {
        threeDecisions();
        executor.recordDecision(id, features[0], claims[0].output, proofs[0]);
        expectEncodings(3, 0);
        agent.run(inputOf("go"), address(0));
    }

    function test_encoders_that_give_no_readings_are_asked_each_time() public {
        TestAgent other = agentWith(new EchoTool());
        (Claim[] memory given, bytes[] memory theirs) =
            plan(other, "go", list(output(CALL, 0), output(ANSWER, 1)));
        vm.expectCall(address(encoder), abi.encodeWithSelector(IEncoder.encode.selector), 2);
        other.runWithProofs(inputOf("go"), address(0), given, theirs, termsFor(given));
    }

    function test_another_agent_of_the_same_model_has_its_own() public {
        MeddlingTool last = new MeddlingTool();
        last.arm(address(book), abi.encodeCall(book.word, ()));
        TestAgent inner = agentOn(last);
        agent = agentOn(inner);
        bytes memory outer = decide(agent, "go", 1, 0);
        bytes memory nested = decide(agent, "go", 1, 0);
        assertNotEq(keccak256(outer), keccak256(nested));
        assertEq(decide(agent, "go", 1, 1), nested);
        assertEq(decide(agent, "go", 1, 1), outer);
        expectEncodings(2, 2);
        bytes[] memory given = append(list(proofs[0], proofs[1], ""), "");
        assertEq(runs(given), "done");
    }

    function test_a_model_that_is_updated_between_decisions_is_asked_anew() public {
        UpdatingOpener opener = new UpdatingOpener(executor);
        uint256 own = registerLight(address(opener));
        assertEq(own, opener.MODEL());
        PromptModel other = new PromptModel(book, INPUTS, false);
        ModelBinding memory binding = bindingOf(other);
        bytes memory update =
            abi.encodeCall(registry.updateBoundModel, (own, commitmentFor(binding), binding));
        bytes memory y = output(0, 0);
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory x = featuresOf(i == 0 ? light : other, address(opener));
            claims.push(Claim(own, keccak256(x), y));
            proofs.push(truth(x, y));
            terms.calls.push().callHash = callHash(address(opener), address(0), "");
        }
        terms.deadline = type(uint64).max;
        vm.expectCall(address(other), abi.encodeWithSelector(IEncoder.encode.selector), 1);
        expectEncodings(1, 0);
        opener.open(update, claims, proofs, terms);
    }

    function registerLight(address owner) private returns (uint256) {
        ModelBinding memory binding = bindingOf(light);
        ModelCommitment memory commitment = commitmentFor(binding);
        vm.prank(owner);
        return registry.registerBoundModel(commitment, binding);
    }

    function featuresOf(PromptModel by, address whose)
        private
        view
        returns (bytes memory features)
    {
        (features,) = by.encode(Context(whose, "", new IERCAgentTool[](0), new string[](0), "go"));
    }
}

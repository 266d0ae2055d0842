// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {
    AgreedCall,
    Claim,
    IAgentExecutor,
    Range,
    RunTerms
} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {CatchingTool} from "../fakes/FakeTools.sol";
import {PayingTool, SteeredModel} from "../fakes/SteeredModel.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev What a signed run may come to, when everything but the claims can change under it.
contract TermsTest is World {
    uint16 private constant AMOUNT = 1; // which word of a payment it is
    address private dai = makeAddr("dai");
    address private usdc = makeAddr("usdc");
    address private friend = makeAddr("friend");
    address private thief = makeAddr("thief");

    SteeredModel private steered = new SteeredModel(INPUTS);
    uint256 private steeredId = registerSteered();
    PayingTool private payer = new PayingTool();
    PayingTool private other = new PayingTool();
    TestAgent private agent = payingAgent(payer, other);

    function registerSteered() private returns (uint256) {
        ModelBinding memory binding = bindingWith(address(steered));
        (binding.encoder, binding.decoder) = (address(steered), address(steered));
        return registry.registerBoundModel(commitmentFor(binding), binding);
    }

    function payingAgent(IERCAgentTool a, IERCAgentTool b) private returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](2);
        (tools[0], tools[1]) = (a, b);
        return new TestAgent(executor, vm.toString(steeredId), address(0), tools, 5);
    }

    function payment(address asset, uint256 amount, address to)
        private
        pure
        returns (bytes memory)
    {
        return abi.encode(asset, amount, to);
    }

    function claimsFor(uint256 count) private view returns (Claim[] memory claims) {
        for (uint256 i = 0; i < count; ++i) {
            claims = append(
                claims, Claim(steeredId, keccak256(new bytes(2 * INPUTS)), output(ANSWER, 0))
            );
        }
    }

    /// @dev The terms of paying 25 DAI to a friend.
    function agreed() private view returns (RunTerms memory terms) {
        terms.deadline = uint64(block.timestamp);
        terms.calls = new AgreedCall[](2);
        terms.calls[0].callHash = callHash(address(agent), address(payer), payment(dai, 25, friend));
        terms.calls[1].callHash = callHash(address(agent), address(0), "");
    }

    /// @dev The same for an amount that was observed.
    function agreedBetween(uint256 least, uint256 most)
        private
        view
        returns (RunTerms memory terms)
    {
        terms = agreed();
        terms.calls[0].callHash = callHash(address(agent), address(payer), payment(dai, 0, friend));
        terms.calls[0].ranges = new Range[](1);
        terms.calls[0].ranges[0] = Range(AMOUNT, least, most);
    }

    function runs(RunTerms memory terms) private returns (string memory answer) {
        Claim[] memory claims = claimsFor(2);
        (, answer) = agent.runWithProofs(inputOf("go"), address(0), claims, new bytes[](2), terms);
    }

    function refused(RunTerms memory terms, uint256 tool, bytes memory params) private {
        steered.steer(tool, params);
        address called = tool == 0 ? address(payer) : address(other);
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.CallNotAgreed.selector, 0, agent, called, params)
        );
        runs(terms);
    }

    function test_what_was_agreed_happens() public {
        steered.steer(0, payment(dai, 25, friend));
        assertEq(runs(agreed()), "done");
        assertEq(payer.paid(dai, friend), 25);
    }

    function test_another_token_amount_recipient_or_tool_does_not() public {
        refused(agreed(), 0, payment(usdc, 25, friend));
        refused(agreed(), 0, payment(dai, 26, friend));
        refused(agreed(), 0, payment(dai, 25, thief));
        refused(agreed(), 1, payment(dai, 25, friend));
        refused(agreed(), 0, bytes.concat(payment(dai, 25, friend), "more"));
        refused(agreed(), 0, abi.encode(dai, 25));
        assertEq(payer.paid(dai, friend) + other.paid(dai, friend), 0);
    }

    function test_a_call_in_place_of_the_answer_does_not_happen_either() public {
        steered.steer(0, payment(dai, 25, friend));
        RunTerms memory terms = agreed();
        terms.calls[0].callHash = callHash(address(agent), address(0), "");
        vm.expectPartialRevert(IAgentExecutor.CallNotAgreed.selector);
        runs(terms);
    }

    function test_an_answer_in_place_of_a_call_is_refused() public {
        TestAgent mute =
            new TestAgent(executor, vm.toString(steeredId), address(0), new IERCAgentTool[](0), 5);
        RunTerms memory terms = agreed();
        terms.calls = new AgreedCall[](1);
        terms.calls[0].callHash = callHash(address(mute), address(payer), "");
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.CallNotAgreed.selector, 0, mute, address(0), "")
        );
        mute.runWithProofs(inputOf("go"), address(0), claimsFor(1), new bytes[](1), terms);
    }

    function test_terms_of_another_agent_do_not_hold() public {
        steered.steer(0, payment(dai, 25, friend));
        RunTerms memory terms = agreed();
        terms.calls[0].callHash = callHash(address(this), address(payer), payment(dai, 25, friend));
        vm.expectPartialRevert(IAgentExecutor.CallNotAgreed.selector);
        runs(terms);
    }

    function testFuzz_an_observed_amount_stays_within_its_range(
        uint256 least,
        uint256 most,
        uint256 amount
    ) public {
        if (least > most) (least, most) = (most, least);
        RunTerms memory terms = agreedBetween(least, most);
        if (amount < least || amount > most) {
            refused(terms, 0, payment(dai, amount, friend));
        } else {
            steered.steer(0, payment(dai, amount, friend));
            assertEq(runs(terms), "done");
            assertEq(payer.paid(dai, friend), amount);
        }
    }

    function test_the_bounds_of_a_range_are_inside() public {
        refused(agreedBetween(25, 27), 0, payment(dai, 24, friend));
        refused(agreedBetween(25, 27), 0, payment(dai, 28, friend));
        steered.steer(0, payment(dai, 25, friend));
        assertEq(runs(agreedBetween(25, 27)), "done");
        assertEq(runs(agreedBetween(25, 25)), "done");
        steered.steer(0, payment(dai, 27, friend));
        assertEq(runs(agreedBetween(25, 27)), "done");
        assertEq(payer.paid(dai, friend), 25 + 25 + 27);
    }

    function test_a_range_covers_its_own_word_alone() public {
        refused(agreedBetween(0, type(uint256).max), 0, payment(usdc, 25, friend));
        refused(agreedBetween(0, type(uint256).max), 0, payment(dai, 25, thief));
    }

    function test_a_range_that_leaves_the_parameters_holds_for_nothing() public {
        RunTerms memory terms = agreedBetween(0, type(uint256).max);
        for (uint16 word = 3; word > 2; word *= 2) {
            terms.calls[0].ranges[0].word = word;
            refused(terms, 0, payment(dai, 0, friend));
            if (word > type(uint16).max / 2) break;
        }
        terms.calls[0].ranges[0] = Range(0, 0, type(uint256).max);
        terms.calls[0].callHash = callHash(address(agent), address(payer), new bytes(31));
        refused(terms, 0, new bytes(31));
    }

    function malformed(Range memory a, Range memory b, uint16 word) private {
        for (uint256 i = 0; i < 2; ++i) {
            RunTerms memory terms = agreed();
            terms.calls[i].ranges = new Range[](2);
            (terms.calls[i].ranges[0], terms.calls[i].ranges[1]) = (a, b);
            vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.MalformedRange.selector, i, word));
            runs(terms);
        }
    }

    function test_ranges_are_in_order_and_not_empty() public {
        malformed(Range(1, 0, 9), Range(1, 0, 9), 1);
        malformed(Range(2, 0, 9), Range(1, 0, 9), 1);
        malformed(Range(0, 9, 8), Range(1, 0, 9), 0);
        malformed(Range(0, 9, 9), Range(7, 1, 0), 7);
    }

    function test_a_run_happens_until_its_deadline() public {
        steered.steer(0, payment(dai, 25, friend));
        RunTerms memory terms = agreed();
        assertEq(runs(terms), "done");
        vm.warp(block.timestamp + 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAgentExecutor.RunExpired.selector, terms.deadline, block.timestamp
            )
        );
        runs(terms);
    }

    function test_every_claim_has_one_agreed_call() public {
        for (uint256 count = 0; count < 4; ++count) {
            if (count == 2) continue;
            RunTerms memory terms = agreed();
            terms.calls = new AgreedCall[](count);
            vm.expectRevert(
                abi.encodeWithSelector(IAgentExecutor.CallCountMismatch.selector, 2, count)
            );
            runs(terms);
        }
    }

    /// @dev A nested agent that serves everybody is told to pay somebody else; what its parent's other
    ///   branch would do on its failure is not for the sender to choose.
    function test_a_nested_agents_calls_are_bound_and_cannot_be_caught() public {
        steered.steer(0, payment(dai, 25, friend));
        TestAgent parent = agentWith(new CatchingTool(agent));
        (Claim[] memory claims, bytes[] memory proofs) = plan(parent, "go", list(output(CALL, 0)));
        RunTerms memory terms = termsFor(claims);
        claims = append(append(claims, claimsFor(1)[0]), claimsFor(1)[0]);
        Missing memory last = missing(parent, "go", claims);
        claims = append(claims, Claim(model, keccak256(last.features), output(ANSWER, 7)));
        proofs = append(append(proofs, ""), "");
        proofs = append(proofs, truth(last.features, output(ANSWER, 7)));
        AgreedCall[] memory nested = agreed().calls;
        AgreedCall memory first = terms.calls[0];
        terms = termsFor(claims);
        (terms.calls[0], terms.calls[1], terms.calls[2]) = (first, nested[0], nested[1]);
        parent.runWithProofs(inputOf("go"), address(0), claims, proofs, terms);
        assertEq(payer.paid(dai, friend), 25);
        bytes memory stolen = payment(dai, 25, thief);
        steered.steer(0, stolen);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAgentExecutor.CallNotAgreed.selector, 1, agent, address(payer), stolen
            )
        );
        parent.runWithProofs(inputOf("go"), address(0), claims, proofs, terms);
        assertEq(payer.paid(dai, thief), 0);
    }

    function test_planning_needs_no_terms() public {
        steered.steer(1, payment(usdc, 1, thief));
        bytes memory reason = simulationOf(agent, "go", claimsFor(2));
        assertEq(bytes4(reason), IAgentExecutor.SimulationResult.selector);
        assertEq(other.paid(usdc, thief), 0);
    }
}

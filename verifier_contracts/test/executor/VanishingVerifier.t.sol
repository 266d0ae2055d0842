// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev A verifier that is created, registered, pinned by an agent and destroyed in one transaction,
///   which `setUp` is: EIP-6780 takes its code away at the end.
contract VanishingVerifierTest is World {
    bytes private constant DESTROYS_ITSELF = hex"5fff";
    bytes private constant CREATION = hex"615fff5f526002601ef3"; // returns DESTROYS_ITSELF

    address private vanishing;
    uint256 private gone;
    TestAgent private agent;

    function setUp() public {
        vanishing = create(CREATION);
        assertEq(vanishing.code, DESTROYS_ITSELF);
        gone = registerFakeModel(FakeVerifier(vanishing));
        agent = new TestAgent(executor, vm.toString(gone), address(this), new IERCAgentTool[](0), 5);
        (bool destroyed,) = vanishing.call("");
        assertTrue(destroyed);
    }

    function create(bytes memory code) private returns (address made) {
        assembly ("memory-safe") {
            made := create(0, add(code, 32), mload(code))
        }
    }

    function test_its_proofs_are_refused_and_its_agent_stops() public {
        assertEq(vanishing.code.length, 0);
        assertNotEq(registry.commitmentHash(gone), bytes32(0));
        (Claim[] memory claims, bytes[] memory proofs) = plan(agent, "a", list(output(ANSWER, 1)));
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.VerifierGone.selector, vanishing));
        agent.runWithProofs(inputOf("a"), address(0), claims, proofs, termsFor(claims));
    }

    function test_no_decision_of_it_gets_on_record() public {
        bytes memory features = new bytes(2 * INPUTS);
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.VerifierGone.selector, vanishing));
        executor.recordDecision(gone, features, output(ANSWER, 1), "proof");
    }
}

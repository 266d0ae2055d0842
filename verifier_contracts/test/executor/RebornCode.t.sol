// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {BatchVerifier, IModelRegistry, ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Metamorphs} from "../support/Metamorphs.sol";
import {World} from "../support/World.sol";

/// @dev All that executes a model is made, registered, pinned by an agent and gone again in one
///   transaction, which `setUp` is. Whoever made it can put other code into its place at any time, and
///   no decision is made with it.
contract RebornCodeTest is World, Metamorphs {
    uint256 private constant VERIFIER = 0;
    uint256 private constant ENCODER = 1;
    uint256 private constant DECODER = 2;
    uint256 private constant TABLE = 3;
    uint256 private constant OTHER_TABLE = 4;
    uint256 private constant BATCH = 5;
    uint256 private constant PLACES = 6;
    bytes private constant ACCEPTS_ALL = hex"00";

    bytes[PLACES] private genuine;
    address[PLACES] private places;
    uint256 private gone;
    bytes32 private pinned;
    TestAgent private agent;
    bytes private features;
    BatchVerifier[] private batches;

    function setUp() public {
        bytes memory verifierCode = address(verifier).code;
        genuine = [
            verifierCode,
            address(encoder).code,
            address(decoder).code,
            bytes(hex"00aa"),
            bytes(hex"00bb"),
            verifierCode
        ];
        makeAll(PLACES, "");
        ModelBinding memory binding = bindingWith(places[VERIFIER]);
        (binding.encoder, binding.decoder) = (places[ENCODER], places[DECODER]);
        binding.components = new address[](2);
        (binding.components[0], binding.components[1]) = (places[TABLE], places[OTHER_TABLE]);
        gone = registry.registerBoundModel(commitmentFor(binding), binding);
        batches.push(BatchVerifier(2, places[BATCH], "batch", places[BATCH].codehash));
        registry.setBatchVerifiers(gone, batches);
        registry.checkCode(gone);
        agent = newAgent();
        pinned = agent.pinnedCommitment();
        features = missing(agent, "a", new Claim[](0)).features;
    }

    function newAgent() private returns (TestAgent) {
        return new TestAgent(executor, vm.toString(gone), address(this), new IERCAgentTool[](0), 5);
    }

    /// @dev Everything as it was, but for one place: there is `code`, or nothing if that is empty.
    function makeAll(uint256 except, bytes memory code) private {
        for (uint256 i = 0; i < PLACES; ++i) {
            if (i != except) places[i] = make(i, genuine[i]);
            else if (code.length != 0) make(i, code);
        }
    }

    function decide(uint256 place) private returns (Claim[] memory claims, bytes[] memory proofs) {
        bytes memory y = output(ANSWER, 1);
        claims = new Claim[](0);
        claims = append(claims, Claim(gone, keccak256(features), y));
        proofs = list("no proof");
        if (places[place].code.length > 1) {
            proofs[0] = FakeVerifier(places[place]).admit(instancesOf(features, y));
        }
    }

    function rows() private view returns (bytes[] memory x, bytes[] memory y) {
        (x, y) = (list(features, features), list(output(ANSWER, 1), output(ANSWER, 1)));
    }

    /// @dev Neither in a run, nor simulated, nor on record, and by no change of the batch verifiers.
    function assertRefused() private {
        bytes memory refusal =
            abi.encodeWithSelector(IModelRegistry.ModelCodeChanged.selector, gone);
        (Claim[] memory claims, bytes[] memory proofs) = decide(VERIFIER);
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(refusal);
        agent.runWithProofs(inputOf("a"), address(0), claims, proofs, terms);
        vm.expectRevert(refusal);
        agent.simulate(inputOf("a"), claims);
        vm.expectRevert(refusal);
        agent.run(inputOf("a"), address(0));
        vm.expectRevert(refusal);
        executor.recordDecision(gone, features, claims[0].output, proofs[0]);
        (bytes[] memory x, bytes[] memory y) = rows();
        vm.expectRevert(refusal);
        executor.recordDecisions(gone, x, y, proofs[0]);
        vm.expectRevert(refusal);
        executor.recordedOutput(gone, features);
        vm.expectRevert(refusal);
        registry.bindingOf(gone);
        vm.expectRevert(refusal);
        registry.setBatchVerifiers(gone, batches);
        assertEq(registry.commitmentHash(gone), pinned);
    }

    /// @dev `code` in each place that every decision depends on, the rest as it was.
    function assertRefusedEverywhere(bytes memory code) private {
        uint256 before = vm.snapshotState();
        for (uint256 i = 0; i < BATCH; ++i) {
            makeAll(i, code);
            assertRefused();
            vm.revertToState(before);
        }
    }

    function test_other_code_is_refused_wherever_it_comes() public {
        assertRefusedEverywhere(ACCEPTS_ALL);
    }

    function test_a_place_without_code_is_refused() public {
        assertRefusedEverywhere("");
    }

    function test_a_place_that_was_paid_and_has_no_code_is_refused() public {
        make(BATCH, genuine[BATCH]);
        for (uint256 i = 0; i < BATCH; ++i) {
            vm.deal(places[i], 1);
        }
        assertRefused();
    }

    function test_code_that_does_the_same_and_is_not_the_same_is_refused() public {
        for (uint256 i = 0; i < BATCH; ++i) {
            uint256 before = vm.snapshotState();
            makeAll(i, bytes.concat(genuine[i], hex"00"));
            assertRefused();
            vm.revertToState(before);
        }
    }

    function test_an_account_that_delegates_is_refused() public {
        makeAll(PLACES, "");
        for (uint256 i = 0; i < BATCH; ++i) {
            uint256 before = vm.snapshotState();
            vm.etch(places[i], abi.encodePacked(hex"ef0100", address(new Copy(genuine[i]))));
            assertRefused();
            vm.revertToState(before);
        }
    }

    function test_two_that_changed_places_are_refused() public {
        makeAll(PLACES, "");
        vm.etch(places[TABLE], genuine[OTHER_TABLE]);
        vm.etch(places[OTHER_TABLE], genuine[TABLE]);
        assertRefused();
    }

    function test_the_same_code_made_again_is_obeyed() public {
        makeAll(PLACES, "");
        registry.checkCode(gone);
        (Claim[] memory claims, bytes[] memory proofs) = decide(VERIFIER);
        RunTerms memory terms = termsFor(claims);
        agent.runWithProofs(inputOf("a"), address(0), claims, proofs, terms);
        executor.recordDecision(gone, features, claims[0].output, proofs[0]);
        assertEq(executor.recordedOutput(gone, features), claims[0].output);
        agent.run(inputOf("a"), address(0));
    }

    function test_a_batch_verifier_with_other_code_or_none_is_refused() public {
        bytes[3] memory others = [ACCEPTS_ALL, bytes(""), bytes.concat(genuine[BATCH], hex"00")];
        bytes memory refusal =
            abi.encodeWithSelector(IModelRegistry.ModelCodeChanged.selector, gone);
        (bytes[] memory x, bytes[] memory y) = rows();
        for (uint256 i = 0; i < others.length; ++i) {
            uint256 before = vm.snapshotState();
            makeAll(BATCH, others[i]);
            vm.expectRevert(refusal);
            executor.recordDecisions(gone, x, y, "no proof");
            vm.expectRevert(refusal);
            registry.batchVerifierFor(gone, 2);
            registry.bindingOf(gone); // single proofs still count
            vm.revertToState(before);
        }
    }

    function test_a_batch_verifier_made_again_is_obeyed() public {
        makeAll(PLACES, "");
        (bytes[] memory x, bytes[] memory y) = rows();
        bytes memory proof = FakeVerifier(places[BATCH])
            .admit(instancesOf(bytes.concat(x[0], x[1]), bytes.concat(y[0], y[1])));
        executor.recordDecisions(gone, x, y, proof);
        assertEq(executor.recordedOutput(gone, features), y[0]);
    }

    function test_the_registry_tells_it_before_and_after() public {
        vm.expectRevert(noCodeAt(VERIFIER));
        registry.checkCode(gone);
        makeAll(VERIFIER, ACCEPTS_ALL);
        vm.expectRevert(otherVerifier());
        registry.checkCode(gone);
    }

    function test_no_agent_pins_it_any_more() public {
        vm.expectRevert(noCodeAt(VERIFIER));
        newAgent();
        makeAll(VERIFIER, ACCEPTS_ALL);
        vm.expectRevert(otherVerifier());
        newAgent();
    }

    function test_an_update_to_the_code_that_came_is_another_commitment() public {
        makeAll(TABLE, hex"00cc");
        ModelBinding memory binding = registry.getBinding(gone);
        registry.updateBoundModel(gone, commitmentFor(binding), binding);
        registry.bindingOf(gone);
        assertNotEq(registry.commitmentHash(gone), pinned);
    }

    function noCodeAt(uint256 place) private view returns (bytes memory) {
        return abi.encodeWithSelector(IModelRegistry.NoFixedCode.selector, places[place]);
    }

    function otherVerifier() private view returns (bytes memory) {
        return abi.encodeWithSelector(
            IModelRegistry.VerifierMismatch.selector,
            keccak256(genuine[VERIFIER]),
            keccak256(ACCEPTS_ALL)
        );
    }
}

/// @dev A contract that stays, with this code.
contract Copy {
    constructor(bytes memory code) {
        assembly ("memory-safe") {
            return(add(code, 32), mload(code))
        }
    }
}

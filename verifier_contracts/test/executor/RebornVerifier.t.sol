// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim} from "../../src/interfaces/IAgentExecutor.sol";
import {IModelRegistry} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev Made by CREATE2 and destroyed, it can be made again at its address, and so can what it lays.
contract Nest {
    function lay(bytes memory code) external returns (address made) {
        assembly ("memory-safe") {
            made := create(0, add(code, 32), mload(code))
        }
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

/// @dev A limit that stands, see SECURITY.md: who makes a verifier, registers it, has an agent pin it and
///   destroys it in one transaction, which `setUp` is, can put other code in its place later, and the
///   executor obeys that under the same commitment. Whoever looks sees it at any time between: the
///   registry's `checkCode`, audits, and every agent that is still to pin the model.
contract RebornVerifierTest is World {
    bytes private constant DESTROYS_ITSELF = hex"615fff5f526002601ef3";
    bytes private constant ACCEPTS_ALL = hex"60005f5360015ff3";

    address private vanishing;
    uint256 private gone;
    bytes32 private registered;
    bytes32 private pinned;
    TestAgent private agent;

    function setUp() public {
        Nest nest = new Nest{salt: 0}();
        vanishing = nest.lay(DESTROYS_ITSELF);
        registered = vanishing.codehash;
        gone = registerFakeModel(FakeVerifier(vanishing));
        registry.checkCode(gone);
        agent = newAgent();
        pinned = agent.pinnedCommitment();
        (bool destroyed,) = vanishing.call("");
        assertTrue(destroyed);
        nest.end();
    }

    function newAgent() private returns (TestAgent) {
        return new TestAgent(executor, vm.toString(gone), address(this), new IERCAgentTool[](0), 5);
    }

    function layAnother() private {
        assertEq(new Nest{salt: 0}().lay(ACCEPTS_ALL), vanishing);
        assertEq(vanishing.code, hex"00");
    }

    function test_other_code_in_its_place_is_obeyed_under_the_same_commitment() public {
        layAnother();
        (Claim[] memory claims, bytes[] memory proofs) = plan(agent, "a", list(output(ANSWER, 1)));
        proofs[0] = "no proof";
        agent.runWithProofs(inputOf("a"), address(0), claims, proofs, termsFor(claims));
        assertEq(registry.commitmentHash(gone), pinned);
    }

    function test_the_registry_tells_it_before_and_after() public {
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.NoFixedCode.selector, vanishing));
        registry.checkCode(gone);
        layAnother();
        vm.expectRevert(
            abi.encodeWithSelector(
                IModelRegistry.VerifierMismatch.selector, registered, keccak256(hex"00")
            )
        );
        registry.checkCode(gone);
    }

    function test_no_agent_pins_it_any_more() public {
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.NoFixedCode.selector, vanishing));
        newAgent();
        layAnother();
        vm.expectRevert(
            abi.encodeWithSelector(
                IModelRegistry.VerifierMismatch.selector, registered, keccak256(hex"00")
            )
        );
        newAgent();
    }
}

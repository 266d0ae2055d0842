// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {InstructedWalletAgent} from "../../src/agents/InstructedWalletAgent.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {IContactBook} from "../../src/interfaces/IContactBook.sol";
import {IInstructedAgent} from "../../src/interfaces/IInstructedAgent.sol";
import {IServingAgent} from "../../src/interfaces/IServingAgent.sol";
import {ContactBook} from "../../src/wallet/ContactBook.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";
import {World} from "../support/World.sol";

contract InstructedWalletAgentTest is World {
    SymbolBook private book = new SymbolBook(address(this));
    ContactBook private contacts = new ContactBook(address(this));
    LendingPool private pool = new LendingPool();
    address private owner = makeAddr("owner");

    function setup(uint256 caution) private view returns (InstructedWalletAgent.Setup memory) {
        return InstructedWalletAgent.Setup({
            executor: executor,
            modelId: vm.toString(model),
            commitment: registry.commitmentHash(model),
            registry: registry,
            owner: owner,
            pool: pool,
            symbols: book,
            contacts: contacts,
            caution: caution,
            maxIterations: 9
        });
    }

    function made(uint256 caution) private returns (InstructedWalletAgent) {
        return new InstructedWalletAgent(setup(caution));
    }

    function test_it_tells_what_it_was_made_with() public {
        vm.expectEmit();
        emit IInstructedAgent.CautionSet(0, 150);
        InstructedWalletAgent agent = made(150);
        assertEq(agent.caution(), 150);
        assertEq(address(agent.contactBook()), address(contacts));
        assertEq(address(agent.symbolBook()), address(book));
        assertEq(agent.owner(), owner);
        assertEq(agent.maxIterations(), 9);
    }

    function test_its_owner_alone_sets_the_caution() public {
        InstructedWalletAgent agent = made(150);
        vm.prank(owner);
        vm.expectEmit(address(agent));
        emit IInstructedAgent.CautionSet(150, 300);
        agent.setCaution(300);
        assertEq(agent.caution(), 300);
        vm.expectRevert(
            abi.encodeWithSelector(IServingAgent.CallerIsNotTheOwner.selector, address(this), owner)
        );
        agent.setCaution(0);
        vm.prank(owner);
        agent.alsoServe(address(this)); // which is to run it, not to say how sure it has to be
        vm.expectRevert(
            abi.encodeWithSelector(IServingAgent.CallerIsNotTheOwner.selector, address(this), owner)
        );
        agent.setCaution(0);
        assertEq(agent.caution(), 300);
    }

    function test_a_caution_that_nothing_passes_is_refused() public {
        made(10_000);
        bytes memory refusal =
            abi.encodeWithSelector(IInstructedAgent.CautionTooHigh.selector, 10_001, 10_000);
        InstructedWalletAgent.Setup memory tooHigh = setup(10_001);
        vm.expectRevert(refusal);
        new InstructedWalletAgent(tooHigh);
        InstructedWalletAgent agent = made(0);
        vm.prank(owner);
        vm.expectRevert(refusal);
        agent.setCaution(10_001);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor, IFramedAgent} from "../../src/interfaces/IAgentExecutor.sol";
import {IModelRegistry} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {IERCZKMLRegistry, ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {World} from "../support/World.sol";

/// @dev Asks the executor for one decision of the model that it calls by this id.
contract NamingAgent is IFramedAgent {
    IAgentExecutor private immutable _executor;
    string private _id;

    constructor(IAgentExecutor executor, string memory id) {
        (_executor, _id) = (executor, id);
    }

    function simulate() external {
        _executor.simulateInFrame(new Claim[](0), "");
    }

    function onFrame(bytes calldata) external returns (string memory answer, string[] memory none) {
        answer = _executor.runNextIteration(_id, "", new IERCAgentTool[](0), none, "go").finalAnswer;
    }
}

contract AliasesTest is World {
    string private constant NAME = "llama_model_3";

    function test_a_model_s_owner_names_it_once_and_for_all() public {
        vm.expectEmit(address(registry));
        emit IModelRegistry.AliasAdded(model, NAME);
        registry.addAlias(model, NAME);
        assertEq(registry.modelNamed(NAME), model);
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.AliasTaken.selector, NAME, model));
        registry.addAlias(model, NAME);
    }

    function test_a_name_that_is_taken_is_nobody_else_s_nor_another_model_s() public {
        registry.addAlias(model, NAME);
        uint256 own = registerFakeModel(verifier);
        bytes memory taken = abi.encodeWithSelector(IModelRegistry.AliasTaken.selector, NAME, model);
        vm.expectRevert(taken);
        registry.addAlias(own, NAME);
        vm.startPrank(makeAddr("stranger"));
        uint256 theirs = registry.registerModel(ModelCommitment("m", "c", "v", 0x01020304, ""));
        vm.expectRevert(taken);
        registry.addAlias(theirs, NAME);
        assertEq(registry.modelNamed(NAME), model);
    }

    function test_only_the_owner_names_a_model() public {
        address stranger = makeAddr("stranger");
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(IERCZKMLRegistry.NotModelOwner.selector, model, stranger)
        );
        registry.addAlias(model, NAME);
        vm.expectRevert(abi.encodeWithSelector(IERCZKMLRegistry.ModelNotFound.selector, 99));
        registry.addAlias(99, NAME);
        registry.deprecateModel(model);
        vm.expectRevert(abi.encodeWithSelector(IERCZKMLRegistry.ModelIsDeprecated.selector, model));
        registry.addAlias(model, NAME);
    }

    function test_a_name_stays_when_its_model_is_updated_or_withdrawn() public {
        registry.addAlias(model, NAME);
        registry.updateBoundModel(
            model, commitmentFor(bindingWith(address(verifier))), bindingWith(address(verifier))
        );
        assertEq(registry.modelNamed(NAME), model);
        registry.deprecateModel(model);
        assertEq(registry.modelNamed(NAME), model);
        uint256 own = registerFakeModel(verifier);
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.AliasTaken.selector, NAME, model));
        registry.addAlias(own, NAME);
    }

    function test_a_model_may_have_several_names_and_case_counts() public {
        registry.addAlias(model, NAME);
        registry.addAlias(model, "0xabc");
        uint256 own = registerFakeModel(verifier);
        registry.addAlias(own, "Llama_model_3");
        assertEq(registry.modelNamed("0xabc"), model);
        assertEq(registry.modelNamed("Llama_model_3"), own);
    }

    function test_what_could_be_a_number_or_is_not_plain_text_is_no_name() public {
        string[8] memory bad =
            ["", "1", "007", "10000000000000000000000000000", "a b", " a", "a\n", unicode"ä"];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IModelRegistry.MalformedAlias.selector, bad[i]));
            registry.addAlias(model, bad[i]);
        }
        string memory longest = string(letters(64));
        registry.addAlias(model, longest);
        assertEq(registry.modelNamed(longest), model);
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.MalformedAlias.selector, string(letters(65)))
        );
        registry.addAlias(model, string(letters(65)));
    }

    function test_what_nobody_named_is_unknown() public {
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.AliasUnknown.selector, NAME));
        registry.modelNamed(NAME);
        registry.addAlias(model, NAME);
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.AliasUnknown.selector, "1"));
        registry.modelNamed("1");
    }

    function test_an_agent_may_call_its_model_by_name() public {
        uint256 own = registerFakeModel(verifier);
        registry.addAlias(own, NAME);
        assertEq(decidedBy(NAME), own);
        assertEq(decidedBy(vm.toString(own)), own);
    }

    function test_an_unknown_name_decides_nothing() public {
        registry.addAlias(model, NAME);
        string[3] memory unknown = ["llama_model_4", "Llama_model_3", "llama_model_3 "];
        for (uint256 i = 0; i < unknown.length; ++i) {
            NamingAgent agent = new NamingAgent(executor, unknown[i]);
            vm.expectRevert(
                abi.encodeWithSelector(IModelRegistry.AliasUnknown.selector, unknown[i])
            );
            agent.simulate();
        }
        string[4] memory malformed = ["", "0", "01", "10000000000000000000000000000"];
        for (uint256 i = 0; i < malformed.length; ++i) {
            NamingAgent agent = new NamingAgent(executor, malformed[i]);
            vm.expectRevert(
                abi.encodeWithSelector(IAgentExecutor.MalformedModelId.selector, malformed[i])
            );
            agent.simulate();
        }
    }

    function decidedBy(string memory id) private returns (uint256 modelId) {
        NamingAgent agent = new NamingAgent(executor, id);
        try agent.simulate() {
            revert("simulate returned");
        } catch (bytes memory reason) {
            assertEq(bytes4(reason), IAgentExecutor.MissingDecision.selector);
            (,, modelId,,) =
                abi.decode(arguments(reason), (uint256, address, uint256, bytes, bytes));
        }
    }

    function letters(uint256 count) private pure returns (bytes memory text) {
        text = new bytes(count);
        for (uint256 i = 0; i < count; ++i) {
            text[i] = "a";
        }
    }
}

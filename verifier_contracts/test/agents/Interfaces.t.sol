// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

import {WalletAgent} from "../../src/agents/WalletAgent.sol";
import {LaterTool} from "../../src/demo/LaterTool.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {IAgentExecutor, IFramedAgent} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IStrictAgent} from "../../src/interfaces/IStrictAgent.sol";
import {ISuspendingAgent} from "../../src/interfaces/ISuspendingAgent.sol";
import {IERCAgentClient} from "../../src/interfaces/erc/IERCAgentClient.sol";
import {IERCAgentExecutor} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {IGuardableAgent} from "../../src/interfaces/guards/IGuardableAgent.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";
import {World} from "../support/World.sol";

/// @dev What agents, tools and executors say of themselves by ERC-165, and what they do not.
contract InterfacesTest is World {
    WalletAgent private agent = new WalletAgent(
        executor,
        vm.toString(model),
        registry.commitmentHash(model),
        registry,
        address(this),
        new LendingPool(),
        new SymbolBook(address(this)),
        6
    );

    function assertSays(address who, bytes4[] memory ids) private view {
        assertTrue(ERC165Checker.supportsERC165(who));
        for (uint256 i = 0; i < ids.length; ++i) {
            assertTrue(ERC165Checker.supportsInterface(who, ids[i]), vm.toString(ids[i]));
        }
    }

    function assertDenies(address who, bytes4 id) private view {
        assertFalse(IERC165(who).supportsInterface(id), vm.toString(id));
    }

    function test_an_agent_is_a_tool_a_client_and_what_of_ours_it_is() public view {
        bytes4[] memory ids = new bytes4[](7);
        ids[0] = type(IERCAgentTool).interfaceId;
        ids[1] = type(IERCAgentClient).interfaceId;
        ids[2] = type(IProvenAgent).interfaceId;
        ids[3] = type(IFramedAgent).interfaceId;
        ids[4] = type(IStrictAgent).interfaceId;
        ids[5] = type(ISuspendingAgent).interfaceId;
        ids[6] = type(IGuardableAgent).interfaceId;
        assertSays(address(agent), ids);
        assertDenies(address(agent), type(IERCAgentExecutor).interfaceId);
        assertDenies(address(agent), bytes4(0));
    }

    function test_a_tool_is_a_tool_and_no_client() public {
        (IERCAgentTool[] memory tools,) = agent.tools();
        bytes4[] memory ids = new bytes4[](1);
        ids[0] = type(IERCAgentTool).interfaceId;
        assertSays(address(tools[0]), ids);
        IERCAgentTool.InputDescription memory none;
        LaterTool later = new LaterTool(address(this), "Later", "later", none);
        assertSays(address(later), ids);
        address[2] memory both = [address(tools[0]), address(later)];
        for (uint256 i = 0; i < 2; ++i) {
            assertDenies(both[i], type(IERCAgentClient).interfaceId);
            assertDenies(both[i], type(IProvenAgent).interfaceId);
        }
    }

    function test_an_executor_is_the_ercs_and_ours() public view {
        bytes4[] memory ids = new bytes4[](2);
        ids[0] = type(IERCAgentExecutor).interfaceId;
        ids[1] = type(IAgentExecutor).interfaceId;
        assertSays(address(executor), ids);
        assertDenies(address(executor), type(IERCAgentTool).interfaceId);
    }

    /// @dev As the ERC's functions have them, written down by hand.
    function test_the_ercs_interfaces_have_the_ids_of_its_functions() public pure {
        bytes4 run = IERCAgentTool.run.selector;
        assertEq(run, bytes4(keccak256("run(((uint8,bytes)[],bytes),address)")));
        bytes4 tool = bytes4(keccak256("name()")) ^ bytes4(keccak256("description()"))
            ^ bytes4(keccak256("inputDescription()")) ^ run;
        assertEq(type(IERCAgentTool).interfaceId, tool);
        bytes4 client = bytes4(keccak256("handleAgentResult(int256,string)")) ^ bytes4(0x01ffc9a7);
        assertEq(type(IERCAgentClient).interfaceId, client);
    }
}

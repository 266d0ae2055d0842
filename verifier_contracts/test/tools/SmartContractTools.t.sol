// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {AgentInput} from "../../src/agents/AgentInput.sol";
import {DemoToken} from "../../src/demo/DemoToken.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {BalanceConverter} from "../../src/tools/BalanceConverter.sol";
import {SimpleSmartContractTool} from "../../src/tools/SimpleSmartContractTool.sol";
import {ToolResultConverter} from "../../src/tools/ToolResultConverter.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";

/// @dev What the tool under test wraps; it is its own converter, which answers the return data.
contract Wrapped is ToolResultConverter {
    error NotToday(string why);

    uint256 public last;

    function add(uint256 a, uint256 b) external returns (uint256) {
        last = a + b;
        return last;
    }

    function refuse() external pure {
        revert NotToday("closed");
    }

    function convertToString(bytes calldata result) external pure returns (string memory) {
        return string(abi.encodePacked("sum ", result));
    }
}

contract SmartContractToolsTest is Test {
    Wrapped private wrapped = new Wrapped();

    function toolFor(bytes4 selector, ToolResultConverter converter)
        private
        returns (SimpleSmartContractTool)
    {
        return new SimpleSmartContractTool(
            address(this),
            "Add",
            "Adds two numbers, and says so at some length",
            address(wrapped),
            selector,
            AgentInput.describe("a number"),
            "done",
            converter
        );
    }

    function inputOf(bytes memory encoded) private pure returns (IERCAgentTool.Input memory input) {
        input.abiEncodedParams = encoded;
    }

    function test_metadata_is_what_the_tool_was_made_with() public {
        SimpleSmartContractTool tool = toolFor(Wrapped.add.selector, wrapped);
        assertEq(tool.name(), "Add");
        assertEq(tool.description(), "Adds two numbers, and says so at some length");
        assertEq(
            keccak256(abi.encode(tool.inputDescription())),
            keccak256(abi.encode(AgentInput.describe("a number")))
        );
    }

    function test_run_passes_the_arguments_as_arguments() public {
        SimpleSmartContractTool tool =
            toolFor(Wrapped.add.selector, ToolResultConverter(address(0)));
        (int256 id, string memory result) =
            tool.run(inputOf(abi.encode(uint256(2), uint256(40))), address(0));
        assertEq(wrapped.last(), 42);
        assertEq(id, -1);
        assertEq(result, "done");
    }

    function test_the_converter_makes_text_of_the_return_data() public {
        SimpleSmartContractTool tool = toolFor(Wrapped.add.selector, wrapped);
        (, string memory result) =
            tool.run(inputOf(abi.encode(uint256(2), uint256(40))), address(0));
        assertEq(bytes(result), abi.encodePacked("sum ", uint256(42)));
    }

    function test_only_its_agent_runs_a_tool() public {
        SimpleSmartContractTool tool = toolFor(Wrapped.add.selector, wrapped);
        address stranger = makeAddr("stranger");
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(
                SimpleSmartContractTool.CallerIsNotTheAgent.selector, stranger, address(this)
            )
        );
        tool.run(inputOf(abi.encode(uint256(2), uint256(40))), address(0));
    }

    function test_the_wrapped_functions_revert_data_is_kept() public {
        SimpleSmartContractTool tool = toolFor(Wrapped.refuse.selector, wrapped);
        vm.expectRevert(abi.encodeWithSelector(Wrapped.NotToday.selector, "closed"));
        tool.run(inputOf(""), address(0));
    }

    function test_a_tool_wraps_a_contract_that_is_there() public {
        wrapped = Wrapped(makeAddr("nothing"));
        vm.expectRevert(
            abi.encodeWithSelector(
                SimpleSmartContractTool.WrappedContractHasNoCode.selector, address(wrapped)
            )
        );
        toolFor(Wrapped.add.selector, ToolResultConverter(address(0)));
    }

    function test_balances_of_a_listed_token_are_printed_by_symbol() public {
        DemoToken usdc = new DemoToken("USD Coin", "USDC", 6);
        SymbolBook book = new SymbolBook(address(this));
        book.list("usdc", address(usdc));
        assertEq(
            new BalanceConverter(book)
                .convertToString(abi.encode(address(usdc), 120_500_000, 30_000_000)),
            "The balance is: 120.5 USDC in the pool, 30 USDC in the wallet"
        );
    }

    function test_balances_of_another_token_are_printed_by_address() public {
        DemoToken other = DemoToken(0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD);
        vm.mockCall(address(other), abi.encodeCall(other.decimals, ()), abi.encode(uint8(18)));
        assertEq(
            new BalanceConverter(new SymbolBook(address(this)))
                .convertToString(abi.encode(address(other), 1, 0)),
            "The balance is: 0.000000000000000001 0xabcdefabcdefabcdefabcdefabcdefabcdefabcd"
            " in the pool, 0 0xabcdefabcdefabcdefabcdefabcdefabcdefabcd in the wallet"
        );
    }
}

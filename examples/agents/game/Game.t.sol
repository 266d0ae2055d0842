// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {IToolExamples} from "zkagent/interfaces/IToolExamples.sol";
import {IERCAgentTool} from "zkagent/interfaces/erc/IERCAgentTool.sol";
import {SimpleSmartContractTool} from "zkagent/tools/SimpleSmartContractTool.sol";
import {TextConverter} from "zkagent/tools/TextConverter.sol";

import {GameField} from "./Game.sol";
import {GameTools} from "./GameTools.sol";

/// @dev Rules that hold whatever an agent decides, and what its tools say. Run it with
///   `zkagent agent test`, which also asks the reader about the prompts of tools.yaml.
contract GameTest is Test {
    address private constant STRANGER = address(0xF1);

    GameField private _field;

    function setUp() external {
        _field = new GameField();
        _field.setTool(address(this));
    }

    function test_a_strike_takes_a_life_and_energy() external {
        assertEq(_field.attack("Goblin"), "You struck the goblin: 1 lives left.");
        assertEq(_field.livesOf("goblin"), 1);
        assertEq(_field.energy(), 7);
        assertEq(_field.attack("goblin"), "You slew the goblin.");
        vm.expectRevert(
            abi.encodeWithSelector(GameField.NoSuchCreature.selector, "goblin")
        );
        _field.attack("goblin");
    }

    function test_a_hero_who_is_tired_rests_first() external {
        for (uint256 i = 0; i < 3; ++i) {
            _field.attack("dragon");
        }
        vm.expectRevert(abi.encodeWithSelector(GameField.TooTired.selector, 1, 3));
        _field.attack("dragon");
        _field.rest();
        _field.attack("dragon");
        assertEq(_field.livesOf("dragon"), 1);
    }

    function test_a_move_goes_where_it_says_and_no_further() external {
        assertEq(_field.move("north", 3), "You are at 8, 11.");
        _field.rest();
        _field.move("EAST", 5);
        vm.expectRevert(abi.encodeWithSelector(GameField.StepsOutOfRange.selector, 6, 5));
        _field.move("east", 6);
        _field.rest();
        vm.expectRevert(abi.encodeWithSelector(GameField.BeyondTheField.selector, 18, 11));
        _field.move("east", 5);
        vm.expectRevert(abi.encodeWithSelector(GameField.NoSuchDirection.selector, "up"));
        _field.move("up", 1);
    }

    function test_no_move_leaves_the_field(uint256 steps, uint256 way) external {
        string[4] memory ways = ["north", "east", "south", "west"];
        for (uint256 i = 0; i < 8; ++i) {
            try _field.move(ways[(way >> (2 * i)) % 4], (steps >> (8 * i)) % 7) {} catch {}
            _field.rest();
            assertLt(_field.x(), 16);
            assertLt(_field.y(), 16);
        }
    }

    function test_a_stranger_does_nothing_here() external {
        vm.startPrank(STRANGER);
        bytes memory refused =
            abi.encodeWithSelector(GameField.NotForYou.selector, STRANGER);
        vm.expectRevert(refused);
        _field.attack("goblin");
        vm.expectRevert(refused);
        _field.move("north", 1);
        vm.expectRevert(refused);
        _field.rest();
        vm.expectRevert(refused);
        _field.setTool(STRANGER);
    }

    function test_a_tool_says_what_tools_yaml_says_and_obeys_its_agent_alone() external {
        IERCAgentTool tool = GameTools.makeMove(
            address(this), address(_field), GameField.move.selector, new TextConverter()
        );
        _field.setTool(address(tool));
        assertEq(tool.name(), "Move");
        assertEq(tool.inputDescription().paramDescriptions.length, 2);
        assertGt(IToolExamples(address(tool)).examples().length, 0);
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = abi.encode("west", 2);
        (, string memory answer) = tool.run(input, address(0));
        assertEq(answer, "You are at 6, 8.");
        vm.prank(STRANGER);
        vm.expectPartialRevert(SimpleSmartContractTool.CallerIsNotTheAgent.selector);
        tool.run(input, address(0));
    }
}

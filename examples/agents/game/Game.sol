// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {AgentTool} from "zkagent/agents/ToolPins.sol";
import {IAgentExecutor} from "zkagent/interfaces/IAgentExecutor.sol";
import {IContactBook} from "zkagent/interfaces/IContactBook.sol";
import {ISymbolBook} from "zkagent/interfaces/ISymbolBook.sol";
import {IERCAgentTool} from "zkagent/interfaces/erc/IERCAgentTool.sol";
import {ReaderAgent, ReaderSetup} from "zkagent/reader/ReaderAgent.sol";
import {SimpleSmartContractTool} from "zkagent/tools/SimpleSmartContractTool.sol";
import {TextConverter} from "zkagent/tools/TextConverter.sol";

import {GameTools} from "./GameTools.sol";

/// @title What the agent acts on: a field of 16 by 16 with creatures, and a hero who tires
/// @notice Whatever the agent decides, this contract has the last word. Put your rules here.
contract GameField {
    /// @notice Goblin, troll and dragon are there, as long as they live.
    error NoSuchCreature(string target);
    /// @notice Rest first.
    error TooTired(uint256 energy, uint256 needed);
    error NoSuchDirection(string direction);
    /// @notice One move is 1 to 5 steps.
    error StepsOutOfRange(uint256 steps, uint256 most);
    error BeyondTheField(int256 x, int256 y);
    error NotForYou(address caller);

    event Struck(string target, uint256 lives);
    event Moved(uint256 x, uint256 y);
    event Rested(uint256 energy);

    int256 public constant SIZE = 16;
    uint256 public constant MOST_ENERGY = 10;
    uint256 public constant MOST_STEPS = 5;
    uint256 private constant STRIKE_ENERGY = 3;

    address private immutable _maker = msg.sender;
    mapping(address tool => bool) private _tools;
    mapping(bytes32 creature => uint256) private _lives;
    uint256 public energy = MOST_ENERGY;
    uint256 public x = 8;
    uint256 public y = 8;

    constructor() {
        _lives[keccak256("goblin")] = 2;
        _lives[keccak256("troll")] = 3;
        _lives[keccak256("dragon")] = 5;
    }

    /// @notice Who may act here; set by whoever made the field.
    function setTool(address tool) external {
        if (msg.sender != _maker) revert NotForYou(msg.sender);
        _tools[tool] = true;
    }

    /// @dev A tool's function takes the parameters of tools.yaml in their order, and returns what the
    ///   agent answers.
    function attack(string calldata target) external returns (string memory) {
        _tire(STRIKE_ENERGY);
        string memory name = _lower(target);
        bytes32 creature = keccak256(bytes(name));
        uint256 left = _lives[creature];
        if (left == 0) revert NoSuchCreature(target);
        _lives[creature] = --left;
        emit Struck(name, left);
        if (left == 0) return string.concat("You slew the ", name, ".");
        return string.concat("You struck the ", name, ": ", Strings.toString(left), " lives left.");
    }

    function move(string calldata direction, uint256 steps) external returns (string memory) {
        if (steps == 0 || steps > MOST_STEPS) revert StepsOutOfRange(steps, MOST_STEPS);
        _tire(steps);
        (int256 dx, int256 dy) = _towards(direction);
        (int256 toX, int256 toY) =
            (int256(x) + dx * int256(steps), int256(y) + dy * int256(steps));
        if (toX < 0 || toX >= SIZE || toY < 0 || toY >= SIZE) revert BeyondTheField(toX, toY);
        (x, y) = (uint256(toX), uint256(toY));
        emit Moved(x, y);
        return string.concat("You are at ", Strings.toString(x), ", ", Strings.toString(y), ".");
    }

    function rest() external returns (string memory) {
        _tire(0);
        energy = MOST_ENERGY;
        emit Rested(energy);
        return "You feel well again.";
    }

    /// @notice How many more strikes a creature bears.
    function livesOf(string calldata target) external view returns (uint256) {
        return _lives[keccak256(bytes(_lower(target)))];
    }

    function _tire(uint256 needed) private {
        if (!_tools[msg.sender]) revert NotForYou(msg.sender);
        if (energy < needed) revert TooTired(energy, needed);
        energy -= needed;
    }

    function _towards(string calldata direction) private pure returns (int256, int256) {
        bytes32 named = keccak256(bytes(_lower(direction)));
        if (named == keccak256("north")) return (0, 1);
        if (named == keccak256("south")) return (0, -1);
        if (named == keccak256("east")) return (1, 0);
        if (named == keccak256("west")) return (-1, 0);
        revert NoSuchDirection(direction);
    }

    function _lower(string calldata text) private pure returns (string memory) {
        bytes memory found = bytes(text);
        for (uint256 i = 0; i < found.length; ++i) {
            if (found[i] >= "A" && found[i] <= "Z") found[i] = bytes1(uint8(found[i]) + 32);
        }
        return string(found);
    }
}

/// @title An agent that plays for its owner
/// @notice Its model reads what its tools say of themselves (tools.yaml) and the prompt, and calls the tool
///   that the prompt means, asks, or declines.
contract Game is ReaderAgent {
    /// @notice What the agent may change, within its rules.
    GameField public immutable FIELD;

    /// @dev `zkagent agent deploy` fills in parameters of these names; others are given with
    ///   --arg NAME=VALUE. Books of symbols and contacts are for prompts that name tokens or people.
    constructor(IAgentExecutor executor, string memory model, bytes32 commitment, address owner)
        ReaderAgent(
            ReaderSetup(
                executor,
                model,
                commitment,
                owner,
                ISymbolBook(address(0)),
                IContactBook(address(0)),
                GameTools.CAUTION
            ),
            "Game",
            "Plays a game: strikes creatures, walks, rests",
            "What the hero should do",
            _made(new GameField())
        )
    {
        (IERCAgentTool[] memory made,) = tools();
        (, address field,) = SimpleSmartContractTool(address(made[0])).wiring();
        FIELD = GameField(field);
    }

    /// @dev A tool of tools.yaml for each function. `true`: the agent makes them itself, of code that cannot
    ///   change; any other tool is `AgentTool(tool, false)`.
    function _made(GameField field) private returns (AgentTool[] memory made) {
        (address me, address to, TextConverter answer) =
            (address(this), address(field), new TextConverter());
        made = new AgentTool[](3);
        made[0].tool = GameTools.makeAttack(me, to, GameField.attack.selector, answer);
        made[1].tool = GameTools.makeMove(me, to, GameField.move.selector, answer);
        made[2].tool = GameTools.makeRest(me, to, GameField.rest.selector, answer);
        for (uint256 i = 0; i < made.length; ++i) {
            made[i].own = true;
            field.setTool(address(made[i].tool));
        }
    }
}

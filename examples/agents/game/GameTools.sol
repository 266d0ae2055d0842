// SPDX-License-Identifier: MIT
// Made of tools.yaml by `zkagent agent build`: change that file, not this one.
pragma solidity ^0.8.30;

import {IERCAgentTool} from "zkagent/interfaces/erc/IERCAgentTool.sol";
import {ExampleTool} from "zkagent/tools/ExampleTool.sol";
import {TextConverter} from "zkagent/tools/TextConverter.sol";

/// @title What the tools of Game say of themselves
library GameTools {
    /// @notice How sure the reader has to be, in hundredths of a log-odd; 0: as usual.
    uint256 internal constant CAUTION = 0;

    /// @notice Attack: calls `selector` of `target`, which returns what is answered.
    function makeAttack(address agent, address target, bytes4 selector, TextConverter answer)
        internal
        returns (IERCAgentTool)
    {
        IERCAgentTool.ParamDescription[] memory p =
            new IERCAgentTool.ParamDescription[](1);
        string[] memory examples = new string[](8);
        p[0] = IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.STRING, "target", "the creature that is struck");
        examples[0] = "hit the troll";
        examples[1] = "strike down that dragon";
        examples[2] = "fight the goblin";
        examples[3] = "kill the troll";
        examples[4] = "swing your sword at the dragon";
        examples[5] = "slay the beast";
        examples[6] = "charge at the goblin and stab it";
        examples[7] = "punch the troll in the face";
        return new ExampleTool(
            agent,
            "Attack",
            "Strike a creature with a weapon",
            target,
            selector,
            IERCAgentTool.InputDescription(p),
            "",
            answer,
            examples
        );
    }

    /// @notice Move: calls `selector` of `target`, which returns what is answered.
    function makeMove(address agent, address target, bytes4 selector, TextConverter answer)
        internal
        returns (IERCAgentTool)
    {
        IERCAgentTool.ParamDescription[] memory p =
            new IERCAgentTool.ParamDescription[](2);
        string[] memory examples = new string[](8);
        p[0] = IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.STRING, "direction", "direction to go");
        p[1] = IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.UINT, "steps", "how many steps");
        examples[0] = "move three steps north";
        examples[1] = "go north 3";
        examples[2] = "walk two steps to the east";
        examples[3] = "head west 4";
        examples[4] = "run 5 steps south";
        examples[5] = "take one step west";
        examples[6] = "march north for 2 steps";
        examples[7] = "step 3 times to the south";
        return new ExampleTool(
            agent,
            "Move",
            "Walk some steps across the field",
            target,
            selector,
            IERCAgentTool.InputDescription(p),
            "",
            answer,
            examples
        );
    }

    /// @notice Rest: calls `selector` of `target`, which returns what is answered.
    function makeRest(address agent, address target, bytes4 selector, TextConverter answer)
        internal
        returns (IERCAgentTool)
    {
        IERCAgentTool.ParamDescription[] memory p =
            new IERCAgentTool.ParamDescription[](0);
        string[] memory examples = new string[](8);
        examples[0] = "rest";
        examples[1] = "take a nap";
        examples[2] = "sleep for a while";
        examples[3] = "lie down and recover";
        examples[4] = "make camp and get some sleep";
        examples[5] = "have a break, you are tired";
        examples[6] = "sit down by the fire";
        examples[7] = "catch your breath";
        return new ExampleTool(
            agent,
            "Rest",
            "Sleep by the fire until all strength is back",
            target,
            selector,
            IERCAgentTool.InputDescription(p),
            "",
            answer,
            examples
        );
    }
}

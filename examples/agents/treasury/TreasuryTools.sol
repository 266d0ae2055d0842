// SPDX-License-Identifier: MIT
// Made of tools.yaml by `zkagent agent build`: change that file, not this one.
pragma solidity ^0.8.30;

import {IERCAgentTool} from "zkagent/interfaces/erc/IERCAgentTool.sol";
import {ExampleTool} from "zkagent/tools/ExampleTool.sol";
import {TextConverter} from "zkagent/tools/TextConverter.sol";

/// @title What the tools of Treasury say of themselves
library TreasuryTools {
    /// @notice How sure the reader has to be, in hundredths of a log-odd; 0: as usual.
    uint256 internal constant CAUTION = 0;

    /// @notice PayGrant: calls `selector` of `target`, which returns what is answered.
    function makePayGrant(address agent, address target, bytes4 selector, TextConverter answer)
        internal
        returns (IERCAgentTool)
    {
        IERCAgentTool.ParamDescription[] memory p =
            new IERCAgentTool.ParamDescription[](3);
        string[] memory examples = new string[](8);
        p[0] = IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.ADDRESS, "recipient", "who receives the grant");
        p[1] = IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.UINT, "amount", "how much, in DAI");
        p[2] = IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.STRING, "purpose", "what the grant is for");
        examples[0] = "pay 500 to alice for the audit";
        examples[1] = "grant 200 DAI to bob for the new website";
        examples[2] = "send carol 50 DAI for translations";
        examples[3] = "fund dave with 300 DAI for the workshop";
        examples[4] = "give alice 100 for her talk";
        examples[5] = "transfer a grant of 250 DAI to the design team";
        examples[6] = "award bob 75 DAI for fixing the bug";
        examples[7] = "pay out 400 to carol for legal advice";
        return new ExampleTool(
            agent,
            "PayGrant",
            "Pay a grant out of the treasury",
            target,
            selector,
            IERCAgentTool.InputDescription(p),
            "",
            answer,
            examples
        );
    }

    /// @notice Vote: calls `selector` of `target`, which returns what is answered.
    function makeVote(address agent, address target, bytes4 selector, TextConverter answer)
        internal
        returns (IERCAgentTool)
    {
        IERCAgentTool.ParamDescription[] memory p =
            new IERCAgentTool.ParamDescription[](2);
        string[] memory examples = new string[](8);
        p[0] = IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.UINT, "proposal", "number of the proposal");
        p[1] = IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.BOOL, "support", "yes to be for it, no to be against it");
        examples[0] = "vote yes on proposal 12";
        examples[1] = "vote against proposal 3";
        examples[2] = "support proposal 7";
        examples[3] = "reject proposal 4";
        examples[4] = "cast a no on proposal 9";
        examples[5] = "say yes to proposal 5";
        examples[6] = "approve proposal 2";
        examples[7] = "we are for proposal 8";
        return new ExampleTool(
            agent,
            "Vote",
            "Cast the treasury's vote on a proposal",
            target,
            selector,
            IERCAgentTool.InputDescription(p),
            "",
            answer,
            examples
        );
    }
}

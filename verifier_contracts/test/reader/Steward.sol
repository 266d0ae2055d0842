// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentTool} from "src/agents/ToolPins.sol";
import {IAgentExecutor} from "src/interfaces/IAgentExecutor.sol";
import {IContactBook} from "src/interfaces/IContactBook.sol";
import {ISymbolBook} from "src/interfaces/ISymbolBook.sol";
import {IERCAgentTool} from "src/interfaces/erc/IERCAgentTool.sol";
import {ReaderAgent, ReaderSetup} from "src/reader/ReaderAgent.sol";
import {ExampleTool} from "src/tools/ExampleTool.sol";
import {ToolResultConverter} from "src/tools/ToolResultConverter.sol";

/// @notice What a steward looks after: money, a gate and a notice board.
contract Manor {
    address private immutable _maker = msg.sender;

    mapping(address tool => bool) private _tools;
    mapping(address account => uint256) public paid;
    bool public isOpen;
    string public notice;

    error NotForYou(address caller);
    error TooMuch(uint256 asked, uint256 most);

    function setTool(address tool) external {
        if (msg.sender != _maker) revert NotForYou(msg.sender);
        _tools[tool] = true;
    }

    function pay(address to, uint256 amount) external {
        _checked();
        if (amount > 1000) revert TooMuch(amount, 1000);
        paid[to] += amount;
    }

    function setGate(bool open) external {
        _checked();
        isOpen = open;
    }

    function announce(string calldata text) external {
        _checked();
        notice = text;
    }

    function _checked() private view {
        if (!_tools[msg.sender]) revert NotForYou(msg.sender);
    }
}

/// @notice An agent whose tools it made, and whatever others it is given.
contract Steward is ReaderAgent {
    Manor public immutable MANOR;

    constructor(
        IAgentExecutor executor,
        string memory model,
        bytes32 commitment,
        address owner,
        IContactBook contacts,
        AgentTool[] memory others
    )
        ReaderAgent(
            ReaderSetup(executor, model, commitment, owner, ISymbolBook(address(0)), contacts, 0),
            "Steward",
            "Looks after a manor",
            "What to do there",
            _made(new Manor(), others)
        )
    {
        (IERCAgentTool[] memory made,) = tools();
        (, address manor,) = ExampleTool(address(made[0])).wiring();
        MANOR = Manor(manor);
    }

    function _made(Manor manor, AgentTool[] memory others)
        private
        returns (AgentTool[] memory made)
    {
        IERCAgentTool.ParamDescription[] memory p = new IERCAgentTool.ParamDescription[](2);
        p[0] = IERCAgentTool.ParamDescription(
            IERCAgentTool.ParamType.ADDRESS, "to", "the account that is paid"
        );
        p[1] = IERCAgentTool.ParamDescription(
            IERCAgentTool.ParamType.UINT, "amount", "how many coins"
        );
        string[] memory examples = new string[](2);
        (examples[0], examples[1]) = ("send bob 5 coins", "the cook gets 10");
        made = new AgentTool[](3 + others.length);
        made[0] = _tool(
            manor, "Pay", "Pay coins to an account", Manor.pay.selector, p, "Paid.", examples
        );
        p = new IERCAgentTool.ParamDescription[](1);
        p[0] = IERCAgentTool.ParamDescription(
            IERCAgentTool.ParamType.BOOL, "open", "whether the gate is open"
        );
        made[1] = _tool(
            manor,
            "SetGate",
            "Open or close the gate",
            Manor.setGate.selector,
            p,
            "Done.",
            new string[](0)
        );
        p = new IERCAgentTool.ParamDescription[](1);
        p[0] = IERCAgentTool.ParamDescription(
            IERCAgentTool.ParamType.STRING, "text", "what the notice says"
        );
        (examples[0], examples[1]) = ("put up a notice that says hello", "announce to everybody");
        made[2] = _tool(
            manor,
            "Announce",
            "Write a notice on the board for everybody to read",
            Manor.announce.selector,
            p,
            "It hangs there.",
            examples
        );
        for (uint256 i = 0; i < others.length; ++i) {
            made[3 + i] = others[i];
        }
    }

    function _tool(
        Manor manor,
        string memory name_,
        string memory description_,
        bytes4 selector,
        IERCAgentTool.ParamDescription[] memory p,
        string memory result,
        string[] memory examples
    ) private returns (AgentTool memory) {
        ExampleTool tool = new ExampleTool(
            address(this),
            name_,
            description_,
            address(manor),
            selector,
            IERCAgentTool.InputDescription(p),
            result,
            ToolResultConverter(address(0)),
            examples
        );
        manor.setTool(address(tool));
        return AgentTool(tool, true);
    }
}

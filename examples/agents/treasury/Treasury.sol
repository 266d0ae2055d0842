// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {AgentTool} from "zkagent/agents/ToolPins.sol";
import {IAgentExecutor} from "zkagent/interfaces/IAgentExecutor.sol";
import {IContactBook} from "zkagent/interfaces/IContactBook.sol";
import {ISymbolBook} from "zkagent/interfaces/ISymbolBook.sol";
import {IERCAgentTool} from "zkagent/interfaces/erc/IERCAgentTool.sol";
import {Decimals} from "zkagent/libraries/Decimals.sol";
import {ReaderAgent, ReaderSetup} from "zkagent/reader/ReaderAgent.sol";
import {SimpleSmartContractTool} from "zkagent/tools/SimpleSmartContractTool.sol";
import {TextConverter} from "zkagent/tools/TextConverter.sol";

import {TreasuryTools} from "./TreasuryTools.sol";

/// @title What the agent acts on: a purse that pays grants up to a cap, and votes that are cast once
/// @notice Whatever the agent decides, this contract has the last word. Put your rules here.
contract TreasuryVault {
    using SafeERC20 for IERC20;

    /// @notice More than one grant may be.
    error OverTheCap(uint256 asked, uint256 cap);
    /// @notice More than what is left for grants in these 30 days.
    error OverTheBudget(uint256 asked, uint256 left);
    error NoPurpose();
    error RecipientRefused(address recipient);
    error NoSuchProposal(uint256 proposal, uint256 count);
    error VotingClosed(uint256 proposal, uint256 end);
    error AlreadyVoted(uint256 proposal, bool support);
    error NotForYou(address caller);

    event GrantPaid(address indexed recipient, uint256 amount, string purpose);
    event Voted(uint256 indexed proposal, bool support);
    event Proposed(uint256 indexed proposal, string what, uint256 end);

    struct Proposal {
        string what;
        uint64 end;
        bool voted;
        bool support;
    }

    uint8 private constant DECIMALS = 18;
    /// @notice Of one grant, and of all in one period.
    uint256 public constant CAP = 1000e18;
    uint256 public constant BUDGET = 2500e18;
    uint256 public constant PERIOD = 30 days;

    address private immutable _maker = msg.sender;
    address private immutable _owner;
    IERC20 public immutable TOKEN;

    mapping(address tool => bool) private _tools;
    Proposal[] private _proposals;
    uint256 private _periodEnd;
    uint256 private _spent;

    /// @param token With 18 decimals, which tools.yaml says what amounts are counted in.
    constructor(address owner, IERC20 token) {
        _owner = owner;
        TOKEN = token;
    }

    /// @notice Who may act here; set by whoever made the vault.
    function setTool(address tool) external {
        if (msg.sender != _maker) revert NotForYou(msg.sender);
        _tools[tool] = true;
    }

    /// @notice Puts a question to the treasury.
    /// @return proposal Its number, from 1 on.
    function propose(string calldata what, uint64 end) external returns (uint256 proposal) {
        if (msg.sender != _owner) revert NotForYou(msg.sender);
        _proposals.push(Proposal(what, end, false, false));
        proposal = _proposals.length;
        emit Proposed(proposal, what, end);
    }

    /// @notice The owner's way out, without an agent.
    function takeBack(uint256 amount) external {
        if (msg.sender != _owner) revert NotForYou(msg.sender);
        TOKEN.safeTransfer(_owner, amount);
    }

    /// @dev A tool's function takes the parameters of tools.yaml in their order, and returns what the
    ///   agent answers.
    function payGrant(address recipient, uint256 amount, string calldata purpose)
        external
        returns (string memory)
    {
        _onlyTools();
        if (recipient == address(this) || recipient == address(TOKEN)) {
            revert RecipientRefused(recipient);
        }
        if (bytes(purpose).length == 0) revert NoPurpose();
        if (amount > CAP) revert OverTheCap(amount, CAP);
        uint256 left = budgetLeft();
        if (amount > left) revert OverTheBudget(amount, left);
        if (block.timestamp >= _periodEnd) (_periodEnd, _spent) = (block.timestamp + PERIOD, 0);
        _spent += amount;
        emit GrantPaid(recipient, amount, purpose);
        TOKEN.safeTransfer(recipient, amount);
        return string.concat(
            "Paid ",
            Decimals.toString(amount, DECIMALS),
            "; ",
            Decimals.toString(left - amount, DECIMALS),
            " are left for grants."
        );
    }

    function vote(uint256 proposal, bool support) external returns (string memory) {
        _onlyTools();
        if (proposal == 0 || proposal > _proposals.length) {
            revert NoSuchProposal(proposal, _proposals.length);
        }
        Proposal storage found = _proposals[proposal - 1];
        if (block.timestamp > found.end) revert VotingClosed(proposal, found.end);
        if (found.voted) revert AlreadyVoted(proposal, found.support);
        (found.voted, found.support) = (true, support);
        emit Voted(proposal, support);
        return string.concat(
            "Voted ", support ? "for" : "against", " proposal ", Strings.toString(proposal), "."
        );
    }

    /// @notice What grants may come to until the period ends.
    function budgetLeft() public view returns (uint256) {
        return block.timestamp >= _periodEnd ? BUDGET : BUDGET - _spent;
    }

    /// @notice Reverts for a number that no proposal has.
    function proposalOf(uint256 number) external view returns (Proposal memory) {
        if (number == 0 || number > _proposals.length) {
            revert NoSuchProposal(number, _proposals.length);
        }
        return _proposals[number - 1];
    }

    function _onlyTools() private view {
        if (!_tools[msg.sender]) revert NotForYou(msg.sender);
    }
}

/// @title An agent that pays grants and votes for its owner
/// @notice Its model reads what its tools say of themselves (tools.yaml) and the prompt, and calls the tool
///   that the prompt means, asks, or declines.
contract Treasury is ReaderAgent {
    /// @notice What the agent may do, within its rules: send it tokens, and put proposals to it.
    TreasuryVault public immutable VAULT;

    /// @dev `zkagent agent deploy` fills in executor, model, commitment, owner and book. token and contacts
    ///   are yours: --arg token=ADDRESS --arg contacts=ADDRESS. In the book, the token is DAI.
    constructor(
        IAgentExecutor executor,
        string memory model,
        bytes32 commitment,
        address owner,
        ISymbolBook book,
        IContactBook contacts,
        IERC20 token
    )
        ReaderAgent(
            ReaderSetup(executor, model, commitment, owner, book, contacts, TreasuryTools.CAUTION),
            "Treasury",
            "Pays grants of a treasury, and casts its votes",
            "Whom to pay how much for what, or how to vote on which proposal",
            _made(new TreasuryVault(owner, token))
        )
    {
        (IERCAgentTool[] memory made,) = tools();
        (, address vault,) = SimpleSmartContractTool(address(made[0])).wiring();
        VAULT = TreasuryVault(vault);
    }

    /// @dev A tool of tools.yaml for each function. `true`: the agent makes them itself, of code that cannot
    ///   change; any other tool is `AgentTool(tool, false)`.
    function _made(TreasuryVault vault) private returns (AgentTool[] memory made) {
        (address me, address to, TextConverter answer) =
            (address(this), address(vault), new TextConverter());
        made = new AgentTool[](2);
        made[0].tool = TreasuryTools.makePayGrant(me, to, TreasuryVault.payGrant.selector, answer);
        made[1].tool = TreasuryTools.makeVote(me, to, TreasuryVault.vote.selector, answer);
        for (uint256 i = 0; i < made.length; ++i) {
            made[i].own = true;
            vault.setTool(address(made[i].tool));
        }
    }
}

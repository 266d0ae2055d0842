// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentBase} from "zkagent/agents/AgentBase.sol";
import {OwnedAgent} from "zkagent/agents/OwnedAgent.sol";
import {AgentTool} from "zkagent/agents/ToolPins.sol";
import {IAgentExecutor} from "zkagent/interfaces/IAgentExecutor.sol";
import {IPriceFeed} from "zkagent/interfaces/IPriceFeed.sol";
import {IERCAgentTool} from "zkagent/interfaces/erc/IERCAgentTool.sol";
import {NumericAgent} from "zkagent/numeric/NumericAgent.sol";
import {PriceFeeds} from "zkagent/numeric/PriceFeeds.sol";
import {SimpleSmartContractTool} from "zkagent/tools/SimpleSmartContractTool.sol";
import {ToolResultConverter} from "zkagent/tools/ToolResultConverter.sol";

/// @title What is asked of a pool
interface IThermostatPool {
    /// @notice How much of it is lent, in basis points.
    function utilisation() external view returns (uint256);
}

/// @title What the agent sees, and what it may do: change a rate, each time by a little
/// @notice Whatever the agent decides, this contract has the last word. Put your rules here.
contract ThermostatRate {
    /// @notice More than one change may be.
    error ChangeTooLarge(uint256 asked, uint256 most);
    /// @notice The rate would leave its range.
    error RateOutOfRange(int256 asked, uint256 least, uint256 most);
    /// @notice The rate was changed just before.
    error TooSoon(uint256 next, uint256 time);
    /// @notice A pool says how much of it is lent in basis points, at most 10,000.
    error UtilisationOutOfRange(uint256 received);
    error NotForYou(address caller);

    event RateChanged(uint256 from, uint256 to, int256 price);

    /// @notice In basis points.
    uint256 public constant MOST_CHANGE = 200;
    uint256 public constant LEAST_RATE = 50;
    uint256 public constant MOST_RATE = 2500;
    /// @notice In seconds.
    uint256 public constant PAUSE = 10 minutes;
    uint256 public constant MAX_PRICE_AGE = 1 hours;

    address private immutable _maker = msg.sender;
    IPriceFeed private immutable _feed;
    IThermostatPool private immutable _pool;

    mapping(address tool => bool) private _tools;
    uint256 private _next;
    /// @notice In basis points a year.
    uint256 public rate = 500;
    /// @notice The price at the last change.
    int256 public priceThen;

    constructor(IPriceFeed feed, IThermostatPool pool) {
        _feed = feed;
        _pool = pool;
        priceThen = price();
    }

    /// @notice Who may change the rate; set by whoever made this contract.
    function setTool(address tool) external {
        if (msg.sender != _maker) revert NotForYou(msg.sender);
        _tools[tool] = true;
    }

    function raiseBy(uint256 points) external {
        _change(int256(rate) + _checked(points));
    }

    function lowerBy(uint256 points) external {
        _change(int256(rate) - _checked(points));
    }

    /// @notice The feed's price. Reverts where it cannot be relied on.
    function price() public view returns (int256) {
        return PriceFeeds.priceOf(_feed, MAX_PRICE_AGE);
    }

    /// @notice What the agent decides by, in the order of `readings` in model.json: how much of the pool is
    ///   lent, in basis points; by how much the price rose since the last change, per mille; the rate.
    function numbers() external view returns (int256[] memory found) {
        uint256 lent = _pool.utilisation();
        if (lent > 10_000) revert UtilisationOutOfRange(lent);
        found = new int256[](3);
        found[0] = int256(lent);
        found[1] = (price() - priceThen) * 1000 / priceThen;
        found[2] = int256(rate);
    }

    function _checked(uint256 points) private view returns (int256) {
        if (!_tools[msg.sender]) revert NotForYou(msg.sender);
        if (points > MOST_CHANGE) revert ChangeTooLarge(points, MOST_CHANGE);
        return int256(points);
    }

    function _change(int256 to) private {
        if (to < int256(LEAST_RATE) || to > int256(MOST_RATE)) {
            revert RateOutOfRange(to, LEAST_RATE, MOST_RATE);
        }
        if (block.timestamp < _next) revert TooSoon(_next, block.timestamp);
        _next = block.timestamp + PAUSE;
        priceThen = price();
        emit RateChanged(rate, uint256(to), priceThen);
        rate = uint256(to);
    }
}

/// @title An agent that decides by numbers on chain, without a prompt
/// @notice Its model's features are what `readings` returns, scaled as model.json says: whoever has
///   it run chooses none of them. Its owner has it run.
contract Thermostat is NumericAgent {
    /// @notice What the agent may change, within its rules.
    ThermostatRate public immutable RATE;

    /// @dev `zkagent agent deploy` fills in executor, model, commitment and owner; feed and pool are yours:
    ///   --arg feed=ADDRESS --arg pool=ADDRESS.
    constructor(
        IAgentExecutor executor,
        string memory model,
        bytes32 commitment,
        address owner,
        IPriceFeed feed,
        IThermostatPool pool
    )
        AgentBase(
            executor,
            model,
            commitment,
            "Thermostat",
            "Keeps a pool's rate by its utilisation and a price",
            "Nothing: it decides by numbers alone",
            "You keep the rate of a pool.",
            _made(new ThermostatRate(feed, pool)),
            MAX_ITERATIONS
        )
        OwnedAgent(owner)
    {
        (IERCAgentTool[] memory made,) = tools();
        (, address rate,) = SimpleSmartContractTool(address(made[0])).wiring();
        RATE = ThermostatRate(rate);
    }

    /// @dev An agent's code is nearly as long as code may be: what else it needs, others have for it.
    function readings() external view returns (int256[] memory) {
        return RATE.numbers();
    }

    /// @dev Tools called as the directions of the model are, with one parameter. `true`: the agent makes
    ///   them itself, of code that cannot change; any other tool is `AgentTool(tool, false)`.
    function _made(ThermostatRate rate) private returns (AgentTool[] memory made) {
        made = new AgentTool[](2);
        made[0] = _tool(rate, "RaiseRate", "Raise the rate", ThermostatRate.raiseBy.selector);
        made[1] = _tool(rate, "LowerRate", "Lower the rate", ThermostatRate.lowerBy.selector);
    }

    function _tool(
        ThermostatRate rate,
        string memory name_,
        string memory description_,
        bytes4 selector
    ) private returns (AgentTool memory) {
        IERCAgentTool.ParamDescription[] memory p = new IERCAgentTool.ParamDescription[](1);
        p[0] = IERCAgentTool.ParamDescription(
            IERCAgentTool.ParamType.UINT, "points", "by how many basis points"
        );
        SimpleSmartContractTool tool = new SimpleSmartContractTool(
            address(this),
            name_,
            description_,
            address(rate),
            selector,
            IERCAgentTool.InputDescription(p),
            "The rate was changed.",
            ToolResultConverter(address(0))
        );
        rate.setTool(address(tool));
        return AgentTool(tool, true);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IRequestDesk} from "../../src/interfaces/IRequestDesk.sol";
import {IERCAgent} from "../../src/interfaces/erc/IERCAgent.sol";
import {IERCAgentClient} from "../../src/interfaces/erc/IERCAgentClient.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @dev Written against the ERC alone: asks an agent, and takes what that agent answers later.
contract ErcClient is IERCAgentClient {
    error NotMyAgent(address sender);

    IERCAgent public immutable agent;
    int256 public asked;
    int256 public runId;
    string public result;
    uint256 public calls;

    constructor(IERCAgent agent_) {
        agent = agent_;
    }

    function ask(IERCAgentTool.Input calldata input) external returns (int256) {
        (asked,) = agent.run(input, address(this));
        return asked;
    }

    function handleAgentResult(int256 runId_, string calldata result_) external virtual {
        if (msg.sender != address(agent)) revert NotMyAgent(msg.sender);
        (runId, result) = (runId_, result_);
        ++calls;
    }

    function supportsInterface(bytes4 id) external view virtual returns (bool) {
        return id == 0x01ffc9a7 || id == type(IERCAgentClient).interfaceId;
    }
}

/// @dev Whose interface inherits `supportsInterface`, as OpenZeppelin's do.
contract InheritingClient is ErcClient {
    constructor(IERCAgent agent_) ErcClient(agent_) {}

    function supportsInterface(bytes4 id) external pure override returns (bool) {
        return id == 0x01ffc9a7 || id == IERCAgentClient.handleAgentResult.selector;
    }
}

/// @dev Says yes to everything, which is no answer by ERC-165.
contract YesSayer is ErcClient {
    constructor(IERCAgent agent_) ErcClient(agent_) {}

    function supportsInterface(bytes4) external pure override returns (bool) {
        return true;
    }
}

/// @dev What it does when it is told a result is chosen from outside.
contract HostileClient is ErcClient {
    enum Act {
        TAKE,
        REVERT,
        EAT_GAS,
        BOMB,
        REENTER,
        LEAVE,
        NEXT_REQUEST
    }

    error No();

    Act public act;
    address private _target;
    bytes private _data;
    bool public reentered;
    uint256 public gasSeen;
    uint256 public nextId;

    constructor(IERCAgent agent_) payable ErcClient(agent_) {}

    receive() external payable {
        if (act == Act.REENTER) _reenter();
    }

    function set(Act act_) external {
        act = act_;
    }

    function aim(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function forward(address target, uint256 value, bytes calldata data)
        external
        returns (bytes memory)
    {
        (bool success, bytes memory returned) = target.call{value: value}(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(returned, 32), mload(returned))
            }
        }
        return returned;
    }

    function handleAgentResult(int256 runId_, string calldata result_) external override {
        gasSeen = gasleft();
        if (act == Act.REVERT) revert No();
        if (act == Act.EAT_GAS) {
            while (true) {}
        }
        if (act == Act.BOMB) {
            assembly {
                revert(0, 1000000)
            }
        }
        if (act == Act.REENTER) _reenter();
        if (act == Act.NEXT_REQUEST) {
            nextId = IRequestDesk(msg.sender).request{value: 1 ether}(
                "again", 1 ether, uint64(block.timestamp + 1), 500_000
            );
        }
        (runId, result) = (runId_, result_);
        ++calls;
    }

    function supportsInterface(bytes4 id) external view override returns (bool) {
        if (act == Act.LEAVE) return false;
        return id == 0x01ffc9a7 || id == type(IERCAgentClient).interfaceId;
    }

    function _reenter() private {
        (reentered,) = _target.call(_data);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentClient} from "../../src/interfaces/erc/IERCAgentClient.sol";

/// @dev A client as the ERC has it: takes results from the agent that it asked alone.
contract Client is IERCAgentClient {
    address public agent;
    int256 public runId;
    string public result;
    uint256 public calls;
    uint256 public gasAtCall;

    error NotMyAgent(address sender);

    constructor(address agent_) {
        agent = agent_;
    }

    function handleAgentResult(int256 runId_, string memory result_) external virtual {
        if (msg.sender != agent) revert NotMyAgent(msg.sender);
        gasAtCall = gasleft();
        (runId, result) = (runId_, result_);
        ++calls;
    }

    function supportsInterface(bytes4 id) external view virtual returns (bool) {
        return id == 0x01ffc9a7 || id == type(IERCAgentClient).interfaceId;
    }
}

/// @dev Fails in whatever way it is told.
contract BadClient is Client {
    enum Way {
        REVERTS,
        RETURNS_MUCH,
        BURNS,
        ENTERS
    }

    Way private immutable _way;
    bytes private _call;

    constructor(address agent_, Way way) Client(agent_) {
        _way = way;
    }

    function arm(bytes calldata call_) external {
        _call = call_;
    }

    function handleAgentResult(int256, string memory) external override {
        if (_way == Way.REVERTS) revert("not in the mood");
        if (_way == Way.BURNS) while (true) {}
        if (_way == Way.RETURNS_MUCH) {
            assembly ("memory-safe") {
                revert(0, 100000)
            }
        }
        (bool success,) = agent.call(_call);
        if (success) ++calls;
    }
}

/// @dev Says yes to everything, which ERC-165 takes for a no; or no to clients.
contract NoClient {
    bool private immutable _yes;

    constructor(bool yes) {
        _yes = yes;
    }

    function supportsInterface(bytes4 id) external view returns (bool) {
        return _yes || id == 0x01ffc9a7;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";

import {IRequestDesk} from "../interfaces/IRequestDesk.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";

/// @title Tells handlers their results, whatever they do
library Callbacks {
    using ERC165Checker for address;

    /// @dev For four questions of ERC-165 (30,000 gas each at most) before the callback, and for what
    ///   the desk does after it.
    uint256 internal constant RESERVE = 170_000;

    /// @notice Whether an account says by ERC-165 that it takes results. An interface that inherits
    ///   `supportsInterface` has another number than the ERC's, which lists it: either will do.
    function isClient(address handler) internal view returns (bool) {
        if (!handler.supportsERC165()) return false;
        return handler.supportsERC165InterfaceUnchecked(type(IERCAgentClient).interfaceId)
            || handler.supportsERC165InterfaceUnchecked(IERCAgentClient.handleAgentResult.selector);
    }

    /// @notice Calls the handler with `allowance` gas. Reverts where that much is not left, since who
    ///   sends this would otherwise choose whether it fails. What the handler returns is not read.
    /// @return taken Whether the handler is a client and did not revert.
    function tell(address handler, uint256 allowance, uint256 id, string memory result)
        internal
        returns (bool taken)
    {
        bytes memory data = abi.encodeCall(IERCAgentClient.handleAgentResult, (int256(id), result));
        uint256 needed = allowance + allowance / 63 + RESERVE; // a call leaves a 64th behind
        uint256 left = gasleft();
        if (left < needed) revert IRequestDesk.CallbackGasMissing(needed, left);
        if (!isClient(handler)) return false;
        assembly ("memory-safe") {
            taken := call(allowance, handler, 0, add(data, 32), mload(data), 0, 0)
        }
    }
}

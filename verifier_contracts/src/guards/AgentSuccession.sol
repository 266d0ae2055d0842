// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

import {ISuccession, Succession} from "../interfaces/guards/ISuccession.sol";
import {Approvals} from "./Approvals.sol";
import {Capabilities} from "./Capabilities.sol";

/// @title A new version of an agent takes the place of the old one, by the owner's signature
abstract contract AgentSuccession is Approvals, Capabilities, ISuccession {
    bytes32 private constant SUCCESSION_TYPE = keccak256(
        "Succession(address predecessor,address successor,address[] oldTools,address[] newTools,"
        "uint256 nonce,uint256 deadline)"
    );

    uint256 private _successions;

    /// @inheritdoc ISuccession
    function succeed(Succession calldata succession, bytes calldata signature) external {
        if (_calling != address(0)) revert CallInProgress(_calling);
        _checkSuccession(succession, signature);
        _useAnnouncement();
        emit AgentSucceeded(succession.predecessor, succession.successor, _successions++);
        _state.agent = succession.successor;
        _state.manifestExpires = 0;
        _voidTickets();
        for (uint256 i = 0; i < succession.oldTools.length; ++i) {
            _replaceTool(succession.oldTools[i], succession.newTools[i]);
        }
    }

    /// @inheritdoc ISuccession
    function successions() external view returns (uint256) {
        return _successions;
    }

    /// @inheritdoc ISuccession
    function successionDigest(Succession calldata succession) public view returns (bytes32) {
        return _hashTypedDataV4(
            keccak256(
                abi.encode(
                    SUCCESSION_TYPE,
                    succession.predecessor,
                    succession.successor,
                    keccak256(abi.encodePacked(succession.oldTools)),
                    keccak256(abi.encodePacked(succession.newTools)),
                    succession.nonce,
                    succession.deadline
                )
            )
        );
    }

    function _checkSuccession(Succession calldata succession, bytes calldata signature)
        private
        view
    {
        address agent_ = _state.agent;
        if (succession.predecessor != agent_) {
            revert NotThePredecessor(agent_, succession.predecessor);
        }
        (uint256 count, uint256 others) = (succession.oldTools.length, succession.newTools.length);
        if (count != others) revert ToolCountMismatch(count, others);
        if (succession.nonce != _successions) {
            revert SuccessionNonceMismatch(_successions, succession.nonce);
        }
        if (block.timestamp > succession.deadline) {
            revert SuccessionTooLate(succession.deadline, block.timestamp);
        }
        bytes32 digest = successionDigest(succession);
        if (!SignatureChecker.isValidSignatureNowCalldata(_owner, digest, signature)) {
            revert SuccessionSignatureInvalid(digest);
        }
    }

    /// @dev The new tool has to wrap what the old one does; its code is that of now.
    function _replaceTool(address oldTool, address newTool) private {
        Allowed storage rule = _tools[oldTool];
        if (!rule.allowed) revert ToolNotAllowed(oldTool);
        if (_tools[newTool].codeHash != 0) revert ToolHasARule(newTool);
        _checkWiring(newTool, rule.target, rule.selector, rule.vouched);
        _fixCode(newTool);
        bytes32 codeHash = _tools[newTool].codeHash;
        _tools[newTool] = rule;
        _tools[newTool].codeHash = codeHash;
        _tools[newTool].manifest = 0;
        rule.allowed = false;
        emit ToolSucceeded(oldTool, newTool);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IInstructedAgent} from "../interfaces/IInstructedAgent.sol";
import {OwnedAgent} from "./OwnedAgent.sol";

/// @title An agent whose owner says how sure it has to be
abstract contract CautiousAgent is OwnedAgent, IInstructedAgent {
    uint256 private constant MAX_CAUTION = 10_000;

    uint256 private _caution;

    constructor(uint256 caution_) {
        _setCaution(caution_);
    }

    /// @inheritdoc IInstructedAgent
    function setCaution(uint256 caution_) external {
        _onlyOwner(msg.sender);
        _setCaution(caution_);
    }

    /// @inheritdoc IInstructedAgent
    function caution() external view returns (uint256) {
        return _caution;
    }

    function _setCaution(uint256 caution_) private {
        if (caution_ > MAX_CAUTION) revert CautionTooHigh(caution_, MAX_CAUTION);
        emit CautionSet(_caution, caution_);
        _caution = caution_;
    }
}

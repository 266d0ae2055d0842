// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ICandidates} from "../../src/interfaces/ICandidates.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {IReadingAgent} from "../../src/interfaces/IReadingAgent.sol";
import {IToolVectors, SheetParameter} from "../../src/interfaces/IToolVectors.sol";
import {Found, FoundCandidates} from "../../src/reader/FoundCandidates.sol";

/// @notice What an encoder would hand to the decoder if a given tool were the closest one.
contract FoundHarness {
    function parseFor(
        Context calldata c,
        IToolVectors vectors,
        ICandidates texts,
        ICandidates literals,
        uint256 place
    ) external view returns (bytes memory) {
        bytes32[] memory pinned = IReadingAgent(c.agent).toolTexts();
        SheetParameter[] memory parameters = vectors.sheetOf(c.tools, pinned, place).parameters;
        Found memory found;
        if (parameters.length <= 6) found = FoundCandidates.find(c, parameters, texts, literals);
        found.tool = place;
        return abi.encode(found);
    }
}

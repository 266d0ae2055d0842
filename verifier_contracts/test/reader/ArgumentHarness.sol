// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Books} from "../../src/instructions/Books.sol";
import {ICandidates} from "../../src/interfaces/ICandidates.sol";
import {Arguments, Directory, Slot} from "../../src/reader/Arguments.sol";
import {Candidate, CandidateSpan} from "../../src/reader/Candidate.sol";
import {Observations} from "../../src/reader/Observations.sol";
import {Questions} from "../../src/reader/Questions.sol";
import {ToolWords} from "../../src/reader/ToolWords.sol";
import {Unit, Units} from "../../src/reader/Units.sol";

/// @notice Arguments of all that a prompt has for a parameter, and words of tools' texts.
contract ArgumentHarness {
    struct Made {
        uint256 fault;
        bytes encoded;
        bytes question;
    }

    address private immutable _symbols;
    address private immutable _contacts;
    address private immutable _owner;

    constructor(address symbols, address contacts, address owner) {
        (_symbols, _contacts, _owner) = (symbols, contacts, owner);
    }

    function ask(
        ICandidates reader,
        address agent,
        string[] calldata prompts,
        Slot calldata slot,
        bytes calldata name
    ) external view returns (Made[][] memory made) {
        made = new Made[][](prompts.length);
        Directory memory directory = Directory(Books.load(_symbols), Books.load(_contacts), _owner);
        for (uint256 i = 0; i < prompts.length; ++i) {
            try reader.candidates(agent, prompts[i], slot.paramType) returns (
                Candidate[] memory found
            ) {
                made[i] = _made(found, slot, prompts[i], directory, name);
            } catch {}
        }
    }

    function observed(
        ICandidates reader,
        address agent,
        string calldata prompt,
        string calldata observation,
        uint256 paramType
    ) external view returns (Candidate[] memory) {
        return Observations.find(reader, agent, prompt, observation, paramType);
    }

    function words(bytes[] calldata texts) external pure returns (bytes[][] memory split) {
        split = new bytes[][](texts.length);
        for (uint256 i = 0; i < texts.length; ++i) {
            uint256[] memory found = ToolWords.split(texts[i]);
            split[i] = new bytes[](found.length);
            for (uint256 k = 0; k < found.length; ++k) {
                (uint256 start, uint256 end) = (found[k] >> 32, found[k] & 0xffffffff);
                bytes memory word = new bytes(end - start);
                assembly ("memory-safe") {
                    mcopy(add(word, 32), start, sub(end, start))
                }
                split[i][k] = word;
            }
        }
    }

    function units(bytes[] calldata texts) external view returns (Unit[] memory found) {
        found = new Unit[](texts.length);
        for (uint256 i = 0; i < texts.length; ++i) {
            found[i] = Units.unitOf(texts[i], Books.load(_symbols));
        }
    }

    /// @notice Gas of splitting a text.
    function measure(bytes memory text) external view returns (uint256 gas) {
        gas = gasleft();
        ToolWords.split(text);
        gas -= gasleft();
    }

    function _made(
        Candidate[] memory found,
        Slot calldata slot,
        string calldata prompt,
        Directory memory directory,
        bytes calldata name
    ) private pure returns (Made[] memory made) {
        made = new Made[](found.length);
        for (uint256 k = 0; k < found.length; ++k) {
            uint256 span = found[k].span;
            (made[k].fault, made[k].encoded) = Arguments.make(found[k], slot, prompt, directory);
            if (made[k].fault == Arguments.FITS) continue;
            bytes memory text = bytes(prompt)[CandidateSpan.startOf(span):CandidateSpan.endOf(span)];
            made[k].question = Questions.ask(made[k].fault, name, k, slot.paramType, text);
        }
    }
}

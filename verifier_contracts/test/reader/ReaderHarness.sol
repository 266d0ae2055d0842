// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ICandidates} from "../../src/interfaces/ICandidates.sol";
import {IMoods} from "../../src/interfaces/IMoods.sol";
import {AgentBooks} from "../../src/reader/AgentBooks.sol";
import {Candidate} from "../../src/reader/Candidate.sol";
import {FlatLists} from "../../src/reader/FlatLists.sol";
import {Finders, Found, FoundCandidates} from "../../src/reader/FoundCandidates.sol";
import {View} from "../../src/reader/View.sol";

/// @notice What many prompts have for parameters of one type.
contract ReaderHarness {
    struct Outcome {
        Candidate[] found;
        bytes refusal;
    }

    function ask(ICandidates reader, address agent, string[] calldata prompts, uint256 paramType)
        external
        view
        returns (Outcome[] memory outcomes)
    {
        outcomes = new Outcome[](prompts.length);
        for (uint256 i = 0; i < prompts.length; ++i) {
            try reader.candidates(agent, prompts[i], paramType) returns (Candidate[] memory found) {
                outcomes[i].found = found;
            } catch (bytes memory reason) {
                require(reason.length != 0); // no refusal, but a fault
                outcomes[i].refusal = reason;
            }
        }
    }

    /// @notice What many prompts ask for.
    function asks(IMoods reader, address agent, string[] calldata prompts)
        external
        view
        returns (uint256[] memory answers, bytes[] memory refusals)
    {
        answers = new uint256[](prompts.length);
        refusals = new bytes[](prompts.length);
        for (uint256 i = 0; i < prompts.length; ++i) {
            try reader.moodOf(agent, prompts[i]) returns (uint256 answer) {
                answers[i] = answer;
            } catch (bytes memory reason) {
                require(reason.length != 0); // no refusal, but a fault
                refusals[i] = reason;
            }
        }
    }

    /// @notice Gas of asking it, for the first of a transaction and for a later one.
    function measureAsking(IMoods reader, address agent, string calldata prompt)
        external
        view
        returns (uint256 first, uint256 later)
    {
        require(agent.code.length != 0);
        first = gasleft();
        reader.moodOf(agent, prompt);
        first -= gasleft();
        later = gasleft();
        reader.moodOf(agent, prompt);
        later -= gasleft();
    }

    struct Outcomes {
        Candidate[] all;
        uint256[] ends;
        bytes refusal;
    }

    /// @notice What each prompt has for parameters of several types, looked at once, as the encoder does.
    /// @param reader Asked for texts and for all else.
    function askAll(
        ICandidates reader,
        address lexicon,
        address agent,
        string[] calldata prompts,
        uint256[] calldata paramTypes
    ) external view returns (Outcomes[] memory outcomes) {
        outcomes = new Outcomes[](prompts.length);
        for (uint256 i = 0; i < prompts.length; ++i) {
            try this.found(reader, lexicon, agent, prompts[i], paramTypes) returns (
                Candidate[] memory all, uint256[] memory ends
            ) {
                (outcomes[i].all, outcomes[i].ends) = (all, ends);
            } catch (bytes memory reason) {
                require(reason.length != 0); // no refusal, but a fault
                outcomes[i].refusal = reason;
            }
        }
    }

    /// @return all Those of the first type, then those of the next.
    /// @return ends For each type, where its candidates end among all.
    function found(
        ICandidates reader,
        address lexicon,
        address agent,
        string calldata prompt,
        uint256[] calldata paramTypes
    ) external view returns (Candidate[] memory all, uint256[] memory ends) {
        uint256[][] memory lists = _find(reader, lexicon, agent, prompt, paramTypes).lists;
        ends = new uint256[](lists.length);
        uint256 count;
        for (uint256 i = 0; i < lists.length; ++i) {
            count += lists[i].length;
            ends[i] = count;
        }
        all = new Candidate[](count);
        for (uint256 i = lists.length; i > 0; --i) {
            for (uint256 k = lists[i - 1].length; k > 0; --k) {
                all[--count] = FlatLists.candidate(lists[i - 1], k - 1);
            }
        }
    }

    /// @notice Gas of finding candidates of several types, looking at the prompt included.
    function measureAll(
        ICandidates reader,
        address lexicon,
        address agent,
        string calldata prompt,
        uint256[] calldata paramTypes
    ) external view returns (uint256 gas) {
        gas = gasleft();
        _find(reader, lexicon, agent, prompt, paramTypes);
        gas -= gasleft();
    }

    function _find(
        ICandidates reader,
        address lexicon,
        address agent,
        string calldata prompt,
        uint256[] memory paramTypes
    ) private view returns (Found memory all) {
        (address symbols, address contacts) = AgentBooks.pointersOf(agent);
        View memory v = AgentBooks.look(prompt, lexicon, symbols, contacts);
        Finders memory by = Finders(reader, reader, symbols, contacts);
        FoundCandidates.find(v, prompt, paramTypes, by, all);
    }

    /// @notice Gas of a call, for the first of a transaction and for a later one.
    function measure(ICandidates reader, address agent, string calldata prompt, uint256 paramType)
        external
        view
        returns (uint256 first, uint256 later)
    {
        require(agent.code.length != 0);
        first = gasleft();
        reader.candidates(agent, prompt, paramType);
        first -= gasleft();
        later = gasleft();
        reader.candidates(agent, prompt, paramType);
        later -= gasleft();
    }
}

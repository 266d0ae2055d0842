// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ICandidates} from "../../src/interfaces/ICandidates.sol";
import {IMoods} from "../../src/interfaces/IMoods.sol";
import {Candidate} from "../../src/reader/Candidate.sol";

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

    /// @notice What each prompt has for parameters of several types, looked at once.
    function askAll(
        ICandidates reader,
        address agent,
        string[] calldata prompts,
        uint256[] calldata paramTypes
    ) external view returns (Outcomes[] memory outcomes) {
        outcomes = new Outcomes[](prompts.length);
        for (uint256 i = 0; i < prompts.length; ++i) {
            try reader.candidatesOf(agent, prompts[i], paramTypes) returns (
                Candidate[] memory all, uint256[] memory ends
            ) {
                (outcomes[i].all, outcomes[i].ends) = (all, ends);
            } catch (bytes memory reason) {
                require(reason.length != 0); // no refusal, but a fault
                outcomes[i].refusal = reason;
            }
        }
    }

    /// @notice Gas of a call for several types.
    function measureAll(
        ICandidates reader,
        address agent,
        string calldata prompt,
        uint256[] calldata paramTypes
    ) external view returns (uint256 gas) {
        gas = gasleft();
        reader.candidatesOf(agent, prompt, paramTypes);
        gas -= gasleft();
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

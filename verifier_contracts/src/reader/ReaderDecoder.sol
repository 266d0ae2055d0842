// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Strangers} from "../encoding/Strangers.sol";
import {Books} from "../instructions/Books.sol";
import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {IOwnedAgent} from "../interfaces/IInstructedAgent.sol";
import {IMoods} from "../interfaces/IMoods.sol";
import {SheetParameter, ToolSheet} from "../interfaces/IToolVectors.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Arguments, Directory, Slot} from "./Arguments.sol";
import {Assignment} from "./Assignment.sol";
import {Candidate, CandidateSpan} from "./Candidate.sol";
import {Findings} from "./Findings.sol";
import {FlatLists} from "./FlatLists.sol";
import {Moods} from "./Moods.sol";
import {Pairs} from "./Pairs.sol";
import {ParamTypes} from "./ParamTypes.sol";
import {Questions} from "./Questions.sol";
import {Margins, ReaderChoice} from "./ReaderChoice.sol";
import {ReaderWords} from "./ReaderWords.sol";
import {ToolSheets} from "./ToolSheets.sol";
import {Units} from "./Units.sol";

/// @title From a reader's output to a call, a question or no, exactly as `models/reader/deciding.py`
/// @notice A tool is called once, and its answer is the run's. Arguments are candidates of the prompt that the
///   encoder found, chosen by the network's scores (`Assignment`); where none is sure enough, the parameter is
///   asked for. Nothing is called by a prompt that does not ask for an act now, but that a question may call a tool
///   that is pinned as one that only looks.
contract ReaderDecoder is IDecoder {
    /// @dev What a call is made of, as it grows. symbols, contacts: where the entries of the agent's books are.
    struct Making {
        address symbols;
        address contacts;
        Directory directory;
        bool hasDirectory;
        IERCAgentTool.ParamValue[] values;
        bytes input;
    }

    uint256 private constant WHOLE_BITS = 256;

    IMoods private immutable _moods;
    uint256 private immutable _ahead;
    int256 private immutable _fits;
    uint256 private immutable _unit;
    int256 private immutable _fills;

    /// @notice The output calls another tool than the one whose parameters the features are about: no network of
    ///   this family does.
    error OtherTool(uint256 read, uint256 called);

    /// @param moods What tells what a prompt asks for, where the encoder did not: a `TextReader`.
    /// @param margins From when on a tool is called, and a parameter filled.
    constructor(IMoods moods, Margins memory margins) {
        _moods = moods;
        (_ahead, _fits) = (margins.ahead, margins.fits);
        (_unit, _fills) = (margins.unit, margins.fills);
    }

    /// @inheritdoc IDecoder
    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory made)
    {
        (bool answered, bytes memory answer) = ReaderWords.lastAnswer(c.agentReasoning);
        if (answered) return _answer(answer);
        (uint256 verdict, uint256 tool) = ReaderChoice.read(
            output, c.tools.length, c.agent, Margins(_ahead, _fits, _unit, _fills)
        );
        if (verdict == ReaderChoice.DECLINE) return _answer(ReaderWords.DECLINE);
        if (verdict == ReaderChoice.ASK) return _answer(ReaderWords.askWhich(c.tools));
        return _call(c, tool, parse, output[ReaderChoice.CHOICE_BYTES:]);
    }

    function _call(Context calldata c, uint256 place, bytes memory found, bytes calldata scores)
        private
        view
        returns (AgentIterationResult memory made)
    {
        uint256 read = Findings.toolOf(found);
        if (read != place) revert OtherTool(read, place);
        ToolSheet memory sheet = ToolSheets.unpack(Findings.sheetOf(found), 0);
        if (sheet.parameters.length > Pairs.MOST_PARAMETERS) {
            return _answer(
                bytes.concat(Questions.named(sheet.name, "tool ", place), ReaderWords.TOO_MANY)
            );
        }
        uint256 least = Findings.onlyLooks(found) ? Moods.QUESTION : Moods.ACT;
        if (_moodOf(c, found) < least) return _answer(ReaderWords.HOLD);
        Making memory making;
        bytes memory question = _fillAll(c, sheet.parameters, making, found, scores);
        if (question.length != 0) return _answer(question);
        made.tool = c.tools[place];
        made.toolInput.params = making.values;
        made.toolInput.abiEncodedParams = ReaderWords.together(making.values);
        made.agentReasoning = string(
            bytes.concat(
                ReaderWords.THOUGHT,
                Questions.named(sheet.name, "tool ", place),
                "\nAction Input: {",
                making.input,
                "}\n"
            )
        );
    }

    /// @dev As the encoder found it, which did not look where there was nothing to find.
    function _moodOf(Context calldata c, bytes memory found) private view returns (uint256 mood) {
        mood = Findings.moodOf(found);
        if (mood == Findings.UNKNOWN_MOOD) mood = _moods.moodOf(c.agent, c.prompt);
    }

    /// @dev Fills all parameters, or returns what to ask.
    function _fillAll(
        Context calldata c,
        SheetParameter[] memory parameters,
        Making memory making,
        bytes memory found,
        bytes calldata scores
    ) private view returns (bytes memory question) {
        uint256 count = parameters.length;
        making.values = new IERCAgentTool.ParamValue[](count);
        uint256[] memory types = new uint256[](count);
        uint256[][] memory lists = new uint256[][](count);
        unchecked {
            for (uint256 i = 0; i < count; ++i) {
                (types[i], lists[i]) = (parameters[i].paramType, Findings.listOf(found, i));
            }
        }
        (making.symbols, making.contacts) = Findings.booksOf(found);
        uint256 tokens;
        if (Assignment.asksForUnits(types, lists)) tokens = _tokensOf(c, parameters, making);
        uint256[] memory chosen = Assignment.assign(types, lists, scores, _fills, tokens);
        for (uint256 i = 0; i < count && question.length == 0; ++i) {
            if (chosen[i] == Assignment.NONE) {
                return Questions.ask(Arguments.MISSING, parameters[i].name, i, types[i], "");
            }
            Candidate memory one = FlatLists.candidate(lists[i], chosen[i]);
            question = _fill(c, parameters[i], making, one, i);
        }
    }

    /// @dev Bits of parameters whose numbers count in one token.
    function _tokensOf(Context calldata c, SheetParameter[] memory parameters, Making memory making)
        private
        view
        returns (uint256 tokens)
    {
        for (uint256 i = 0; i < parameters.length; ++i) {
            if (!ParamTypes.isNumber(parameters[i].paramType)) continue;
            _look(c.agent, parameters[i].paramType, making);
            Slot memory slot = _slotOf(parameters[i], making.directory);
            if (slot.unit.kind == Units.SYMBOL) tokens |= 1 << i;
        }
    }

    /// @dev Fills parameter `i`, or returns what to ask.
    function _fill(
        Context calldata c,
        SheetParameter memory parameter,
        Making memory making,
        Candidate memory chosen,
        uint256 i
    ) private view returns (bytes memory) {
        _look(c.agent, parameter.paramType, making);
        Slot memory slot = _slotOf(parameter, making.directory);
        bytes memory text = _textOf(c.prompt, chosen.span);
        uint256 fault;
        (fault, making.values[i].value) = Arguments.make(chosen, slot, c.prompt, making.directory);
        if (fault != Arguments.FITS) {
            return Questions.ask(fault, parameter.name, i, slot.paramType, text);
        }
        making.values[i].paramType = IERCAgentTool.ParamType(parameter.paramType);
        _write(making, i, parameter.name, text);
        return "";
    }

    /// @dev As it stands in the prompt, with the sign in front of it.
    function _textOf(string calldata prompt, uint256 span) private pure returns (bytes memory) {
        bytes calldata text = bytes(prompt)[CandidateSpan.startOf(span):CandidateSpan.endOf(span)];
        return span & CandidateSpan.NEGATIVE != 0 ? bytes.concat("-", text) : text;
    }

    /// @dev Adds what parameter `i` is filled with to the text of the call.
    function _write(Making memory making, uint256 i, bytes memory name, bytes memory text)
        private
        pure
    {
        making.input = bytes.concat(
            making.input,
            i == 0 ? bytes('"') : bytes(',"'),
            Questions.named(name, "parameter ", i),
            '":"',
            ReaderWords.quoted(text),
            '"'
        );
    }

    /// @dev Looks names up once they are needed: of accounts and numbers.
    function _look(address agent, uint256 paramType, Making memory making) private view {
        uint256 one = ParamTypes.elementOf(paramType);
        bool isNamed = one == ParamTypes.ADDRESS || ParamTypes.isNumber(one);
        if (making.hasDirectory || !isNamed) return;
        making.directory = Directory(
            Books.load(making.symbols),
            making.contacts == address(0) ? Books.none() : Books.load(making.contacts),
            Strangers.addressOf(agent, IOwnedAgent.owner.selector)
        );
        making.hasDirectory = true;
    }

    /// @dev By the type of a parameter, and by what a number's name and description say that it counts in.
    function _slotOf(SheetParameter memory parameter, Directory memory directory)
        private
        pure
        returns (Slot memory slot)
    {
        (slot.paramType, slot.bits) = (parameter.paramType, WHOLE_BITS);
        if (ParamTypes.isNumber(slot.paramType)) {
            slot.unit = Units.unitOf(parameter.said, directory.symbols);
        }
    }

    function _answer(bytes memory text) private pure returns (AgentIterationResult memory made) {
        (made.isFinalAnswer, made.finalAnswer) = (true, string(text));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Strangers} from "../encoding/Strangers.sol";
import {Books} from "../instructions/Books.sol";
import {ICandidates} from "../interfaces/ICandidates.sol";
import {IContactBookUser} from "../interfaces/IContactBook.sol";
import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {IOwnedAgent} from "../interfaces/IInstructedAgent.sol";
import {IReadingAgent} from "../interfaces/IReadingAgent.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {IToolVectors, SheetParameter, ToolSheet} from "../interfaces/IToolVectors.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Arguments, Directory, Slot} from "./Arguments.sol";
import {Candidate, CandidateSpan} from "./Candidate.sol";
import {ParamTypes} from "./ParamTypes.sol";
import {Questions} from "./Questions.sol";
import {Margins, ReaderChoice} from "./ReaderChoice.sol";
import {ReaderWords} from "./ReaderWords.sol";
import {Units} from "./Units.sol";

/// @title From a reader's output to a call, a question or no, exactly as `models/reader/deciding.py`
/// @notice A tool is called once, and its answer is the run's. An argument is the only thing in the prompt that
///   could be it; where there are several, or one that another parameter took, the parameter is asked for.
contract ReaderDecoder is IDecoder {
    /// @dev What a call is made of, as it grows.
    struct Making {
        Directory directory;
        bool hasDirectory;
        uint256[] types;
        Candidate[][] found;
        IERCAgentTool.ParamValue[] values;
        uint256[] spans;
        bytes input;
    }

    uint256 private constant WHOLE_BITS = 256;
    /// @dev Sorts of types.
    uint256 private constant TEXTS = 0;
    uint256 private constant NAMED = 1;
    uint256 private constant OTHERS = 2;

    ICandidates private immutable _texts;
    ICandidates private immutable _literals;
    IToolVectors private immutable _vectors;
    uint256 private immutable _ahead;
    int256 private immutable _fits;
    uint256 private immutable _unit;

    /// @param texts What finds candidates of texts: a `TextReader`.
    /// @param literals What finds all others: a `LiteralReader`.
    /// @param vectors Where the vectors of tools are.
    /// @param margins From when on a tool is called.
    constructor(
        ICandidates texts,
        ICandidates literals,
        IToolVectors vectors,
        Margins memory margins
    ) {
        (_texts, _literals, _vectors) = (texts, literals, vectors);
        (_ahead, _fits, _unit) = (margins.ahead, margins.fits, margins.unit);
    }

    /// @inheritdoc IDecoder
    function decode(Context calldata c, bytes calldata, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory made)
    {
        (bool answered, bytes memory answer) = ReaderWords.lastAnswer(c.agentReasoning);
        if (answered) return _answer(answer);
        (uint256 verdict, uint256 tool) =
            ReaderChoice.read(output, c.tools.length, c.agent, Margins(_ahead, _fits, _unit));
        if (verdict == ReaderChoice.DECLINE) return _answer(ReaderWords.DECLINE);
        if (verdict == ReaderChoice.ASK) return _answer(ReaderWords.askWhich(c.tools));
        return _call(c, tool);
    }

    function _call(Context calldata c, uint256 place)
        private
        view
        returns (AgentIterationResult memory made)
    {
        made.tool = c.tools[place];
        bytes32[] memory pinned = IReadingAgent(c.agent).toolTexts();
        ToolSheet memory sheet = _vectors.sheetOf(c.tools, pinned, place);
        uint256 count = sheet.parameters.length;
        Making memory making;
        making.values = new IERCAgentTool.ParamValue[](count);
        making.spans = new uint256[](count);
        making.types = _typesOf(sheet);
        making.found = new Candidate[][](count);
        for (uint256 i = 0; i < count; ++i) {
            bytes memory question = _fill(c, sheet.parameters[i], making, i);
            if (question.length != 0) return _answer(question);
        }
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

    /// @dev Fills parameter `i`, or returns what to ask.
    function _fill(
        Context calldata c,
        SheetParameter memory parameter,
        Making memory making,
        uint256 i
    ) private view returns (bytes memory) {
        bytes memory name = parameter.name;
        _look(c.agent, parameter.paramType, making);
        Slot memory slot = _slotOf(parameter, making.directory);
        if (making.found[i].length == 0) _find(c, making, i);
        Candidate[] memory found = making.found[i];
        if (found.length != 1 || _isTaken(making.spans, i, found[0].span)) {
            return Questions.ask(Arguments.MISSING, name, i, slot.paramType, "");
        }
        bytes memory text = _textOf(c.prompt, found[0].span);
        uint256 fault;
        (fault, making.values[i].value) = Arguments.make(found[0], slot, c.prompt, making.directory);
        if (fault != Arguments.FITS) return Questions.ask(fault, name, i, slot.paramType, text);
        making.values[i].paramType = IERCAgentTool.ParamType(parameter.paramType);
        making.spans[i] = found[0].span;
        _write(making, i, name, text);
        return "";
    }

    function _typesOf(ToolSheet memory sheet) private pure returns (uint256[] memory types) {
        types = new uint256[](sheet.parameters.length);
        for (uint256 i = 0; i < types.length; ++i) {
            types[i] = sheet.parameters[i].paramType;
        }
    }

    /// @dev Candidates of parameter `i` and of those behind it that the prompt is looked at alike for, which are refused
    ///   for the same prompts: texts, or accounts and numbers, or all others.
    function _find(Context calldata c, Making memory making, uint256 i) private view {
        uint256 sort = _sortOf(making.types[i]);
        uint256 count = making.types.length;
        uint256[] memory asked = new uint256[](count);
        uint256 found = 0;
        for (uint256 k = i; k < count; ++k) {
            uint256 each = making.types[k];
            if (_sortOf(each) != sort || _placeOf(asked, found, each) < found) continue;
            asked[found++] = each;
        }
        assembly ("memory-safe") {
            mstore(asked, found)
        }
        ICandidates reader = sort == TEXTS ? _texts : _literals;
        (Candidate[] memory all, uint256[] memory ends) =
            reader.candidatesOf(c.agent, c.prompt, asked);
        for (uint256 k = i; k < count; ++k) {
            uint256 place = _placeOf(asked, found, making.types[k]);
            if (place == found) continue;
            making.found[k] = _part(all, place == 0 ? 0 : ends[place - 1], ends[place]);
        }
    }

    /// @dev The same structs.
    function _part(Candidate[] memory all, uint256 start, uint256 end)
        private
        pure
        returns (Candidate[] memory part)
    {
        assembly ("memory-safe") {
            part := mload(0x40)
            let count := sub(end, start)
            mstore(part, count)
            mcopy(add(part, 32), add(add(all, 32), shl(5, start)), shl(5, count))
            mstore(0x40, add(part, shl(5, add(count, 1))))
        }
    }

    /// @dev Where a type is among the first `count`; `count` if it is not.
    function _placeOf(uint256[] memory types, uint256 count, uint256 wanted)
        private
        pure
        returns (uint256 place)
    {
        while (place < count && types[place] != wanted) ++place;
    }

    function _sortOf(uint256 paramType) private pure returns (uint256) {
        uint256 one = ParamTypes.elementOf(paramType);
        if (one == ParamTypes.STRING) return TEXTS;
        return one == ParamTypes.ADDRESS || ParamTypes.isNumber(one) ? NAMED : OTHERS;
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
        if (making.hasDirectory || _sortOf(paramType) != NAMED) return;
        bytes4 pointer = ISymbolBook.pointer.selector; // and `IContactBook.pointer`'s
        address symbols = Strangers.addressOf(agent, ISymbolBookUser.symbolBook.selector, pointer);
        address contacts =
            Strangers.addressOf(agent, IContactBookUser.contactBook.selector, pointer);
        making.directory = Directory(
            Books.load(symbols),
            contacts == address(0) ? Books.none() : Books.load(contacts),
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

    /// @dev Whether one of the first `count` has a part of it.
    function _isTaken(uint256[] memory spans, uint256 count, uint256 span)
        private
        pure
        returns (bool)
    {
        (uint256 start, uint256 end) = (CandidateSpan.startOf(span), CandidateSpan.endOf(span));
        for (uint256 i = 0; i < count; ++i) {
            if (start < CandidateSpan.endOf(spans[i]) && CandidateSpan.startOf(spans[i]) < end) {
                return true;
            }
        }
        return false;
    }

    function _answer(bytes memory text) private pure returns (AgentIterationResult memory made) {
        (made.isFinalAnswer, made.finalAnswer) = (true, string(text));
    }
}

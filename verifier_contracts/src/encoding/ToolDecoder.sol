// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {Decimals} from "../libraries/Decimals.sol";
import {Ambiguity} from "./Ambiguity.sol";
import {Assets} from "./Assets.sol";
import {BalanceReading} from "./BalanceReading.sol";
import {DecisionEncoding} from "./DecisionEncoding.sol";
import {Action, ModelData, Parameter} from "./ModelData.sol";
import {Parse, ParseFormat} from "./ParseFormat.sol";
import {Scores} from "./Scores.sol";
import {BookEntries, SymbolList} from "./SymbolList.sol";
import {Texts} from "./Texts.sol";
import {ToolMatching} from "./ToolMatching.sol";

/// @title From a model's output to a decision, exactly as `models/encoding/decoder.py`
/// @notice The action is the one with the highest score. Each argument of a tool is the best
///   candidate of its slot's types with a positive score; a recipient only ever comes from the
///   prompt, an amount from the prompt or from the readable balance observed just before. What
///   cannot be filled becomes a final answer that asks for it, and so does an action that takes an
///   amount when the prompt may hold more than one instruction.
contract ToolDecoder is IDecoder {
    uint256 private constant PARSE_BYTES = 128;

    address private immutable _data;
    uint256 private immutable _offset; // of the manifest's part in the data's code
    uint256 private immutable _length;
    uint256 private immutable _actions;

    /// @param data The contract that holds local table, vocabulary and manifest; see `ModelData`.
    /// @param localRows The local table's number of rows.
    constructor(address data, uint256 localRows) {
        ModelData.checkRows(localRows);
        _data = data;
        _offset = ModelData.manifestAt(localRows);
        (_actions,,) = ModelData.header(data, _offset);
        _length = data.code.length - _offset;
    }

    /// @inheritdoc IDecoder
    /// @dev Returns from inside: every `_say`, `_answer` and `returnCall` ends the call.
    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory)
    {
        Scores.checkLength(output, _actions);
        Parse calldata found = _read(parse);
        uint256 manifest = ModelData.load(_data, _offset, _length);
        uint256 chosen = Scores.argmax(output, 0, _actions + Scores.ANSWERS);
        if (chosen < _actions) _call(c, found, manifest, output, chosen);
        if (chosen == _actions) _report(c, found, manifest);
        _answer(manifest, chosen == _actions + 1 ? ModelData.ASK : ModelData.DECLINE);
    }

    function _read(bytes calldata parse) private pure returns (Parse calldata found) {
        if (parse.length != PARSE_BYTES) revert Texts.ForeignParse(0, PARSE_BYTES, parse.length);
        assembly ("memory-safe") {
            found := parse.offset
        }
    }

    function _call(
        Context calldata c,
        Parse calldata found,
        uint256 manifest,
        bytes calldata output,
        uint256 chosen
    ) private view {
        Action memory action = ModelData.readAction(manifest, chosen);
        address tool = ToolMatching.find(c.tools, action);
        if (tool == address(0)) _say(action.noTool);
        Parameter[] memory parameters = action.parameters;
        if (Ambiguity.isIn(c, found) && _takesAmount(parameters)) _answer(manifest, ModelData.ASK);
        uint256 source = Scores.argmax(output, _actions + Scores.ANSWERS, Scores.SOURCES);
        uint256 taken = 0;
        unchecked {
            for (uint256 i = 0; i < parameters.length; ++i) {
                Parameter memory parameter = parameters[i];
                if (parameter.slot == Scores.AMOUNT && source != 0) {
                    parameter.text = _observedAmount(c, found, manifest, source - 1);
                } else {
                    taken = _choose(c, found, output, parameter, taken);
                }
            }
        }
        _resolve(c, found, manifest, parameters, source != 0);
        DecisionEncoding.returnCall(tool, action);
    }

    function _takesAmount(Parameter[] memory parameters) private pure returns (bool) {
        for (uint256 i = 0; i < parameters.length; ++i) {
            if (parameters[i].slot == Scores.AMOUNT) return true;
        }
        return false;
    }

    /// @dev Fills a parameter with its slot's best candidate, unless that is in the set `taken`;
    ///   returns the set with it.
    function _choose(
        Context calldata c,
        Parse calldata found,
        bytes calldata output,
        Parameter memory parameter,
        uint256 taken
    ) private view returns (uint256) {
        uint256 best = Scores.bestCandidate(output, _actions, parameter.slot, found.candidates);
        if (best == Scores.NONE || (taken >> best) & 1 == 1) _say(parameter.missing);
        (, uint256 start, uint256 end) = ParseFormat.candidate(found.candidates, best);
        parameter.text = Texts.slice(c.prompt, start, end);
        return taken | (1 << best);
    }

    /// @dev Turns the texts into ABI values; the amount is in units of the asset beside it.
    function _resolve(
        Context calldata c,
        Parse calldata found,
        uint256 manifest,
        Parameter[] memory parameters,
        bool amountObserved
    ) private view {
        BookEntries symbols = SymbolList.load(found.book);
        (address token, uint256 entry) = Assets.find(symbols, _assetOf(parameters));
        for (uint256 i = 0; i < parameters.length; ++i) {
            Parameter memory parameter = parameters[i];
            if (parameter.slot == Scores.ASSET) {
                parameter.value = uint160(token);
            } else if (parameter.slot == Scores.RECIPIENT) {
                parameter.value = uint160(Assets.parseAddress(parameter.text));
            } else {
                if (amountObserved && !_isUnitOf(c, found, symbols, token)) {
                    _answer(manifest, ModelData.UNREADABLE);
                }
                uint8 decimals = Assets.decimalsOf(token, entry);
                bool inUnits = amountObserved && found.balance & ParseFormat.UNITS != 0;
                _setAmount(parameter, inUnits ? 0 : decimals);
                if (parameter.value == 0) _answer(manifest, ModelData.ZERO);
                if (inUnits) {
                    string memory text = Decimals.toString(parameter.value, decimals);
                    parameter.text = DecisionEncoding.inMemory(text);
                }
            }
        }
    }

    function _setAmount(Parameter memory parameter, uint8 decimals) private pure {
        string memory text = Texts.copy(parameter.text);
        parameter.value = Decimals.parse(text, decimals);
        if (parameter.paramType == ModelData.INT && parameter.value >> 255 != 0) {
            revert Decimals.AmountTooLarge(text);
        }
    }

    /// @dev The text of the asset, which every action has (the manifest sees to it).
    function _assetOf(Parameter[] memory parameters) private pure returns (uint256) {
        uint256 i = 0;
        while (parameters[i].slot != Scores.ASSET) ++i;
        return parameters[i].text;
    }

    /// @dev Amount 0 is the pool's, amount 1 the wallet's.
    function _observedAmount(Context calldata c, Parse calldata found, uint256 manifest, uint256 i)
        private
        pure
        returns (uint256)
    {
        (, uint256 end) = ParseFormat.span(found.balance, i);
        if (end == 0) _answer(manifest, ModelData.UNREADABLE);
        return _observed(c, found, found.balance, i);
    }

    /// @dev Whether the observed balance is one of `token`.
    function _isUnitOf(Context calldata c, Parse calldata found, BookEntries symbols, address token)
        private
        pure
        returns (bool)
    {
        uint256 unit = _observed(c, found, found.balance, BalanceReading.UNIT);
        return Assets.isUnitOf(symbols, unit, token);
    }

    /// @dev Answers with the last observation.
    function _report(Context calldata c, Parse calldata found, uint256 manifest) private pure {
        if (found.observation == 0) _answer(manifest, ModelData.NOTHING);
        bytes memory text = bytes(Texts.copy(_observed(c, found, found.observation, 0)));
        uint256 pos;
        assembly ("memory-safe") {
            pos := add(text, 32)
        }
        DecisionEncoding.returnAnswer(pos, text.length);
    }

    /// @dev A span, the `i`th of `spans`, of the entry that holds the observation.
    function _observed(Context calldata c, Parse calldata found, uint256 spans, uint256 i)
        private
        pure
        returns (uint256)
    {
        (uint256 start, uint256 end) = ParseFormat.span(spans, i);
        uint256 entry = ParseFormat.entryOf(found.observation);
        return Texts.slice(c.agentReasoning[entry], start, end);
    }

    /// @dev Ends the call with an answer of the manifest.
    function _answer(uint256 manifest, uint256 which) private pure {
        _say(ModelData.answer(manifest, which));
    }

    /// @dev Ends the call with the text at a memory position; see `ModelData`.
    function _say(uint256 text) private pure {
        unchecked {
            DecisionEncoding.returnAnswer(text + 2, ModelData.lengthOf(text));
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IDecoder} from "../interfaces/IDecoder.sol";
import {AgentIterationResult} from "../interfaces/IERCAgentExecutor.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {Decimals} from "../libraries/Decimals.sol";
import {Assets} from "./Assets.sol";
import {BalanceReading} from "./BalanceReading.sol";
import {DecisionEncoding} from "./DecisionEncoding.sol";
import {Action, ModelData, Parameter} from "./ModelData.sol";
import {Parse, ParseFormat} from "./ParseFormat.sol";
import {Scores} from "./Scores.sol";
import {BookEntries, SymbolList} from "./SymbolList.sol";
import {Texts} from "./Texts.sol";
import {ToolMatching} from "./ToolMatching.sol";

/// @title From a model's output to a decision, exactly as `models/decoder.py`
/// @notice The action is the one with the highest score. Each argument of a tool is the best
///   candidate of its slot's types with a positive score; a recipient only ever comes from the
///   prompt, an amount from the prompt or from the readable balance observed just before. What
///   cannot be filled becomes a final answer that asks for it.
contract ToolDecoder is IDecoder {
    address private immutable _data;
    uint256 private immutable _offset; // of the manifest's part in the data's code
    uint256 private immutable _length;
    uint256 private immutable _actions;

    /// @dev What a decision is made from.
    struct Sources {
        Parse found;
        uint256 manifest; // memory position, see `ModelData`
        bool amountObserved;
    }

    /// @param data The contract that holds local table and manifest; see `ModelData`.
    /// @param localRows The local table's number of rows.
    constructor(address data, uint256 localRows) {
        ModelData.checkRows(localRows);
        _data = data;
        _offset = ModelData.offsetOf(localRows);
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
        uint256 actions = _actions;
        Scores.checkLength(output, actions);
        Sources memory sources;
        sources.found = abi.decode(parse, (Parse));
        sources.manifest = ModelData.load(_data, _offset, _length);
        uint256 chosen = Scores.argmax(output, 0, actions + Scores.ANSWERS);
        if (chosen < actions) _call(c, sources, output, chosen);
        if (chosen == actions) _report(c, sources);
        _answer(sources, chosen == actions + 1 ? ModelData.ASK : ModelData.DECLINE);
    }

    function _call(
        Context calldata c,
        Sources memory sources,
        bytes calldata output,
        uint256 chosen
    ) private view {
        Action memory action = ModelData.readAction(sources.manifest, chosen);
        address tool = ToolMatching.find(c.tools, action);
        if (tool == address(0)) _say(action.noTool);
        uint256 asset = _fill(c, sources, output, action.parameters);
        _resolve(c, sources, action.parameters, asset);
        DecisionEncoding.returnCall(tool, action);
    }

    /// @dev Chooses a text for each parameter, in order. Returns that of the asset.
    function _fill(
        Context calldata c,
        Sources memory sources,
        bytes calldata output,
        Parameter[] memory parameters
    ) private view returns (uint256 asset) {
        uint256 source = Scores.argmax(output, _actions + Scores.ANSWERS, Scores.SOURCES);
        uint256 candidates = sources.found.candidates;
        uint256 taken = 0;
        for (uint256 i = 0; i < parameters.length; ++i) {
            Parameter memory parameter = parameters[i];
            if (parameter.slot == Scores.AMOUNT && source != 0) {
                parameter.text = _observedAmount(c, sources, source - 1);
                continue;
            }
            uint256 best = Scores.bestCandidate(output, _actions, parameter.slot, candidates);
            if (best == Scores.NONE || (taken >> best) & 1 == 1) _say(parameter.missing);
            taken |= 1 << best;
            (, uint256 start, uint256 end) = ParseFormat.candidate(candidates, best);
            parameter.text = Texts.slice(c.prompt, start, end);
            if (parameter.slot == Scores.ASSET) asset = parameter.text;
        }
    }

    /// @dev Amount 0 is the pool's, amount 1 the wallet's.
    function _observedAmount(Context calldata c, Sources memory sources, uint256 i)
        private
        pure
        returns (uint256)
    {
        (, uint256 end) = ParseFormat.span(sources.found.balance, i);
        if (end == 0) _answer(sources, ModelData.UNREADABLE);
        sources.amountObserved = true;
        return _observed(c, sources, sources.found.balance, i);
    }

    /// @dev Turns the texts into ABI values; the amount is in units of the asset beside it.
    function _resolve(
        Context calldata c,
        Sources memory sources,
        Parameter[] memory parameters,
        uint256 asset
    ) private view {
        BookEntries symbols = SymbolList.load(sources.found.book);
        (address token, uint256 entry) = Assets.find(symbols, asset);
        for (uint256 i = 0; i < parameters.length; ++i) {
            Parameter memory parameter = parameters[i];
            if (parameter.slot == Scores.ASSET) {
                parameter.value = uint160(token);
            } else if (parameter.slot == Scores.RECIPIENT) {
                parameter.value = uint160(Assets.parseAddress(parameter.text));
            } else {
                if (sources.amountObserved) _checkUnit(c, sources, symbols, token);
                uint8 decimals = Assets.decimalsOf(token, entry);
                parameter.value = Decimals.parse(Texts.copy(parameter.text), decimals);
                if (parameter.value == 0) _answer(sources, ModelData.ZERO);
            }
        }
    }

    /// @dev The observed balance has to be one of `token`.
    function _checkUnit(
        Context calldata c,
        Sources memory sources,
        BookEntries symbols,
        address token
    ) private pure {
        uint256 unit = _observed(c, sources, sources.found.balance, BalanceReading.UNIT);
        if (!Assets.isUnitOf(symbols, unit, token)) _answer(sources, ModelData.UNREADABLE);
    }

    /// @dev Answers with the last observation.
    function _report(Context calldata c, Sources memory sources) private pure {
        uint256 observation = sources.found.observation;
        if (observation == 0) _answer(sources, ModelData.NOTHING);
        bytes memory text = bytes(Texts.copy(_observed(c, sources, observation, 0)));
        uint256 pos;
        assembly ("memory-safe") {
            pos := add(text, 32)
        }
        DecisionEncoding.returnAnswer(pos, text.length);
    }

    /// @dev A span, the `i`th of `spans`, of the entry that holds the observation.
    function _observed(Context calldata c, Sources memory sources, uint256 spans, uint256 i)
        private
        pure
        returns (uint256)
    {
        (uint256 start, uint256 end) = ParseFormat.span(spans, i);
        uint256 entry = ParseFormat.entryOf(sources.found.observation);
        return Texts.slice(c.agentReasoning[entry], start, end);
    }

    /// @dev Ends the call with an answer of the manifest.
    function _answer(Sources memory sources, uint256 which) private pure {
        _say(ModelData.answer(sources.manifest, which));
    }

    /// @dev Ends the call with the text at a memory position; see `ModelData`.
    function _say(uint256 text) private pure {
        unchecked {
            DecisionEncoding.returnAnswer(text + 2, ModelData.lengthOf(text));
        }
    }
}

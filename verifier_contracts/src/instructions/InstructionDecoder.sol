// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

import {Assets} from "../encoding/Assets.sol";
import {BalanceReading} from "../encoding/BalanceReading.sol";
import {DecisionEncoding} from "../encoding/DecisionEncoding.sol";
import {HistoryReading} from "../encoding/HistoryReading.sol";
import {Action, ModelData, Parameter} from "../encoding/ModelData.sol";
import {ParseFormat} from "../encoding/ParseFormat.sol";
import {Scores} from "../encoding/Scores.sol";
import {BookEntries, SymbolList} from "../encoding/SymbolList.sol";
import {Texts} from "../encoding/Texts.sol";
import {ToolMatching} from "../encoding/ToolMatching.sol";
import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {IInstructedAgent, IOwnedAgent} from "../interfaces/IInstructedAgent.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {Decimals} from "../libraries/Decimals.sol";
import {Answers} from "./Answers.sol";
import {Calls, PlannedCall} from "./Calls.sol";
import {Kinds} from "./Kinds.sol";
import {ParsedTokens} from "./ParsedTokens.sol";
import {Quantities} from "./Quantities.sol";
import {Tokens} from "./Tokens.sol";
import {Said, Verdicts} from "./Verdicts.sol";

/// @title From a network's numbers to a decision, exactly as `models/instructions/decoder.py`
/// @notice The prompt's calls are the same at every iteration; the history says how many are done. A call
///   whose amount is a part of the balance is preceded by a view of that balance. Nothing is done
///   unless all of it can be. When all is done, the answer names it.
/// @dev Every `_say`, `_answer` and `_returnCall` ends the call.
contract InstructionDecoder is IDecoder {
    /// @dev What a decision is made of.
    /// @param manifest Memory position of the manifest's part.
    /// @param actions Those to take in their order, a byte each from the lowest on.
    /// @param steps How many these are.
    /// @param done How many of them the history has.
    /// @param last The index of the history's last entry.
    struct Plan {
        uint256 manifest;
        BookEntries symbols;
        PlannedCall[] calls;
        uint256 actions;
        uint256 steps;
        uint256 done;
        uint256 last;
    }

    uint256 private constant MANIFEST_AT = 1;
    uint256 private constant ACTIONS = 4;
    // Places of actions in the manifest.
    uint256 private constant VIEW_ACTION = 0;
    uint256 private constant WITHDRAW_ACTION = 2;
    /// @dev Hundredths of a log-odd: what `IInstructedAgent.caution` counts in.
    uint256 private constant CAUTION_UNIT = 100;

    address private immutable _data;
    uint256 private immutable _length;
    uint256 private immutable _marginUnit;

    /// @param data The contract that holds the manifest's part; see `ModelData`.
    /// @param marginUnit Of the margin, a log-odd.
    constructor(address data, uint256 marginUnit) {
        (uint256 actions,,) = ModelData.header(data, MANIFEST_AT);
        if (actions != ACTIONS || marginUnit == 0) revert ModelData.MalformedModelData(data);
        _data = data;
        _length = data.code.length - MANIFEST_AT;
        _marginUnit = marginUnit;
    }

    /// @inheritdoc IDecoder
    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory)
    {
        Said memory said = Verdicts.read(output);
        uint256 count = ParsedTokens.count(parse);
        Plan memory plan;
        plan.manifest = ModelData.load(_data, MANIFEST_AT, _length);
        plan.calls = Calls.plan(parse, count, said.tags);
        uint256 views = _views(plan.calls);
        if (_acts(c.agent, said.margin)) {
            _checkDoubts(c, parse, count, plan.manifest);
            if (plan.calls.length == 0 || views != 0) _answer(plan.manifest, ModelData.ASK);
            _act(c, parse, plan);
        }
        if (said.other == Verdicts.VIEW) {
            if (views < plan.calls.length) _answer(plan.manifest, ModelData.ASK);
            _view(c, parse, plan);
        }
        if (said.other == Verdicts.ASK) {
            _checkDoubts(c, parse, count, plan.manifest);
            _answer(plan.manifest, ModelData.ASK);
        }
        _answer(plan.manifest, said.other == Verdicts.HELP ? Answers.HELP : ModelData.DECLINE);
    }

    function _acts(address agent, int256 margin) private view returns (bool) {
        if (margin <= 0) return false;
        uint256 caution = IInstructedAgent(agent).caution();
        if (caution > type(uint128).max) return false;
        return uint256(margin) * CAUTION_UNIT > caution * _marginUnit;
    }

    function _views(PlannedCall[] memory calls) private pure returns (uint256 views) {
        for (uint256 i = 0; i < calls.length; ++i) {
            if (calls[i].action == Calls.VIEW) ++views;
        }
    }

    function _checkDoubts(Context calldata c, bytes calldata parse, uint256 count, uint256 manifest)
        private
        pure
    {
        for (uint256 i = 0; i < count; ++i) {
            uint256 token = ParsedTokens.tokenAt(parse, i);
            if (Tokens.kindOf(token) == Kinds.DOUBT) _doubt(c, manifest, token);
        }
    }

    // What is to be done

    function _act(Context calldata c, bytes calldata parse, Plan memory plan) private view {
        PlannedCall[] memory calls = plan.calls;
        for (uint256 i = 0; i < calls.length; ++i) {
            if (Quantities.shareOf(calls[i].filled[Calls.AMOUNT]) != 0) {
                _add(plan, VIEW_ACTION);
            }
            _add(plan, calls[i].action - 1);
        }
        uint256[] memory pieces = Answers.none();
        Answers.addText(pieces, ModelData.answer(plan.manifest, Answers.DONE));
        _walk(c, plan, pieces);
        if (plan.done == plan.steps) Answers.finish(pieces);
        (address tool, Action memory action) = _tool(c, plan);
        plan.symbols = SymbolList.load(address(uint160(ParsedTokens.word(parse, 0))));
        uint256 units;
        PlannedCall memory next;
        uint256 step = 0;
        for (uint256 i = 0; i < calls.length; ++i) {
            uint256 exact = _exactAmount(c, plan, calls[i]);
            uint256 after_ = step + (exact == 0 ? 2 : 1);
            if (step <= plan.done && plan.done < after_) (next, units) = (calls[i], exact);
            step = after_;
        }
        uint256 index = (plan.actions >> (8 * plan.done)) & 0xff;
        if (index != VIEW_ACTION && units == 0) units = _partOfBalance(c, plan, next, index);
        _returnCall(c, parse, plan, next, units, tool, action);
    }

    function _view(Context calldata c, bytes calldata parse, Plan memory plan) private view {
        plan.symbols = SymbolList.load(address(uint160(ParsedTokens.word(parse, 0))));
        uint256 listed = SymbolList.lengthOf(plan.symbols);
        if (listed > Calls.MOST_CALLS) listed = Calls.MOST_CALLS;
        plan.steps = plan.calls.length == 0 ? listed : plan.calls.length;
        uint256[] memory pieces = Answers.none();
        _walk(c, plan, pieces);
        if (plan.done == plan.steps) {
            if (pieces.length == 0) _answer(plan.manifest, ModelData.NOTHING);
            Answers.finish(pieces);
        }
        (address tool, Action memory action) = _tool(c, plan);
        PlannedCall memory next;
        if (plan.calls.length != 0) next = plan.calls[plan.done];
        _returnCall(c, parse, plan, next, 0, tool, action);
    }

    function _add(Plan memory plan, uint256 action) private pure {
        plan.actions |= action << (8 * plan.steps++);
    }

    /// @dev Counts the steps that the history has; another history than theirs ends the run.
    /// @param pieces Get what was done, if there is one already, or else what was observed.
    function _walk(Context calldata c, Plan memory plan, uint256[] memory pieces) private pure {
        bool acting = pieces.length != 0;
        for (uint256 i = 0; i < c.agentReasoning.length; ++i) {
            string calldata entry = c.agentReasoning[i];
            if (bytes(entry).length == 0) continue;
            if (plan.done == plan.steps) _answer(plan.manifest, ModelData.UNREADABLE);
            uint256 index = (plan.actions >> (8 * plan.done++)) & 0xff;
            (uint256 prefix, uint256 name) = ModelData.readNames(plan.manifest, index);
            if (!Answers.beginsWith(entry, prefix)) _answer(plan.manifest, ModelData.UNREADABLE);
            plan.last = i;
            uint256 from = ModelData.lengthOf(prefix);
            if (!acting) {
                uint256 seen = _observation(entry, i, from);
                if (seen == 0) continue;
                Answers.separate(pieces, 0);
                Answers.add(pieces, seen);
            } else if (index != VIEW_ACTION) {
                Answers.addAction(pieces, 1, name, entry, from);
            }
        }
    }

    /// @dev The span of an entry's observation, zero if it has none.
    function _observation(string calldata entry, uint256 index, uint256 from)
        private
        pure
        returns (uint256)
    {
        uint256 packed = HistoryReading.observationOf(entry, index, from);
        if (packed == 0) return 0;
        (uint256 start, uint256 end) = ParseFormat.span(packed, 0);
        return Texts.slice(entry, start, end);
    }

    /// @dev Before the first step the tools of all of them have to be there, later on that of the next one.
    /// @return tool That of the next step.
    /// @return next The next step's action.
    function _tool(Context calldata c, Plan memory plan)
        private
        view
        returns (address tool, Action memory next)
    {
        unchecked {
            uint256 end = plan.done == 0 ? plan.steps : plan.done + 1;
            uint256 checked = 0;
            for (uint256 i = plan.done; i < end; ++i) {
                uint256 index = (plan.actions >> (8 * i)) & 0xff;
                if ((checked >> index) & 1 == 1) continue;
                checked |= 1 << index;
                Action memory action = ModelData.readAction(plan.manifest, index);
                address found = ToolMatching.find(c.tools, action);
                if (found == address(0)) _say(action.noTool);
                if (i == plan.done) (tool, next) = (found, action);
            }
        }
    }

    // Amounts

    /// @dev Units of the call's asset; zero where the balance decides. An amount that the asset does not
    ///   have ends the run.
    function _exactAmount(Context calldata c, Plan memory plan, PlannedCall memory call_)
        private
        view
        returns (uint256 units)
    {
        uint256 amount = call_.filled[Calls.AMOUNT];
        bool but = Quantities.isBut(amount);
        if (Quantities.shareOf(amount) != 0 && !but) return 0;
        units = _units(c, plan, call_);
        if (but) return 0;
        if (units == 0) _answer(plan.manifest, ModelData.ZERO);
    }

    function _units(Context calldata c, Plan memory plan, PlannedCall memory call_)
        private
        view
        returns (uint256)
    {
        uint256 amount = call_.filled[Calls.AMOUNT];
        (, uint256 decimals) = _token(c, plan, call_);
        uint256 places = Quantities.placesOf(amount);
        uint256 digits = Quantities.digitsOf(amount);
        if (places > decimals) _doubt(c, plan.manifest, amount);
        uint256 scale = 10 ** (decimals - places);
        if (digits > type(uint256).max / scale) _doubt(c, plan.manifest, amount);
        return digits * scale;
    }

    /// @dev By the balance that was viewed just before.
    function _partOfBalance(
        Context calldata c,
        Plan memory plan,
        PlannedCall memory call_,
        uint256 action
    ) private view returns (uint256 units) {
        uint256 amount = call_.filled[Calls.AMOUNT];
        (address token, uint8 decimals) = _token(c, plan, call_);
        uint256 text = _balance(c, plan, token, action);
        uint256 there = Decimals.parse(Texts.copy(text), decimals);
        if (Quantities.isBut(amount)) {
            uint256 kept = _units(c, plan, call_);
            if (kept > there) _answer(plan.manifest, Answers.SHORT);
            units = there - kept;
        } else {
            units = Math.mulDiv(there, Quantities.digitsOf(amount), Quantities.shareOf(amount));
        }
        if (units == 0) _answer(plan.manifest, ModelData.ZERO);
    }

    /// @dev The text of the amount that the action takes from, in the last entry.
    function _balance(Context calldata c, Plan memory plan, address token, uint256 action)
        private
        pure
        returns (uint256)
    {
        string calldata entry = c.agentReasoning[plan.last];
        (uint256 prefix,) = ModelData.readNames(plan.manifest, VIEW_ACTION);
        uint256 packed = HistoryReading.observationOf(entry, plan.last, ModelData.lengthOf(prefix));
        uint256 balance = 0;
        if (packed != 0) {
            (uint256 from, uint256 to) = ParseFormat.span(packed, 0);
            balance = BalanceReading.read(entry, from, to);
        }
        (uint256 start, uint256 end) = ParseFormat.span(balance, BalanceReading.UNIT);
        uint256 unit = Texts.slice(entry, start, end);
        bool takesPool = action == WITHDRAW_ACTION;
        (start, end) =
            ParseFormat.span(balance, takesPool ? BalanceReading.POOL : BalanceReading.WALLET);
        if (end == 0 || !Assets.isUnitOf(plan.symbols, unit, token)) {
            _answer(plan.manifest, ModelData.UNREADABLE);
        }
        return Texts.slice(entry, start, end);
    }

    function _token(Context calldata c, Plan memory plan, PlannedCall memory call_)
        private
        view
        returns (address token, uint8 decimals)
    {
        uint256 entry;
        (token, entry) = Assets.find(plan.symbols, _text(c, call_.filled[Calls.ASSET]));
        decimals = Assets.decimalsOf(token, entry);
    }

    // Decisions

    function _returnCall(
        Context calldata c,
        bytes calldata parse,
        Plan memory plan,
        PlannedCall memory call_,
        uint256 units,
        address tool,
        Action memory action
    ) private view {
        for (uint256 i = 0; i < action.parameters.length; ++i) {
            Parameter memory parameter = action.parameters[i];
            if (parameter.slot == Scores.ASSET) {
                _fillAsset(c, plan, call_.filled[Calls.ASSET], parameter);
            } else if (parameter.slot == Scores.AMOUNT) {
                (, uint8 decimals) = _token(c, plan, call_);
                parameter.value = units;
                parameter.text = DecisionEncoding.inMemory(Decimals.toString(units, decimals));
            } else {
                uint256 payee = call_.filled[Calls.PAYEE];
                parameter.text = _text(c, payee);
                parameter.value = uint160(_payee(c.agent, parse, payee, parameter.text));
            }
        }
        DecisionEncoding.returnCallOfPieces(tool, action);
    }

    /// @dev Without a token, the asset is the one that the book lists at the step's place.
    function _fillAsset(
        Context calldata c,
        Plan memory plan,
        uint256 token,
        Parameter memory parameter
    ) private pure {
        if (token != 0) {
            parameter.text = _text(c, token);
            (address found,) = Assets.find(plan.symbols, parameter.text);
            parameter.value = uint160(found);
            return;
        }
        uint256 entry = SymbolList.entryAt(plan.symbols, plan.done);
        parameter.text = DecisionEncoding.inMemory(SymbolList.symbolOf(entry));
        parameter.value = uint160(SymbolList.tokenOf(entry));
    }

    function _payee(address agent, bytes calldata parse, uint256 token, uint256 text)
        private
        view
        returns (address)
    {
        uint256 kind = Tokens.kindOf(token);
        if (kind == Kinds.OWNER) return IOwnedAgent(agent).owner();
        if (kind == Kinds.ADDRESS) return Assets.parseAddress(text);
        address book = address(uint160(ParsedTokens.word(parse, 1)));
        (address found,) = Assets.find(SymbolList.load(book), text);
        return found;
    }

    function _text(Context calldata c, uint256 token) private pure returns (uint256) {
        return Texts.slice(c.prompt, Tokens.startOf(token), Tokens.endOf(token));
    }

    function _doubt(Context calldata c, uint256 manifest, uint256 token) private pure {
        uint256[] memory pieces = Answers.none();
        Answers.addText(pieces, ModelData.answer(manifest, Answers.DOUBTFUL));
        Answers.add(pieces, _text(c, token));
        Answers.finish(pieces);
    }

    function _answer(uint256 manifest, uint256 which) private pure {
        _say(ModelData.answer(manifest, which));
    }

    function _say(uint256 text) private pure {
        DecisionEncoding.returnAnswer(text + 2, ModelData.lengthOf(text));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

import {Assets} from "../encoding/Assets.sol";
import {BalanceReading} from "../encoding/BalanceReading.sol";
import {DecisionEncoding} from "../encoding/DecisionEncoding.sol";
import {HistoryReading} from "../encoding/HistoryReading.sol";
import {ModelData} from "../encoding/ModelData.sol";
import {ParseFormat} from "../encoding/ParseFormat.sol";
import {Scores} from "../encoding/Scores.sol";
import {Strangers} from "../encoding/Strangers.sol";
import {BookEntries, SymbolList} from "../encoding/SymbolList.sol";
import {Texts} from "../encoding/Texts.sol";
import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {IInstructedAgent, IOwnedAgent} from "../interfaces/IInstructedAgent.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {Decimals} from "../libraries/Decimals.sol";
import {Answers} from "./Answers.sol";
import {Books} from "./Books.sol";
import {CallEncoding, Written} from "./CallEncoding.sol";
import {Calls} from "./Calls.sol";
import {Giving} from "./Giving.sol";
import {Kinds} from "./Kinds.sol";
import {ManifestText} from "./ManifestText.sol";
import {ParsedTokens} from "./ParsedTokens.sol";
import {Quantities} from "./Quantities.sol";
import {Tokens} from "./Tokens.sol";
import {Tools} from "./Tools.sol";
import {Verdicts} from "./Verdicts.sol";

/// @title From a network's numbers to a decision, exactly as `models/instructions/decoder.py`
/// @notice The prompt's calls are the same at every iteration; the history says how many are done. A call
///   whose amount is a part of the balance is preceded by a view of that balance. Nothing is done
///   unless all of it can be. When all is done, the answer names it.
/// @dev Every `_say`, `_answer`, `_doubt` and `_returnCall` ends the call.
contract InstructionDecoder is IDecoder {
    /// @dev What a decision is made of.
    /// @param manifest Memory position of the manifest's part.
    /// @param prompt Where it begins in calldata.
    /// @param length How long it is.
    /// @param calls The prompt's calls, see `Calls`, and how many they are.
    /// @param doubt The prompt's first token in doubt, zero if there is none.
    /// @param parameters Memory position of those of the next step's action, see `ManifestText`.
    /// @param actions Those to take in their order, a byte each from the lowest on.
    /// @param steps How many these are.
    /// @param done How many of them the history has.
    /// @param signed Of the actions whose tools were looked up, a bit for each that takes its amount as INT.
    /// @param last The index of the history's last entry.
    struct Plan {
        uint256 manifest;
        BookEntries symbols;
        uint256 prompt;
        uint256 length;
        uint256 calls;
        uint256 count;
        uint256 doubt;
        uint256 parameters;
        uint256 actions;
        uint256 steps;
        uint256 done;
        uint256 signed;
        uint256 last;
    }

    uint256 private constant MANIFEST_AT = 1;
    uint256 private constant ACTIONS = 4;
    // Places of actions in the manifest.
    uint256 private constant VIEW_ACTION = 0;
    uint256 private constant WITHDRAW_ACTION = 2;
    uint256 private constant TRANSFER_ACTION = 3;
    /// @dev The length of a parse of two tokens: an amount and an asset, if there is a call.
    uint256 private constant ONE_CALL = 32 * (ParsedTokens.HEAD_WORDS + 2);
    /// @dev The lowest bit of each byte: of a transfer's alone, that and the next one are set.
    uint256 private constant EACH = type(uint256).max / 255;
    /// @dev Hundredths of a log-odd: what `IInstructedAgent.caution` counts in.
    uint256 private constant CAUTION_UNIT = 100;
    /// @dev Of a call's asset, which is its token's address and its decimals above that: it is known.
    uint256 private constant KNOWN = 1 << 255;
    uint256 private constant DECIMALS_SHIFT = 160;

    address private immutable _data;
    uint256 private immutable _length;
    uint256 private immutable _marginUnit;
    uint256 private immutable _usualCaution;

    /// @notice What stands at `position` of the prompt is to be paid, and is the zero address: a forged
    ///   book's contact, or the owner of an agent that has none.
    error NobodyToPay(uint256 position);

    /// @param data The contract that holds the manifest's part; see `ModelData`.
    /// @param marginUnit Of the margin, a log-odd.
    /// @param usualCaution Of agents that tell none; see `IInstructedAgent.caution`.
    constructor(address data, uint256 marginUnit, uint256 usualCaution) {
        (uint256 actions,,) = ModelData.header(data, MANIFEST_AT);
        if (actions != ACTIONS || marginUnit == 0) revert ModelData.MalformedModelData(data);
        _data = data;
        _length = data.code.length - MANIFEST_AT;
        _marginUnit = marginUnit;
        _usualCaution = usualCaution;
    }

    /// @inheritdoc IDecoder
    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory)
    {
        (int256 margin, uint256 other, uint256 tags) = Verdicts.read(output);
        Plan memory plan = _open(c.prompt, parse, tags);
        uint256 views = Calls.views(plan.calls, plan.count);
        if (_acts(c.agent, margin)) {
            _checkDoubts(plan);
            if (plan.count == 0 || views != 0 || Calls.mixBalances(plan.calls, plan.count)) {
                _answer(plan.manifest, ModelData.ASK);
            }
            _act(c, parse, plan);
        }
        if (other == Verdicts.VIEW) {
            if (views < plan.count) _answer(plan.manifest, ModelData.ASK);
            _view(c, parse, plan);
        }
        if (other == Verdicts.ASK) {
            _checkDoubts(plan);
            _answer(plan.manifest, ModelData.ASK);
        }
        _answer(plan.manifest, other == Verdicts.HELP ? Answers.HELP : ModelData.DECLINE);
    }

    function _open(string calldata prompt, bytes calldata parse, uint256 tags)
        private
        view
        returns (Plan memory plan)
    {
        uint256 pos;
        assembly ("memory-safe") {
            pos := prompt.offset
        }
        (plan.prompt, plan.length) = (pos, bytes(prompt).length);
        (plan.calls, plan.count, plan.doubt) = Calls.plan(parse, tags);

        plan.manifest = ModelData.load(_data, MANIFEST_AT, _length);
    }

    function _acts(address agent, int256 margin) private view returns (bool) {
        if (margin <= 0) return false;
        (bool told, uint256 caution) = Strangers.word(agent, IInstructedAgent.caution.selector);
        if (!told) caution = _usualCaution;
        unchecked {
            return
                caution <= type(uint128).max
                    && uint256(margin) * CAUTION_UNIT > caution * _marginUnit;
        }
    }

    function _checkDoubts(Plan memory plan) private pure {
        if (plan.doubt != 0) _doubt(plan, plan.doubt);
    }

    // What is to be done

    function _act(Context calldata c, bytes calldata parse, Plan memory plan) private view {
        unchecked {
            for (uint256 i = 0; i < plan.count; ++i) {
                uint256 call_ = plan.calls + Calls.BYTES * i;
                if (Quantities.shareOf(Calls.at(call_, Calls.AMOUNT)) != 0) {
                    _add(plan, VIEW_ACTION);
                }
                _add(plan, Calls.at(call_) - 1);
            }
            if (plan.actions & (plan.actions >> 1) & EACH == 0) _checkPayees(parse, plan);
            _walk(c, plan);
            if (plan.done == plan.steps) _sayDone(c, plan);
            address tool = _tool(c, plan);
            plan.symbols = Books.load(address(uint160(ParsedTokens.word(parse, 0))));
            uint256 next = _checkAmounts(plan);
            uint256 index = _actionAt(plan, plan.done);
            if (index != VIEW_ACTION && Calls.at(next, Calls.UNITS) == 0) {
                Calls.put(next, Calls.UNITS, _partOfBalance(c, plan, next, index));
            }
            _returnCall(c, parse, plan, next, tool);
        }
    }

    /// @dev Ends the run where somebody who is not the agent's owner is to be paid, tagged or right behind
    ///   a word for giving, and no call pays anybody: withdraw 5 usdc to bob.
    function _checkPayees(bytes calldata parse, Plan memory plan) private pure {
        unchecked {
            if (parse.length == ONE_CALL) return;
            uint256 tags = Verdicts.tagsOfDecoding();
            uint256 pos;
            uint256 end;
            assembly ("memory-safe") {
                pos := add(parse.offset, 96)
                end := add(parse.offset, parse.length)
            }
            for (; pos < end; pos += 32) {
                uint256 token = ParsedTokens.load(pos);
                if (!Kinds.isIn(Kinds.OTHERS, Tokens.kindOf(token))) continue;
                if (
                    Calls.tagAt(tags, Tokens.placeOf(token)) != 0
                        || Giving.isGiven(plan.prompt, Tokens.startOf(token))
                ) _answer(plan.manifest, ModelData.ASK);
            }
        }
    }

    /// @dev Writes the units of all calls whose amounts are exact.
    /// @return next The call of the next step.
    function _checkAmounts(Plan memory plan) private view returns (uint256 next) {
        unchecked {
            uint256 step = 0;
            for (uint256 i = 0; i < plan.count; ++i) {
                uint256 call_ = plan.calls + Calls.BYTES * i;
                uint256 units = _exactAmount(plan, call_);
                Calls.put(call_, Calls.UNITS, units);
                if (step <= plan.done) next = call_;
                step += units == 0 ? 2 : 1;
            }
        }
    }

    function _view(Context calldata c, bytes calldata parse, Plan memory plan) private view {
        plan.symbols = Books.load(address(uint160(ParsedTokens.word(parse, 0))));
        uint256 listed = SymbolList.lengthOf(plan.symbols);
        if (listed > Calls.MOST_CALLS) listed = Calls.MOST_CALLS;
        plan.steps = plan.count == 0 ? listed : plan.count;
        _walk(c, plan);
        if (plan.done == plan.steps) _sayObserved(c, plan);
        address tool = _tool(c, plan);
        uint256 next = plan.count == 0 ? 0 : plan.calls + Calls.BYTES * plan.done;
        _returnCall(c, parse, plan, next, tool);
    }

    function _add(Plan memory plan, uint256 action) private pure {
        unchecked {
            plan.actions |= action << (8 * plan.steps++);
        }
    }

    function _actionAt(Plan memory plan, uint256 step) private pure returns (uint256) {
        unchecked {
            return (plan.actions >> (8 * step)) & 0xff;
        }
    }

    /// @dev Counts the steps that the history has; another history than theirs ends the run.
    function _walk(Context calldata c, Plan memory plan) private pure {
        string[] calldata entries = c.agentReasoning;
        for (uint256 i = 0; i < entries.length; ++i) {
            string calldata entry = entries[i];
            if (bytes(entry).length == 0) continue;
            if (plan.done == plan.steps) _answer(plan.manifest, ModelData.UNREADABLE);
            (uint256 prefix,) = ModelData.readNames(plan.manifest, _actionAt(plan, plan.done++));
            if (!Answers.beginsWith(entry, prefix)) _answer(plan.manifest, ModelData.UNREADABLE);
            plan.last = i;
        }
    }

    /// @dev Ends the run with what was done: each action but the views.
    function _sayDone(Context calldata c, Plan memory plan) private pure {
        uint256[] memory pieces = Answers.none();
        Answers.addText(pieces, ModelData.answer(plan.manifest, Answers.DONE));
        uint256 step = 0;
        string[] calldata entries = c.agentReasoning;
        for (uint256 i = 0; i < entries.length; ++i) {
            string calldata entry = entries[i];
            if (bytes(entry).length == 0) continue;
            uint256 index = _actionAt(plan, step++);
            if (index == VIEW_ACTION) continue;
            (uint256 prefix, uint256 name) = ModelData.readNames(plan.manifest, index);
            Answers.addAction(pieces, 1, name, entry, ModelData.lengthOf(prefix));
        }
        Answers.finish(pieces);
    }

    /// @dev Ends the run with what was observed.
    function _sayObserved(Context calldata c, Plan memory plan) private pure {
        uint256[] memory pieces = Answers.none();
        (uint256 prefix,) = ModelData.readNames(plan.manifest, VIEW_ACTION);
        string[] calldata entries = c.agentReasoning;
        for (uint256 i = 0; i < entries.length; ++i) {
            string calldata entry = entries[i];
            if (bytes(entry).length == 0) continue;
            uint256 seen = _observation(entry, i, ModelData.lengthOf(prefix));
            if (seen == 0) continue;
            Answers.separate(pieces, 0);
            Answers.add(pieces, seen);
        }
        if (pieces.length == 0) _answer(plan.manifest, ModelData.NOTHING);
        Answers.finish(pieces);
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

    /// @dev The tool of the next step. Before the first step those of all of them have to be there.
    function _tool(Context calldata c, Plan memory plan) private view returns (address tool) {
        unchecked {
            uint256 end = plan.done == 0 ? plan.steps : plan.done + 1;
            uint256 checked = 0;
            for (uint256 i = plan.done; i < end; ++i) {
                uint256 index = _actionAt(plan, i);
                if ((checked >> index) & 1 == 1) continue;
                checked |= 1 << index;
                uint256 name = ManifestText.nameOf(ManifestText.record(plan.manifest, index));
                uint256 noTool = ManifestText.behind(name);
                uint256 parameters = ManifestText.behind(noTool);
                (address found, bool signed) = Tools.find(c.tools, name, parameters, index);
                if (found == address(0)) _say(noTool);
                if (signed) plan.signed |= 1 << index;
                if (i == plan.done) (tool, plan.parameters) = (found, parameters);
            }
        }
    }

    // Amounts

    /// @dev Units of the call's asset; zero where the balance decides. An amount that the asset does not
    ///   have ends the run.
    function _exactAmount(Plan memory plan, uint256 call_) private view returns (uint256 units) {
        uint256 amount = Calls.at(call_, Calls.AMOUNT);
        bool but = Quantities.isBut(amount);
        if (Quantities.shareOf(amount) != 0 && !but) return 0;
        units = _units(plan, call_);
        if (but) return 0;
        if (units == 0) _answer(plan.manifest, ModelData.ZERO);
    }

    function _units(Plan memory plan, uint256 call_) private view returns (uint256) {
        unchecked {
            uint256 amount = Calls.at(call_, Calls.AMOUNT);
            (, uint256 decimals) = _asset(plan, call_);
            uint256 places = Quantities.placesOf(amount);
            uint256 digits = Quantities.digitsOf(amount);
            if (places > decimals) _doubt(plan, amount);
            uint256 scale = 10 ** (decimals - places); // decimals: up to 77
            if (digits > _mostOf(plan, call_) / scale) _doubt(plan, amount);
            return digits * scale;
        }
    }

    /// @dev What the tool of a call can take, as far as its tool was looked up.
    function _mostOf(Plan memory plan, uint256 call_) private pure returns (uint256) {
        unchecked {
            uint256 index = Calls.at(call_) - 1; // as `_act` has it
            return type(uint256).max >> ((plan.signed >> index) & 1);
        }
    }

    /// @dev By the balance that was viewed just before.
    function _partOfBalance(Context calldata c, Plan memory plan, uint256 call_, uint256 action)
        private
        view
        returns (uint256 units)
    {
        uint256 amount = Calls.at(call_, Calls.AMOUNT);
        (address token, uint8 decimals) = _asset(plan, call_);
        (uint256 text, bool inUnits) = _balance(c, plan, token, action);
        uint256 there = Decimals.parse(Texts.copy(text), inUnits ? 0 : decimals);
        if (Quantities.isBut(amount)) {
            uint256 kept = _units(plan, call_);
            if (kept > there) _answer(plan.manifest, Answers.SHORT);
            units = there - kept;
        } else {
            units = Math.mulDiv(there, Quantities.digitsOf(amount), Quantities.shareOf(amount));
        }
        if (units > _mostOf(plan, call_)) _doubt(plan, amount);
        if (units == 0) _answer(plan.manifest, ModelData.ZERO);
    }

    /// @dev The text of the amount that the action takes from, in the last entry, and whether it counts the
    ///   asset's smallest units.
    function _balance(Context calldata c, Plan memory plan, address token, uint256 action)
        private
        pure
        returns (uint256, bool)
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
        return (Texts.slice(entry, start, end), balance & ParseFormat.UNITS != 0);
    }

    /// @dev A call's asset; looked up once.
    function _asset(Plan memory plan, uint256 call_)
        private
        view
        returns (address token, uint8 decimals)
    {
        uint256 known = Calls.at(call_, Calls.TOKEN);
        if (known == 0) {
            uint256 entry;
            (token, entry) = Assets.find(plan.symbols, _text(plan, Calls.at(call_, Calls.ASSET)));
            decimals = Assets.decimalsOf(token, entry);
            known = KNOWN | (uint256(decimals) << DECIMALS_SHIFT) | uint160(token);
            Calls.put(call_, Calls.TOKEN, known);
        }
        return (address(uint160(known)), uint8(known >> DECIMALS_SHIFT));
    }

    // Decisions

    /// @param call_ Zero of a view that the prompt does not name: of the asset that the book lists at the
    ///   step's place.
    function _returnCall(
        Context calldata c,
        bytes calldata parse,
        Plan memory plan,
        uint256 call_,
        address tool
    ) private view {
        unchecked {
            uint256 index = _actionAt(plan, plan.done);
            uint256 record = ManifestText.record(plan.manifest, index);
            uint256 pos = plan.parameters;
            uint256 asset = _assetOf(plan, call_);
            uint256 payee = index == TRANSFER_ACTION ? _payeeOf(c.agent, parse, plan, call_) : 0;
            Written memory w = CallEncoding.begin(
                tool, ManifestText.byteAt(pos), ManifestText.prefixOf(plan.manifest, record)
            );
            uint256 count = ManifestText.byteAt(pos++);
            for (; count != 0; --count) {
                CallEncoding.addText(w, ManifestText.openingOf(pos));
                uint256 slot = ManifestText.byteAt(pos + 1);
                uint256 value = slot == Scores.ASSET ? asset : payee;
                if (slot == Scores.AMOUNT) value = _addAmount(w, call_);
                else _addName(plan, w, slot == Scores.ASSET ? Calls.ASSET : Calls.PAYEE, call_);
                CallEncoding.addValue(w, _typeOf(plan, index, pos), value);
                pos = ManifestText.nextParameter(pos);
            }
            CallEncoding.finish(w);
        }
    }

    /// @dev The type of a parameter as the next step's tool has it.
    function _typeOf(Plan memory plan, uint256 index, uint256 parameter)
        private
        pure
        returns (uint256 paramType)
    {
        paramType = ManifestText.byteAt(parameter);
        if (paramType == ModelData.UINT && (plan.signed >> index) & 1 == 1) return ModelData.INT;
    }

    /// @dev Writes an asset or a payee as the prompt has it, or else as the book has the asset.
    function _addName(Plan memory plan, Written memory w, uint256 slot, uint256 call_)
        private
        pure
    {
        if (call_ != 0) CallEncoding.addSpan(w, _text(plan, Calls.at(call_, slot)));
        else CallEncoding.addSymbol(w, SymbolList.entryAt(plan.symbols, plan.done));
    }

    /// @dev The token of the step's asset. Of a view, decimals are nobody's business.
    function _assetOf(Plan memory plan, uint256 call_) private pure returns (uint256) {
        if (call_ == 0) {
            return uint160(SymbolList.tokenOf(SymbolList.entryAt(plan.symbols, plan.done)));
        }
        uint256 known = Calls.at(call_, Calls.TOKEN);
        if (known != 0) return uint160(known);
        (address token,) = Assets.find(plan.symbols, _text(plan, Calls.at(call_, Calls.ASSET)));
        return uint160(token);
    }

    /// @dev Writes a call's amount; gives its units.
    function _addAmount(Written memory w, uint256 call_) private pure returns (uint256 units) {
        unchecked {
            units = Calls.at(call_, Calls.UNITS);
            uint256 amount = Calls.at(call_, Calls.AMOUNT);
            if (Quantities.shareOf(amount) == 0) {
                // As the prompt has it: without zeros at its end.
                CallEncoding.addNumber(w, Quantities.digitsOf(amount), Quantities.placesOf(amount));
                return units;
            }
            uint256 value = units;
            uint256 places = uint8(Calls.at(call_, Calls.TOKEN) >> DECIMALS_SHIFT);
            for (; places != 0 && value % 10 == 0; --places) {
                value /= 10;
            }
            CallEncoding.addNumber(w, value, places);
        }
    }

    /// @dev Whom a call pays.
    function _payeeOf(address agent, bytes calldata parse, Plan memory plan, uint256 call_)
        private
        view
        returns (uint256)
    {
        uint256 payee = Calls.at(call_, Calls.PAYEE);
        uint256 account = _accountOf(agent, parse, plan, payee);
        if (account == 0) revert NobodyToPay(Tokens.startOf(payee));
        return account;
    }

    function _accountOf(address agent, bytes calldata parse, Plan memory plan, uint256 payee)
        private
        view
        returns (uint256)
    {
        uint256 kind = Tokens.kindOf(payee);
        if (kind == Kinds.OWNER) {
            return uint160(Strangers.addressOf(agent, IOwnedAgent.owner.selector));
        }
        uint256 text = _text(plan, payee);
        if (kind == Kinds.ADDRESS) return uint160(Assets.parseAddress(text));
        address book = address(uint160(ParsedTokens.word(parse, 1)));
        (address found,) = Assets.find(Books.load(book), text);
        return uint160(found);
    }

    /// @dev The span of a token's text, as `Texts` has it.
    function _text(Plan memory plan, uint256 token) private pure returns (uint256) {
        unchecked {
            (uint256 start, uint256 end) = (Tokens.startOf(token), Tokens.endOf(token));
            if (start > end || end > plan.length) {
                revert Texts.ForeignParse(start, end, plan.length);
            }
            return ((plan.prompt + start) << 32) | (end - start);
        }
    }

    function _doubt(Plan memory plan, uint256 token) private pure {
        uint256[] memory pieces = Answers.none();
        Answers.addText(pieces, ModelData.answer(plan.manifest, Answers.DOUBTFUL));
        Answers.add(pieces, _text(plan, token));
        Answers.finish(pieces);
    }

    function _answer(uint256 manifest, uint256 which) private pure {
        _say(ModelData.answer(manifest, which));
    }

    function _say(uint256 text) private pure {
        DecisionEncoding.returnAnswer(text + 2, ModelData.lengthOf(text));
    }
}

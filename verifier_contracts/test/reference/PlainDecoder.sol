// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Assets} from "../../src/encoding/Assets.sol";
import {Action, ModelData, Parameter} from "../../src/encoding/ModelData.sol";
import {Parse, ParseFormat} from "../../src/encoding/ParseFormat.sol";
import {ToolMatching} from "../../src/encoding/ToolMatching.sol";
import {IDecoder} from "../../src/interfaces/IDecoder.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {ISymbolBook, ISymbolBookUser} from "../../src/interfaces/ISymbolBook.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {Decimals} from "../../src/libraries/Decimals.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// @title `ToolDecoder` with the compiler's own coding of calls and results, and the book's own
///   look-ups
contract PlainDecoder is IDecoder {
    address private constant UNKNOWN = address(bytes20("neither of the two "));

    address private immutable _data;
    uint256 private immutable _offset;
    uint256 private immutable _actions;

    constructor(address data, uint256 localRows) {
        _data = data;
        _offset = ModelData.manifestAt(localRows);
        (_actions,,) = ModelData.header(data, _offset);
    }

    /// @inheritdoc IDecoder
    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory)
    {
        uint256 manifest = ModelData.load(_data, _offset, _data.code.length - _offset);
        Parse memory found = abi.decode(parse, (Parse));
        int64[] memory y = new int64[](output.length / 8);
        for (uint256 i = 0; i < y.length; ++i) {
            y[i] = int64(uint64(bytes8(output[8 * i:8 * i + 8])));
        }
        uint256 chosen = _argmax(y, 0, _actions + 3);
        if (chosen < _actions) return _call(c, found, manifest, y, chosen);
        if (chosen > _actions) {
            return _answer(manifest, chosen == _actions + 1 ? ModelData.ASK : ModelData.DECLINE);
        }
        if (found.observation == 0) return _answer(manifest, ModelData.NOTHING);
        return _say(_observed(c, found, found.observation, 0));
    }

    function _call(
        Context calldata c,
        Parse memory found,
        uint256 manifest,
        int64[] memory y,
        uint256 chosen
    ) private view returns (AgentIterationResult memory result) {
        Action memory action = ModelData.readAction(manifest, chosen);
        result.tool = _findTool(c, action);
        if (address(result.tool) == address(0)) return _say(ModelData.text(action.noTool));
        if (_takesAmount(action.parameters) && _isAmbiguous(c, found.candidates)) {
            return _answer(manifest, ModelData.ASK);
        }
        string[] memory texts = new string[](action.parameters.length);
        uint256 source = _argmax(y, _actions + 3, 3);
        uint256 asset = 0;
        bool[6] memory taken;
        for (uint256 i = 0; i < texts.length; ++i) {
            uint256 slot = action.parameters[i].slot;
            if (slot == 1 && source > 0) {
                (, uint256 end) = ParseFormat.span(found.balance, source - 1);
                if (end == 0) return _answer(manifest, ModelData.UNREADABLE);
                texts[i] = _observed(c, found, found.balance, source - 1);
                continue;
            }
            uint256 best = _best(y, found.candidates, slot);
            if (best == 6 || taken[best]) {
                return _say(ModelData.text(action.parameters[i].missing));
            }
            taken[best] = true;
            (, uint256 start, uint256 stop) = ParseFormat.candidate(found.candidates, best);
            texts[i] = string(bytes(c.prompt)[start:stop]);
            if (slot == 0) asset = i;
        }
        bool observed = source > 0 && found.balance != 0;
        string memory unit = observed ? _observed(c, found, found.balance, 2) : "";
        uint256[] memory values = _values(c, action.parameters, texts, texts[asset], unit);
        if (values.length < texts.length) {
            return _answer(manifest, values.length == 0 ? ModelData.ZERO : ModelData.UNREADABLE);
        }
        result.toolInput = _input(action.parameters, values);
        result.agentReasoning = _reasoning(action, texts);
    }

    function _takesAmount(Parameter[] memory parameters) private pure returns (bool takes) {
        for (uint256 i = 0; i < parameters.length; ++i) {
            takes = takes || parameters[i].slot == 1;
        }
    }

    /// @dev Each candidate beside each other one.
    function _isAmbiguous(Context calldata c, uint256 candidates) private view returns (bool) {
        if (candidates >> 248 != 0) return true; // a token is OTHER
        for (uint256 i = 0; i < ParseFormat.countOf(candidates); ++i) {
            (uint256 kind, uint256 start, uint256 end) = ParseFormat.candidate(candidates, i);
            for (uint256 k = 0; k < i; ++k) {
                (uint256 other, uint256 from, uint256 to) = ParseFormat.candidate(candidates, k);
                if (kind != other) continue;
                if (kind != 4) return true; // not symbols: numbers or addresses
                address asset = _tokenOf(c, string(bytes(c.prompt)[start:end]));
                if (asset != _tokenOf(c, string(bytes(c.prompt)[from:to]))) return true;
            }
        }
        return false;
    }

    /// @dev Fewer than there are texts: none when the amount is zero, one when its unit is wrong.
    function _values(
        Context calldata c,
        Parameter[] memory parameters,
        string[] memory texts,
        string memory asset,
        string memory unit
    ) private view returns (uint256[] memory values) {
        values = new uint256[](texts.length);
        address token = _tokenOf(c, asset);
        for (uint256 i = 0; i < texts.length; ++i) {
            if (parameters[i].slot != 1) {
                values[i] = uint160(_tokenOf(c, texts[i]));
                continue;
            }
            bool observed = bytes(unit).length > 0;
            if (observed && _tokenOf(c, unit) != token) return new uint256[](1);
            values[i] = Decimals.parse(texts[i], _decimalsOf(c, token));
            if (values[i] == 0) return new uint256[](0);
        }
    }

    function _findTool(Context calldata c, Action memory action)
        private
        view
        returns (IERCAgentTool found)
    {
        string memory name = ModelData.text(action.name);
        for (uint256 i = 0; i < c.tools.length; ++i) {
            if (keccak256(bytes(c.tools[i].name())) == keccak256(bytes(name))) {
                if (address(found) != address(0)) revert ToolMatching.DuplicateTool(name);
                found = c.tools[i];
            }
        }
        if (address(found) == address(0)) return found;
        IERCAgentTool.ParamDescription[] memory held = found.inputDescription().paramDescriptions;
        bool same = held.length == action.parameters.length;
        for (uint256 i = 0; same && i < held.length; ++i) {
            same = uint256(held[i].paramType) == action.parameters[i].paramType;
        }
        if (!same) return IERCAgentTool(address(0));
    }

    /// @dev 6 when nothing fits.
    function _best(int64[] memory y, uint256 candidates, uint256 slot)
        private
        view
        returns (uint256 best)
    {
        best = 6;
        int64 highest = 0;
        for (uint256 i = 0; i < ParseFormat.countOf(candidates); ++i) {
            (uint256 kind,,) = ParseFormat.candidate(candidates, i);
            bool fits = slot == 0 ? kind == 2 || kind == 4 : kind == (slot == 1 ? 1 : 2);
            int64 score = y[_actions + 6 + 3 * i + slot];
            if (fits && score > highest) (best, highest) = (i, score);
        }
    }

    function _argmax(int64[] memory y, uint256 from, uint256 count)
        private
        pure
        returns (uint256 best)
    {
        for (uint256 i = 1; i < count; ++i) {
            if (y[from + i] > y[from + best]) best = i;
        }
    }

    /// @dev By symbol or address.
    function _tokenOf(Context calldata c, string memory text) private view returns (address) {
        bytes memory b = bytes(text);
        if (b.length == 42 && b[0] == "0" && b[1] == "x") {
            uint256 value = 0;
            for (uint256 i = 2; i < 42; ++i) {
                uint256 digit = _hexDigit(b[i]);
                if (digit == 16) return UNKNOWN;
                value = value * 16 + digit;
            }
            return address(uint160(value));
        }
        if (b.length > 11) return UNKNOWN;
        bytes memory lower = new bytes(32);
        for (uint256 i = 0; i < b.length; ++i) {
            lower[i] = b[i] >= "A" && b[i] <= "Z" ? bytes1(uint8(b[i]) + 32) : b[i];
        }
        (address token,) = ISymbolBookUser(c.agent).symbolBook().find(bytes32(lower));
        return token == address(0) ? UNKNOWN : token;
    }

    function _hexDigit(bytes1 c) private pure returns (uint256) {
        if (c >= "0" && c <= "9") return uint8(c) - 0x30;
        if (c >= "a" && c <= "f") return uint8(c) - 0x57;
        return c >= "A" && c <= "F" ? uint8(c) - 0x37 : 16;
    }

    function _decimalsOf(Context calldata c, address token) private view returns (uint8) {
        (bytes32 symbol, uint8 decimals) = ISymbolBookUser(c.agent).symbolBook().symbolOf(token);
        if (symbol != 0) return decimals;
        if (token.code.length == 0) revert Assets.UnknownDecimals(token);
        try IERC20Metadata(token).decimals() returns (uint8 told) {
            if (told > 77) revert Assets.UnknownDecimals(token);
            return told;
        } catch {
            revert Assets.UnknownDecimals(token);
        }
    }

    function _input(Parameter[] memory parameters, uint256[] memory values)
        private
        pure
        returns (IERCAgentTool.Input memory input)
    {
        input.params = new IERCAgentTool.ParamValue[](values.length);
        for (uint256 i = 0; i < values.length; ++i) {
            input.params[i].paramType = IERCAgentTool.ParamType(parameters[i].paramType);
            input.params[i].value = abi.encode(values[i]);
        }
        input.abiEncodedParams = abi.encodePacked(values);
    }

    function _reasoning(Action memory action, string[] memory texts)
        private
        pure
        returns (string memory reasoning)
    {
        reasoning = ModelData.text(action.prefix);
        for (uint256 i = 0; i < texts.length; ++i) {
            string memory opening = ModelData.text(action.parameters[i].opening);
            reasoning = string.concat(reasoning, opening, texts[i]);
        }
        return string.concat(reasoning, '"}\n');
    }

    function _answer(uint256 manifest, uint256 which)
        private
        pure
        returns (AgentIterationResult memory)
    {
        return _say(ModelData.text(ModelData.answer(manifest, which)));
    }

    function _say(string memory text) private pure returns (AgentIterationResult memory result) {
        (result.isFinalAnswer, result.finalAnswer) = (true, text);
    }

    function _observed(Context calldata c, Parse memory found, uint256 spans, uint256 i)
        private
        pure
        returns (string memory)
    {
        (uint256 start, uint256 end) = ParseFormat.span(spans, i);
        uint256 entry = ParseFormat.entryOf(found.observation);
        return string(bytes(c.agentReasoning[entry])[start:end]);
    }
}

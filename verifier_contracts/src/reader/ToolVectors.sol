// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IToolVectors} from "../interfaces/IToolVectors.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {PinnedTools} from "./PinnedTools.sol";
import {TextVector, ToolTexts} from "./TextVector.sol";
import {ToolReading} from "./ToolReading.sol";
import {ToolSheets} from "./ToolSheets.sol";
import {WordSum} from "./WordSums.sol";
import {WordTable} from "./WordTable.sol";

/// @title A reader's vectors of tools, each computed once
contract ToolVectors is WordTable, IToolVectors {
    struct Vector {
        bytes32 first;
        bytes32 second;
    }

    /// @dev Of a tool that have a direction: those of a tool with more are never filled.
    uint256 private constant MOST_PARAMETERS = 6;
    uint256 private constant VECTOR_BYTES = 64;
    /// @dev What a contract may have, but for the byte in front.
    uint256 private constant MOST_BYTES = 24_575;

    uint256 private immutable _shares;
    /// @dev By tool and hash of texts.
    mapping(bytes32 key => Vector) private _stored;
    /// @dev By tools and hashes of texts the contract of what is stored of them: vectors, the length of each sheet
    ///   (2 bytes), sheets.
    mapping(bytes32 key => address) private _sets;

    /// @param chunks The contracts that hold the table of words; see `WordTable`.
    /// @param buckets The table's number of buckets.
    /// @param shares What parts of a tool count for; see `TextVector.ofTool`.
    constructor(address[] memory chunks, uint256 buckets, uint256 shares)
        WordTable(chunks, buckets)
    {
        _shares = shares;
    }

    /// @inheritdoc IToolVectors
    function store(address tool) external returns (bytes32 textsHash) {
        Vector memory vector;
        (textsHash, vector) = _compute(tool);
        _keep(tool, textsHash, vector);
    }

    /// @inheritdoc IToolVectors
    function storeAll(IERCAgentTool[] calldata tools)
        external
        returns (bytes32[] memory textsHashes)
    {
        textsHashes = new bytes32[](tools.length);
        Vector[] memory vectors = new Vector[](tools.length);
        WordSum memory table = _table();
        bytes memory front;
        bytes memory lengths;
        bytes memory sheets;
        bool fits = tools.length != 0;
        for (uint256 i = 0; i < tools.length; ++i) {
            bytes memory sheet;
            (textsHashes[i], vectors[i], sheet) = _computeAll(address(tools[i]), table);
            fits = fits && sheet.length != 0 && sheets.length + sheet.length <= MOST_BYTES;
            if (!fits) continue;
            front = bytes.concat(front, vectors[i].first, vectors[i].second);
            // casting: below 24,576
            // forge-lint: disable-next-line(unsafe-typecast)
            lengths = bytes.concat(lengths, bytes2(uint16(sheet.length)));
            sheets = bytes.concat(sheets, sheet);
        }
        bytes memory all = bytes.concat(front, lengths, sheets);
        if (fits && all.length <= MOST_BYTES) {
            _sets[PinnedTools.keyOf(tools, textsHashes)] = SSTORE2.write(all);
            for (uint256 i = 0; i < tools.length; ++i) {
                emit VectorStored(address(tools[i]), textsHashes[i]);
            }
        } else {
            for (uint256 i = 0; i < tools.length; ++i) {
                _keep(address(tools[i]), textsHashes[i], vectors[i]);
            }
        }
    }

    /// @inheritdoc IToolVectors
    function vectorsOf(IERCAgentTool[] calldata tools, bytes32[] calldata textsHashes)
        external
        view
        returns (bytes memory vectors)
    {
        uint256 count = tools.length;
        _checkCounts(count, textsHashes.length);
        address set = _sets[PinnedTools.keyOf(tools, textsHashes)];
        if (set != address(0)) return SSTORE2.read(set, 0, VECTOR_BYTES * count);
        vectors = new bytes(VECTOR_BYTES * count);
        for (uint256 i = 0; i < count; ++i) {
            Vector memory vector = _vectorOf(address(tools[i]), textsHashes[i]);
            assembly ("memory-safe") {
                mcopy(add(vectors, add(32, shl(6, i))), vector, 64)
            }
        }
    }

    /// @inheritdoc IToolVectors
    function sheetOf(IERCAgentTool[] calldata tools, bytes32[] calldata textsHashes, uint256 place)
        external
        view
        returns (bytes memory)
    {
        uint256 count = tools.length;
        _checkCounts(count, textsHashes.length);
        address set = _sets[PinnedTools.keyOf(tools, textsHashes)];
        if (set == address(0)) return _sheetNow(address(tools[place]), textsHashes[place]);
        return ToolSheets.inSet(SSTORE2.read(set), count, place);
    }

    /// @inheritdoc IToolVectors
    function setOf(bytes32 key) external view returns (address) {
        return _sets[key];
    }

    /// @inheritdoc IToolVectors
    function areStored(IERCAgentTool[] calldata tools, bytes32[] calldata textsHashes)
        external
        view
        returns (bool)
    {
        _checkCounts(tools.length, textsHashes.length);
        return _sets[PinnedTools.keyOf(tools, textsHashes)] != address(0);
    }

    /// @inheritdoc IToolVectors
    function isStored(address tool, bytes32 textsHash) external view returns (bool) {
        Vector memory vector = _stored[_key(tool, textsHash)];
        return vector.first != 0 || vector.second != 0;
    }

    function _vectorOf(address tool, bytes32 pinned) private view returns (Vector memory vector) {
        vector = _stored[_key(tool, pinned)];
        if (vector.first != 0 || vector.second != 0) return vector;
        bytes32 actual;
        (actual, vector) = _compute(tool);
        if (actual != pinned) revert ToolTextsChanged(tool, pinned, actual);
    }

    function _sheetNow(address tool, bytes32 pinned) private view returns (bytes memory) {
        (
            bytes32 actual,
            ToolTexts memory texts,
            IERCAgentTool.ParamDescription[] memory parameters
        ) = ToolReading.read(tool);
        if (actual != pinned) revert ToolTextsChanged(tool, pinned, actual);
        if (parameters.length > ToolSheets.MOST_PARAMETERS) {
            uint256 enough = MOST_PARAMETERS + 1;
            assembly ("memory-safe") {
                mstore(parameters, enough)
            }
        }
        WordSum memory table = _table();
        bytes32[] memory directions = new bytes32[](parameters.length);
        for (uint256 i = 0; i < parameters.length && i < MOST_PARAMETERS; ++i) {
            directions[i] = TextVector.ofParameter(
                table, bytes(parameters[i].name), bytes(parameters[i].description)
            );
        }
        return ToolSheets.pack(ToolSheets.sheetOf(texts.name, parameters, directions));
    }

    function _keep(address tool, bytes32 textsHash, Vector memory vector) private {
        _stored[_key(tool, textsHash)] = vector;
        emit VectorStored(tool, textsHash);
    }

    function _compute(address tool) private view returns (bytes32 textsHash, Vector memory vector) {
        ToolTexts memory texts;
        (textsHash, texts,) = ToolReading.read(tool);
        (vector.first, vector.second,) = TextVector.ofTool(_table(), texts, _shares, 0);
    }

    /// @dev sheet: packed.
    function _computeAll(address tool, WordSum memory table)
        private
        view
        returns (bytes32 textsHash, Vector memory vector, bytes memory sheet)
    {
        ToolTexts memory texts;
        IERCAgentTool.ParamDescription[] memory parameters;
        (textsHash, texts, parameters) = ToolReading.read(tool);
        bytes32[] memory directions;
        (vector.first, vector.second, directions) =
            TextVector.ofTool(table, texts, _shares, MOST_PARAMETERS);
        sheet = ToolSheets.pack(ToolSheets.sheetOf(texts.name, parameters, directions));
    }

    function _checkCounts(uint256 tools, uint256 received) private pure {
        if (tools != received) revert TextsCountMismatch(tools, received);
    }

    function _key(address tool, bytes32 textsHash) private pure returns (bytes32 key) {
        assembly ("memory-safe") {
            mstore(0, tool)
            mstore(32, textsHash)
            key := keccak256(0, 64)
        }
    }
}

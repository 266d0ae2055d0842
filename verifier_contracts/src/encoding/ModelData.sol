// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice A tool's parameter.
/// @param paramType Its `IERCAgentTool.ParamType`.
/// @param slot What fills it, as in `Scores`.
/// @param opening Memory position of the JSON before its value.
/// @param missing Memory position of the answer when nothing fills it.
/// @param text What fills it, for the decoder to write: a span of calldata, see `Texts`.
/// @param value That text's ABI value, for the decoder to write.
struct Parameter {
    uint256 paramType;
    uint256 slot;
    uint256 opening;
    uint256 missing;
    uint256 text;
    uint256 value;
}

/// @notice An action. Memory positions of texts.
/// @param prefix What its reasoning begins with, up to the JSON.
/// @param name Its tool's name.
/// @param noTool The answer when the agent has no such tool.
struct Action {
    uint256 prefix;
    uint256 name;
    uint256 noTool;
    Parameter[] parameters;
}

/// @title Layout of the contract whose code is a model's data
/// @notice Built by model_code.py: a zero byte, the local table (16 bytes a row), the
///   vocabulary (4,096 fingerprints), then the manifest's part:
///     number of actions (1 byte), index of the balance action (1), length of the prefixes (2),
///     prefixes: the text of each action,
///     directory: where the answers nothing, ask, decline, zero, unreadable and the records of the
///       actions are (2 each, counted from the beginning of this part),
///     answers: texts,
///     records: where the prefix is (2), texts of the tool's name and of the answer when it is
///       missing, number of parameters (1), and for each of them its type (1), slot (1), texts of
///       the JSON before its value and of the answer when it is missing;
///   where a text is its length (2 bytes) and its characters.
library ModelData {
    uint256 internal constant LOCAL_ROW_BYTES = 16;
    uint256 internal constant VOCABULARY_BYTES = 4096;
    uint256 internal constant MAX_ACTIONS = 8;
    uint256 internal constant HEADER_BYTES = 4;

    /// @dev `IERCAgentTool.ParamType` of amounts: as manifests have it, and as tools may have it.
    uint256 internal constant UINT = 4;
    uint256 internal constant INT = 3;

    // Answers, in order.
    uint256 internal constant NOTHING = 0;
    uint256 internal constant ASK = 1;
    uint256 internal constant DECLINE = 2;
    uint256 internal constant ZERO = 3;
    uint256 internal constant UNREADABLE = 4;
    uint256 internal constant ANSWERS = 5;

    /// @notice The contract has less code than the tables need: wrong address, or other data.
    error DataTooShort(address data, uint256 minimum, uint256 received);

    /// @notice Not between 1 and 8 actions, or a balance action that is not one of them: likely
    ///   `localRows` is not the table's number of rows.
    error MalformedModelData(address data);

    /// @notice Rows have to be a power of two, so that hashes select them evenly.
    error RowsNotPowerOfTwo(uint256 rows);

    /// @notice Where the vocabulary begins.
    function vocabularyAt(uint256 localRows) internal pure returns (uint256) {
        return 1 + LOCAL_ROW_BYTES * localRows;
    }

    /// @notice Where the manifest's part begins.
    function manifestAt(uint256 localRows) internal pure returns (uint256) {
        return vocabularyAt(localRows) + VOCABULARY_BYTES;
    }

    /// @notice Reads and checks the header at `offset`.
    function header(address data, uint256 offset)
        internal
        view
        returns (uint256 actions, uint256 balanceAction, uint256 prefixBytes)
    {
        uint256 minimum = offset + HEADER_BYTES;
        if (data.code.length < minimum) revert DataTooShort(data, minimum, data.code.length);
        uint256 w;
        assembly ("memory-safe") {
            extcodecopy(data, 0, offset, HEADER_BYTES)
            w := shr(224, mload(0))
        }
        (actions, balanceAction, prefixBytes) = (w >> 24, (w >> 16) & 0xff, w & 0xffff);
        if (actions == 0 || actions > MAX_ACTIONS || balanceAction >= actions) {
            revert MalformedModelData(data);
        }
        minimum += prefixBytes;
        if (data.code.length < minimum) revert DataTooShort(data, minimum, data.code.length);
    }

    /// @notice Reverts unless `rows` is a power of two of at least 2.
    function checkRows(uint256 rows) internal pure {
        if (rows < 2 || rows & (rows - 1) != 0) revert RowsNotPowerOfTwo(rows);
    }

    /// @notice Copies code [offset, offset + length) of `data` to memory.
    function load(address data, uint256 offset, uint256 length)
        internal
        view
        returns (uint256 pos)
    {
        assembly ("memory-safe") {
            pos := mload(0x40)
            extcodecopy(data, pos, offset, length)
            mstore(0x40, and(add(pos, add(length, 63)), not(31)))
        }
    }

    /// @notice Memory position of an answer (or of the record of action `i - ANSWERS`).
    /// @param manifest Memory position of the manifest's part.
    function answer(uint256 manifest, uint256 i) internal pure returns (uint256) {
        unchecked {
            uint256 directory = manifest + HEADER_BYTES + _uint16(manifest + 2);
            return manifest + _uint16(directory + 2 * i);
        }
    }

    /// @notice Reads the record of an action, which has to be one of the manifest's.
    function readAction(uint256 manifest, uint256 index)
        internal
        pure
        returns (Action memory action)
    {
        unchecked {
            uint256 pos = answer(manifest, ANSWERS + index);
            action.prefix = manifest + _uint16(pos);
            action.name = pos + 2;
            action.noTool = _behind(action.name);
            pos = _behind(action.noTool);
            uint256 count = _byte(pos++);
            action.parameters = new Parameter[](count);
            for (uint256 i = 0; i < count; ++i) {
                Parameter memory parameter = action.parameters[i];
                parameter.paramType = _byte(pos);
                parameter.slot = _byte(pos + 1);
                parameter.opening = pos + 2;
                parameter.missing = _behind(pos + 2);
                pos = _behind(parameter.missing);
            }
        }
    }

    /// @notice Of an action, which has to be one of the manifest's, the texts of prefix and name alone.
    function readNames(uint256 manifest, uint256 index)
        internal
        pure
        returns (uint256 prefix, uint256 name)
    {
        unchecked {
            uint256 pos = answer(manifest, ANSWERS + index);
            return (manifest + _uint16(pos), pos + 2);
        }
    }

    /// @notice A copy of the text at `pos` in memory.
    function text(uint256 pos) internal pure returns (string memory copy) {
        assembly ("memory-safe") {
            let length := shr(240, mload(pos))
            copy := mload(0x40)
            mstore(copy, length)
            mcopy(add(copy, 32), add(pos, 2), length)
            mstore(add(copy, add(length, 32)), 0)
            mstore(0x40, and(add(copy, add(length, 95)), not(31)))
        }
    }

    /// @notice The number of characters of the text at `pos` in memory.
    function lengthOf(uint256 pos) internal pure returns (uint256) {
        return _uint16(pos);
    }

    /// @notice The hash of the text at `pos` in memory.
    function hashOf(uint256 pos) internal pure returns (bytes32 h) {
        assembly ("memory-safe") {
            h := keccak256(add(pos, 2), shr(240, mload(pos)))
        }
    }

    /// @dev Where the text at `pos` ends.
    function _behind(uint256 pos) private pure returns (uint256) {
        unchecked {
            return pos + 2 + _uint16(pos);
        }
    }

    function _uint16(uint256 pos) private pure returns (uint256 n) {
        assembly ("memory-safe") {
            n := shr(240, mload(pos))
        }
    }

    function _byte(uint256 pos) private pure returns (uint256 b) {
        assembly ("memory-safe") {
            b := shr(248, mload(pos))
        }
    }
}

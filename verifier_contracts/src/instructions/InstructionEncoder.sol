// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";
import {BookEntries, SymbolList} from "../encoding/SymbolList.sol";
import {IContactBook, IContactBookUser} from "../interfaces/IContactBook.sol";
import {Context, IEncoder, IPromptEncoder} from "../interfaces/IEncoder.sol";
import {ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {Codebook, Vocabulary} from "./Codebook.sol";
import {Reader} from "./Reader.sol";
import {Reading} from "./Reading.sol";
import {Pieces, Scanner} from "./Scanner.sol";
import {Tokens} from "./Tokens.sol";

/// @title From an instruction to a network's features, exactly as `models/instructions`
/// @notice Features: 48 bits for each of 30 tokens, zeros behind the last. The second result is words
///   one after another: symbol book, contact book (zero if none), number of tokens, then one word for
///   each token that fills a slot or is in doubt; see `Tokens`.
contract InstructionEncoder is IPromptEncoder {
    uint256 private constant MAX_CHUNKS = 8;
    uint256 private constant FEATURE_BYTES = 180;
    // From where the features begin, which is so far behind where what is returned does.
    uint256 private constant HEAD = 128;
    uint256 private constant PARSE = 192;
    uint256 private constant HEADER_BYTES = 96;
    uint256 private constant ROOM = HEAD + PARSE + 32 + HEADER_BYTES + 32 * Tokens.LIMIT;

    // Contracts that hold the vocabulary; unused ones are zero.
    address private immutable _chunk0;
    address private immutable _chunk1;
    address private immutable _chunk2;
    address private immutable _chunk3;
    address private immutable _chunk4;
    address private immutable _chunk5;
    address private immutable _chunk6;
    address private immutable _chunk7;
    uint256 private immutable _count;

    uint256 private immutable _kinds0;
    uint256 private immutable _kinds1;
    uint256 private immutable _kinds2;

    /// @notice A vocabulary is in 1 to 8 contracts.
    error ChunkCountOutOfRange(uint256 received, uint256 limit);

    /// @param chunks The contracts that hold the vocabulary, in order; see `Codebook`.
    /// @param kinds Codes of tokens that are not known by their text, five of 48 bits in a word from
    ///   the lowest bits on, by the numbers of `Kinds`; that of words is the code of unknown ones.
    constructor(address[] memory chunks, uint256[3] memory kinds) {
        uint256 count = chunks.length;
        if (count == 0 || count > MAX_CHUNKS) revert ChunkCountOutOfRange(count, MAX_CHUNKS);
        uint256 expected = 1 + 32 * Codebook.BUCKETS_PER_CHUNK;
        for (uint256 i = 0; i < count; ++i) {
            uint256 length = chunks[i].code.length;
            if (length < expected) revert ModelData.DataTooShort(chunks[i], expected, length);
        }
        _count = count;
        _chunk0 = chunks[0];
        _chunk1 = _at(chunks, 1);
        _chunk2 = _at(chunks, 2);
        _chunk3 = _at(chunks, 3);
        _chunk4 = _at(chunks, 4);
        _chunk5 = _at(chunks, 5);
        _chunk6 = _at(chunks, 6);
        _chunk7 = _at(chunks, 7);
        (_kinds0, _kinds1, _kinds2) = (kinds[0], kinds[1], kinds[2]);
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        (address symbols, address contacts) = _books(c.agent);
        Pieces memory p = Scanner.scan(c.prompt);
        Reading memory r;
        r.vocabulary = _vocabulary();
        Codebook.lookUp(r.vocabulary, p.pieces, p.last);
        (r.next, r.last, r.original, r.start) = (p.pieces, p.last, p.original, p.start);
        r.symbols = SymbolList.load(symbols);
        r.contacts = contacts == address(0) ? _nobody() : SymbolList.load(contacts);
        r.kinds = _kinds();
        uint256 features = _reserve(r);
        Reader.run(r);
        _return(features, symbols, contacts, r);
    }

    /// @inheritdoc IPromptEncoder
    function readings(address agent) external view returns (bytes32) {
        (address symbols, address contacts) = _books(agent);
        return _readings(symbols, contacts);
    }

    /// @dev Where the entries of the agent's books are; zero for contacts if it has none.
    function _books(address agent) private view returns (address symbols, address contacts) {
        symbols = ISymbolBookUser(agent).symbolBook().pointer();
        IContactBook book = IContactBookUser(agent).contactBook();
        if (address(book) != address(0)) contacts = book.pointer();
    }

    /// @dev Books are strangers' contracts: what they point to may come to have code later on.
    function _readings(address symbols, address contacts) private view returns (bytes32) {
        bytes32 ofContacts = contacts == address(0) ? bytes32(0) : contacts.codehash;
        return keccak256(abi.encode(symbols, symbols.codehash, contacts, ofContacts));
    }

    /// @dev Zeroed memory for `abi.encode(features, parse, readings)`.
    /// @return features Where the features go.
    function _reserve(Reading memory r) private pure returns (uint256 features) {
        (uint256 room, uint256 head) = (ROOM, HEAD);
        assembly ("memory-safe") {
            features := mload(0x40)
            calldatacopy(features, calldatasize(), room)
            mstore(0x40, add(features, room))
            features := add(features, head)
        }
        unchecked {
            r.features = features;
            r.parse = features + PARSE + 32 + HEADER_BYTES;
        }
    }

    /// @dev Ends the call with features and parse, which are in place but for what stands before each.
    function _return(uint256 features, address symbols, address contacts, Reading memory r)
        private
        view
    {
        uint256 end = r.parse;
        uint256 tokens = r.tokens;
        bytes32 found = _readings(symbols, contacts);
        assembly ("memory-safe") {
            let start := sub(features, HEAD)
            let parse := add(features, PARSE)
            mstore(start, 96)
            mstore(add(start, 32), add(PARSE, HEAD))
            mstore(add(start, 64), found)
            mstore(add(start, 96), FEATURE_BYTES)
            mstore(parse, sub(sub(end, parse), 32))
            mstore(add(parse, 32), symbols)
            mstore(add(parse, 64), contacts)
            mstore(add(parse, 96), tokens)
            return(start, sub(end, start))
        }
    }

    /// @dev A list without entries.
    function _nobody() private pure returns (BookEntries list) {
        assembly ("memory-safe") {
            list := mload(0x40)
            mstore(list, 0)
            mstore(add(list, 32), add(list, 64))
            mstore(0x40, add(list, 64))
        }
    }

    /// @dev The codes by kind in memory.
    function _kinds() private view returns (uint256 pos) {
        uint256[3] memory kinds = [_kinds0, _kinds1, _kinds2];
        assembly ("memory-safe") {
            pos := kinds
        }
    }

    function _vocabulary() private view returns (Vocabulary) {
        address[MAX_CHUNKS + 1] memory chunks =
            [address(0), _chunk0, _chunk1, _chunk2, _chunk3, _chunk4, _chunk5, _chunk6, _chunk7];
        uint256 pos;
        assembly ("memory-safe") {
            pos := chunks
        }
        return Codebook.open(pos, _count);
    }

    function _at(address[] memory chunks, uint256 i) private pure returns (address) {
        return i < chunks.length ? chunks[i] : address(0);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";
import {Strangers} from "../encoding/Strangers.sol";
import {IContactBookUser} from "../interfaces/IContactBook.sol";
import {Context, IEncoder, IPromptEncoder} from "../interfaces/IEncoder.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {Books} from "./Books.sol";
import {Codebook, Vocabulary} from "./Codebook.sol";
import {ForeignWords} from "./ForeignWords.sol";
import {Reader} from "./Reader.sol";
import {PieceWord, Reading} from "./Reading.sol";
import {Scanner} from "./Scanner.sol";
import {Tokens} from "./Tokens.sol";

/// @title From an instruction to a network's features, exactly as `models/instructions`
/// @notice An agent without a symbol book names tokens by address: there an address that tells decimals is
///   one. What it says may change within a frame, so nothing is kept of such a prompt: readings are zero.
///   Features: 48 bits for each of 30 tokens, zeros behind the last. The second result is words
///   one after another: symbol book, contact book (zero if none), number of tokens, then one word for
///   each token that fills a slot or is in doubt; see `Tokens`.
contract InstructionEncoder is IPromptEncoder {
    uint256 private constant MAX_CHUNKS = Codebook.MOST_CHUNKS;
    uint256 private constant FEATURE_BYTES = 180;
    // From where the features begin, which is so far behind where what is returned does: `HEAD_BYTES`.
    uint256 private constant PARSE = 192;
    /// @dev Before the features.
    uint256 private constant HEAD_BYTES = 128;
    uint256 private constant KEYS_BYTES = 64;
    /// @dev Readings, the length of the parse, its head.
    uint256 private constant KEPT_BYTES = 160;
    // From where the keys begin.
    uint256 private constant FEATURES = KEYS_BYTES + KEPT_BYTES + 32 * Tokens.LIMIT + HEAD_BYTES;

    bytes4 private constant SYMBOL_BOOK = ISymbolBookUser.symbolBook.selector;
    bytes4 private constant CONTACT_BOOK = IContactBookUser.contactBook.selector;
    bytes4 private constant POINTER = ISymbolBook.pointer.selector; // and `IContactBook.pointer`'s

    // Addresses of the contracts that hold the vocabulary, nine as `Vocabulary` has them.
    uint256 private immutable _first;
    uint256 private immutable _second0;
    uint256 private immutable _second1;
    uint256 private immutable _second2;
    uint256 private immutable _second3;
    uint256 private immutable _second4;
    uint256 private immutable _second5;
    uint256 private immutable _second6;
    uint256 private immutable _second7;

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
        _first = uint160(chunks[0]);
        (_second0, _second1) = (_at(chunks, 0), _at(chunks, 1));
        (_second2, _second3) = (_at(chunks, 2), _at(chunks, 3));
        (_second4, _second5) = (_at(chunks, 4), _at(chunks, 5));
        (_second6, _second7) = (_at(chunks, 6), _at(chunks, 7));
        (_kinds0, _kinds1, _kinds2) = (kinds[0], kinds[1], kinds[2]);
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        Reading memory r;
        (address symbols, address contacts) = _books(c.agent);
        bytes32 found = _readings(symbols, contacts);
        if (symbols == address(0)) (r.bookless, found) = (true, 0);
        r.symbols = Books.load(symbols);
        r.contacts = contacts == address(0) ? Books.none() : Books.load(contacts);
        r.filter = Books.filter(r.symbols) | Books.filter(r.contacts);
        _load(r);
        Scanner.open(r, c.prompt);
        _reserve(r, symbols, contacts, found);
        Scanner.scan(r);
        if (r.hasUnknown) ForeignWords.doubt(r);
        Reader.run(r);
        _return(r);
    }

    /// @inheritdoc IPromptEncoder
    function readings(address agent) external view returns (bytes32) {
        (address symbols, address contacts) = _books(agent);
        return _readings(symbols, contacts);
    }

    /// @dev Where the entries of the agent's books are; zero of one that it has not.
    function _books(address agent) private view returns (address symbols, address contacts) {
        symbols = Strangers.addressOf(agent, SYMBOL_BOOK, POINTER);
        contacts = Strangers.addressOf(agent, CONTACT_BOOK, POINTER);
    }

    /// @dev Books are strangers' contracts: what they point to may come to have code later on.
    function _readings(address symbols, address contacts) private view returns (bytes32 found) {
        assembly ("memory-safe") {
            let words := mload(0x40)
            mstore(words, symbols)
            mstore(add(words, 32), extcodehash(symbols))
            mstore(add(words, 64), contacts)
            mstore(add(words, 96), 0)
            if contacts { mstore(add(words, 96), extcodehash(contacts)) }
            found := keccak256(words, 128)
        }
    }

    /// @dev Memory for keys, for what is returned beside the codes and for what stands before these; behind
    ///   it, in free memory, the pieces, whose place the codes take.
    function _reserve(Reading memory r, address symbols, address contacts, bytes32 found)
        private
        pure
    {
        uint256 keys;
        assembly ("memory-safe") {
            keys := mload(0x40)
            let head := add(keys, KEYS_BYTES)
            mstore(head, found)
            mstore(add(head, 64), symbols)
            mstore(add(head, 96), contacts)
        }
        unchecked {
            r.keys = keys;
            r.parse = keys + KEYS_BYTES + KEPT_BYTES;
            r.features = r.code = keys + FEATURES;
            r.next = keys + FEATURES + 32;
        }
        PieceWord.store(r.features, 0);
    }

    /// @dev Ends the call with features, parse and readings.
    function _return(Reading memory r) private pure {
        uint256 features = r.features;
        uint256 code = r.code;
        uint256 size = r.parse;
        uint256 tokens = Tokens.placeAt(r);
        uint256 kept = r.keys + KEYS_BYTES;
        assembly ("memory-safe") {
            let start := sub(features, HEAD_BYTES)
            let parse := add(features, PARSE)
            size := sub(sub(size, kept), 32) // with the length
            mstore(add(kept, 32), sub(size, 32))
            mstore(add(kept, 128), tokens)
            calldatacopy(code, calldatasize(), sub(parse, code))
            mstore(start, 96)
            mstore(add(start, 32), add(PARSE, HEAD_BYTES))
            mstore(add(start, 64), mload(kept))
            mstore(add(start, 96), FEATURE_BYTES)
            mcopy(parse, add(kept, 32), size)
            return(start, add(add(PARSE, HEAD_BYTES), size))
        }
    }

    /// @dev Puts the addresses of the vocabulary's contracts into memory, and the codes by kind.
    function _load(Reading memory r) private view {
        uint256 pos;
        assembly ("memory-safe") {
            pos := mload(0x40)
            mstore(0x40, add(pos, 384))
        }
        unchecked {
            PieceWord.store(pos, _first);
            PieceWord.store(pos + 32, _second0);
            PieceWord.store(pos + 64, _second1);
            PieceWord.store(pos + 96, _second2);
            PieceWord.store(pos + 128, _second3);
            PieceWord.store(pos + 160, _second4);
            PieceWord.store(pos + 192, _second5);
            PieceWord.store(pos + 224, _second6);
            PieceWord.store(pos + 256, _second7);
            r.vocabulary = Vocabulary.wrap(pos);
            PieceWord.store(pos + 288, _kinds0);
            PieceWord.store(pos + 320, _kinds1);
            PieceWord.store(pos + 352, _kinds2);
            r.kinds = pos + 288;
        }
    }

    /// @dev The contract of second buckets that three bits of a hash say.
    function _at(address[] memory chunks, uint256 i) private pure returns (uint256) {
        uint256 others = chunks.length - 1;
        return uint160(chunks[others == 0 ? 0 : 1 + i % others]);
    }
}

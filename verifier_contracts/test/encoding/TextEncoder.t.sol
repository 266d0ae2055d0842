// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Embedding} from "../../src/encoding/Embedding.sol";
import {ModelData} from "../../src/encoding/ModelData.sol";
import {TextEncoder} from "../../src/encoding/TextEncoder.sol";
import {Tokenizer} from "../../src/encoding/Tokenizer.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {PlainToken, PlainTokenizer} from "../reference/PlainTokenizer.sol";
import {EncodingWorld} from "./EncodingWorld.sol";

contract TextEncoderTest is EncodingWorld {
    address[] private _chunks = _textChunks();
    TextEncoder private _encoder = new TextEncoder(_chunks, TEXT_ROWS, data, LOCAL_ROWS);
    PlainTokenizer private _plain = new PlainTokenizer();

    function testFuzz_features_are_those_of_the_plain_encoder(bytes calldata choices) public {
        Context memory c;
        c.agent = address(agent);
        c.prompt = _prompt(choices);
        PlainToken[] memory tokens;
        try _plain.tokenize(bytes(c.prompt), _symbols()) returns (PlainToken[] memory found) {
            tokens = found;
        } catch (bytes memory reason) {
            vm.expectRevert(reason);
            _encoder.encode(c);
            return;
        }
        if (_candidates(tokens) > 6) {
            vm.expectRevert(abi.encodeWithSelector(TextEncoder.TooManyCandidates.selector, 6));
            _encoder.encode(c);
            return;
        }
        (bytes memory features,) = _encoder.encode(c);
        assertEq(features, _expected(bytes(c.prompt), tokens), c.prompt);
    }

    function test_rows_have_to_be_a_power_of_two() public {
        vm.expectRevert(abi.encodeWithSelector(ModelData.RowsNotPowerOfTwo.selector, 1000));
        new TextEncoder(_chunks, 1000, data, LOCAL_ROWS);
        vm.expectRevert(abi.encodeWithSelector(ModelData.RowsNotPowerOfTwo.selector, 1));
        new TextEncoder(_chunks, TEXT_ROWS, data, 1);
    }

    function test_the_text_table_has_to_be_whole() public {
        vm.expectRevert(abi.encodeWithSelector(TextEncoder.ChunkCountMismatch.selector, 3, 2));
        new TextEncoder(_chunks, 2048, data, LOCAL_ROWS);
        (_chunks[0], _chunks[1]) = (_chunks[1], _chunks[0]);
        uint256 full = 1 + 32 * Embedding.ROWS_PER_CHUNK;
        uint256 rest = 1 + 32 * (TEXT_ROWS - Embedding.ROWS_PER_CHUNK);
        vm.expectRevert(
            abi.encodeWithSelector(ModelData.DataTooShort.selector, _chunks[0], full, rest)
        );
        new TextEncoder(_chunks, TEXT_ROWS, data, LOCAL_ROWS);
    }

    function test_the_manifest_has_to_be_where_the_local_table_ends() public {
        vm.expectRevert(abi.encodeWithSelector(ModelData.MalformedModelData.selector, data));
        new TextEncoder(_chunks, TEXT_ROWS, data, LOCAL_ROWS / 2);
        uint256 minimum = ModelData.manifestAt(2 * LOCAL_ROWS) + ModelData.HEADER_BYTES;
        vm.expectRevert(
            abi.encodeWithSelector(ModelData.DataTooShort.selector, data, minimum, data.code.length)
        );
        new TextEncoder(_chunks, TEXT_ROWS, data, 2 * LOCAL_ROWS);
    }

    function _expected(bytes memory prompt, PlainToken[] memory tokens)
        private
        returns (bytes memory features)
    {
        (int256[] memory text, int256[][] memory local) = sums.sums(prompt, tokens);
        features = _packed(text);
        uint256[10] memory present;
        bytes memory locals;
        for (uint256 i = 0; i < tokens.length; ++i) {
            ++present[tokens[i].kind];
            locals = bytes.concat(locals, _packed(local[i]));
        }
        bytes memory counts = abi.encodePacked(
            int16(uint16(32 * present[Tokenizer.NUMBER])),
            int16(uint16(32 * present[Tokenizer.SYMBOL])),
            int16(uint16(32 * present[Tokenizer.ADDRESS]))
        );
        features = bytes.concat(features, new bytes(8), counts, locals);
        return bytes.concat(features, new bytes(64 + 8 + 6 + 192 - features.length));
    }

    function _candidates(PlainToken[] memory tokens) private pure returns (uint256 count) {
        for (uint256 i = 0; i < tokens.length; ++i) {
            uint256 kind = tokens[i].kind;
            bool fits = kind == Tokenizer.NUMBER || kind == Tokenizer.SYMBOL;
            if (fits || kind == Tokenizer.ADDRESS) ++count;
        }
    }

    function _packed(int256[] memory values) private pure returns (bytes memory packed) {
        for (uint256 i = 0; i < values.length; ++i) {
            packed = bytes.concat(packed, bytes2(uint16(int16(values[i]))));
        }
    }
}

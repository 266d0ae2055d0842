// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Whether a prompt is in another language than the model knows, exactly as
///   `models/encoding/languages.py`
/// @notice It is, in whole or in part, if a word that the model does not know is one of those that orders
///   are given with elsewhere, or if in a clause with names or digits many more words are unknown than known.
/// @dev The words are in a Bloom filter: bit b is bit b mod 8 of byte b / 8, and a word has eight bits, each
///   by other bits of its hash.
library Languages {
    /// @notice How many more words of a clause have to be unknown than known for that to be another language.
    uint256 internal constant MARGIN = 2;

    /// @notice The filter in memory.
    function filter() internal pure returns (uint256 pos) {
        bytes memory bits = hex"8668981142d48a9816933ad130284608069d8420081c180d1607104804b208a1"
            hex"1449200024c7f0f4c0439379b85a041e0f0a91250b52a4713384414015012044"
            hex"b1484051034041c2a1238a102a80c0c9180134921e6e8282470062b48a534501"
            hex"961415082004581089048f2d12152032005000091ed020c40188086e0048530a"
            hex"0840828c051869a3bb3494454131e830c4c404048cf80253d5030012008a4443"
            hex"606062a808c030d78fe05e0078c68300b440105420bc6038005ae92221180390"
            hex"002d068900959c080c16c5406800511241322011381020d00e02012144060024"
            hex"490b3eadf4c542804612a801130c28100280431848f1c28b9448204876800540"
            hex"428004420910346881981408500746240062e0408001c00413501302a00f2684"
            hex"c610080092708408ec4000010688010282429fe2cc000879854150ad80001062"
            hex"380b01080002520a2aca3e1d01c8620c072108e0400a82042e1940a988040984"
            hex"2357e00fa82524184c8022502821076032910d8003423122192cd02024443ca4"
            hex"e688900320c85130891243a528880580a421120c8c46108800000807844395a0"
            hex"00080084d0ce000401721a020b89011e8240238520260b0a16032106e528d20c"
            hex"4da802a40a08218500245020710040c2c2817080031600a250898223a289932d"
            hex"0804223a300803249784261475011902050504a070064200aa6240147410b400"
            hex"40802c598c61429148100dc1018044627d28a04821053f00b12250c210010e46"
            hex"4d468822c4655f2093ac0a122000b1110008118204529e105066520120f19308"
            hex"6c89850020080a7191003b2040a08440051620e0241458100053123da9d02c00"
            hex"c18264089490282102062148910b88ce65211112b028040830c09a605400a104"
            hex"0201040005821605446d2262032340360884c6510c232c200482892e090e20cd"
            hex"0c08114e90140404410082023814e2199070013010803c0045d9432980241255"
            hex"801ac0812c5dea1c00c03245618d9b80b202151a48f8cac021208c2a12e80261"
            hex"21180021a34b61251e4912820525826994506528447859424c1444cc1428004e"
            hex"6e01222404616a0902c298569189f0512018c0c0bae1e05535c044a2d4562661"
            hex"114f1140234000036163d1020034c86650e4980002820c024b0860380a052085"
            hex"0039f2805830861506240c012434101020c0190082030040234102c067442910"
            hex"02900562180c90866905c34629286882c514019c98179202800b242107422065"
            hex"40833288a0322c24724900d0012660112c0800911e01410883108d00623a2133"
            hex"0d081d209aa100f8a84662206a2806156c080d395000c10800a024a0204884a1"
            hex"0040580214e016b8040c542163080220400280e40185041c8847201005a1c881"
            hex"02a444906309350e6004064034536ab1201630008260420101550408881401a1";
        assembly ("memory-safe") {
            pos := add(bits, 32)
        }
    }

    /// @notice Whether the word of hash `h` is one of those; another one in ten thousand or fewer is, too.
    function lists(uint256 filter_, uint256 h) internal pure returns (bool found) {
        assembly ("memory-safe") {
            let left := 8
            for {} left { left := sub(left, 1) } {
                let byte_ := mload(add(filter_, shr(3, and(h, 8191))))
                if iszero(and(shr(add(248, and(h, 7)), byte_), 1)) { break }
                h := shr(16, h)
            }
            found := iszero(left)
        }
    }

    /// @notice Whether a clause of so many words is no English.
    /// @param arguments How many names and runs of digits it has.
    function prevail(uint256 unknown, uint256 known, uint256 arguments)
        internal
        pure
        returns (bool)
    {
        unchecked {
            return arguments != 0 && unknown >= known + MARGIN;
        }
    }
}

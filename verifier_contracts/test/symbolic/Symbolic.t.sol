// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {FrameMode, FrameState, UsedClaim} from "../../src/executor/FrameState.sol";
import {ProofCoverage} from "../../src/executor/ProofCoverage.sol";
import {AgreedCall, Claim, Range} from "../../src/interfaces/IAgentExecutor.sol";
import {Decimals} from "../../src/libraries/Decimals.sol";
import {Instances} from "../../src/libraries/Instances.sol";

/// @dev For `make symbolic` (halmos): each `check_` holds for all arguments, not for random ones.
contract InstancesChecks {
    uint256 private constant P = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;

    function check_features_are_field_elements(int16 a, int16 b, int16 c, int16 d, int16 e)
        external
        pure
    {
        bytes memory packed = abi.encodePacked(a, b, c, d, e);
        uint256 at = _room(5);
        uint256 end = Instances.writeFeatures(at, packed);
        assert(end == at + 5 * 32);
        assert(_word(at, 0) == _element(a) && _word(at, 1) == _element(b));
        assert(_word(at, 2) == _element(c) && _word(at, 3) == _element(d));
        assert(_word(at, 4) == _element(e));
    }

    function check_outputs_are_field_elements(int64 a, int64 b, int64 c, int64 d, int64 e)
        external
        pure
    {
        bytes memory packed = abi.encodePacked(a, b, c, d, e);
        uint256 at = _room(5);
        uint256 end = Instances.writeOutputs(at, packed);
        assert(end == at + 5 * 32);
        assert(_word(at, 0) == _element(a) && _word(at, 1) == _element(b));
        assert(_word(at, 2) == _element(c) && _word(at, 3) == _element(d));
        assert(_word(at, 4) == _element(e));
    }

    function check_no_two_outputs_share_an_element(int64 a, int64 b) external pure {
        bytes memory packed = abi.encodePacked(a, b);
        uint256 at = _room(2);
        Instances.writeOutputs(at, packed);
        (uint256 x, uint256 y) = (_word(at, 0), _word(at, 1));
        assert(x < P && y < P);
        assert((x == y) == (a == b));
    }

    function _element(int256 v) private pure returns (uint256) {
        return v < 0 ? P - uint256(-v) : uint256(v);
    }

    function _room(uint256 words) private pure returns (uint256 at) {
        bytes memory room = new bytes(32 * words + Instances.SLACK);
        assembly ("memory-safe") {
            at := add(room, 32)
        }
    }

    function _word(uint256 at, uint256 i) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(at, shl(5, i)))
        }
    }
}

contract CoverageChecks {
    /// @dev Five claims of any models, five proofs of which any may be empty.
    function check_coverage_is_a_partition(uint256[5] calldata models, bool[5] calldata empty)
        external
        view
    {
        Claim[] memory claims = new Claim[](5);
        bytes[] memory proofs = new bytes[](5);
        for (uint256 i = 0; i < 5; ++i) {
            claims[i].modelId = models[i];
            if (!empty[i]) proofs[i] = "p";
        }
        this.cover(claims, proofs);
    }

    function cover(Claim[] calldata claims, bytes[] calldata proofs) external pure {
        bool[] memory covered = new bool[](claims.length);
        uint256[] memory times = new uint256[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            if (covered[i]) continue;
            uint256[] memory members = ProofCoverage.coveredBy(i, claims, proofs, covered);
            assert(members.length > 0 && members[0] == i);
            for (uint256 j = 0; j < members.length; ++j) {
                ++times[members[j]];
                assert(claims[members[j]].modelId == claims[i].modelId);
                if (j > 0) {
                    assert(members[j] > members[j - 1] && proofs[members[j]].length == 0);
                    assert(proofs[i].length != 0);
                }
            }
        }
        for (uint256 i = 0; i < claims.length; ++i) {
            assert(times[i] == 1 && covered[i]);
        }
    }
}

contract FrameChecks is FrameState {
    /// @dev A frame with two used claims, then one with one: of the first nothing can be read, of the
    ///   second what it was given.
    function check_frames_are_apart(
        uint256 model,
        bytes32 hash,
        uint64 y,
        address verifier,
        uint64 z,
        Range calldata range
    ) external {
        Claim[] memory two = new Claim[](2);
        AgreedCall[] memory calls = new AgreedCall[](2);
        for (uint256 i = 0; i < 2; ++i) {
            two[i] = Claim(model, hash, abi.encodePacked(y));
            calls[i].callHash = hash;
            calls[i].ranges = new Range[](1);
            calls[i].ranges[0] = range;
        }
        this.begin(two, calls);
        _markUsed(0, UsedClaim(verifier, verifier, hash, abi.encodePacked(y)));
        _markUsed(1, UsedClaim(verifier, verifier, hash, abi.encodePacked(y)));
        _endFrame();
        assert(_frameMode() == FrameMode.NONE && _claimsGiven() == 0 && _claimsUsed() == 0);
        Claim[] memory one = new Claim[](1);
        one[0] = Claim(model, hash, abi.encodePacked(z));
        this.begin(one, new AgreedCall[](1));
        assert(_claimsGiven() == 1 && _claimsUsed() == 0);
        _checkClaim(0, model, hash, abi.encodePacked(z));
        _checkClaim(1, 0, 0, "");
        _checkUnused(0);
        _checkUnused(1);
    }

    /// @dev What is stored of one claim does not touch the next one.
    function check_claims_are_apart(uint256 model, uint256 other, bytes32 hash, uint64 y, uint64 z)
        external
    {
        Claim[] memory claims = new Claim[](2);
        claims[0] = Claim(model, hash, abi.encodePacked(y));
        claims[1] = Claim(other, hash, abi.encodePacked(z));
        this.begin(claims, new AgreedCall[](2));
        _markUsed(0, UsedClaim(address(this), msg.sender, hash, abi.encodePacked(z)));
        _checkClaim(0, model, hash, abi.encodePacked(y));
        _checkClaim(1, other, hash, abi.encodePacked(z));
        _checkUnused(1);
        assert(keccak256(_usedClaimAt(0).features) == keccak256(abi.encodePacked(z)));
        assert(_usedClaimAt(0).verifier == address(this) && _usedClaimAt(0).agent == msg.sender);
    }

    function begin(Claim[] calldata claims, AgreedCall[] calldata calls) external {
        _beginFrame(FrameMode.PROVEN, claims);
        _agreeTo(calls);
    }

    function _checkClaim(uint256 i, uint256 model, bytes32 hash, bytes memory y) private view {
        Claim memory claim = _claimAt(i);
        assert(claim.modelId == model && claim.featuresHash == hash);
        assert(claim.output.length == y.length && keccak256(claim.output) == keccak256(y));
    }

    function _checkUnused(uint256 i) private view {
        UsedClaim memory used = _usedClaimAt(i);
        assert(used.verifier == address(0) && used.agent == address(0));
        assert(used.commitmentHash == 0 && used.features.length == 0);
    }
}

/// @dev Only the reading: halmos leaves division by ten, which writing consists of, open. That reading
///   undoes writing is a fuzz test (Decimals.t.sol).
contract DecimalsChecks {
    /// @dev Of three characters, whichever they are: a number is read as that number, and nothing
    ///   else is read.
    function check_three_characters_are_read_or_refused(bytes3 text) external view {
        for (uint8 decimals = 0; decimals < 4; ++decimals) {
            _check(text, decimals);
        }
    }

    function _check(bytes3 text, uint8 decimals) private view {
        (bytes1 a, bytes1 b, bytes1 c) = (text[0], text[1], text[2]);
        bool plain = _isDigit(a) && _isDigit(b) && _isDigit(c);
        bool pointed = _isDigit(a) && b == "." && _isDigit(c);
        uint256 one = 10 ** decimals;
        try this.parse(text, decimals) returns (uint256 value) {
            assert(plain || pointed);
            uint256 whole = 100 * _digit(a) + 10 * _digit(b) + _digit(c);
            if (plain) assert(value == whole * one);
            else assert(value * 10 == (10 * _digit(a) + _digit(c)) * one);
        } catch {
            assert(!plain && (!pointed || (decimals == 0 && c != "0")));
        }
    }

    function parse(bytes3 text, uint8 decimals) external pure returns (uint256) {
        return Decimals.parse(string(abi.encodePacked(text)), decimals);
    }

    function _isDigit(bytes1 c) private pure returns (bool) {
        return c >= "0" && c <= "9";
    }

    function _digit(bytes1 c) private pure returns (uint256) {
        unchecked {
            return uint256(uint8(c)) - 0x30;
        }
    }
}

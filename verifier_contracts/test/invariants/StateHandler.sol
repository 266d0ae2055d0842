// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {FrameMode, FrameState, UsedClaim} from "../../src/executor/FrameState.sol";
import {ProofCoverage} from "../../src/executor/ProofCoverage.sol";
import {AgreedCall, Claim, Range} from "../../src/interfaces/IAgentExecutor.sol";

/// @dev Frames of random claims, several in one transaction, read back word for word; and which claims
///   random proofs cover. What should have been read is kept in memory.
contract StateHandler is FrameState {
    uint256 public frames;
    uint256 public coverages;
    /// @dev The first thing that must not be; empty while all is well.
    string public leak;
    string public hole;

    /// @dev Three frames, one after the other, some of which fail and are undone.
    function useFrames(uint256 seed) external {
        for (uint256 i = 0; i < 3; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            try this.useFrame(_claims(seed), _calls(seed), seed) {
                ++frames;
            } catch {}
        }
    }

    function useFrame(Claim[] calldata claims, AgreedCall[] calldata calls, uint256 seed) external {
        _beginFrame(FrameMode.PROVEN, claims);
        _agreeTo(calls);
        if (_claimsGiven() != claims.length || _claimsUsed() != 0) leak = "not as many claims";
        uint256 used = claims.length == 0 ? 0 : seed % (claims.length + 1);
        for (uint256 i = 0; i < used; ++i) {
            _markUsed(i, _usedFor(seed, i));
        }
        for (uint256 i = 0; i < claims.length + 3; ++i) {
            _readClaim(claims, calls, i);
            _readUsed(seed, i, used);
        }
        require(seed % 7 != 0, "undone");
        _end();
        if (_claimsGiven() + _claimsUsed() != 0 || _frameMode() != FrameMode.NONE) {
            leak = "a frame was left open";
        }
    }

    /// @dev Random models and proofs: every claim is covered once, by a proof of its model.
    function cover(uint256 seed) external {
        Claim[] memory claims = new Claim[](seed % 9);
        bytes[] memory proofs = new bytes[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            claims[i].modelId = (seed >> (16 + 2 * i)) % 3;
            if ((seed >> (64 + i)) & 1 == 1) proofs[i] = "proof";
        }
        this.coverClaims(claims, proofs);
    }

    function coverClaims(Claim[] calldata claims, bytes[] calldata proofs) external {
        bool[] memory covered = new bool[](claims.length);
        uint256[] memory times = new uint256[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            if (covered[i]) continue;
            uint256[] memory members = _coveredBy(i, claims, proofs, covered);
            if (members.length == 0 || members[0] != i) hole = "a proof does not cover its claim";
            for (uint256 j = 0; j < members.length; ++j) {
                ++times[members[j]];
                if (claims[members[j]].modelId != claims[i].modelId) {
                    hole = "two models, one proof";
                }
                if (j > 0 && proofs[i].length == 0) hole = "two claims and no proof";
                if (j > 0 && members[j] <= members[j - 1]) hole = "out of order";
                if (j > 0 && proofs[members[j]].length != 0) hole = "a proof was passed over";
            }
        }
        for (uint256 i = 0; i < claims.length; ++i) {
            if (times[i] != 1) hole = "a claim is not covered once";
        }
        ++coverages;
    }

    function _coveredBy(
        uint256 index,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        bool[] memory covered
    ) internal pure virtual returns (uint256[] memory) {
        return ProofCoverage.coveredBy(index, claims, proofs, covered);
    }

    function _end() internal virtual {
        _endFrame();
    }

    function _readClaim(Claim[] calldata claims, AgreedCall[] calldata calls, uint256 i) private {
        Claim memory empty;
        AgreedCall memory nothing;
        Claim memory given = i < claims.length ? claims[i] : empty;
        AgreedCall memory agreed = i < calls.length ? calls[i] : nothing;
        if (_hash(abi.encode(_claimAt(i))) != _hash(abi.encode(given))) leak = "another claim";
        if (_hash(abi.encode(_agreedAt(i))) != _hash(abi.encode(agreed))) leak = "another call";
    }

    function _readUsed(uint256 seed, uint256 i, uint256 used) private {
        UsedClaim memory empty;
        UsedClaim memory expected = i < used ? _usedFor(seed, i) : empty;
        if (_hash(abi.encode(_usedClaimAt(i))) != _hash(abi.encode(expected))) {
            leak = "another use";
        }
    }

    function _usedFor(uint256 seed, uint256 i) private pure returns (UsedClaim memory) {
        bytes32 h = keccak256(abi.encode(seed, i));
        return UsedClaim(
            address(bytes20(h)), address(uint160(uint256(h))), h, _bytes(h, uint256(h) % 200)
        );
    }

    function _claims(uint256 seed) private pure returns (Claim[] memory claims) {
        claims = new Claim[]((seed >> 8) % 5);
        for (uint256 i = 0; i < claims.length; ++i) {
            bytes32 h = keccak256(abi.encode(seed, "claim", i));
            claims[i] = Claim(uint256(h) % 9, h, _bytes(h, uint256(h >> 8) % 200));
        }
    }

    function _calls(uint256 seed) private pure returns (AgreedCall[] memory calls) {
        calls = new AgreedCall[](_claims(seed).length);
        for (uint256 i = 0; i < calls.length; ++i) {
            bytes32 h = keccak256(abi.encode(seed, "call", i));
            calls[i].callHash = h;
            calls[i].ranges = new Range[](uint256(h) % 3);
            for (uint256 j = 0; j < calls[i].ranges.length; ++j) {
                calls[i].ranges[j] = Range(uint16(j), uint256(h) >> 9, uint256(h));
            }
        }
    }

    function _bytes(bytes32 h, uint256 length) private pure returns (bytes memory all) {
        all = new bytes(length);
        for (uint256 i = 0; i < length; ++i) {
            all[i] = h[i % 32];
        }
    }

    function _hash(bytes memory data) private pure returns (bytes32) {
        return keccak256(data);
    }
}

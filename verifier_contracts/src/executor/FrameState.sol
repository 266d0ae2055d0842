// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgreedCall, Claim, IAgentExecutor, Range} from "../interfaces/IAgentExecutor.sol";
import {TransientBytes} from "../libraries/TransientBytes.sol";

/// @notice What kind of call the executor is in.
enum FrameMode {
    NONE,
    PROVEN,
    SIMULATED,
    /// @dev A simulation's second pass: what would poison the frame reverts on the spot.
    SIMULATED_STRICTLY
}

/// @notice What is known of a claim once a decision has used it.
struct UsedClaim {
    address verifier;
    address agent;
    /// @notice Of the model, as the registry had it then.
    bytes32 commitmentHash;
    bytes features;
}

/// @title A frame's transient state: claims and terms, which of them are used, and whether it is poisoned
/// @dev Each frame of a transaction has an epoch of its own, and with it a region of transient storage
///   that no frame before it has written: nothing has to be zeroed, and no value of one frame is
///   readable in another. Outside of a frame there are no claims. Who opened the frame need not be
///   known: only the executor's own call frame, which opened it, closes it.
abstract contract FrameState {
    using TransientBytes for uint256;

    // Per claim, at CLAIMS | epoch << 64 | index << 32: words of fixed meaning, three byte strings, three
    // words for each range. All of these are bits apart.
    uint256 private constant CLAIMS = uint256(keccak256("zkagent.executor.claims")) << 128;
    uint256 private constant EPOCH_SHIFT = 64;
    uint256 private constant CLAIM_SHIFT = 32;
    uint256 private constant MODEL_ID = 0;
    uint256 private constant FEATURES_HASH = 1;
    uint256 private constant VERIFIER = 2;
    uint256 private constant AGENT = 3;
    uint256 private constant COMMITMENT = 4;
    uint256 private constant CALL_HASH = 5;
    uint256 private constant RANGES = 6;
    uint256 private constant OUTPUT = 1 << 16;
    uint256 private constant FEATURES = 1 << 17;
    uint256 private constant RANGE = 1 << 18;
    uint256 private constant PROOF = 1 << 19; // the last: it is as long as its sender likes
    uint256 private constant BEHIND_SHIFT = 160; // above the verifier
    uint256 private constant POISON = uint256(keccak256("zkagent.executor.poison"));

    // Of the frame's word, from the lowest bits on: mode, claims given, claims used, epoch, whether any
    // prompt is kept, whether proofs are, how many runs are under way, one in the other, and how many
    // claims are verified. The epoch is that of the present frame, or of the last one: it never goes back
    // within a transaction.
    uint256 private constant GIVEN_AT = 8;
    uint256 private constant USED_AT = 72;
    uint256 private constant EPOCH_AT = 136;
    uint256 private constant KEEPS = 1 << 200;
    uint256 private constant KEEPS_PROOFS = 1 << 201;
    uint256 private constant DEPTH_AT = 208;
    uint256 private constant ONE_DEEPER = 1 << DEPTH_AT;
    uint256 private constant VERIFIED_AT = 224;
    uint256 private constant ONE_USED = 1 << USED_AT;

    /// @dev Of the decisions of one frame: a claim's number fits the frame's word many times over.
    uint256 internal constant MOST_DECISIONS = 128;
    /// @dev Of runs under way, one in the other, in one frame.
    uint256 internal constant MOST_DEPTH = 8;

    uint256 private transient _frame;

    /// @dev For `_modeIn` and the like: to read it once costs less than to read each part of it.
    function _frameWord() internal view returns (uint256) {
        return _frame;
    }

    function _modeIn(uint256 frame) internal pure returns (FrameMode) {
        return FrameMode(uint8(frame));
    }

    function _usedIn(uint256 frame) internal pure returns (uint256) {
        return uint64(frame >> USED_AT);
    }

    function _givenIn(uint256 frame) internal pure returns (uint256) {
        return uint64(frame >> GIVEN_AT);
    }

    /// @dev Whether any prompt is kept.
    function _keepsIn(uint256 frame) internal pure returns (bool) {
        return frame & KEEPS != 0;
    }

    /// @dev Whether `verifySoFar` has proofs to verify.
    function _keepsProofsIn(uint256 frame) internal pure returns (bool) {
        return frame & KEEPS_PROOFS != 0;
    }

    /// @dev How many claims, from the first on, are verified.
    function _verifiedIn(uint256 frame) internal pure returns (uint256) {
        return uint32(frame >> VERIFIED_AT);
    }

    function _frameMode() internal view returns (FrameMode) {
        return _modeIn(_frame);
    }

    function _claimsUsed() internal view returns (uint256) {
        return _usedIn(_frame);
    }

    function _claimsGiven() internal view returns (uint256) {
        return _givenIn(_frame);
    }

    function _beginFrame(FrameMode mode, Claim[] calldata claims) internal {
        if (_frameMode() != FrameMode.NONE) revert IAgentExecutor.FrameAlreadyOpen();
        if (claims.length > MOST_DECISIONS) {
            revert IAgentExecutor.TooManyDecisions(MOST_DECISIONS, claims.length);
        }
        uint256 epoch = uint64(_frame >> EPOCH_AT) + 1;
        _frame = uint256(mode) | (claims.length << GIVEN_AT) | (epoch << EPOCH_AT);
        uint256 slot = _slot(0);
        for (uint256 i = 0; i < claims.length; ++i) {
            Claim calldata claim = claims[i];
            _tstore(slot | MODEL_ID, claim.modelId);
            _tstore(slot | FEATURES_HASH, uint256(claim.featuresHash));
            (slot | OUTPUT).storeCalldata(claim.output);
            slot += 1 << CLAIM_SHIFT;
        }
    }

    /// @dev For proven frames that just began: what each claim's decision has to come to.
    function _agreeTo(AgreedCall[] calldata calls) internal {
        for (uint256 i = 0; i < calls.length; ++i) {
            uint256 slot = _slot(i);
            AgreedCall calldata call = calls[i];
            Range[] calldata ranges = call.ranges;
            _tstore(slot | CALL_HASH, uint256(call.callHash));
            _tstore(slot | RANGES, ranges.length);
            slot |= RANGE;
            for (uint256 j = 0; j < ranges.length; ++j) {
                _tstore(slot, ranges[j].word);
                _tstore(slot + 1, ranges[j].least);
                _tstore(slot + 2, ranges[j].most);
                slot += 3;
            }
        }
    }

    /// @dev For proven frames that just began: has the proofs at hand before the frame ends.
    function _keepProofs(bytes[] calldata proofs) internal {
        for (uint256 i = 0; i < proofs.length; ++i) {
            (_slot(i) | PROOF).storeCalldata(proofs[i]);
        }
        _frame |= KEEPS_PROOFS;
    }

    function _keepsPrompt() internal {
        _frame |= KEEPS;
    }

    /// @dev Of the present frame, or of the last one.
    function _epoch() internal view returns (uint256) {
        return uint64(_frame >> EPOCH_AT);
    }

    function _keptProofAt(uint256 index) internal view returns (bytes memory) {
        return (_slot(index) | PROOF).load();
    }

    /// @dev All claims that are used.
    function _markVerified(uint256 count) internal {
        _frame += (count - _verifiedIn(_frame)) << VERIFIED_AT;
    }

    /// @dev How many runs are under way, one in the other.
    function _depth() internal view returns (uint256) {
        return uint16(_frame >> DEPTH_AT);
    }

    /// @return How many runs are under way then.
    function _enterRun() internal returns (uint256) {
        uint256 frame = _frame + ONE_DEEPER;
        _frame = frame;
        return uint16(frame >> DEPTH_AT);
    }

    /// @dev An agent that answers without having begun ends no run.
    function _leaveRun() internal {
        uint256 frame = _frame;
        if (uint16(frame >> DEPTH_AT) != 0) _frame = frame - ONE_DEEPER;
    }

    /// @dev For frames that are not poisoned; a poisoned one reverts.
    function _endFrame() internal {
        _frame = uint256(uint64(_frame >> EPOCH_AT)) << EPOCH_AT;
    }

    function _poisonReverts() internal {
        _frame = (_frame & ~uint256(0xff)) | uint256(FrameMode.SIMULATED_STRICTLY);
    }

    /// @dev Marks a frame that has to revert, and the revert data for it. Only called when it is not
    ///   poisoned yet.
    function _poison(bytes memory revertData) internal {
        if (_frameMode() == FrameMode.SIMULATED_STRICTLY) _revertWith(revertData);
        POISON.store(revertData);
    }

    function _isPoisoned() internal view returns (bool) {
        return POISON.lengthOf() != 0;
    }

    function _revertIfPoisoned() internal view {
        if (_isPoisoned()) _revertWith(POISON.load());
    }

    function _claimAt(uint256 index) internal view returns (Claim memory) {
        uint256 slot = _slot(index);
        return Claim(
            _tload(slot | MODEL_ID), bytes32(_tload(slot | FEATURES_HASH)), (slot | OUTPUT).load()
        );
    }

    function _agreedAt(uint256 index) internal view returns (AgreedCall memory agreed) {
        uint256 slot = _slot(index);
        agreed.callHash = bytes32(_tload(slot | CALL_HASH));
        agreed.ranges = new Range[](_tload(slot | RANGES));
        slot |= RANGE;
        for (uint256 j = 0; j < agreed.ranges.length; ++j) {
            agreed.ranges[j] = Range(uint16(_tload(slot)), _tload(slot + 1), _tload(slot + 2));
            slot += 3;
        }
    }

    /// @dev Of the claim that is next.
    function _markUsed(uint256 index, UsedClaim memory used) internal {
        (_useNext(index, used, 0) | FEATURES).store(used.features);
    }

    /// @dev With the features of the claim `like`, which is used, in place of the given ones.
    function _markUsedLike(uint256 index, uint256 like, UsedClaim memory used) internal {
        _useNext(index, used, like + 1);
    }

    /// @param behind The claim behind the one that has the same features; zero if the features follow.
    function _useNext(uint256 index, UsedClaim memory used, uint256 behind)
        private
        returns (uint256 slot)
    {
        uint256 frame = _frame;
        slot = _slotIn(frame, index);
        _tstore(slot | VERIFIER, uint160(used.verifier) | (behind << BEHIND_SHIFT));
        _tstore(slot | AGENT, uint160(used.agent));
        _tstore(slot | COMMITMENT, uint256(used.commitmentHash));
        unchecked {
            _frame = frame + ONE_USED;
        }
    }

    function _usedClaimAt(uint256 index) internal view returns (UsedClaim memory used) {
        (used.agent, used.commitmentHash) = _userOf(index);
        (used.verifier, used.features) = _provableAt(index);
    }

    /// @dev Who used a claim, and under which commitment of its model.
    function _userOf(uint256 index) internal view returns (address agent, bytes32 commitmentHash) {
        uint256 slot = _slot(index);
        agent = address(uint160(_tload(slot | AGENT)));
        commitmentHash = bytes32(_tload(slot | COMMITMENT));
    }

    /// @dev By which verifier a used claim is to be proven, and for which features.
    function _provableAt(uint256 index)
        internal
        view
        returns (address verifier, bytes memory features)
    {
        uint256 slot = _slot(index);
        uint256 word = _tload(slot | VERIFIER);
        verifier = address(uint160(word));
        uint256 behind = word >> BEHIND_SHIFT;
        if (behind != 0) slot = _slot(behind - 1);
        features = (slot | FEATURES).load();
    }

    function _featuresHashOf(uint256 index) internal view returns (bytes32) {
        return bytes32(_tload(_slot(index) | FEATURES_HASH));
    }

    function _revertWith(bytes memory revertData) private pure {
        assembly ("memory-safe") {
            revert(add(revertData, 32), mload(revertData))
        }
    }

    function _slot(uint256 index) private view returns (uint256) {
        return _slotIn(_frame, index);
    }

    function _slotIn(uint256 frame, uint256 index) private pure returns (uint256) {
        uint256 epoch = uint64(frame >> EPOCH_AT);
        return CLAIMS | (epoch << EPOCH_SHIFT) | (index << CLAIM_SHIFT);
    }

    function _tstore(uint256 slot, uint256 value) internal {
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }

    function _tload(uint256 slot) internal view returns (uint256 value) {
        assembly ("memory-safe") {
            value := tload(slot)
        }
    }
}

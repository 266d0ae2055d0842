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

    // Per claim, at CLAIMS | epoch << 64 | index << 32: words of fixed meaning, two byte strings, three
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
    uint256 private constant POISON = uint256(keccak256("zkagent.executor.poison"));

    FrameMode private transient _mode;
    uint64 private transient _given;
    uint64 private transient _used;
    /// @dev Of the present frame, or the last one: it never goes back within a transaction.
    uint64 private transient _epoch;

    function _frameMode() internal view returns (FrameMode) {
        return _mode;
    }

    function _claimsUsed() internal view returns (uint256) {
        return _used;
    }

    function _claimsGiven() internal view returns (uint256) {
        return _given;
    }

    function _beginFrame(FrameMode mode, Claim[] calldata claims) internal {
        if (_mode != FrameMode.NONE) revert IAgentExecutor.FrameAlreadyOpen();
        (_mode, _given, _used, _epoch) = (mode, uint64(claims.length), 0, _epoch + 1);
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

    /// @dev For frames that are not poisoned; a poisoned one reverts.
    function _endFrame() internal {
        (_mode, _given, _used) = (FrameMode.NONE, 0, 0);
    }

    function _poisonReverts() internal {
        _mode = FrameMode.SIMULATED_STRICTLY;
    }

    /// @dev Marks a frame that has to revert, and the revert data for it. Only called when it is not
    ///   poisoned yet.
    function _poison(bytes memory revertData) internal {
        if (_mode == FrameMode.SIMULATED_STRICTLY) _revertWith(revertData);
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

    function _markUsed(uint256 index, UsedClaim memory used) internal {
        uint256 slot = _slot(index);
        _tstore(slot | VERIFIER, uint160(used.verifier));
        _tstore(slot | AGENT, uint160(used.agent));
        _tstore(slot | COMMITMENT, uint256(used.commitmentHash));
        (slot | FEATURES).store(used.features);
        _used = uint64(index + 1);
    }

    function _usedClaimAt(uint256 index) internal view returns (UsedClaim memory) {
        uint256 slot = _slot(index);
        return UsedClaim(
            address(uint160(_tload(slot | VERIFIER))),
            address(uint160(_tload(slot | AGENT))),
            bytes32(_tload(slot | COMMITMENT)),
            (slot | FEATURES).load()
        );
    }

    function _revertWith(bytes memory revertData) private pure {
        assembly ("memory-safe") {
            revert(add(revertData, 32), mload(revertData))
        }
    }

    function _slot(uint256 index) private view returns (uint256) {
        return CLAIMS | (uint256(_epoch) << EPOCH_SHIFT) | (index << CLAIM_SHIFT);
    }

    function _tstore(uint256 slot, uint256 value) private {
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }

    function _tload(uint256 slot) private view returns (uint256 value) {
        assembly ("memory-safe") {
            value := tload(slot)
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

import {CapabilityManifest, ICapabilities} from "../interfaces/guards/ICapabilities.sol";
import {AllowList} from "./AllowList.sol";

/// @title Manifests of what an agent may do, by issuers that the guard's owner trusts
abstract contract Capabilities is AllowList, ICapabilities, EIP712 {
    bytes32 private constant MANIFEST_TYPE = keccak256(
        "CapabilityManifest(address issuer,address agent,address[] actions,address[] targets,"
        "uint64 issued,uint64 expires,uint256 nonce)"
    );

    struct Issuer {
        bool trusted;
        uint256 lastNonce;
    }

    struct InForce {
        address issuer;
        uint256 nonce;
        bytes32 digest;
    }

    mapping(address account => Issuer) private _issuers;
    mapping(uint256 manifest => mapping(address target => bool)) private _isTarget;
    InForce private _inForce;

    constructor() EIP712("zkagent guard", "1") {
        _issuers[_owner].trusted = true;
        emit IssuerTrusted(_owner, true);
    }

    /// @inheritdoc ICapabilities
    function present(CapabilityManifest calldata manifest, bytes calldata signature) external {
        if (_calling != address(0)) revert CallInProgress(_calling);
        bytes32 digest = manifestDigest(manifest);
        _checkManifest(manifest, digest, signature);
        _issuers[manifest.issuer].lastNonce = manifest.nonce;
        uint24 number = ++_state.manifest;
        _state.manifestExpires = uint40(manifest.expires);
        _inForce = InForce(manifest.issuer, manifest.nonce, digest);
        for (uint256 i = 0; i < manifest.targets.length; ++i) {
            _isTarget[number][manifest.targets[i]] = true;
        }
        for (uint256 i = 0; i < manifest.actions.length; ++i) {
            _cover(manifest.actions[i], number);
        }
        emit ManifestPresented(manifest.issuer, manifest.nonce, digest, manifest.expires);
    }

    /// @inheritdoc ICapabilities
    function revoke(address issuer_, uint256 nonce) external {
        if (msg.sender != issuer_ && msg.sender != _owner) revert CallerMayNotRevoke(msg.sender);
        Issuer storage it = _issuers[issuer_];
        if (nonce > it.lastNonce) it.lastNonce = nonce;
        if (_inForce.issuer == issuer_ && _inForce.nonce <= nonce) _state.manifestExpires = 0;
        emit ManifestsRevoked(issuer_, nonce, msg.sender);
    }

    /// @inheritdoc ICapabilities
    function trustIssuer(address issuer_, bool trusted) external {
        _authorizeChange(trusted);
        _issuers[issuer_].trusted = trusted;
        if (!trusted && _inForce.issuer == issuer_) _state.manifestExpires = 0;
        emit IssuerTrusted(issuer_, trusted);
    }

    /// @inheritdoc ICapabilities
    function requireManifest(bool required) external {
        _authorizeChange(!required);
        _state.manifestRequired = required;
        emit ManifestRequired(required);
    }

    /// @inheritdoc ICapabilities
    function manifestInForce()
        external
        view
        returns (bool required, address issuer_, uint256 nonce, uint64 expires, bytes32 digest)
    {
        required = _state.manifestRequired;
        expires = _state.manifestExpires;
        return (required, _inForce.issuer, _inForce.nonce, expires, _inForce.digest);
    }

    /// @inheritdoc ICapabilities
    function issuer(address account) external view returns (bool trusted, uint256 lastNonce) {
        return (_issuers[account].trusted, _issuers[account].lastNonce);
    }

    /// @inheritdoc ICapabilities
    function covers(address tool, address target)
        external
        view
        returns (bool action, bool target_)
    {
        uint24 number = _state.manifest;
        return (number != 0 && _tools[tool].manifest == number, _isTarget[number][target]);
    }

    /// @inheritdoc ICapabilities
    function manifestDigest(CapabilityManifest calldata manifest) public view returns (bytes32) {
        return _hashTypedDataV4(
            keccak256(
                abi.encode(
                    MANIFEST_TYPE,
                    manifest.issuer,
                    manifest.agent,
                    keccak256(abi.encodePacked(manifest.actions)),
                    keccak256(abi.encodePacked(manifest.targets)),
                    manifest.issued,
                    manifest.expires,
                    manifest.nonce
                )
            )
        );
    }

    /// @dev Reverts unless the manifest that is in force names this call.
    function _checkCapability(
        State memory state,
        Allowed memory rule,
        address tool,
        bytes calldata params
    ) internal view {
        if (block.timestamp >= state.manifestExpires) {
            revert ManifestMissing(state.manifestExpires, block.timestamp);
        }
        if (rule.manifest != state.manifest) revert ActionNotInManifest(tool);
        if (rule.targetWord == NO_WORD) return; // compared when it was presented
        address target = _addressOf(tool, params, rule.targetWord);
        if (!_isTarget[state.manifest][target]) revert TargetNotInManifest(tool, target);
    }

    function _checkManifest(
        CapabilityManifest calldata manifest,
        bytes32 digest,
        bytes calldata signature
    ) private view {
        Issuer storage it = _issuers[manifest.issuer];
        if (!it.trusted) revert IssuerNotTrusted(manifest.issuer);
        if (manifest.agent != _state.agent) {
            revert ManifestOfAnotherAgent(_state.agent, manifest.agent);
        }
        bool inTime = manifest.issued <= block.timestamp && block.timestamp < manifest.expires
            && manifest.expires <= type(uint40).max;
        if (!inTime) {
            revert ManifestOutOfTime(manifest.issued, manifest.expires, block.timestamp);
        }
        if (manifest.nonce <= it.lastNonce) {
            revert ManifestNonceUsed(manifest.issuer, manifest.nonce, it.lastNonce);
        }
        if (!SignatureChecker.isValidSignatureNowCalldata(manifest.issuer, digest, signature)) {
            revert ManifestSignatureInvalid(manifest.issuer, digest);
        }
    }

    /// @dev Marks a tool as named; without a word for it, its target is what it wraps, or itself.
    function _cover(address tool, uint24 number) private {
        Allowed storage rule = _tools[tool];
        if (!rule.allowed) revert ToolNotAllowed(tool);
        if (rule.targetWord == NO_WORD) {
            address target = rule.target == address(0) ? tool : rule.target;
            if (!_isTarget[number][target]) revert TargetNotInManifest(tool, target);
        }
        rule.manifest = number;
    }
}

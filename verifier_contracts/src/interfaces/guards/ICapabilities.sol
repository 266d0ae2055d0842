// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What an issuer lets an agent do for a while, signed by EIP-712.
struct CapabilityManifest {
    address issuer;
    address agent;
    /// @notice The tools that may be called.
    address[] actions;
    /// @notice Whom those calls may be for: what the rule's `targetWord` names, or else what the tool
    ///   wraps; the tool itself, where it tells nothing of that.
    address[] targets;
    /// @notice Seconds since 1970.
    uint64 issued;
    uint64 expires;
    /// @notice Higher than that of every manifest of this issuer that was presented or revoked here.
    uint256 nonce;
}

/// @title Manifests of what an agent may do, by issuers that the guard's owner trusts
/// @notice A manifest gives nothing that the guard's rules do not give. Where the owner requires one,
///   only what it names may be done, until it expires, is replaced or revoked.
interface ICapabilities {
    /// @notice A manifest is in force, in place of the one before.
    event ManifestPresented(
        address indexed issuer, uint256 indexed nonce, bytes32 digest, uint64 expires
    );

    /// @notice This issuer's manifests up to this nonce are void.
    event ManifestsRevoked(address indexed issuer, uint256 nonce, address by);

    /// @notice The owner trusts an issuer, or does no longer.
    event IssuerTrusted(address indexed issuer, bool trusted);

    /// @notice The owner requires a manifest, or does no longer.
    event ManifestRequired(bool required);

    /// @notice No manifest is in force, or it has expired: present one.
    error ManifestMissing(uint256 expired, uint256 blockTime);

    /// @notice The manifest does not name this tool.
    error ActionNotInManifest(address tool);

    /// @notice The manifest does not name whom the call is for.
    error TargetNotInManifest(address tool, address target);

    /// @notice The owner does not trust this issuer.
    error IssuerNotTrusted(address issuer);

    /// @notice The manifest is for another agent.
    error ManifestOfAnotherAgent(address expected, address received);

    /// @notice The manifest is not valid yet, or no longer.
    error ManifestOutOfTime(uint64 issued, uint64 expires, uint256 blockTime);

    /// @notice The nonce is not above the last one.
    error ManifestNonceUsed(address issuer, uint256 nonce, uint256 last);

    /// @notice The issuer did not sign this, for this guard on this chain.
    error ManifestSignatureInvalid(address issuer, bytes32 digest);

    /// @notice Only the issuer and the guard's owner revoke.
    error CallerMayNotRevoke(address caller);

    /// @notice Puts a manifest in force. Anyone may bring it.
    function present(CapabilityManifest calldata manifest, bytes calldata signature) external;

    /// @notice Makes this issuer's manifests up to `nonce` void, the one in force included.
    function revoke(address issuer, uint256 nonce) external;

    /// @notice Says whose manifests count.
    function trustIssuer(address issuer, bool trusted) external;

    /// @notice Says whether a manifest has to be in force.
    function requireManifest(bool required) external;

    /// @notice What an issuer signs.
    function manifestDigest(CapabilityManifest calldata manifest) external view returns (bytes32);

    /// @notice The manifest in force; expired if `expires` has passed.
    function manifestInForce()
        external
        view
        returns (bool required, address issuer, uint256 nonce, uint64 expires, bytes32 digest);

    /// @notice Whether the owner trusts an issuer, and which nonce was last presented or revoked.
    function issuer(address account) external view returns (bool trusted, uint256 lastNonce);

    /// @notice Whether the manifest in force names this tool, and this target.
    function covers(address tool, address target) external view returns (bool action, bool target_);
}

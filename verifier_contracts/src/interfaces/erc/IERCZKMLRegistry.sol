// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What a model is committed to (ERC-7992).
struct ModelCommitment {
    bytes32 modelHash;
    bytes32 circuitHash;
    bytes32 vkHash;
    bytes4 proofSystemId;
    string uri;
}

/// @title Registry of verifiable models (ERC-7992, draft)
/// @dev The draft names an event and an error `ModelDeprecated`, which does not compile; the error
///   is `ModelIsDeprecated` here.
interface IERCZKMLRegistry {
    /// @notice A model was registered.
    event ModelRegistered(
        uint256 indexed modelId, address indexed owner, ModelCommitment commitment
    );

    /// @notice A model's commitment was replaced.
    event ModelUpdated(
        uint256 indexed modelId, ModelCommitment oldCommitment, ModelCommitment newCommitment
    );

    /// @notice A model was withdrawn for good.
    event ModelDeprecated(uint256 indexed modelId);

    /// @notice Nothing is registered under this number; numbers start at 1.
    error ModelNotFound(uint256 modelId);

    /// @notice Only the account that registered the model may change it.
    error NotModelOwner(uint256 modelId, address caller);

    /// @notice The model's owner has withdrawn it; choose another one.
    error ModelIsDeprecated(uint256 modelId);

    /// @notice Registers a commitment; the caller becomes its owner.
    function registerModel(ModelCommitment calldata commitment) external returns (uint256 modelId);

    /// @notice Replaces a commitment.
    function updateModel(uint256 modelId, ModelCommitment calldata commitment) external;

    /// @notice Withdraws a model for good.
    function deprecateModel(uint256 modelId) external;

    /// @notice Reads a model.
    function getModel(uint256 modelId)
        external
        view
        returns (ModelCommitment memory commitment, bool deprecated, address owner);
}

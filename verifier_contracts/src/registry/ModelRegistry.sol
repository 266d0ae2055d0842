// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {
    BatchVerifier,
    ExecutableModel,
    IModelRegistry,
    ModelBinding
} from "../interfaces/IModelRegistry.sol";
import {IERCZKMLRegistry, ModelCommitment} from "../interfaces/erc/IERCZKMLRegistry.sol";
import {ModelIds} from "../libraries/ModelIds.sol";
import {Groth16Keys} from "../verifiers/Groth16Keys.sol";
import {ModelHashes} from "./ModelHashes.sol";
import {StoredModel} from "./StoredModel.sol";

/// @title ERC-7992 registry that also binds models to the contracts that execute them
/// @notice Anyone may register; a number says nothing about quality. Who pins a commitment should
///   derive it from the model's files first.
contract ModelRegistry is IModelRegistry {
    struct Entry {
        ModelCommitment commitment;
        address owner;
        bool deprecated;
    }

    bytes4 private constant EZKL_HALO2_KZG = bytes4(keccak256("ezkl-halo2-kzg-bn254-v1"));
    bytes4 private constant EVM_INTEGERS = bytes4(keccak256("evm-int-v1"));
    bytes4 private constant GROTH16 = bytes4(keccak256("groth16-bn254-v1"));

    uint256 private _lastId;
    mapping(uint256 modelId => Entry) private _entries;
    mapping(uint256 modelId => ModelBinding) private _bindings;
    /// @dev Where `StoredModel` keeps it. Present exactly for models that are bound and not deprecated.
    mapping(uint256 modelId => address) private _executable;
    mapping(uint256 modelId => BatchVerifier[]) private _batches;
    mapping(bytes32 nameHash => uint256 modelId) private _named;

    /// @inheritdoc IERCZKMLRegistry
    function registerModel(ModelCommitment calldata commitment) external returns (uint256 modelId) {
        return _register(commitment);
    }

    /// @inheritdoc IModelRegistry
    function registerBoundModel(ModelCommitment calldata commitment, ModelBinding calldata binding)
        external
        returns (uint256 modelId)
    {
        modelId = _register(commitment);
        _bind(modelId, commitment, binding);
    }

    /// @inheritdoc IERCZKMLRegistry
    function updateModel(uint256 modelId, ModelCommitment calldata commitment) external {
        if (_bindings[modelId].verifier != address(0)) revert ModelIsBound(modelId);
        _update(modelId, commitment);
    }

    /// @inheritdoc IModelRegistry
    function updateBoundModel(
        uint256 modelId,
        ModelCommitment calldata commitment,
        ModelBinding calldata binding
    ) external {
        _update(modelId, commitment);
        _bind(modelId, commitment, binding);
    }

    /// @inheritdoc IModelRegistry
    function setBatchVerifiers(uint256 modelId, BatchVerifier[] calldata batches) external {
        Entry storage entry = _ownEntry(modelId);
        if (_bindings[modelId].verifier == address(0)) revert ModelNotBound(modelId);
        if (entry.commitment.proofSystemId == GROTH16 && batches.length != 0) {
            revert UnsupportedProofSystem(GROTH16);
        }
        delete _batches[modelId];
        uint256 previous = 1;
        for (uint256 i = 0; i < batches.length; ++i) {
            if (batches[i].size <= previous) revert BatchSizeOutOfOrder(previous, batches[i].size);
            previous = batches[i].size;
            if (Groth16Keys.isKey(batches[i].verifier)) {
                revert KeyMismatch(entry.commitment.proofSystemId, batches[i].verifier);
            }
            _checkVerifier(batches[i].codeHash, batches[i].verifier);
            _batches[modelId].push(batches[i]);
        }
        bytes32 hash =
            ModelHashes.commitmentHash(entry.commitment, _bindings[modelId], _batches[modelId]);
        ExecutableModel memory model = _unchanged(modelId);
        model.commitmentHash = hash;
        _executable[modelId] = StoredModel.write(model, _bindings[modelId].components);
        emit BatchVerifiersSet(modelId, hash, batches);
    }

    /// @inheritdoc IERCZKMLRegistry
    function deprecateModel(uint256 modelId) external {
        _ownEntry(modelId).deprecated = true;
        delete _executable[modelId];
        emit ModelDeprecated(modelId);
    }

    /// @inheritdoc IModelRegistry
    function addAlias(uint256 modelId, string calldata name) external {
        _ownEntry(modelId);
        ModelIds.checkAlias(name);
        uint256 taken = _named[keccak256(bytes(name))];
        if (taken != 0) revert AliasTaken(name, taken);
        _named[keccak256(bytes(name))] = modelId;
        emit AliasAdded(modelId, name);
    }

    /// @inheritdoc IModelRegistry
    function modelNamed(string calldata name) external view returns (uint256 modelId) {
        modelId = _named[keccak256(bytes(name))];
        if (modelId == 0) revert AliasUnknown(name);
    }

    /// @inheritdoc IERCZKMLRegistry
    function getModel(uint256 modelId)
        external
        view
        returns (ModelCommitment memory commitment, bool deprecated, address owner)
    {
        Entry storage entry = _entry(modelId);
        return (entry.commitment, entry.deprecated, entry.owner);
    }

    /// @inheritdoc IModelRegistry
    function commitmentHash(uint256 modelId) external view returns (bytes32) {
        return StoredModel.commitmentHash(_stored(modelId));
    }

    /// @inheritdoc IModelRegistry
    function bindingOf(uint256 modelId) external view returns (ExecutableModel memory) {
        return _unchanged(modelId);
    }

    /// @inheritdoc IModelRegistry
    function getBinding(uint256 modelId) external view returns (ModelBinding memory binding) {
        _entry(modelId);
        binding = _bindings[modelId];
        if (binding.verifier == address(0)) revert ModelNotBound(modelId);
    }

    /// @inheritdoc IModelRegistry
    function batchVerifiers(uint256 modelId) external view returns (BatchVerifier[] memory) {
        _entry(modelId);
        return _batches[modelId];
    }

    /// @inheritdoc IModelRegistry
    function batchVerifierFor(uint256 modelId, uint256 decisions)
        external
        view
        returns (address verifier, uint256 size, bytes32 commitment)
    {
        commitment = StoredModel.commitmentHash(_stored(modelId));
        BatchVerifier[] storage batches = _batches[modelId];
        for (uint256 i = 0; i < batches.length; ++i) {
            BatchVerifier storage batch = batches[i];
            (verifier, size) = (batch.verifier, batch.size);
            if (decisions > size) continue;
            if (verifier.codehash != batch.codeHash) revert ModelCodeChanged(modelId);
            return (verifier, size, commitment);
        }
        revert NoBatchVerifier(modelId, decisions, batches.length == 0 ? 1 : size);
    }

    /// @inheritdoc IModelRegistry
    function checkCode(uint256 modelId) external view {
        ModelCommitment storage commitment = _entry(modelId).commitment;
        ModelBinding memory binding = _bindings[modelId];
        if (binding.verifier == address(0)) revert ModelNotBound(modelId);
        _checkCode(commitment.vkHash, commitment.modelHash, binding);
        BatchVerifier[] memory batches = _batches[modelId];
        for (uint256 i = 0; i < batches.length; ++i) {
            _checkVerifier(batches[i].codeHash, batches[i].verifier);
        }
    }

    /// @inheritdoc IModelRegistry
    function modelHashOf(ModelBinding calldata binding) external view returns (bytes32) {
        return ModelHashes.modelHash(binding);
    }

    function _register(ModelCommitment calldata commitment) private returns (uint256 modelId) {
        modelId = ++_lastId;
        Entry storage entry = _entries[modelId];
        entry.commitment = commitment;
        entry.owner = msg.sender;
        emit ModelRegistered(modelId, msg.sender, commitment);
    }

    function _update(uint256 modelId, ModelCommitment calldata commitment) private {
        Entry storage entry = _ownEntry(modelId);
        ModelCommitment memory old = entry.commitment;
        entry.commitment = commitment;
        emit ModelUpdated(modelId, old, commitment);
    }

    function _bind(
        uint256 modelId,
        ModelCommitment calldata commitment,
        ModelBinding calldata binding
    ) private {
        bytes4 system = commitment.proofSystemId;
        if (system != EZKL_HALO2_KZG && system != EVM_INTEGERS && system != GROTH16) {
            revert UnsupportedProofSystem(system);
        }
        if ((system == GROTH16) != Groth16Keys.isKey(binding.verifier)) {
            revert KeyMismatch(system, binding.verifier);
        }
        if (binding.inputs == 0 || binding.outputs == 0) {
            revert EmptyModel(binding.inputs, binding.outputs);
        }
        _checkCode(commitment.vkHash, commitment.modelHash, binding);
        delete _batches[modelId]; // of what the number named before
        bytes32 hash = ModelHashes.commitmentHash(commitment, binding, new BatchVerifier[](0));
        _bindings[modelId] = binding;
        ExecutableModel memory model = ExecutableModel(
            binding.verifier,
            binding.inputs,
            binding.outputs,
            binding.encoder,
            binding.decoder,
            hash
        );
        _executable[modelId] = StoredModel.write(model, binding.components);
        emit ModelBound(modelId, hash, binding);
    }

    function _checkCode(bytes32 vkHash, bytes32 modelHash, ModelBinding memory binding)
        private
        view
    {
        _checkVerifier(vkHash, binding.verifier);
        bytes32 computed = ModelHashes.modelHash(binding);
        if (modelHash != computed) revert ModelHashMismatch(modelHash, computed);
    }

    function _checkVerifier(bytes32 committed, address verifier) private view {
        bytes32 codeHash = ModelHashes.fixedCodeHash(verifier);
        if (committed != codeHash) revert VerifierMismatch(committed, codeHash);
    }

    function _unchanged(uint256 modelId) private view returns (ExecutableModel memory model) {
        bool unchanged;
        (model, unchanged) = StoredModel.read(_stored(modelId));
        if (!unchanged) revert ModelCodeChanged(modelId);
    }

    function _stored(uint256 modelId) private view returns (address pointer) {
        pointer = _executable[modelId];
        if (pointer == address(0)) _revertNotExecutable(modelId);
    }

    function _entry(uint256 modelId) private view returns (Entry storage entry) {
        entry = _entries[modelId];
        if (entry.owner == address(0)) revert ModelNotFound(modelId);
    }

    function _ownEntry(uint256 modelId) private view returns (Entry storage entry) {
        entry = _entry(modelId);
        if (entry.owner != msg.sender) revert NotModelOwner(modelId, msg.sender);
        if (entry.deprecated) revert ModelIsDeprecated(modelId);
    }

    function _revertNotExecutable(uint256 modelId) private view {
        if (_entry(modelId).deprecated) revert ModelIsDeprecated(modelId);
        revert ModelNotBound(modelId);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCZKMLRegistry, ModelCommitment} from "./erc/IERCZKMLRegistry.sol";

/// @notice The contracts and sizes that make a commitment executable.
struct ModelBinding {
    address verifier;
    address encoder;
    address decoder;
    /// @notice Contracts whose code is data that encoder and decoder read: tables, configuration.
    ///   Compared in every decision, so name all of them and nothing else.
    address[] components;
    /// @notice SHA-256 of the ONNX file.
    bytes32 onnxDigest;
    /// @notice SHA-256 of the manifest.
    bytes32 manifestDigest;
    /// @notice Length of x; features are 2 bytes each.
    uint16 inputs;
    /// @notice Length of y; outputs are 8 bytes each.
    uint16 outputs;
}

/// @notice What the executor needs of a binding.
struct ExecutableModel {
    address verifier;
    uint16 inputs;
    uint16 outputs;
    address encoder;
    address decoder;
    bytes32 commitmentHash;
}

/// @notice A verifier of the same network for up to `size` decisions in one proof.
struct BatchVerifier {
    uint16 size;
    address verifier;
    /// @notice Digest of the circuit, as `circuitHash` of ERC-7992 is for the single one.
    bytes32 circuitHash;
    /// @notice Code hash of the verifier, as `vkHash` of ERC-7992 is for the single one.
    bytes32 codeHash;
}

/// @title Registry of models whose commitments are bound to the contracts that execute them
/// @notice Versioning: a number names one commitment at a time. An update replaces it and changes
///   its `commitmentHash`, so agents that pinned the old hash stop until their owners accept the
///   new one. Deprecation is final. Old versions stay readable in the events.
interface IModelRegistry is IERCZKMLRegistry {
    /// @notice A commitment was bound to contracts, at registration or by an update.
    event ModelBound(uint256 indexed modelId, bytes32 indexed commitmentHash, ModelBinding binding);

    /// @notice A bound model's batch verifiers were replaced, and with them its commitment hash.
    event BatchVerifiersSet(
        uint256 indexed modelId, bytes32 indexed commitmentHash, BatchVerifier[] batches
    );

    /// @notice The model was registered without a binding: it can be looked up but not executed.
    error ModelNotBound(uint256 modelId);

    /// @notice The model is bound; `updateBoundModel` replaces commitment and binding together.
    error ModelIsBound(uint256 modelId);

    /// @notice `vkHash` is not the verifier's code hash: wrong address, or a verifier of another
    ///   circuit.
    error VerifierMismatch(bytes32 committed, bytes32 codeHash);

    /// @notice `modelHash` does not cover the binding's digests and code: something was rebuilt
    ///   since.
    error ModelHashMismatch(bytes32 committed, bytes32 computed);

    /// @notice Models are bound to a verifier of ezkl's proofs (`ezkl-halo2-kzg-bn254-v1`), to a
    ///   contract that evaluates them (`evm-int-v1`) or to a key of Groth16 proofs
    ///   (`groth16-bn254-v1`), which are verified together without a batch verifier; another system
    ///   needs another registry.
    error UnsupportedProofSystem(bytes4 received);

    /// @notice Models of `groth16-bn254-v1` have a key's contract in the verifier's place, others a
    ///   contract that can be called.
    error KeyMismatch(bytes4 proofSystemId, address verifier);

    /// @notice No contract at this address, or an account that only delegates and can change its
    ///   mind.
    error NoFixedCode(address account);

    /// @notice What executes the model is not what was registered: at the address of its verifier,
    ///   encoder, decoder, of a component or of a batch verifier is other code, or none.
    /// @dev Code that is destroyed in the transaction that made it (EIP-6780) can be followed by other
    ///   code at its address. `zkagent model audit` says which it is.
    error ModelCodeChanged(uint256 modelId);

    /// @notice A model needs inputs and outputs.
    error EmptyModel(uint16 inputs, uint16 outputs);

    /// @notice No verifier of this model takes so many decisions in one proof: put fewer of them
    ///   into a proof. `largest` is the most that one takes, 1 without batch verifiers.
    error NoBatchVerifier(uint256 modelId, uint256 decisions, uint256 largest);

    /// @notice Batch verifiers are listed by size, each size once, the smallest one being 2.
    error BatchSizeOutOfOrder(uint256 previous, uint256 size);

    /// @notice The owner of a model gave it a name for good.
    event AliasAdded(uint256 indexed modelId, string name);

    /// @notice The name stands for a model already: choose another one. Names are never given anew.
    error AliasTaken(string name, uint256 modelId);

    /// @notice Names are 1 to 64 printable ASCII characters without blanks, and not digits alone: those
    ///   are numbers.
    error MalformedAlias(string name);

    /// @notice No model goes by this name, nor by this number: likely a slip, or another registry's.
    error AliasUnknown(string name);

    /// @notice Registers a commitment with the contracts that execute it; checks every hash.
    function registerBoundModel(ModelCommitment calldata commitment, ModelBinding calldata binding)
        external
        returns (uint256 modelId);

    /// @notice Replaces commitment and binding; also binds a model that was not.
    function updateBoundModel(
        uint256 modelId,
        ModelCommitment calldata commitment,
        ModelBinding calldata binding
    ) external;

    /// @notice Replaces the batch verifiers of a bound model; an update of its binding removes them.
    /// @dev They are part of the commitment hash: agents that pinned the old one stop until their
    ///   owners accept the new one, so no verifier comes to count behind their backs. Reverts as
    ///   `bindingOf`.
    function setBatchVerifiers(uint256 modelId, BatchVerifier[] calldata batches) external;

    /// @notice Gives a model a name, once and for all, for agents that call models by names. Only for
    ///   the model's owner; a model may have several names.
    /// @dev A name says as little as a number does: whoever asks first has it. It stands for the number
    ///   and not for a commitment, so what it stands for changes with the model's updates.
    function addAlias(uint256 modelId, string calldata name) external;

    /// @notice The model that goes by a name. Reverts with AliasUnknown.
    function modelNamed(string calldata name) external view returns (uint256 modelId);

    /// @notice All batch verifiers of the model, by size.
    function batchVerifiers(uint256 modelId) external view returns (BatchVerifier[] memory);

    /// @notice The one verifier for a proof of that many decisions, which is the smallest that holds
    ///   them, so that there is no choice. Reverts as `commitmentHash`, with NoBatchVerifier, and
    ///   with ModelCodeChanged unless it has the code that was registered.
    /// @return verifier Its address.
    /// @return size How many decisions it takes.
    /// @return commitment The commitment hash that it is part of.
    function batchVerifierFor(uint256 modelId, uint256 decisions)
        external
        view
        returns (address verifier, uint256 size, bytes32 commitment);

    /// @notice Hash over the commitment, the whole binding and the batch verifiers: over everything
    ///   that a decision of this model depends on. Reverts if the model is unknown, unbound or
    ///   deprecated.
    function commitmentHash(uint256 modelId) external view returns (bytes32);

    /// @notice What the executor needs. Reverts as `commitmentHash`, and with ModelCodeChanged unless
    ///   verifier, encoder, decoder and all components have the code that was registered.
    /// @dev Code stays for the rest of a transaction in which it was found, so whoever asks before a
    ///   decision may rely on it until the end.
    function bindingOf(uint256 modelId) external view returns (ExecutableModel memory);

    /// @notice The whole binding.
    function getBinding(uint256 modelId) external view returns (ModelBinding memory);

    /// @notice Reverts unless all bound code is still what was registered.
    /// @dev Compares with the commitment and looks at batch verifiers, too. Code made and destroyed
    ///   within one transaction could be registered and be replaced later; code that has outlived its
    ///   transaction cannot. Check before pinning a model.
    function checkCode(uint256 modelId) external view;

    /// @notice The `modelHash` that a commitment with this binding must carry.
    function modelHashOf(ModelBinding calldata binding) external view returns (bytes32);
}

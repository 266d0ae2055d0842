// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {AgentExecutor} from "../../src/executor/AgentExecutor.sol";
import {
    AgreedCall,
    Claim,
    IAgentExecutor,
    Range,
    RunTerms
} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {ModelRegistry} from "../../src/registry/ModelRegistry.sol";
import {FakeDecoder} from "../fakes/FakeDecoder.sol";
import {FakeEncoder} from "../fakes/FakeEncoder.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";

/// @dev A registry with one fake model of the wallet model's size, an executor, and a planner.
abstract contract World is Test {
    uint256 internal constant FIELD_ORDER =
        0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;

    uint16 internal constant INPUTS = 137;
    uint16 internal constant OUTPUTS = 28;

    int64 internal constant ANSWER = 0;
    int64 internal constant CALL = 1;
    int64 internal constant REFUSE = -2;
    int64 internal constant STRANGE_TOOL = 3;
    int64 internal constant REPORT = 4;

    ModelRegistry internal registry = new ModelRegistry();
    AgentExecutor internal executor = new AgentExecutor(registry);
    FakeEncoder internal encoder = new FakeEncoder(INPUTS);
    FakeDecoder internal decoder = new FakeDecoder();
    FakeVerifier internal verifier = new FakeVerifier();
    uint256 internal model = registerFakeModel(verifier);

    struct Missing {
        uint256 index;
        address agent;
        uint256 modelId;
        bytes features;
        bytes context;
    }

    /// @dev Where a decision was found missing, by the hash of its features.
    struct Site {
        address agent;
        IERCAgentTool[] tools;
        string prompt;
    }

    mapping(bytes32 featuresHash => Site) private _sites;

    // Models

    function registerFakeModel(FakeVerifier by) internal returns (uint256) {
        ModelBinding memory binding = bindingWith(address(by));
        return registry.registerBoundModel(commitmentFor(binding), binding);
    }

    function bindingWith(address verifier_) internal view returns (ModelBinding memory binding) {
        binding.verifier = verifier_;
        binding.encoder = address(encoder);
        binding.decoder = address(decoder);
        binding.components = new address[](0);
        binding.onnxDigest = "onnx";
        binding.manifestDigest = "manifest";
        (binding.inputs, binding.outputs) = (INPUTS, OUTPUTS);
    }

    function commitmentFor(ModelBinding memory binding)
        internal
        view
        returns (ModelCommitment memory)
    {
        return ModelCommitment(
            registry.modelHashOf(binding),
            "circuit",
            binding.verifier.codehash,
            bytes4(keccak256("ezkl-halo2-kzg-bn254-v1")),
            "ipfs://model"
        );
    }

    // Agents

    function agentWith(IERCAgentTool tool) internal returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        return agentWith(tools, address(this));
    }

    function agentWith(IERCAgentTool[] memory tools, address owner)
        internal
        virtual
        returns (TestAgent)
    {
        return new TestAgent(executor, vm.toString(model), owner, tools, 5);
    }

    function inputOf(string memory prompt)
        internal
        pure
        returns (IERCAgentTool.Input memory input)
    {
        input.params = new IERCAgentTool.ParamValue[](1);
        input.params[0] =
            IERCAgentTool.ParamValue(IERCAgentTool.ParamType.STRING, abi.encode(prompt));
        input.abiEncodedParams = abi.encode(prompt);
    }

    // Outputs, claims, proofs

    function output(int64 operation, int64 operand) internal pure returns (bytes memory) {
        return abi.encodePacked(operation, operand, new bytes(8 * (OUTPUTS - 2)));
    }

    /// @dev Features, then outputs, as field elements.
    function instancesOf(bytes memory features, bytes memory y)
        internal
        pure
        returns (uint256[] memory instances)
    {
        uint256 inputs = features.length / 2;
        instances = new uint256[](inputs + y.length / 8);
        for (uint256 i = 0; i < inputs; ++i) {
            instances[i] = element(int16(uint16(bytes2(slice(features, 2 * i)))));
        }
        for (uint256 i = inputs; i < instances.length; ++i) {
            instances[i] = element(int64(uint64(bytes8(slice(y, 8 * (i - inputs))))));
        }
    }

    function element(int256 v) internal pure returns (uint256) {
        return v < 0 ? FIELD_ORDER - uint256(-v) : uint256(v);
    }

    function slice(bytes memory data, uint256 from) internal pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 32), from))
        }
    }

    /// @dev Makes y the model's true output for these features.
    function truth(bytes memory features, bytes memory y) internal returns (bytes memory proof) {
        return verifier.admit(instancesOf(features, y));
    }

    /// @dev Plans a run in which the model's outputs are these, in order; they become true.
    function plan(IProvenAgent agent, string memory prompt, bytes[] memory outputs)
        internal
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        claims = new Claim[](0);
        proofs = new bytes[](0);
        for (uint256 i = 0; i < outputs.length; ++i) {
            Missing memory m = missing(agent, prompt, claims);
            claims = append(claims, Claim(m.modelId, keccak256(m.features), outputs[i]));
            proofs = append(proofs, truth(m.features, outputs[i]));
        }
    }

    /// @dev The decision that a simulation with these claims says is missing.
    function missing(IProvenAgent agent, string memory prompt, Claim[] memory claims)
        internal
        returns (Missing memory m)
    {
        return missingIn(simulationOf(agent, prompt, claims));
    }

    /// @dev The decision that a simulation ended for the lack of.
    function missingIn(bytes memory reason) internal returns (Missing memory m) {
        assertEq(
            bytes32(bytes4(reason)), bytes32(IAgentExecutor.MissingDecision.selector), "not missing"
        );
        (m.index, m.agent, m.modelId, m.features, m.context) =
            abi.decode(arguments(reason), (uint256, address, uint256, bytes, bytes));
        Site storage site = _sites[keccak256(m.features)];
        site.agent = m.agent;
        (, site.tools,, site.prompt) =
            abi.decode(m.context, (string, IERCAgentTool[], string[], string));
    }

    /// @dev Terms under which these claims come to what the fake decoder makes of them. Claims that no
    ///   simulation found missing are taken for answers of `stranger`.
    function termsFor(Claim[] memory claims, address stranger)
        internal
        view
        returns (RunTerms memory terms)
    {
        terms.deadline = type(uint64).max;
        terms.calls = new AgreedCall[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            terms.calls[i].callHash = callHashOf(claims[i], stranger);
        }
    }

    function termsFor(Claim[] memory claims) internal view returns (RunTerms memory) {
        return termsFor(claims, address(0));
    }

    /// @dev Written otherwise than the contracts do it: the plain reference.
    function callHashOf(Claim memory claim, address stranger) internal view returns (bytes32) {
        Site storage site = _sites[claim.featuresHash];
        address by = site.agent == address(0) ? stranger : site.agent;
        int64 operation = int64(uint64(bytes8(slice(claim.output, 0))));
        uint64 operand = uint64(bytes8(slice(claim.output, 8)));
        if (operation != CALL && operation != STRANGE_TOOL) return callHash(by, address(0), "");
        address tool = operation == CALL ? address(site.tools[operand]) : address(uint160(operand));
        return callHash(by, tool, abi.encode(site.prompt));
    }

    function callHash(address by, address tool, bytes memory params)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(by, tool, params));
    }

    function simulationOf(IProvenAgent agent, string memory prompt, Claim[] memory claims)
        internal
        returns (bytes memory reason)
    {
        try agent.simulate(inputOf(prompt), claims) {
            revert("simulate returned");
        } catch (bytes memory reason_) {
            reason = reason_;
        }
    }

    function arguments(bytes memory revertData) internal pure returns (bytes memory data) {
        data = new bytes(revertData.length - 4);
        for (uint256 i = 0; i < data.length; ++i) {
            data[i] = revertData[i + 4];
        }
    }

    // Lists

    function list(bytes memory a) internal pure returns (bytes[] memory all) {
        all = new bytes[](1);
        all[0] = a;
    }

    function list(bytes memory a, bytes memory b) internal pure returns (bytes[] memory) {
        return append(list(a), b);
    }

    function list(bytes memory a, bytes memory b, bytes memory c)
        internal
        pure
        returns (bytes[] memory)
    {
        return append(list(a, b), c);
    }

    function append(bytes[] memory all, bytes memory one)
        internal
        pure
        returns (bytes[] memory longer)
    {
        longer = new bytes[](all.length + 1);
        for (uint256 i = 0; i < all.length; ++i) {
            longer[i] = all[i];
        }
        longer[all.length] = one;
    }

    function append(Claim[] memory all, Claim memory one)
        internal
        pure
        returns (Claim[] memory longer)
    {
        longer = new Claim[](all.length + 1);
        for (uint256 i = 0; i < all.length; ++i) {
            longer[i] = all[i];
        }
        longer[all.length] = one;
    }
}

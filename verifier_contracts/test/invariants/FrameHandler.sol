// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test, Vm} from "forge-std/Test.sol";

import {AgentExecutor} from "../../src/executor/AgentExecutor.sol";
import {
    AgreedCall,
    Claim,
    Fact,
    IAgentExecutor,
    RunTerms
} from "../../src/interfaces/IAgentExecutor.sol";
import {BatchVerifier, ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgent} from "../../src/interfaces/erc/IERCAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {ModelRegistry} from "../../src/registry/ModelRegistry.sol";
import {FakeDecoder} from "../fakes/FakeDecoder.sol";
import {FakeEncoder} from "../fakes/FakeEncoder.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Hostile, HostileToken, HostileTool, PayTool} from "./Hostile.sol";

/// @dev Accepts everything: what a dishonest owner would like his model to be verified by.
contract ObligingVerifier {
    function verify(bytes calldata, uint256[] calldata) external pure {}
}

/// @dev Two agents that pay, one of them a tool of the other, and a hostile contract behind everything
///   that they call. Each call plans a run, spoils the plan or leaves it, sends it, and judges what
///   happened by what was decided. The model is a function that is written down here: `trueOutput`.
contract FrameHandler is Test {
    uint16 private constant INPUTS = 8;
    uint16 private constant OUTPUTS = 2;
    int64 private constant ANSWER = 0;
    int64 private constant CALL = 1;
    int64 private constant REFUSE = -2;
    uint256 public constant SUPPLY = 1 << 128;
    uint256 private constant MOST_DECISIONS = 7;
    uint256 private constant FIELD_ORDER =
        0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;

    /// @dev A run as its sender has it: claims, what they are about, and proofs.
    struct Plan {
        Claim[] claims;
        bytes[] proofs;
        AgreedCall[] calls;
        uint64 deadline;
        Fact[] facts;
    }

    /// @dev Where a decision was found missing.
    struct Site {
        address agent;
        uint256 tools;
        bytes features;
    }

    ModelRegistry public registry = new ModelRegistry();
    AgentExecutor public executor = new AgentExecutor(registry);
    FakeEncoder private _encoder = new FakeEncoder(INPUTS);
    FakeDecoder private _decoder = new FakeDecoder();
    FakeVerifier private _verifier = new FakeVerifier();
    FakeVerifier private _by2 = new FakeVerifier();
    FakeVerifier private _by4 = new FakeVerifier();
    Hostile public hostile = new Hostile();
    HostileTool private _helper = new HostileTool(hostile);
    address public vault = makeAddr("vault");
    HostileToken public token = new HostileToken(hostile, vault, SUPPLY);
    PayTool[2] private _pay;
    IProvenAgent[2] internal agents;
    bytes private _restore;
    bytes32 private _commitment2;

    mapping(bytes32 featuresHash => Site) private _sites;
    Claim[] private _lastClaims;
    AgreedCall[] private _lastCalls;

    uint256 public finished;
    uint256 public refused;
    uint256 public spoiled;
    /// @dev What true decisions have paid.
    uint256 public decided;
    /// @dev The first thing that must not be; empty while all is well.
    string public unproven;
    string public story;
    string public leak;

    constructor() {
        ModelBinding memory binding = _binding(address(_verifier));
        registry.registerBoundModel(_commitmentFor(binding), binding);
        BatchVerifier[] memory batches = new BatchVerifier[](2);
        batches[0] = BatchVerifier(2, address(_by2), "", address(_by2).codehash);
        batches[1] = BatchVerifier(4, address(_by4), "", address(_by4).codehash);
        registry.setBatchVerifiers(1, batches);
        vm.prank(address(hostile));
        registry.registerBoundModel(_commitmentFor(binding), binding);
        _commitment2 = registry.commitmentHash(2);
        _restore = abi.encodeCall(registry.updateBoundModel, (2, _commitmentFor(binding), binding));
        _makeAgents();
        _wire();
    }

    /// @dev A run in a frame, with whatever the hostile contract does on the way.
    function run(uint256 seed, uint8 misdeed, uint8 spoil, uint24 spareGas) external {
        _repair();
        hostile.arm(_act(misdeed), spareGas);
        IProvenAgent agent = agents[seed % 2];
        string memory prompt = vm.toString(seed % 1000);
        Plan memory plan = _plan(agent, prompt);
        _spoil(plan, spoil, seed);
        if (_send(agent, prompt, plan)) _keep(plan);
    }

    /// @dev Two frames in one transaction: the second may not use what the first was given.
    function runTwice(uint256 seed) external {
        _repair();
        hostile.arm(Hostile.Act.NOTHING, 0);
        string memory prompt = vm.toString(seed % 1000);
        Plan memory plan = _plan(agents[0], prompt);
        if (!_send(agents[0], prompt, plan)) return;
        while (plan.claims.length > 0) {
            _drop(plan, plan.claims.length - 1);
            if (_try(agents[0], prompt, plan)) {
                leak = "a run used a claim that an earlier frame was given";
            }
        }
        try agents[0].run(_input(prompt), address(0)) {
            leak = "a run outside of a frame used a claim";
        } catch {}
    }

    /// @dev The hostile contract, with no agent near.
    function misbehave(uint8 misdeed, uint24 spareGas) external {
        Hostile.Act what = _act(misdeed);
        hostile.arm(what, spareGas);
        if (what == Hostile.Act.FAIL) return;
        uint256 before = token.balanceOf(vault);
        hostile.act();
        if (token.balanceOf(vault) != before) unproven = "tokens moved without an agent";
    }

    function verifierAddress() external view returns (address) {
        return address(_verifier);
    }

    function _payTool() internal view returns (PayTool) {
        return _pay[0];
    }

    // The model, written down

    /// @dev Calls and answers, as the hash falls; now and then the decoder refuses.
    function trueOutput(bytes32 featuresHash, uint256 tools) public pure returns (bytes memory) {
        uint256 h = uint256(keccak256(abi.encode(featuresHash, "the model")));
        (int64 operation, int64 operand) = (ANSWER, int64(uint64((h >> 8) % 10)));
        if (h % 16 == 15) operation = REFUSE;
        if (tools > 0 && h % 16 < 9) {
            (operation, operand) = (CALL, int64(uint64((h >> 8) % tools)));
        }
        return abi.encodePacked(operation, operand);
    }

    // Planning

    function _plan(IProvenAgent agent, string memory prompt) internal returns (Plan memory plan) {
        plan.deadline = type(uint64).max;
        plan.facts = new Fact[](1);
        plan.facts[0] = Fact(address(executor), executor.registry.selector, _registryWord());
        while (plan.claims.length < MOST_DECISIONS) {
            bytes memory reason;
            try agent.simulate(_input(prompt), plan.claims) {}
            catch (bytes memory reason_) {
                reason = reason_;
            }
            if (bytes4(reason) != IAgentExecutor.MissingDecision.selector) return plan;
            _add(plan, reason);
        }
    }

    function _add(Plan memory plan, bytes memory reason) private {
        (, address agent, uint256 model, bytes memory x, bytes memory context) =
            abi.decode(_behindSelector(reason), (uint256, address, uint256, bytes, bytes));
        (, IERCAgentTool[] memory tools,, string memory prompt) =
            abi.decode(context, (string, IERCAgentTool[], string[], string));
        _sites[keccak256(x)] = Site(agent, tools.length, x);
        bytes memory y = trueOutput(keccak256(x), tools.length);
        uint256 n = _grow(plan);
        plan.claims[n] = Claim(model, keccak256(x), y);
        plan.proofs[n] = _verifier.admit(_instances(x, y));
        plan.calls[n].callHash = _operation(y) == CALL
            ? keccak256(abi.encode(agent, tools[_operand(y)], abi.encode(prompt)))
            : keccak256(abi.encode(agent, address(0), bytes("")));
    }

    /// @dev Room for one more, and where it is.
    function _grow(Plan memory plan) private pure returns (uint256 n) {
        n = plan.claims.length;
        Plan memory longer;
        (longer.claims, longer.proofs) = (new Claim[](n + 1), new bytes[](n + 1));
        longer.calls = new AgreedCall[](n + 1);
        for (uint256 i = 0; i < n; ++i) {
            _copy(plan, i, longer, i);
        }
        plan.claims = longer.claims;
        plan.proofs = longer.proofs;
        plan.calls = longer.calls;
    }

    // Spoiling

    function _spoil(Plan memory plan, uint8 spoil, uint256 seed) private {
        uint256 n = plan.claims.length;
        if (spoil % 2 == 0 || n == 0) return;
        ++spoiled;
        (uint256 i, uint256 j) = ((seed >> 32) % n, (seed >> 64) % n);
        uint256 kind = (spoil / 2) % 12;
        if (kind == 0) _drop(plan, i);
        else if (kind == 1) _repeat(plan, i);
        else if (kind == 2) _swap(plan, i, j);
        else if (kind == 3) _lie(plan, i);
        else if (kind == 4) plan.proofs[i] = "";
        else if (kind == 5) plan.claims[i].modelId = 3 - plan.claims[i].modelId;
        else if (kind == 6) plan.calls[i].callHash = keccak256(abi.encode(seed));
        else if (kind == 7) plan.deadline = uint64(block.timestamp) - 1;
        else if (kind == 8) _shareProof(plan);
        else if (kind == 9) plan.proofs[i] = plan.proofs[j];
        else if (kind == 10) plan.facts[0].expected ^= bytes32(uint256(1));
        else _replay(plan);
    }

    function _drop(Plan memory plan, uint256 index) private pure {
        uint256 n = plan.claims.length - 1;
        for (uint256 i = index; i < n; ++i) {
            _copy(plan, i + 1, plan, i);
        }
        _cut(plan, n);
    }

    function _repeat(Plan memory plan, uint256 index) private pure {
        uint256 last = plan.claims.length - 1;
        _copy(plan, index, plan, last);
    }

    function _swap(Plan memory plan, uint256 i, uint256 j) private pure {
        (plan.claims[i], plan.claims[j]) = (plan.claims[j], plan.claims[i]);
        (plan.proofs[i], plan.proofs[j]) = (plan.proofs[j], plan.proofs[i]);
        (plan.calls[i], plan.calls[j]) = (plan.calls[j], plan.calls[i]);
    }

    /// @dev Another decision for the same features, agreed to, with a proof of the right form: an answer,
    ///   with which the run would end.
    function _lie(Plan memory plan, uint256 i) private view {
        Site storage site = _sites[plan.claims[i].featuresHash];
        bytes memory y = abi.encodePacked(ANSWER, int64(99));
        plan.claims[i].output = y;
        plan.proofs[i] = _verifier.proofOf(_instances(site.features, y));
        plan.calls[i].callHash = keccak256(abi.encode(site.agent, address(0), bytes("")));
        _cut(plan, i + 1);
    }

    /// @dev One true proof for all claims of the first model, where a verifier takes so many.
    function _shareProof(Plan memory plan) private {
        (bytes memory xs, bytes memory ys) = ("", "");
        (bytes memory x, bytes memory y) = ("", "");
        (uint256 count, uint256 first) = (0, 0);
        for (uint256 i = 0; i < plan.claims.length; ++i) {
            if (plan.claims[i].modelId != 1) continue;
            (x, y) = (_sites[plan.claims[i].featuresHash].features, plan.claims[i].output);
            (xs, ys) = (bytes.concat(xs, x), bytes.concat(ys, y));
            if (count++ == 0) first = i;
            else plan.proofs[i] = "";
        }
        if (count < 2) return;
        (FakeVerifier by, uint256 size) = count == 2 ? (_by2, 2) : (_by4, 4);
        for (; count < size; ++count) {
            (xs, ys) = (bytes.concat(xs, x), bytes.concat(ys, y));
        }
        plan.proofs[first] = by.admit(_instances(xs, ys));
    }

    /// @dev What another run was sent with.
    function _replay(Plan memory plan) private view {
        plan.claims = _lastClaims;
        plan.calls = _lastCalls;
        plan.proofs = new bytes[](plan.claims.length);
        for (uint256 i = 0; i < plan.proofs.length; ++i) {
            bytes memory x = _sites[plan.claims[i].featuresHash].features;
            plan.proofs[i] = _verifier.proofOf(_instances(x, plan.claims[i].output));
        }
    }

    function _keep(Plan memory plan) private {
        delete _lastClaims;
        delete _lastCalls;
        for (uint256 i = 0; i < plan.claims.length; ++i) {
            _lastClaims.push(plan.claims[i]);
            _lastCalls.push().callHash = plan.calls[i].callHash;
        }
    }

    // Sending and judging

    /// @dev What happened has to be what the claims decided; of a run that failed, nothing.
    function _send(IProvenAgent agent, string memory prompt, Plan memory plan)
        internal
        returns (bool success)
    {
        uint256[2] memory paid = [_pay[0].paid(), _pay[1].paid()];
        vm.recordLogs();
        success = _try(agent, prompt, plan);
        Vm.Log[] memory logs = _standing(vm.getRecordedLogs());
        if (!success) {
            ++refused;
            if (paid[0] != _pay[0].paid() || paid[1] != _pay[1].paid()) {
                unproven = "a run that failed has paid";
            }
            return false;
        }
        ++finished;
        if (plan.facts[0].expected != _registryWord()) {
            unproven = "a run happened that relied on what is not so";
        }
        _judgeClaims(plan, logs);
        _judgeOrder(plan.claims, logs);
        for (uint256 i = 0; i < 2; ++i) {
            uint256 calls = _judgeStory(plan.claims, logs, address(agents[i]));
            if (_pay[i].paid() - paid[i] != calls) unproven = "paid without a decision to pay";
            decided += calls * (i + 1);
        }
    }

    /// @dev Without what was told in calls of the hostile contract that failed.
    function _standing(Vm.Log[] memory logs) private view returns (Vm.Log[] memory kept) {
        kept = new Vm.Log[](logs.length);
        (uint256 next, uint256 tried) = (0, 0);
        for (uint256 i = 0; i < logs.length; ++i) {
            bytes32 topic = logs[i].emitter == address(hostile) ? logs[i].topics[0] : bytes32(0);
            if (topic == Hostile.Tried.selector) tried = next;
            else if (topic == Hostile.Undone.selector) next = tried;
            else kept[next++] = logs[i];
        }
        assembly ("memory-safe") {
            mstore(kept, next)
        }
    }

    function _try(IProvenAgent agent, string memory prompt, Plan memory plan)
        private
        returns (bool)
    {
        RunTerms memory terms = RunTerms(plan.deadline, plan.calls, plan.facts);
        try agent.runWithProofs(_input(prompt), address(0), plan.claims, plan.proofs, terms) {
            return true;
        } catch {
            return false;
        }
    }

    /// @dev Every claim is the model's output, and there is one event for each, of its agent.
    function _judgeClaims(Plan memory plan, Vm.Log[] memory logs) private {
        bool[] memory told = new bool[](plan.claims.length);
        uint256 events = 0;
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] != IAgentExecutor.DecisionVerified.selector) continue;
            ++events;
            (bytes32 obeyed, bytes32 x, bytes32 y) =
                abi.decode(logs[i].data, (bytes32, bytes32, bytes32));
            address by = address(uint160(uint256(logs[i].topics[2])));
            uint256 place = 0;
            while (place < told.length && (told[place] || plan.claims[place].featuresHash != x)) {
                ++place;
            }
            if (place == told.length) {
                story = "a decision was told that no claim is for";
                return;
            }
            told[place] = true;
            bool same = uint256(logs[i].topics[1]) == plan.claims[place].modelId
                && keccak256(plan.claims[place].output) == y && by == _sites[x].agent
                && obeyed == _obeyed(plan.claims[place].modelId);
            if (!same) story = "a decision was told otherwise than it was claimed";
        }
        if (events != plan.claims.length) story = "claims and decisions told are not as many";
        for (uint256 i = 0; i < plan.claims.length; ++i) {
            Claim memory claim = plan.claims[i];
            bytes memory y = trueOutput(claim.featuresHash, _sites[claim.featuresHash].tools);
            if (keccak256(claim.output) != keccak256(y)) unproven = "a false output was accepted";
        }
    }

    /// @dev The agent's results are what its decisions say: steps, answer, and their order.
    /// @return pays How often its decisions called its first tool, which pays.
    function _judgeStory(Claim[] memory claims, Vm.Log[] memory logs, address agent)
        private
        returns (uint256 pays)
    {
        uint256 next = 0;
        uint256 steps = 0;
        for (uint256 i = 0; i < claims.length; ++i) {
            if (_sites[claims[i].featuresHash].agent != agent) continue;
            bytes memory y = claims[i].output;
            if (_operation(y) == CALL) {
                ++steps;
                if (_operand(y) == 0) ++pays;
                continue;
            }
            while (next < logs.length && !_isResult(logs[next], agent)) ++next;
            if (next == logs.length) {
                story = "a run was not told";
                return pays;
            }
            (, string[] memory entries, string memory answer) =
                abi.decode(logs[next++].data, (address, string[], string));
            bytes memory expected = abi.encodePacked("answer ", uint8(0x30 + _operand(y) % 10));
            if (entries.length != steps || keccak256(bytes(answer)) != keccak256(expected)) {
                story = "a run was told otherwise than it was decided";
            }
            steps = 0;
        }
        while (next < logs.length && !_isResult(logs[next], agent)) ++next;
        if (next < logs.length) story = "a run was told that nobody decided";
    }

    /// @dev For handlers whose agents act in an order of their own.
    function _judgeOrder(Claim[] memory claims, Vm.Log[] memory logs) internal virtual {}

    function _pays(Claim memory claim) internal pure returns (bool) {
        return _operation(claim.output) == CALL && _operand(claim.output) == 0;
    }

    function _isResult(Vm.Log memory log, address agent) private pure returns (bool) {
        return log.emitter == agent && log.topics[0] == IERCAgent.AgentRunResult.selector;
    }

    // The world

    function _makeAgents() internal virtual {
        for (uint256 n = 2; n > 0; --n) {
            uint256 i = n - 1; // the nested agent first
            _pay[i] = new PayTool(vault, token, i + 1);
            vm.prank(vault);
            token.allow(address(_pay[i]));
            IERCAgentTool[] memory tools = new IERCAgentTool[](i == 0 ? 3 : 2);
            (tools[0], tools[1]) = (_pay[i], _helper);
            if (i == 0) tools[2] = agents[1];
            agents[i] = _makeAgent(vm.toString(i + 1), tools);
            _pay[i].serve(address(agents[i]));
        }
    }

    function _makeAgent(string memory model, IERCAgentTool[] memory tools)
        internal
        virtual
        returns (IProvenAgent)
    {
        return new TestAgent(executor, model, address(0), tools, 4);
    }

    function _wire() private {
        address obliging = address(new ObligingVerifier());
        ModelBinding memory binding = _binding(obliging);
        BatchVerifier[] memory batches = new BatchVerifier[](1);
        batches[0] = BatchVerifier(2, obliging, "", obliging.codehash);
        hostile.wire(
            Hostile.Wiring(
                executor,
                "1",
                agents[1],
                _pay[0],
                address(token),
                vault,
                abi.encodeCall(registry.updateBoundModel, (2, _commitmentFor(binding), binding)),
                abi.encodeCall(registry.setBatchVerifiers, (2, batches))
            )
        );
    }

    function _repair() private {
        if (registry.commitmentHash(2) != _commitment2) {
            hostile.forward(address(registry), _restore);
        }
    }

    function _act(uint8 misdeed) private pure returns (Hostile.Act) {
        return Hostile.Act(misdeed % (uint8(type(Hostile.Act).max) + 1));
    }

    function _binding(address verifier) private view returns (ModelBinding memory) {
        return ModelBinding(
            verifier,
            address(_encoder),
            address(_decoder),
            new address[](0),
            "onnx",
            "manifest",
            INPUTS,
            OUTPUTS
        );
    }

    function _commitmentFor(ModelBinding memory binding)
        private
        view
        returns (ModelCommitment memory)
    {
        return ModelCommitment(
            registry.modelHashOf(binding),
            "circuit",
            binding.verifier.codehash,
            bytes4(keccak256("ezkl-halo2-kzg-bn254-v1")),
            ""
        );
    }

    function _input(string memory text) internal pure returns (IERCAgentTool.Input memory input) {
        input.abiEncodedParams = abi.encode(text);
        input.params = new IERCAgentTool.ParamValue[](1);
        input.params[0] = IERCAgentTool.ParamValue(IERCAgentTool.ParamType.STRING, abi.encode(text));
    }

    /// @dev Features, then outputs, as field elements.
    function _instances(bytes memory x, bytes memory y)
        private
        pure
        returns (uint256[] memory instances)
    {
        instances = new uint256[](x.length / 2 + y.length / 8);
        for (uint256 i = 0; i < x.length / 2; ++i) {
            instances[i] = _element(int16(uint16(bytes2(_word(x, 2 * i)))));
        }
        for (uint256 i = 0; i < y.length / 8; ++i) {
            instances[x.length / 2 + i] = _element(int64(uint64(bytes8(_word(y, 8 * i)))));
        }
    }

    function _element(int256 v) private pure returns (uint256) {
        return v < 0 ? FIELD_ORDER - uint256(-v) : uint256(v);
    }

    function _word(bytes memory data, uint256 from) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 32), from))
        }
    }

    function _operation(bytes memory y) private pure returns (int64) {
        return int64(uint64(bytes8(_word(y, 0))));
    }

    function _operand(bytes memory y) private pure returns (uint64) {
        return uint64(bytes8(_word(y, 8)));
    }

    function _behindSelector(bytes memory data) private pure returns (bytes memory rest) {
        uint256 length = data.length - 4;
        assembly ("memory-safe") {
            rest := add(data, 4)
            mstore(rest, length)
        }
    }

    /// @dev What agents pin, whatever was registered in between and taken back.
    function _obeyed(uint256 modelId) private view returns (bytes32) {
        return modelId == 2 ? _commitment2 : registry.commitmentHash(modelId);
    }

    function _registryWord() private view returns (bytes32) {
        return bytes32(uint256(uint160(address(registry))));
    }

    function _copy(Plan memory from, uint256 i, Plan memory to, uint256 j) private pure {
        (to.claims[j], to.proofs[j], to.calls[j]) = (from.claims[i], from.proofs[i], from.calls[i]);
    }

    function _cut(Plan memory plan, uint256 length) private pure {
        (Claim[] memory a, bytes[] memory b, AgreedCall[] memory c) =
            (plan.claims, plan.proofs, plan.calls);
        assembly ("memory-safe") {
            mstore(a, length)
            mstore(b, length)
            mstore(c, length)
        }
    }
}

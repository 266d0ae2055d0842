// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {MeddlingTool} from "../fakes/FakeTools.sol";
import {OpenBook, PromptModel} from "../fakes/PromptModel.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Batches} from "./Batches.sol";

/// @dev A model whose features depend on agent, prompt and a book, and an agent of it with one tool.
abstract contract PromptWorld is Batches {
    OpenBook internal book = new OpenBook();
    PromptModel internal light = new PromptModel(book, INPUTS, true);
    MeddlingTool internal tool = new MeddlingTool();
    uint256 internal id = register(light);
    TestAgent internal agent = agentOn(tool);
    Claim[] internal claims;
    bytes[] internal features;
    bytes[] internal proofs;
    RunTerms internal terms;

    function register(PromptModel made) internal returns (uint256) {
        ModelBinding memory binding = bindingOf(made);
        return registry.registerBoundModel(commitmentFor(binding), binding);
    }

    function bindingOf(PromptModel made) internal view returns (ModelBinding memory binding) {
        binding = bindingWith(address(verifier));
        (binding.encoder, binding.decoder) = (address(made), address(made));
    }

    function agentOn(IERCAgentTool first) internal returns (TestAgent) {
        return agentOf(id, first);
    }

    function agentOf(uint256 model_, IERCAgentTool first) internal returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = first;
        return new TestAgent(executor, vm.toString(model_), address(0), tools, 5);
    }

    /// @dev Claims the next decision: `calls` calls before the answer, of which this one is the `nth`.
    function decide(TestAgent by, string memory prompt, int64 calls, uint256 nth)
        internal
        returns (bytes memory x)
    {
        Missing memory m = missing(by, prompt, claims);
        bytes memory y = output(calls, 0);
        claims.push(Claim(m.modelId, keccak256(m.features), y));
        features.push(m.features);
        proofs.push(truth(m.features, y));
        (IERCAgentTool[] memory tools,) = TestAgent(m.agent).tools();
        terms.calls.push().callHash = nth < uint64(calls)
            ? callHash(m.agent, address(tools[0]), abi.encode(prompt))
            : callHash(m.agent, address(0), "");
        terms.deadline = type(uint64).max;
        return m.features;
    }

    /// @dev Two calls of a tool that changes nothing, and an answer.
    function threeDecisions() internal {
        tool.arm(address(book), abi.encodeCall(book.word, ()));
        for (uint256 nth = 0; nth < 3; ++nth) {
            decide(agent, "go", 2, nth);
        }
    }

    function runs(bytes[] memory given) internal returns (string memory answer) {
        (, answer) = agent.runWithProofs(inputOf("go"), address(0), claims, given, terms);
    }
}

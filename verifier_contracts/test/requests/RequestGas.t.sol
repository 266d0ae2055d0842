// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {Order, Request} from "../../src/interfaces/IRequestDesk.sol";
import {IERCAgentClient} from "../../src/interfaces/erc/IERCAgentClient.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {DeskWorld} from "./DeskWorld.sol";

/// @dev Takes results and does nothing with them.
contract QuietClient is IERCAgentClient {
    function handleAgentResult(int256, string calldata) external {}

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == type(IERCAgentClient).interfaceId;
    }
}

/// @dev What a request costs beside its run: contracts are made by the constructor, the request is
///   posted in `setUp`, and answered in the test, so that each is a transaction of its own.
contract RequestGasTest is DeskWorld {
    uint256 private constant TRANSACTION = 21_000;
    string private constant LONG =
        "Withdraw everything from the pool, send 20 USDC to 0x00000000000000000000000000000000DeaDBeef and keep the rest for me.";

    TestAgent private ownersAgent;
    QuietClient private client;
    uint256 private posting;
    uint256 private id;
    /// @dev Encoded: storage takes no lists of facts.
    bytes private asRequested;

    constructor() {
        DeskWorld.setUp();
        client = new QuietClient();
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        ownersAgent = agentWith(tools, address(this));
        vm.deal(address(this), 10 ether);
        assertEq(bytes(LONG).length, 119);
    }

    function setUp() public override {
        Order memory o = order(address(client), 100_000);
        o.prompt = LONG;
        bytes memory data = abi.encodeCall(desk.place, (o));
        coolDown();
        posting = gasleft();
        desk.place{value: FEE}(o);
        posting = TRANSACTION + calldataGas(data) + posting - gasleft();
        id = desk.requestCount();
        bytes32 commitment = registry.commitmentHash(model);
        asRequested = abi.encode(Request(address(this), commitment, o));
    }

    function test_escrow_and_delivery_cost_little_beside_the_run() public {
        uint256 plain = gasOfPlainRun();
        uint256 answering = gasOfAnswer();
        emit log_named_uint("posting, its transaction included", posting);
        emit log_named_uint("a run of its owner's", plain);
        emit log_named_uint("the same as an answer, delivered", answering);
        emit log_named_uint("escrow and delivery", posting + answering - plain);
        assertLt(posting + answering - plain, 180_000);
        assertGt(answering, plain);
    }

    function gasOfPlainRun() private returns (uint256 used) {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(ownersAgent, LONG, list(output(CALL, 0), output(ANSWER, 5)));
        bytes memory data = abi.encodeCall(
            ownersAgent.runWithProofs, (inputOf(LONG), address(0), claims, proofs, termsFor(claims))
        );
        return gasOf(address(ownersAgent), data);
    }

    function gasOfAnswer() private returns (uint256 used) {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(IProvenAgent(address(desk)), LONG, list(output(CALL, 0), output(ANSWER, 5)));
        RunTerms memory terms = termsFor(claims);
        Request memory r = abi.decode(asRequested, (Request));
        bytes memory data = abi.encodeCall(desk.fulfil, (id, r, claims, proofs, terms));
        return gasOf(address(desk), data);
    }

    function gasOf(address target, bytes memory data) private returns (uint256 used) {
        coolDown();
        used = gasleft();
        (bool success,) = target.call(data);
        used = used - gasleft() + calldataGas(data);
        assertTrue(success);
    }

    function coolDown() private {
        vm.cool(address(desk));
        vm.cool(address(client));
        vm.cool(address(agent));
        vm.cool(address(ownersAgent));
        vm.cool(address(executor));
        vm.cool(address(registry));
        vm.cool(address(tool));
    }

    function calldataGas(bytes memory data) private pure returns (uint256 used) {
        for (uint256 i = 0; i < data.length; ++i) {
            used += data[i] == 0 ? 4 : 16;
        }
    }
}

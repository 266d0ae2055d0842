// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, Fact, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {DoorTerms, Order, Request, RequestStatus} from "../../src/interfaces/IRequestDesk.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {RequestDesk} from "../../src/requests/RequestDesk.sol";
import {EchoTool} from "../fakes/FakeTools.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev A desk for an agent with one tool, which serves the desk alone; and somebody to answer.
abstract contract DeskWorld is World {
    uint256 internal constant FEE = 1 ether;
    uint32 internal constant GAS = 300_000;
    string internal constant PROMPT = "go";

    EchoTool internal tool = new EchoTool();
    TestAgent internal agent;
    RequestDesk internal desk;
    address internal operator = makeAddr("operator");
    address internal requester = makeAddr("requester");

    function setUp() public virtual {
        (agent, desk) = deskWith(tool, address(0));
        vm.deal(requester, 100 ether);
        vm.deal(address(this), 100 ether);
    }

    function deskWith(IERCAgentTool by, address patron)
        internal
        returns (TestAgent served, RequestDesk made)
    {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = by;
        address next = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        served = agentWith(tools, next);
        made = new RequestDesk(served, executor, patron, DoorTerms(FEE, 1 hours, GAS), false);
        assertEq(address(made), next, "the agent serves another");
    }

    /// @dev What `request` of this requester posts, written down here.
    function posted(address by, uint32 gasForCallback) internal view returns (Request memory r) {
        r.requester = by;
        r.commitment = registry.commitmentHash(model);
        r.order = order(gasForCallback == 0 ? address(0) : by, gasForCallback);
    }

    function order(address handler, uint32 gasForCallback) internal view returns (Order memory o) {
        (o.prompt, o.fee, o.deadline) = (PROMPT, FEE, uint64(block.timestamp + 1 hours));
        (o.handler, o.gasForCallback, o.facts) = (handler, gasForCallback, new Fact[](0));
    }

    /// @dev Asks without a callback.
    function asked() internal returns (uint256 id, Request memory r) {
        r = posted(requester, 0);
        vm.prank(requester);
        id = desk.request{value: FEE}(PROMPT, FEE, r.order.deadline, 0);
    }

    function placed(Order memory o) internal returns (uint256 id, Request memory r) {
        (r.requester, r.commitment, r.order) = (requester, registry.commitmentHash(model), o);
        vm.prank(requester);
        id = desk.place{value: o.fee}(o);
    }

    /// @dev A call of the tool, then an answer.
    function planned() internal returns (Claim[] memory claims, bytes[] memory proofs) {
        return plan(IProvenAgent(address(desk)), PROMPT, list(output(CALL, 0), output(ANSWER, 5)));
    }

    function fulfilled(uint256 id, Request memory r) internal returns (string memory) {
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        vm.prank(operator);
        return desk.fulfil(id, r, claims, proofs, terms);
    }

    function assertStatus(uint256 id, RequestStatus expected) internal view {
        assertEq(uint8(desk.statusOf(id)), uint8(expected), "status");
    }
}

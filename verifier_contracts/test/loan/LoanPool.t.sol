// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {DemoToken} from "../../src/demo/DemoToken.sol";
import {Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {ICreditHistory} from "../../src/interfaces/ICreditHistory.sol";
import {ILoanPool} from "../../src/interfaces/ILoanPool.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {CreditHistory} from "../../src/loan/CreditHistory.sol";
import {LoanPool} from "../../src/loan/LoanPool.sol";

/// @dev Answers what it is told to, in place of an agent with proofs.
contract SayingAgent {
    string private _answer;
    address public asked;

    function say(string memory answer) external {
        _answer = answer;
    }

    function runWithProofs(
        IERCAgentTool.Input calldata,
        address resultHandler,
        Claim[] calldata,
        bytes[] calldata,
        RunTerms calldata
    ) external returns (int256, string memory) {
        asked = msg.sender;
        string memory answer = _answer;
        if (resultHandler != address(0)) {
            Returning(resultHandler).handleAgentResult(-1, answer);
        }
        return (-1, answer);
    }
}

/// @dev An applicant that comes back to the pool while its application is under way.
contract Returning {
    LoanPool private immutable _pool;
    SayingAgent private immutable _agent;
    uint256 private _second;
    bool private _repays;
    bytes public failure;

    constructor(LoanPool pool, SayingAgent agent) {
        (_pool, _agent) = (pool, agent);
    }

    function begin(uint256 first, uint256 second, bool repays) external {
        (_second, _repays) = (second, repays);
        _agent.say("Denied");
        _apply(first, address(this));
    }

    function handleAgentResult(int256, string calldata) external {
        string memory prompt = _pool.applicationOf(address(this), _second);
        _agent.say(string.concat("Approved: ", prompt));
        if (_repays) {
            try _pool.repay() {}
            catch (bytes memory reason) {
                failure = reason;
            }
        } else {
            try this.applyAgain() {}
            catch (bytes memory reason) {
                failure = reason;
            }
        }
    }

    function applyAgain() external {
        _apply(_second, address(0));
    }

    function _apply(uint256 whole, address handler) private {
        bytes memory value = abi.encode(_pool.applicationOf(address(this), whole));
        IERCAgentTool.ParamValue[] memory params = new IERCAgentTool.ParamValue[](1);
        params[0] = IERCAgentTool.ParamValue(IERCAgentTool.ParamType.STRING, value);
        RunTerms memory terms;
        _pool.runWithProofs(
            IERCAgentTool.Input(params, value), handler, new Claim[](0), new bytes[](0), terms
        );
    }
}

contract LoanPoolTest is Test {
    address private alice = makeAddr("alice");
    address private bob = makeAddr("bob");
    SayingAgent private agent = new SayingAgent();
    DemoToken private token = new DemoToken("USD Coin (demo)", "USDC", 6);
    CreditHistory private history = new CreditHistory(address(this));
    LoanPool private pool = new LoanPool(IProvenAgent(address(agent)), token, history);

    function setUp() public {
        history.setPool(address(pool), true);
        token.mint(address(pool), 1000e6);
    }

    function applies(address applicant, string memory prompt) private returns (string memory) {
        bytes memory value = abi.encode(prompt);
        IERCAgentTool.ParamValue[] memory params = new IERCAgentTool.ParamValue[](1);
        params[0] = IERCAgentTool.ParamValue(IERCAgentTool.ParamType.STRING, value);
        RunTerms memory terms;
        vm.prank(applicant);
        (, string memory answer) = pool.runWithProofs(
            IERCAgentTool.Input(params, value), address(0), new Claim[](0), new bytes[](0), terms
        );
        return answer;
    }

    function test_what_is_approved_is_paid_out_once() public {
        string memory prompt = pool.applicationOf(alice, 500);
        agent.say(string.concat("Approved: ", prompt));
        applies(alice, prompt);
        assertEq(token.balanceOf(alice), 500e6);
        assertEq(pool.owedBy(alice), 500e6);
        assertEq(history.recordOf(alice).open, 1);
        vm.expectRevert(abi.encodeWithSelector(ILoanPool.LoanOpen.selector, alice, 500e6));
        applies(alice, prompt);
    }

    function test_any_other_answer_pays_nothing() public {
        string memory prompt = pool.applicationOf(alice, 500);
        string[5] memory others = [
            string.concat("Denied: ", prompt),
            string.concat("Approved: ", pool.applicationOf(alice, 501)),
            string.concat("Approved: ", pool.applicationOf(bob, 500)),
            string.concat("Approved: ", prompt, " "),
            "Approved: "
        ];
        for (uint256 i = 0; i < others.length; ++i) {
            agent.say(others[i]);
            assertEq(applies(alice, prompt), others[i]);
        }
        assertEq(token.balanceOf(alice), 0);
        assertEq(pool.owedBy(alice), 0);
        assertEq(history.recordOf(alice).open, 0);
    }

    function test_only_the_callers_own_application_is_heard() public {
        string memory prompt = pool.applicationOf(alice, 500);
        agent.say(string.concat("Approved: ", prompt));
        vm.expectPartialRevert(ILoanPool.MalformedApplication.selector);
        applies(bob, prompt);
        assertEq(agent.asked(), address(0));
    }

    function test_an_application_is_word_for_word() public {
        string memory prompt = pool.applicationOf(alice, 500);
        string[5] memory others = [
            string.concat(prompt, " "),
            string.concat(" ", prompt),
            "",
            pool.applicationOf(alice, 0),
            "Loan of 0500 USDC for 0x0000000000000000000000000000000000000001"
        ];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectPartialRevert(ILoanPool.MalformedApplication.selector);
            applies(alice, others[i]);
        }
    }

    function test_a_loan_is_no_larger_than_the_pool() public {
        string memory prompt = pool.applicationOf(alice, 1001);
        vm.expectRevert(abi.encodeWithSelector(ILoanPool.PoolTooSmall.selector, 1000e6, 1001e6));
        applies(alice, prompt);
    }

    function test_a_loan_is_paid_back() public {
        string memory prompt = pool.applicationOf(alice, 500);
        agent.say(string.concat("Approved: ", prompt));
        applies(alice, prompt);
        vm.startPrank(alice);
        token.approve(address(pool), 500e6);
        pool.repay();
        assertEq(token.balanceOf(address(pool)), 1000e6);
        vm.expectRevert(abi.encodeWithSelector(ILoanPool.NoLoan.selector, alice));
        pool.repay();
    }

    function test_nobody_comes_back_while_an_application_is_under_way() public {
        for (uint256 i = 0; i < 2; ++i) {
            Returning applicant = new Returning(pool, agent);
            token.mint(address(applicant), 1e6);
            applicant.begin(1, 900, i == 0);
            bytes4 expected = ILoanPool.ApplicationInProgress.selector;
            assertEq(applicant.failure(), abi.encodePacked(expected));
            assertEq(token.balanceOf(address(applicant)), 1e6);
            assertEq(pool.owedBy(address(applicant)), 0);
        }
    }

    function test_only_named_pools_count_loans() public {
        vm.expectRevert(
            abi.encodeWithSelector(ICreditHistory.CallerIsNotAReporter.selector, address(this))
        );
        history.opened(alice);
        history.setPool(address(pool), false);
        string memory prompt = pool.applicationOf(alice, 500);
        agent.say(string.concat("Approved: ", prompt));
        vm.expectRevert(
            abi.encodeWithSelector(ICreditHistory.CallerIsNotAReporter.selector, address(pool))
        );
        applies(alice, prompt);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DemoToken} from "../../src/demo/DemoToken.sol";
import {
    AgreedCall,
    Claim,
    Fact,
    IAgentExecutor,
    Range,
    RunTerms
} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";
import {PayingTool, SteeredModel} from "../fakes/SteeredModel.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev Answers any call with what it is told to answer, or reverts with it.
contract Parrot {
    bytes private _words;
    bool private _fails;

    function say(bytes calldata words, bool fails) external {
        (_words, _fails) = (words, fails);
    }

    fallback() external {
        bytes memory words = _words;
        bool fails = _fails;
        assembly ("memory-safe") {
            if fails { revert(add(words, 32), mload(words)) }
            return(add(words, 32), mload(words))
        }
    }
}

/// @dev Changes its state when it is asked.
contract Counter {
    uint256 private _asked;

    function decimals() external returns (uint256) {
        return ++_asked;
    }
}

/// @dev What a signed run relies on: nothing happens when the chain says otherwise.
contract FactsTest is World {
    bytes4 private constant DECIMALS = DemoToken.decimals.selector;
    bytes4 private constant POINTER = SymbolBook.pointer.selector;
    bytes4 private constant CODE = 0;

    address private friend = makeAddr("friend");
    DemoToken private usdc = new DemoToken("USD Coin", "USDC", 6);
    SymbolBook private book = new SymbolBook(address(this));
    Parrot private parrot = new Parrot();
    SteeredModel private steered = new SteeredModel(INPUTS);
    PayingTool private payer = new PayingTool();
    TestAgent private agent = payingAgent();

    function payingAgent() private returns (TestAgent) {
        ModelBinding memory binding = bindingWith(address(steered));
        (binding.encoder, binding.decoder) = (address(steered), address(steered));
        uint256 id = registry.registerBoundModel(commitmentFor(binding), binding);
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = payer;
        return new TestAgent(executor, vm.toString(id), address(0), tools, 5);
    }

    function setUp() public {
        book.list("USDC", address(usdc));
        steer(100);
    }

    /// @dev What there is of the token when the run happens.
    function steer(uint256 amount) private {
        steered.steer(0, abi.encode(usdc, amount, friend));
    }

    /// @dev Terms of paying what was observed to be about 100.
    function terms(Fact[] memory facts) private view returns (RunTerms memory found) {
        found.deadline = uint64(block.timestamp);
        found.calls = new AgreedCall[](2);
        found.calls[0].callHash =
            callHash(address(agent), address(payer), abi.encode(usdc, 0, friend));
        found.calls[0].ranges = new Range[](1);
        found.calls[0].ranges[0] = Range(1, 99, 101);
        found.calls[1].callHash = callHash(address(agent), address(0), "");
        found.facts = facts;
    }

    function claims() private pure returns (Claim[] memory made) {
        for (uint256 i = 0; i < 2; ++i) {
            made = append(made, Claim(2, keccak256(new bytes(2 * INPUTS)), output(ANSWER, 0)));
        }
    }

    function run(Fact[] memory facts) private {
        agent.runWithProofs(inputOf("go"), address(0), claims(), new bytes[](2), terms(facts));
    }

    function one(address target, bytes4 selector, bytes32 expected)
        private
        pure
        returns (Fact[] memory facts)
    {
        facts = new Fact[](1);
        facts[0] = Fact(target, selector, expected);
    }

    /// @dev As a client derives them: which list the book shows, what is in it, a token's decimals.
    function known() private view returns (Fact[] memory facts) {
        facts = new Fact[](3);
        facts[0] = Fact(address(book), POINTER, word(book.pointer()));
        facts[1] = Fact(book.pointer(), CODE, book.pointer().codehash);
        facts[2] = Fact(address(usdc), DECIMALS, bytes32(uint256(6)));
    }

    function word(address value) private pure returns (bytes32) {
        return bytes32(uint256(uint160(value)));
    }

    function holds(Fact[] memory facts) private {
        uint256 before = payer.paid(address(usdc), friend);
        run(facts);
        assertGt(payer.paid(address(usdc), friend), before);
    }

    function refused(Fact[] memory facts, uint256 index) private {
        uint256 before = payer.paid(address(usdc), friend);
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.FactChanged.selector, index, facts[index].target)
        );
        run(facts);
        assertEq(payer.paid(address(usdc), friend), before);
    }

    function test_a_run_on_facts_that_hold_happens() public {
        holds(known());
        holds(new Fact[](0));
    }

    function test_a_balance_that_grew_by_a_unit_is_no_other_fact() public {
        steer(101);
        holds(known());
    }

    function test_every_fact_is_looked_at_and_the_first_other_one_is_named() public {
        for (uint256 i = 0; i < 3; ++i) {
            Fact[] memory facts = known();
            facts[i].expected ^= bytes32(uint256(1));
            refused(facts, i);
            facts = known();
            facts[i].target = address(parrot);
            refused(facts, i);
        }
        refused(one(address(usdc), DECIMALS, bytes32(uint256(18))), 0);
        refused(one(address(usdc), DECIMALS, bytes32(uint256(6) << 128 | 6)), 0);
    }

    function test_another_listing_stops_the_run() public {
        Fact[] memory facts = known();
        book.unlist("USDC");
        refused(facts, 0);
        book.list("USDC", address(new DemoToken("Other", "USDC", 18)));
        refused(facts, 0);
    }

    function test_other_data_of_the_book_stop_the_run() public {
        Fact[] memory facts = known();
        bytes memory data = book.pointer().code;
        data[12] = hex"12"; // decimals: 18 in place of 6
        vm.etch(book.pointer(), data);
        refused(facts, 1);
    }

    function test_decimals_that_changed_stop_the_run() public {
        Fact[] memory facts = known();
        vm.etch(address(usdc), address(new DemoToken("USD Coin", "USDC", 18)).code);
        refused(facts, 2);
    }

    function test_one_word_is_what_is_expected() public {
        Fact[] memory facts = one(address(parrot), DECIMALS, bytes32(uint256(6)));
        parrot.say(abi.encode(6), false);
        holds(facts);
        parrot.say(abi.encode(6), true);
        refused(facts, 0);
        parrot.say(abi.encode(6, 0), false);
        refused(facts, 0);
        parrot.say(new bytes(31), false);
        facts[0].expected = 0;
        refused(facts, 0);
        parrot.say("", false);
        refused(facts, 0);
        facts[0].expected = DECIMALS; // what lay in memory before
        refused(facts, 0);
        parrot.say(new bytes(32), false);
        facts[0].expected = 0;
        holds(facts);
    }

    function test_without_code_there_is_no_word_and_no_other_code() public {
        address nobody = makeAddr("nobody");
        refused(one(nobody, DECIMALS, 0), 0);
        refused(one(nobody, DECIMALS, DECIMALS), 0);
        refused(one(nobody, CODE, address(usdc).codehash), 0);
        holds(one(nobody, CODE, 0));
        vm.deal(nobody, 1);
        holds(one(nobody, CODE, keccak256("")));
    }

    function test_a_target_that_would_change_something_is_refused() public {
        refused(one(address(new Counter()), DECIMALS, bytes32(uint256(1))), 0);
    }

    function test_many_facts_are_all_checked() public {
        Fact[] memory facts = new Fact[](100);
        for (uint256 i = 0; i < facts.length; ++i) {
            facts[i] = Fact(address(usdc), DECIMALS, bytes32(uint256(6)));
        }
        holds(facts);
        facts[99].expected = 0;
        refused(facts, 99);
    }

    function testFuzz_only_the_word_that_is_there_will_do(bytes32 there, bytes32 expected) public {
        parrot.say(abi.encode(there), false);
        holds(one(address(parrot), DECIMALS, there));
        if (there != expected) refused(one(address(parrot), DECIMALS, expected), 0);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {WalletAgent} from "../../src/agents/WalletAgent.sol";
import {DemoToken} from "../../src/demo/DemoToken.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IAgentWallet} from "../../src/interfaces/IAgentWallet.sol";
import {ILendingPool} from "../../src/interfaces/ILendingPool.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IServingAgent} from "../../src/interfaces/IServingAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ModelRegistry} from "../../src/registry/ModelRegistry.sol";
import {SimpleSmartContractTool} from "../../src/tools/SimpleSmartContractTool.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";
import {World} from "../support/World.sol";

contract WalletAgentTest is World {
    SymbolBook private book = new SymbolBook(address(this));
    LendingPool private pool = new LendingPool();
    DemoToken private usdc = new DemoToken("USD Coin", "USDC", 6);
    address private owner = makeAddr("owner");
    address private stranger = makeAddr("stranger");
    WalletAgent private agent = made(registry.commitmentHash(model));
    IAgentWallet private wallet = agent.wallet();
    IERCAgentTool[] private tools;

    function made(bytes32 commitment) private returns (WalletAgent) {
        string memory id = vm.toString(model);
        return new WalletAgent(executor, id, commitment, registry, owner, pool, book, 6);
    }

    function setUp() public {
        (tools,) = agent.tools();
        book.list("USDC", address(usdc));
        usdc.mint(address(wallet), 100e6);
    }

    function uses(uint256 tool, bytes memory arguments_) private returns (string memory result) {
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = arguments_;
        vm.prank(address(agent));
        (, result) = tools[tool].run(input, address(0));
    }

    function assertBalances(uint256 inPool, uint256 held) private view {
        (address asset, uint256 p, uint256 h) = wallet.balances(address(usdc));
        assertEq(asset, address(usdc));
        assertEq(p, inPool);
        assertEq(h, held);
    }

    function test_the_four_tools_are_those_of_the_model() public view {
        string[4] memory names = ["ViewBalance", "Deploy", "Withdraw", "Transfer"];
        for (uint256 i = 0; i < 4; ++i) {
            assertEq(tools[i].name(), names[i]);
            IERCAgentTool.ParamDescription[] memory p =
            tools[i].inputDescription().paramDescriptions;
            assertEq(p.length, i == 0 ? 1 : i == 3 ? 3 : 2);
            assertEq(p[0].name, "asset");
            assertTrue(p[0].paramType == IERCAgentTool.ParamType.ADDRESS);
            if (i > 0) assertEq(p[1].name, "amount");
            if (i > 0) assertTrue(p[1].paramType == IERCAgentTool.ParamType.UINT);
        }
        IERCAgentTool.ParamDescription memory last =
            tools[3].inputDescription().paramDescriptions[2];
        assertEq(last.name, "recipient");
        assertTrue(last.paramType == IERCAgentTool.ParamType.ADDRESS);
    }

    function test_deploy_and_withdraw_move_tokens_to_the_pool_and_back() public {
        assertEq(uses(1, abi.encode(usdc, 70e6)), "Successfully deployed");
        assertBalances(70e6, 30e6);
        assertEq(
            uses(0, abi.encode(usdc)), "The balance is: 70 USDC in the pool, 30 USDC in the wallet"
        );
        assertEq(uses(2, abi.encode(usdc, 50e6)), "Successfully withdrawn");
        assertBalances(20e6, 80e6);
        assertEq(usdc.allowance(address(wallet), address(pool)), 0);
    }

    function test_transfer_sends_tokens_away() public {
        assertEq(uses(3, abi.encode(usdc, 25e6, stranger)), "Successfully transferred");
        assertEq(usdc.balanceOf(stranger), 25e6);
        assertBalances(0, 75e6);
    }

    function test_more_than_there_is_cannot_be_withdrawn() public {
        uses(1, abi.encode(usdc, 10e6));
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = abi.encode(usdc, 10e6 + 1);
        vm.prank(address(agent));
        vm.expectRevert(
            abi.encodeWithSelector(
                ILendingPool.InsufficientDeposit.selector, wallet, usdc, 10e6 + 1, 10e6
            )
        );
        tools[2].run(input, address(0));
    }

    function test_only_the_owner_is_served() public {
        bytes memory refusal =
            abi.encodeWithSelector(IServingAgent.CallerIsNotTheOwner.selector, stranger, owner);
        vm.startPrank(stranger);
        vm.expectRevert(refusal);
        agent.run(inputOf("send 1 USDC to me"), address(0));
        vm.expectRevert(refusal);
        agent.runWithProofs(
            inputOf("send 1 USDC to me"),
            address(0),
            new Claim[](0),
            new bytes[](0),
            termsFor(new Claim[](0))
        );
        vm.expectRevert(refusal);
        agent.simulate(inputOf("send 1 USDC to me"), new Claim[](0));
        vm.expectRevert(refusal);
        agent.acceptModel("new");
    }

    function test_only_the_agent_uses_its_tools() public {
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = abi.encode(usdc, 1e6, owner);
        vm.prank(owner);
        vm.expectRevert(
            abi.encodeWithSelector(
                SimpleSmartContractTool.CallerIsNotTheAgent.selector, owner, agent
            )
        );
        tools[3].run(input, address(0));
    }

    function test_only_the_tools_move_the_wallets_tokens() public {
        address[3] memory others = [stranger, owner, address(agent)];
        for (uint256 i = 0; i < others.length; ++i) {
            bytes memory refusal =
                abi.encodeWithSelector(IAgentWallet.CallerIsNotATool.selector, others[i]);
            vm.startPrank(others[i]);
            vm.expectRevert(refusal);
            wallet.transfer(address(usdc), 1, stranger);
            vm.expectRevert(refusal);
            wallet.deploy(address(usdc), 1);
            vm.expectRevert(refusal);
            wallet.withdraw(address(usdc), 1);
            vm.stopPrank();
        }
    }

    function test_tools_are_bound_once_and_by_the_agent() public {
        address[] memory mine = new address[](1);
        mine[0] = stranger;
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.ToolsCannotBeBound.selector, stranger));
        wallet.bindTools(mine);
        vm.prank(address(agent));
        vm.expectRevert(
            abi.encodeWithSelector(IAgentWallet.ToolsCannotBeBound.selector, address(agent))
        );
        wallet.bindTools(mine);
    }

    function test_the_owner_gets_the_tokens_out_without_the_agent() public {
        uses(1, abi.encode(usdc, 60e6));
        vm.startPrank(owner);
        wallet.rescueFromPool(address(usdc), 60e6);
        wallet.rescue(address(usdc), 100e6, owner);
        assertEq(usdc.balanceOf(owner), 100e6);
    }

    function test_nobody_else_rescues_tokens() public {
        bytes memory refusal = abi.encodeWithSelector(
            IAgentWallet.CallerIsNotTheWalletOwner.selector, stranger, owner
        );
        vm.startPrank(stranger);
        vm.expectRevert(refusal);
        wallet.rescue(address(usdc), 1, stranger);
        vm.expectRevert(refusal);
        wallet.rescueFromPool(address(usdc), 1);
    }

    function test_owner_and_executor_have_to_mean_the_same_registry() public {
        ModelRegistry other = new ModelRegistry();
        string memory id = vm.toString(model);
        bytes32 commitment = registry.commitmentHash(model);
        vm.expectRevert(
            abi.encodeWithSelector(IProvenAgent.RegistryMismatch.selector, other, registry)
        );
        new WalletAgent(executor, id, commitment, other, owner, pool, book, 6);
    }

    /// @dev The model's owner updates it just before the agent is deployed, which thus would obey what
    ///   its owner has never seen.
    function test_an_agent_is_not_made_with_another_model_than_its_owner_means() public {
        bytes32 meant = registry.commitmentHash(model);
        ModelBinding memory binding = bindingWith(address(verifier));
        binding.onnxDigest = "another one";
        registry.updateBoundModel(model, commitmentFor(binding), binding);
        bytes32 actual = registry.commitmentHash(model);
        vm.expectRevert(
            abi.encodeWithSelector(IProvenAgent.ModelCommitmentChanged.selector, meant, actual)
        );
        made(meant);
        assertEq(made(actual).pinnedCommitment(), actual);
    }

    function test_its_own_tools_are_pinned_by_their_code() public {
        bytes32 before = address(tools[2]).codehash;
        vm.etch(address(tools[2]), address(tools[1]).code);
        vm.prank(owner);
        vm.expectRevert(
            abi.encodeWithSelector(
                IProvenAgent.ToolCodeChanged.selector, tools[2], before, address(tools[2]).codehash
            )
        );
        agent.run(inputOf("go"), address(0));
    }

    function test_the_agent_knows_its_owner_and_book() public view {
        assertEq(agent.owner(), owner);
        assertEq(address(agent.symbolBook()), address(book));
        assertEq(wallet.owner(), owner);
    }

    // Whom it serves

    function refusalOf(address caller) private view returns (bytes memory) {
        return abi.encodeWithSelector(IServingAgent.CallerIsNotTheOwner.selector, caller, owner);
    }

    function test_it_serves_one_more_address_if_its_owner_says_so() public {
        address desk = makeAddr("desk");
        assertEq(agent.alsoServed(), address(0));
        vm.prank(desk);
        vm.expectRevert(refusalOf(desk));
        agent.simulate(inputOf("go"), new Claim[](0));
        vm.prank(owner);
        vm.expectEmit(address(agent));
        emit IServingAgent.AlsoServedChanged(address(0), desk);
        agent.alsoServe(desk);
        assertEq(agent.alsoServed(), desk);
        vm.prank(desk);
        vm.expectPartialRevert(IAgentExecutor.MissingDecision.selector);
        agent.simulate(inputOf("go"), new Claim[](0));
        vm.prank(owner);
        vm.expectPartialRevert(IAgentExecutor.MissingDecision.selector);
        agent.simulate(inputOf("go"), new Claim[](0));
    }

    function test_it_serves_nobody_that_it_served_before() public {
        address desk = makeAddr("desk");
        vm.startPrank(owner);
        agent.alsoServe(desk);
        agent.alsoServe(stranger);
        vm.stopPrank();
        vm.prank(desk);
        vm.expectRevert(refusalOf(desk));
        agent.simulate(inputOf("go"), new Claim[](0));
        vm.prank(owner);
        agent.alsoServe(address(0));
        vm.prank(stranger);
        vm.expectRevert(refusalOf(stranger));
        agent.simulate(inputOf("go"), new Claim[](0));
        vm.prank(address(0));
        vm.expectRevert(refusalOf(address(0)));
        agent.simulate(inputOf("go"), new Claim[](0));
    }

    function test_who_is_served_besides_runs_it_and_decides_nothing_else() public {
        address desk = makeAddr("desk");
        vm.prank(owner);
        agent.alsoServe(desk);
        bytes32 commitment = agent.pinnedCommitment();
        vm.startPrank(desk);
        vm.expectRevert(refusalOf(desk));
        agent.alsoServe(stranger);
        vm.expectRevert(refusalOf(desk));
        agent.acceptModel(commitment);
        vm.stopPrank();
        vm.prank(stranger);
        vm.expectRevert(refusalOf(stranger));
        agent.alsoServe(stranger);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IAllowList} from "../../src/interfaces/guards/IAllowList.sol";
import {CapabilityManifest, ICapabilities} from "../../src/interfaces/guards/ICapabilities.sol";
import {IGuard} from "../../src/interfaces/guards/IGuard.sol";
import {IWholeGuard} from "./GuardFakes.sol";
import {GuardWorld} from "./GuardWorld.sol";

/// @dev Signs by ERC-1271 whatever it was told to.
contract SigningContract {
    mapping(bytes32 digest => bool) public signed;

    function sign(bytes32 digest) external {
        signed[digest] = true;
    }

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4) {
        return signed[digest] ? this.isValidSignature.selector : bytes4(0);
    }
}

contract CapabilitiesTest is GuardWorld {
    uint256 private issuerKey = 0x155;
    address private issuer = vm.addr(issuerKey);
    uint64 private expires;

    function setUp() public override {
        super.setUp();
        guard.trustIssuer(issuer, true);
        guard.requireManifest(true);
        expires = uint64(block.timestamp + 3600);
    }

    function manifest(uint256 nonce) private view returns (CapabilityManifest memory m) {
        (m.issuer, m.agent, m.nonce) = (issuer, address(agent), nonce);
        (m.issued, m.expires) = (uint64(block.timestamp), expires);
        m.actions = new address[](1);
        m.actions[0] = address(pay);
        m.targets = new address[](1);
        m.targets[0] = alice;
    }

    function signed(CapabilityManifest memory m, uint256 key) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, guard.manifestDigest(m));
        return abi.encodePacked(r, s, v);
    }

    function present(CapabilityManifest memory m) private {
        guard.present(m, signed(m, issuerKey));
    }

    function presentReverts(CapabilityManifest memory m, bytes memory reason) private {
        bytes memory signature = signed(m, issuerKey);
        vm.expectRevert(reason);
        guard.present(m, signature);
    }

    function test_where_a_manifest_is_required_nothing_goes_without() public {
        bytes memory reason =
            abi.encodeWithSelector(ICapabilities.ManifestMissing.selector, 0, block.timestamp);
        vm.expectRevert(reason);
        pays(1);
        guard.requireManifest(false);
        pays(1);
    }

    function test_a_manifest_lets_do_what_it_names() public {
        vm.prank(stranger); // anyone may bring it
        present(manifest(1));
        pays(100);
        assertEq(token.balanceOf(alice), 100);
        (bool required, address by, uint256 nonce, uint64 until, bytes32 digest) =
            guard.manifestInForce();
        assertTrue(required);
        assertEq(by, issuer);
        assertEq(nonce, 1);
        assertEq(until, expires);
        assertEq(digest, guard.manifestDigest(manifest(1)));
        (bool action, bool target) = guard.covers(address(pay), alice);
        assertTrue(action && target);
        (action, target) = guard.covers(address(armed), stranger);
        assertFalse(action || target);
    }

    function test_a_target_that_is_no_address_is_in_no_manifest() public {
        present(manifest(1));
        uint256 dirty = uint160(alice) | (1 << 255);
        vm.expectRevert(abi.encodeWithSelector(IAllowList.WordIsNoAddress.selector, pay, 2, dirty));
        agent.act(pay, inputOf(abi.encode(token, 1, dirty)));
    }

    function test_a_manifest_lets_do_nothing_else() public {
        present(manifest(1));
        vm.expectRevert(abi.encodeWithSelector(ICapabilities.ActionNotInManifest.selector, armed));
        acts();
        vm.expectRevert(
            abi.encodeWithSelector(ICapabilities.TargetNotInManifest.selector, pay, stranger)
        );
        agent.act(pay, inputOf(abi.encode(token, 1, stranger)));
    }

    function test_a_manifest_ends() public {
        present(manifest(1));
        vm.warp(expires - 1);
        pays(1);
        vm.warp(expires);
        vm.expectRevert(
            abi.encodeWithSelector(ICapabilities.ManifestMissing.selector, expires, expires)
        );
        pays(1);
    }

    function test_an_expired_or_early_manifest_is_not_taken() public {
        CapabilityManifest memory m = manifest(1);
        m.issued += 1;
        presentReverts(m, outOfTime(m));
        m.issued -= 1;
        vm.warp(expires);
        presentReverts(m, outOfTime(m));
        m.expires = type(uint64).max;
        presentReverts(m, outOfTime(m));
    }

    function outOfTime(CapabilityManifest memory m) private view returns (bytes memory) {
        return abi.encodeWithSelector(
            ICapabilities.ManifestOutOfTime.selector, m.issued, m.expires, block.timestamp
        );
    }

    function test_a_manifest_of_another_agent_is_not_taken() public {
        CapabilityManifest memory m = manifest(1);
        m.agent = alice;
        presentReverts(
            m, abi.encodeWithSelector(ICapabilities.ManifestOfAnotherAgent.selector, agent, alice)
        );
    }

    function test_a_manifest_is_taken_once_and_none_before_it() public {
        present(manifest(2));
        presentReverts(
            manifest(2),
            abi.encodeWithSelector(ICapabilities.ManifestNonceUsed.selector, issuer, 2, 2)
        );
        presentReverts(
            manifest(1),
            abi.encodeWithSelector(ICapabilities.ManifestNonceUsed.selector, issuer, 1, 2)
        );
        present(manifest(3));
    }

    function test_a_later_manifest_takes_the_place_of_the_one_before() public {
        present(manifest(1));
        CapabilityManifest memory m = manifest(2);
        m.targets[0] = stranger;
        present(m);
        vm.expectRevert(
            abi.encodeWithSelector(ICapabilities.TargetNotInManifest.selector, pay, alice)
        );
        pays(1);
        m = manifest(3);
        m.actions = new address[](0);
        present(m);
        vm.expectRevert(abi.encodeWithSelector(ICapabilities.ActionNotInManifest.selector, pay));
        pays(1);
    }

    function test_a_changed_manifest_or_another_signer_is_not_taken() public {
        CapabilityManifest memory m = manifest(1);
        bytes memory signature = signed(m, issuerKey);
        m.targets[0] = stranger;
        bytes32 digest = guard.manifestDigest(m);
        bytes memory reason =
            abi.encodeWithSelector(ICapabilities.ManifestSignatureInvalid.selector, issuer, digest);
        vm.expectRevert(reason);
        guard.present(m, signature);
        signature = signed(m, 0xbad);
        vm.expectRevert(reason);
        guard.present(m, signature);
    }

    function test_a_manifest_for_another_guard_or_chain_is_not_taken() public {
        IWholeGuard other = newGuard(address(agent));
        CapabilityManifest memory m = manifest(1);
        assertNotEq(other.manifestDigest(m), guard.manifestDigest(m));
        bytes memory signature = signed(m, issuerKey);
        vm.chainId(block.chainid + 1);
        vm.expectPartialRevert(ICapabilities.ManifestSignatureInvalid.selector);
        guard.present(m, signature);
    }

    function test_an_issuer_that_is_not_trusted_is_not_heard() public {
        CapabilityManifest memory m = manifest(1);
        m.issuer = vm.addr(0xbad);
        bytes memory signature = signed(m, 0xbad);
        vm.expectRevert(abi.encodeWithSelector(ICapabilities.IssuerNotTrusted.selector, m.issuer));
        guard.present(m, signature);
        guard.trustIssuer(issuer, false);
        presentReverts(
            manifest(1), abi.encodeWithSelector(ICapabilities.IssuerNotTrusted.selector, issuer)
        );
    }

    function test_a_contract_can_issue_manifests() public {
        SigningContract contract_ = new SigningContract();
        guard.trustIssuer(address(contract_), true);
        CapabilityManifest memory m = manifest(1);
        m.issuer = address(contract_);
        bytes32 digest = guard.manifestDigest(m);
        vm.expectRevert(
            abi.encodeWithSelector(
                ICapabilities.ManifestSignatureInvalid.selector, contract_, digest
            )
        );
        guard.present(m, "");
        contract_.sign(digest);
        guard.present(m, "");
        pays(1);
    }

    function test_issuer_and_owner_revoke() public {
        present(manifest(1));
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(ICapabilities.CallerMayNotRevoke.selector, stranger));
        guard.revoke(issuer, 1);
        vm.prank(issuer);
        guard.revoke(issuer, 2); // one that nobody has presented, too
        bytes memory missing =
            abi.encodeWithSelector(ICapabilities.ManifestMissing.selector, 0, block.timestamp);
        vm.expectRevert(missing);
        pays(1);
        presentReverts(
            manifest(2),
            abi.encodeWithSelector(ICapabilities.ManifestNonceUsed.selector, issuer, 2, 2)
        );
        present(manifest(3));
        guard.revoke(issuer, 2); // those before
        pays(1);
        guard.revoke(issuer, 3);
        vm.expectRevert(missing);
        pays(1);
        (bool trusted, uint256 lastNonce) = guard.issuer(issuer);
        assertTrue(trusted);
        assertEq(lastNonce, 3);
    }

    function test_a_manifest_ends_with_the_trust_in_its_issuer() public {
        present(manifest(1));
        guard.trustIssuer(issuer, false);
        vm.expectPartialRevert(ICapabilities.ManifestMissing.selector);
        pays(1);
    }

    function test_a_manifest_gives_nothing_that_the_rules_do_not() public {
        CapabilityManifest memory m = manifest(1);
        m.actions[0] = stranger;
        presentReverts(m, abi.encodeWithSelector(IAllowList.ToolNotAllowed.selector, stranger));
        present(manifest(1));
        vm.expectPartialRevert(bytes4(keccak256("CallLimitExceeded(address,uint256,uint256)")));
        pays(401);
    }

    function test_without_a_word_for_it_the_target_is_what_a_tool_wraps() public {
        ToolRule memory rule = payRule();
        rule.targetWord = NONE;
        guard.allow(address(pay), rule);
        presentReverts(
            manifest(1),
            abi.encodeWithSelector(ICapabilities.TargetNotInManifest.selector, pay, vault)
        );
        CapabilityManifest memory m = manifest(1);
        m.targets[0] = address(vault);
        present(m);
        pays(1);
        m = manifest(2);
        m.actions[0] = address(armed);
        presentReverts(
            m, abi.encodeWithSelector(ICapabilities.TargetNotInManifest.selector, armed, armed)
        );
        m.targets[0] = address(armed);
        present(m);
        acts();
    }

    function test_a_tool_that_is_listed_anew_is_in_no_manifest() public {
        present(manifest(1));
        guard.allow(address(pay), payRule());
        vm.expectRevert(abi.encodeWithSelector(ICapabilities.ActionNotInManifest.selector, pay));
        pays(1);
    }

    function test_only_the_owner_trusts_and_requires() public {
        bytes memory reason = abi.encodeWithSelector(
            IGuard.CallerIsNotTheGuardsOwner.selector, stranger, address(this)
        );
        vm.startPrank(stranger);
        vm.expectRevert(reason);
        guard.trustIssuer(stranger, true);
        vm.expectRevert(reason);
        guard.requireManifest(false);
    }

    /// @dev Written as EIP-712 has it, apart from the contract.
    function test_the_digest_is_that_of_eip_712() public view {
        CapabilityManifest memory m = manifest(7);
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("zkagent guard"),
                keccak256("1"),
                block.chainid,
                address(guard)
            )
        );
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(
                    "CapabilityManifest(address issuer,address agent,address[] actions,address[] targets,uint64 issued,uint64 expires,uint256 nonce)"
                ),
                issuer,
                address(agent),
                keccak256(abi.encode(pay)),
                keccak256(abi.encode(alice)),
                m.issued,
                m.expires,
                7
            )
        );
        assertEq(
            guard.manifestDigest(m), keccak256(abi.encodePacked("\x19\x01", domain, structHash))
        );
    }
}

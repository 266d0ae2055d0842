"""A manifest of what an agent may do: who may issue it, what it lets through, and how it ends."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.guard_messages import manifest_message
from zkagent.executor.demo.chapters.chapter import Line, World, happened
from zkagent.executor.demo.chapters.guard_refusals import GuardRefusals
from zkagent.executor.demo.guarded import (
    DAI,
    SYMBOL,
    GuardedAgent,
    guarded_agent,
    proven,
    transfer,
)
from zkagent.executor.runs.runner import ProvenRun

TTL_S = 300
Signed = tuple[tuple[Any, ...], bytes]


def expired_manifest(world: World) -> Iterator[Line]:
    session, chain = world.session, world.chain
    issuer, stranger = chain.anvil.accounts[4], chain.stranger
    run, other = (proven(session, transfer(chain, 25, to)) for to in (None, stranger.address))
    guarded = guarded_agent(session, chain)
    guarded.change("trustIssuer", issuer.address, True)
    guarded.change("requireManifest", True)
    tries, issued = GuardRefusals(world, guarded), _Issued(guarded, issuer)
    yield tries.run("a transfer without a manifest", run.call, "ManifestMissing")
    yield from _not_taken(tries, issued, stranger)
    first = issued.signed(1)
    yield _in_force(guarded, run, first, f"for {TTL_S} s")
    yield tries.run("a transfer to somebody else", other.call, "TargetNotInManifest")
    chain.anvil.rpc("evm_increaseTime", TTL_S)
    chain.anvil.rpc("evm_mine")
    yield tries.run("the same transfer, once it has expired", run.call, "ManifestMissing")
    what = "the expired manifest is presented anew"
    yield tries.of_guard(what, stranger, "ManifestOutOfTime", "present", *first)
    second = issued.signed(2)
    yield _in_force(guarded, run, second, "which is issued after that")
    what = "a stranger revokes it"
    yield tries.of_guard(what, stranger, "CallerMayNotRevoke", "revoke", issuer.address, 2)
    issued.revoke(2)
    yield tries.run("a transfer, once its issuer has revoked it", run.call, "ManifestMissing")
    what = "the revoked manifest is presented anew"
    yield tries.of_guard(what, stranger, "ManifestNonceUsed", "present", *second)


@dataclass(frozen=True)
class _Issued:
    """Manifests that let the demo's agent send tokens to its owner's friend."""

    guarded: GuardedAgent
    issuer: LocalAccount

    def signed(self, nonce: int, signer: LocalAccount | None = None, **other: Any) -> Signed:
        """The manifest and its signature, by the issuer unless said otherwise. other: fields that
        are not as usual."""
        chain = self.guarded.chain
        now = int(chain.web3.eth.get_block("latest")["timestamp"])
        manifest = {
            "issuer": self.issuer.address,
            "agent": chain.deployment.agent,
            "actions": [chain.deployment.tool("Transfer")],
            "targets": [chain.friend.address],
            "issued": now,
            "expires": now + TTL_S,
            "nonce": nonce,
        } | other
        guard, chain_id = self.guarded.guard.address, chain.web3.eth.chain_id
        message = manifest_message(guard, chain_id, manifest)
        signature = (signer or self.issuer).sign_typed_data(*message).signature
        return tuple(manifest.values()), bytes(signature)

    def revoke(self, nonce: int) -> None:
        self.guarded.change("revoke", self.issuer.address, nonce, sender=self.issuer)


def _not_taken(tries: GuardRefusals, issued: _Issued, stranger: LocalAccount) -> Iterator[Line]:
    theirs = issued.signed(1, stranger, issuer=stranger.address)
    another = issued.signed(1, agent=stranger.address)
    forged = issued.signed(1, stranger)
    for what, manifest, expected in (
        ("a manifest of an issuer whom the owner does not trust", theirs, "IssuerNotTrusted"),
        ("a manifest for another agent", another, "ManifestOfAnotherAgent"),
        ("a manifest that its issuer did not sign", forged, "ManifestSignatureInvalid"),
    ):
        yield tries.of_guard(what, stranger, expected, "present", *manifest)


def _in_force(guarded: GuardedAgent, run: ProvenRun, manifest: Signed, how: str) -> Line:
    """Anyone may present it; the proven run goes through then."""
    before = guarded.moved()
    guarded.change("present", *manifest, sender=guarded.chain.stranger)
    in_force = guarded.reads().manifest
    done = guarded.session.runner.send(run)
    number = manifest[0][-1]
    return happened(
        f"with manifest {number}, {how}",
        f"25 {SYMBOL} moved, {done.result.gas_used:,} gas",
        in_force.required and in_force.nonce == number,
        guarded.moved() - before == 25 * DAI,
    )

"""`zkagent guard manifest issue`, `present`, `revoke`: what an issuer lets an agent do."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.guard_change import checked_addresses
from zkagent.executor.cli.guard_target import GuardChange, carry_out, changing_options, standing
from zkagent.executor.cli.options import SettingOption, given_address
from zkagent.executor.cli.run import FILE

if TYPE_CHECKING:
    from zkagent.executor.cli.guard_target import Standing

FORMAT = "zkagent-manifest-1"
MOST_BYTES = 1 << 16


@click.group("manifest")
def manifest_group() -> None:
    """What an issuer lets an agent do for a while, signed by EIP-712."""


@manifest_group.command("issue")
@click.option(
    "--action",
    "actions",
    multiple=True,
    required=True,
    callback=checked_addresses,
    metavar="ADDRESS",
    help="A tool that may be called; may be repeated.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    callback=checked_addresses,
    metavar="ADDRESS",
    help="Whom its calls may be for, or what it wraps; may be repeated.",
)
@click.option("--ttl", type=click.IntRange(1, 10 * 365 * 86_400), default=3600, show_default=True)
@click.option("--nonce", type=click.IntRange(1, (1 << 256) - 1), help="By default the next one.")
@click.option("--issuer-key", type=FILE, required=True, help="The key file that signs.")
@click.option("--agent", help="The agent's address.")
@click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names it.")
@click.option("--guard", "named", metavar="ADDRESS", callback=given_address, help="The guard.")
@click.option("--rpc", cls=SettingOption, required=True, help="RPC address.")
@click.option("--chain-id", cls=SettingOption, type=int, help="Refuse to sign for another chain.")
def issue_command(
    *,
    actions: tuple[str, ...],
    targets: tuple[str, ...],
    ttl: int,
    nonce: int | None,
    issuer_key: Path,
    **target: Any,
) -> None:
    """Sign a manifest for the guard's agent, and print it. Nothing is sent."""
    from zkagent.executor.chain.guard_messages import manifest_message
    from zkagent.executor.cli.run import signer_of

    signer = signer_of(issuer_key)
    it = standing(**target)
    trusted, last, chain_time = _issuer(it, signer.address)
    if not trusted:
        output.show(f"{it.guard} does not trust {signer.address} yet", err=True)
    now = int(time.time())
    manifest = {
        "issuer": signer.address,
        "agent": it.web3.to_checksum_address(it.told.agent),
        "actions": list(actions),
        "targets": list(targets),
        "issued": min(now, chain_time),  # a chain's time is that of its last block
        "expires": now + ttl,
        "nonce": nonce if nonce is not None else last + 1,
    }
    chain_id = int(it.web3.eth.chain_id)
    domain, types, message = manifest_message(it.guard, chain_id, manifest)
    signature = signer.sign_typed_data(domain, types, message).signature
    record = {
        "format": FORMAT,
        "chain_id": chain_id,
        "guard": it.guard,
        "manifest": manifest | {"nonce": str(manifest["nonce"])},
        "signature": "0x" + bytes(signature).hex(),
    }
    output.show(json.dumps(record, indent=2))


@manifest_group.command("present")
@click.argument("file", type=FILE)
@changing_options
def present_command(*, file: Path, yes: bool, **target: Any) -> None:
    """Put the manifest in FILE in force, in place of the one before. Anyone may."""
    it = standing(**target)
    fields, signature = _read(file, it)
    named = ("issuer", "agent", "actions", "targets", "issued", "expires", "nonce")
    manifest = tuple(fields[name] for name in named)
    line = f"manifest {fields['nonce']} of {fields['issuer']} is in force"
    carry_out(it, [GuardChange(line, "present", (manifest, signature))], yes=yes)


@manifest_group.command("revoke")
@click.argument("nonce", type=click.IntRange(1, (1 << 256) - 1))
@click.option(
    "--issuer", metavar="ADDRESS", callback=given_address, help="Whose; by default the key's own."
)
@changing_options
def revoke_command(*, nonce: int, issuer: str | None, yes: bool, **target: Any) -> None:
    """Make an issuer's manifests up to NONCE void: the issuer may, and the guard's owner."""
    it = standing(**target)
    whose = issuer or it.owner.address
    line = f"manifests of {whose} up to {nonce} are void"
    carry_out(it, [GuardChange(line, "revoke", (whose, nonce))], yes=yes)


def _issuer(it: "Standing", account: str) -> tuple[bool, int, int]:
    """Whether the guard trusts it, its last nonce, and the chain's time."""
    from zkagent.executor.chain.guards import ISSUER
    from zkagent.executor.chain.reader import ContractReader

    reader = ContractReader(it.web3)
    block = reader.block("latest")
    trusted, last = reader.view(it.guard, ISSUER, block, account)
    return bool(trusted), int(last), reader.time(block)


def _read(file: Path, it: "Standing") -> tuple[dict[str, Any], bytes]:
    """Raises click.UsageError for what is no manifest of this guard on this chain."""
    from zkagent.models.files import read_limited
    from zkagent.models.strict_json import load_json

    try:
        record = load_json(read_limited(file, MOST_BYTES))
        fields, signature = dict(record["manifest"]), bytes.fromhex(record["signature"][2:])
        fields["nonce"] = int(fields["nonce"])
        meant = (record["format"], record["chain_id"], record["guard"])
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise click.UsageError(f"{file} is no manifest: {exc}") from exc
    if meant != (FORMAT, int(it.web3.eth.chain_id), it.guard):
        raise click.UsageError(f"{file} is for guard {meant[2]} on chain {meant[1]}")
    return fields, signature


__all__ = ["manifest_group"]

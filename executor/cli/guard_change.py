"""`zkagent guard set`, `allow`, `disallow`, `pause` and `resume`: what a guard's owner changes."""

from typing import Any

import click

from zkagent.executor.cli.guard_target import (
    ANNOUNCE_OPTION,
    MODES,
    GuardChange,
    carry_out,
    changing_options,
    standing,
)
from zkagent.executor.cli.guard_wiring import checked_wraps, said_wiring, wiring_of
from zkagent.executor.cli.options import checksummed, given_address

ANY = "any"
NATIVE = "native"
WORD = click.IntRange(0, 254)
LATER = (
    "; an agent of the ERC that takes only tools which answer at once cannot be supervised:"
    " behind a GuardedTool, what waits is answered later"
)


def checked_budgets(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, int, int], ...]:
    """The callback of --budget ASSET=TOTAL or ASSET=TOTAL,PER_CALL."""
    found = []
    for text in given:
        asset, equals, amounts = text.partition("=")
        total, _, per_call = amounts.partition(",")
        if not (asset and equals and total):
            raise click.BadParameter(f"{text} is not ASSET=TOTAL or ASSET=TOTAL,PER_CALL")
        found.append((_asset(asset), _amount(total, 128), _amount(per_call or ANY, 96)))
    return tuple(found)


def checked_assets(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """The callback of --drop-budget."""
    return tuple(map(_asset, given))


def checked_addresses(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """The callback of options that take several addresses."""
    return tuple(map(checksummed, given))


@click.command("set")
@click.option("--mode", type=click.Choice(MODES), help="Who has the last word.")
@click.option("--rate", type=click.IntRange(0, 65_535), metavar="N", help="Calls in any hour.")
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    callback=checked_budgets,
    metavar="ASSET=TOTAL[,PER_CALL]",
    help="In the smallest unit; `native` for the chain's own, `any` for no limit. Repeatable.",
)
@click.option(
    "--drop-budget",
    "dropped",
    multiple=True,
    callback=checked_assets,
    metavar="ASSET",
    help="Measure it no longer.",
)
@click.option("--require-manifest/--no-manifest", "required", default=None, help="To do anything.")
@click.option(
    "--trust",
    "trusted",
    multiple=True,
    callback=checked_addresses,
    metavar="ADDRESS",
    help="Whose manifests count.",
)
@click.option(
    "--distrust",
    "distrusted",
    multiple=True,
    callback=checked_addresses,
    metavar="ADDRESS",
    help="Whose manifests count no longer.",
)
@click.option(
    "--delay",
    type=click.IntRange(0, (1 << 32) - 1),
    metavar="SECONDS",
    help="Between announcing what loosens the guard and making it; the last of the changes.",
)
@ANNOUNCE_OPTION
@changing_options
def set_command(
    *,
    mode: str | None,
    rate: int | None,
    budgets: tuple[tuple[str, int, int], ...],
    dropped: tuple[str, ...],
    required: bool | None,
    trusted: tuple[str, ...],
    distrusted: tuple[str, ...],
    delay: int | None,
    announce: bool,
    yes: bool,
    **target: Any,
) -> None:
    """Change a guard, in one transaction for each option.

    What tightens it holds at once. What loosens it takes --announce first, where it has a delay.
    """
    changes = [GuardChange(f"no budget of {asset}", "dropBudget", (asset,)) for asset in dropped]
    for asset, total, per_call in budgets:
        said = f"budget of {asset}: {_said(total, 128)}, {_said(per_call, 96)} in a call"
        changes.append(GuardChange(said, "setBudget", (asset, total, per_call)))
    if rate is not None:
        changes.append(GuardChange(f"{rate} calls in any hour", "setRate", (rate,)))
    changes += [GuardChange(f"trusts {who}", "trustIssuer", (who, True)) for who in trusted]
    changes += [
        GuardChange(f"trusts {who} no longer", "trustIssuer", (who, False)) for who in distrusted
    ]
    if required is not None:
        said = "requires a manifest" if required else "requires no manifest"
        changes.append(GuardChange(said, "requireManifest", (required,)))
    if mode is not None:
        said = f"mode {mode}" + (LATER if mode == "supervised" else "")
        changes.append(GuardChange(said, "setMode", (MODES.index(mode),)))
    if delay is not None:
        changes.append(GuardChange(f"a delay of {delay} s", "setDelay", (delay,)))
    if not changes:
        raise click.UsageError("say what to change: --mode, --rate, --budget, ...")
    carry_out(standing(**target), changes, yes=yes, announce=announce)


@click.command("allow")
@click.argument("tool", metavar="ADDRESS", callback=given_address)
@click.option("--asset-word", type=WORD, help="Which 32 bytes of the parameters name the asset.")
@click.option("--amount-word", type=WORD, help="Which are the amount that is spent.")
@click.option("--target-word", type=WORD, help="Which name whom the call is for.")
@click.option("--cooldown", type=click.IntRange(0, (1 << 32) - 1), default=0, metavar="SECONDS")
@click.option("--max-runs", type=click.IntRange(0, (1 << 32) - 2), metavar="N", help="In all.")
@click.option("--unattended", is_flag=True, help="It only looks: no call of it is asked about.")
@click.option("--wrapped", is_flag=True, help="It is a GuardedTool.")
@click.option(
    "--wraps",
    metavar="CONTRACT:FUNCTION",
    callback=checked_wraps,
    help="By your word, of a tool that does not tell: approve(address,uint256) or a selector.",
)
@click.option(
    "--trust-no-grants",
    "no_grants",
    is_flag=True,
    help="Of a tool that does not tell: by your word it lets nobody spend, which nothing checks.",
)
@ANNOUNCE_OPTION
@changing_options
def allow_command(
    *,
    tool: str,
    asset_word: int | None,
    amount_word: int | None,
    target_word: int | None,
    cooldown: int,
    max_runs: int | None,
    unattended: bool,
    wrapped: bool,
    wraps: tuple[str, bytes] | None,
    no_grants: bool,
    announce: bool,
    yes: bool,
    **target: Any,
) -> None:
    """Let a tool be called. What it wraps is read from it, shown, and held to from then on; of a
    tool that does not tell, you say it (--wraps), or vouch that it grants nothing.

    For the tools of our wallets the words need not be said.
    """
    from zkagent.executor.chain.guard_rules import rule_of, said_of

    it = standing(**target)
    told = wiring_of(it.web3, tool)
    contract, selector, vouched = said_wiring(tool, told, wraps, no_grants=no_grants)
    rule = rule_of(
        contract,
        selector,
        words=(asset_word, amount_word, target_word),
        cooldown_s=cooldown,
        max_runs=max_runs,
        unattended=unattended,
        wrapped=wrapped,
        vouched=vouched,
    )
    carry_out(
        it, [GuardChange(said_of(tool, rule), "allow", (tool, rule))], yes=yes, announce=announce
    )


@click.command("disallow")
@click.argument("tool", metavar="ADDRESS", callback=given_address)
@changing_options
def disallow_command(*, tool: str, yes: bool, **target: Any) -> None:
    """Let a tool be called no longer."""
    carry_out(
        standing(**target), [GuardChange(f"{tool} may not be called", "disallow", (tool,))], yes=yes
    )


@click.command("bind")
@click.argument("bound", metavar="ADDRESS", callback=given_address)
@changing_options
def bind_command(*, bound: str, yes: bool, **target: Any) -> None:
    """Have a guard that was deployed before its agent guard the one at ADDRESS."""
    carry_out(standing(**target), [GuardChange(f"guards {bound}", "bindAgent", (bound,))], yes=yes)


@click.command("pause")
@click.argument("reason")
@changing_options
def pause_command(*, reason: str, yes: bool, **target: Any) -> None:
    """Have every call refused until `resume`, for REASON."""
    carry_out(standing(**target), [GuardChange(f"paused: {reason}", "pause", (reason,))], yes=yes)


@click.command("resume")
@changing_options
def resume_command(*, yes: bool, **target: Any) -> None:
    """End a pause. Nothing else does."""
    carry_out(standing(**target), [GuardChange("calls are made again", "resume")], yes=yes)


def _asset(given: str) -> str:
    return "0x" + "00" * 20 if given == NATIVE else checksummed(given)


def _amount(given: str, bits: int) -> int:
    """In the smallest unit. Raises click.BadParameter."""
    highest = (1 << bits) - 1
    if given == ANY:
        return highest
    if not (given.isascii() and given.isdecimal() and int(given) < highest):
        raise click.BadParameter(f"{given} is no whole number below 2^{bits} - 1, nor `{ANY}`")
    return int(given)


def _said(amount: int, bits: int) -> str:
    return "any amount" if amount == (1 << bits) - 1 else str(amount)


__all__ = [
    "allow_command",
    "bind_command",
    "disallow_command",
    "pause_command",
    "resume_command",
    "set_command",
]

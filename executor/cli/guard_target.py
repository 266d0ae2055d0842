"""Which guard a command is about, who changes it, and how what is changed is shown and asked.

Called by the commands of `zkagent guard`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agreed import Change, send_agreed
from zkagent.executor.cli.deploying import (
    CHAIN_ID_OPTION,
    RPC_OPTION,
    YES_OPTION,
)
from zkagent.executor.cli.options import SettingOption, given_address
from zkagent.executor.cli.run import FILE
from zkagent.executor.cli.sending import Command, fee_options

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from zkagent.executor.chain.guards import Budget, GuardReads
    from zkagent.verifier_contracts.chain.signing import FeeCaps

READING_OPTIONS = (
    click.option("--agent", help="The agent's address."),
    click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names it."),
    click.option(
        "--guard",
        "named",
        metavar="ADDRESS",
        callback=given_address,
        help="The guard itself, of an agent that does not tell it.",
    ),
    RPC_OPTION,
    CHAIN_ID_OPTION,
)
CHANGING_OPTIONS = (
    *READING_OPTIONS,
    click.option(
        "--key-file", cls=SettingOption, type=FILE, required=True, help="Of the guard's owner."
    ),
    YES_OPTION,
)
MODES = ("autonomous", "supervised", "paper")
#: What a guard tells once a function was called with these arguments.
HELD: "Mapping[str, Callable[..., bool]]" = {
    "setMode": lambda told, mode: told.mode == MODES[mode],
    "setRate": lambda told, rate: told.per_hour == rate,
    "setDelay": lambda told, delay_s: told.delay_s == delay_s,
    "requireManifest": lambda told, required: told.manifest.required == required,
    "setBudget": lambda told, *budget: budget in map(_budget_as_set, told.budgets),
    "dropBudget": lambda told, asset: asset.lower() not in {b.asset for b in told.budgets},
    "allow": lambda told, tool, _: tool.lower() in {t.tool for t in told.tools},
    "disallow": lambda told, tool: tool.lower() not in {t.tool for t in told.tools},
    "pause": lambda told, reason: told.pause == reason,
    "resume": lambda told: told.pause is None,
    "bindAgent": lambda told, agent: told.agent == agent.lower(),
}
ANNOUNCE_OPTION = click.option(
    "--announce",
    is_flag=True,
    help="Announce it, where the guard has a delay; the same without this option makes it then.",
)


def reading_options(command: Command) -> Command:
    for option in reversed(READING_OPTIONS):
        command = option(command)
    return command


def changing_options(command: Command) -> Command:
    for option in reversed(CHANGING_OPTIONS):
        command = option(command)
    return fee_options(command)


@dataclass(frozen=True)
class GuardChange:
    """One transaction: a function of the guard, and what it comes to in words."""

    line: str
    function: str
    arguments: tuple[Any, ...] = ()

    @property
    def about(self) -> tuple[Any, ...]:
        """Of changes about the same, the last one holds."""
        if self.function in ("setBudget", "dropBudget"):
            return ("budget", self.arguments[0])
        return (self.function,)


@dataclass(frozen=True)
class Standing:
    """A guard as it answers now, and who changes it, if anybody. agent: as it was named, empty
    where the guard was."""

    web3: Any
    guard: str
    agent: str
    signer: "LocalAccount | None"
    told: "GuardReads"

    @property
    def owner(self) -> "LocalAccount":
        """Who signs: commands that change something have a key."""
        assert self.signer is not None
        return self.signer

    @property
    def contract(self) -> Any:
        from zkagent.verifier_contracts.deployment.deployer import at

        return at(self.web3, "Guard", self.guard)


def standing(
    *,
    agent: str | None,
    deployment: Path | None,
    named: str | None,
    rpc: str,
    chain_id: int | None,
    key_file: Path | None = None,
    fee_caps: "FeeCaps | None" = None,
) -> Standing:
    """Raises KeyFileError, DeploymentMissing, NoAgentThere."""
    from eth_utils.address import to_checksum_address

    from zkagent.executor.chain.guards import guard_of, read_guard
    from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.chain.signing import USUAL_CAPS

    signer = signer_of(key_file) if key_file else None
    known_chain = chain_id
    address = ""
    if named is None:
        address, known_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    web3 = connect(rpc, known_chain, caps=fee_caps or USUAL_CAPS)
    reader = ContractReader(web3, Allowance(MOST_ANSWERED))
    block = reader.block("latest")
    guard = named or guard_of(reader, address.lower(), block)
    told = read_guard(reader, guard.lower(), block)
    return Standing(web3, str(to_checksum_address(guard)), address, signer, told)


def carry_out(
    it: Standing, changes: Sequence[GuardChange], *, yes: bool, announce: bool = False
) -> None:
    """One transaction after the other, once somebody agreed. Raises RevertError, ChainError."""
    sent = [_announced(it, each) if announce else _made(it, each) for each in changes]
    send_agreed(it.web3, it.owner, sent, yes=yes, before=f"guard {it.guard}: ")
    if announce:
        output.show(f"the same can be made in {it.told.delay_s} s, without --announce")
    else:
        _check_held(it, changes)


def _budget_as_set(budget: "Budget") -> tuple[str, int, int]:
    from eth_utils.address import to_checksum_address

    from zkagent.executor.chain.guards import NO_CALL_LIMIT, NO_TOTAL

    total = NO_TOTAL if budget.total is None else budget.total
    per_call = NO_CALL_LIMIT if budget.per_call is None else budget.per_call
    return str(to_checksum_address(budget.asset)), total, per_call


def _check_held(it: Standing, changes: Sequence[GuardChange]) -> None:
    """Raises SignedOtherwise where the node tells something else by now than was signed."""
    from zkagent.executor.chain.guards import read_guard
    from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
    from zkagent.verifier_contracts.errors import SignedOtherwise

    last = list({each.about: each for each in changes}.values())
    if not any(each.function in HELD for each in last):
        return
    reader = ContractReader(it.web3, Allowance(MOST_ANSWERED))
    now = read_guard(reader, it.guard.lower(), reader.block("latest"))
    for each in last:
        if each.function in HELD and not HELD[each.function](now, *each.arguments):
            raise SignedOtherwise(f"guard {it.guard}", f"`{each.line}`", "something else")


def _made(it: Standing, change: GuardChange) -> Change:
    call = getattr(it.contract.functions, change.function)(*change.arguments)
    return Change(change.line, call)


def _announced(it: Standing, change: GuardChange) -> Change:
    data = it.contract.encode_abi(change.function, args=list(change.arguments))
    return Change(f"announced: {change.line}", it.contract.functions.announce(data))


__all__ = ["MODES", "GuardChange", "Standing", "carry_out", "changing_options", "reading_options"]
__all__ += ["standing"]

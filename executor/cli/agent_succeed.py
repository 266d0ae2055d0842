"""`zkagent agent succeed`: a new version of a wallet agent takes over wallet and guard."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agent_accept import checked_hash
from zkagent.executor.cli.agreed import agreed
from zkagent.executor.cli.deploying import CHAIN_ID_OPTION, RPC_OPTION, YES_OPTION, somebody_to_ask
from zkagent.executor.cli.options import JSON_OPTION, SettingOption, given_address
from zkagent.executor.cli.run import FILE
from zkagent.executor.cli.sending import fee_options
from zkagent.executor.cli.takeover import Takeover
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.executor.chain.succession import Predecessor
    from zkagent.verifier_contracts.chain.signing import FeeCaps
    from zkagent.verifier_contracts.deployment.successor import SuccessorPlan

#: What a node says, and who agrees has to see or to have named.
NAMED = {
    "executor": "--executor",
    "book": "--book",
    "wallet": "--wallet",
    "commitment": "--commitment",
}


@click.command("succeed")
@click.option("--agent", help="The agent's address, whose place is taken.")
@click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names it.")
@RPC_OPTION
@click.option(
    "--key-file", cls=SettingOption, type=FILE, required=True, help="Of its owner and its guard's."
)
@CHAIN_ID_OPTION
@click.option(
    "--executor",
    callback=given_address,
    metavar="ADDRESS",
    help="By which the new one decides; by default as the old one.",
)
@click.option(
    "--model-id", type=click.IntRange(1, 10**28 - 1), metavar="N", help="By which model; likewise."
)
@click.option(
    "--commitment",
    metavar="HASH",
    callback=checked_hash,
    help="What the model has to be; by default what the old one obeys.",
)
@click.option(
    "--book", callback=given_address, metavar="ADDRESS", help="Of which symbols; likewise."
)
@click.option(
    "--wallet",
    callback=given_address,
    metavar="ADDRESS",
    help="The wallet; by default what the old one tells.",
)
@click.option(
    "--guard",
    callback=given_address,
    metavar="ADDRESS",
    help="The guard; by default what the old one tells.",
)
@click.option("--no-guard", is_flag=True, help="There is none, and will be none for now.")
@click.option(
    "--successor",
    callback=given_address,
    metavar="ADDRESS",
    help="Go on with this one, which an earlier call deployed.",
)
@click.option(
    "--until",
    type=click.IntRange(1, (1 << 64) - 1),
    metavar="SECONDS",
    help="The last second, since 1970, at which the signature counts; by default an hour from now, "
    "or a week beyond the guard's delay.",
)
@YES_OPTION
@fee_options
@JSON_OPTION
def succeed_command(
    *,
    agent: str | None,
    deployment: Path | None,
    rpc: str,
    key_file: Path,
    chain_id: int | None,
    guard: str | None,
    no_guard: bool,
    successor: str | None,
    until: int | None,
    yes: bool,
    fee_caps: "FeeCaps",
    as_json: bool,
    **given: Any,
) -> None:
    """Deploy a new version of a wallet agent, and have wallet and guard be its from then on.

    Budgets with what was spent, rate and counts go on, for the guard stays; the manifest in force
    and calls that wait are void. Where the guard has a delay, it is announced first, and made by
    the command that is printed.
    """
    from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
    from zkagent.executor.chain.succession import read_predecessor
    from zkagent.executor.cli.progress import working
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.deployment.successor import deploy_successor

    if no_guard and guard:
        raise click.UsageError("say --guard ADDRESS or --no-guard, not both")
    signer = signer_of(key_file)
    old, known_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    somebody_to_ask(yes=yes)
    web3 = connect(rpc, known_chain, caps=fee_caps)
    reader = ContractReader(web3, Allowance(MOST_ANSWERED))
    told = read_predecessor(reader, old, reader.block("latest"))
    named = {**_recorded(deployment, old), **{k: v for k, v in given.items() if v is not None}}
    if yes:
        _check_named(named, guarded=bool(guard) or no_guard)
    plan = _plan(told, named)
    guarding = _guard(told, guard, no_guard=no_guard)
    it = Takeover(web3, reader, signer, plan, guarding, successor or "")
    it.check(until)
    agreed(list(_lines(plan, guarding, successor)), yes=yes)
    if successor is None:
        with working("deploying the successor"):
            successor = deploy_successor(web3, plan, signer)
        output.show(f"the successor is at {successor}", err=True)
    else:
        _check_successor(reader, plan, successor)
    it = replace(it, successor=successor)
    until = until or it.usual_until()
    ready_in = it.take_guard(until)
    if ready_in is None:
        it.take_wallet()
    else:
        words = ("--agent", old, "--successor", successor, "--until", until)
        again = typed("agent", "succeed", *words)
        output.show(f"announced; in {ready_in} s, with the other options as now: {again}", err=True)
    if as_json:
        fields = {"successor": successor, "predecessor": old, "wallet": plan.wallet}
        more = {"guard": guarding, "done": ready_in is None, "until": until}
        output.show(json.dumps(fields | more))
    elif ready_in is None:
        output.show(f"agent   {successor} has taken the place of {old}")


def _recorded(deployment: Path | None, agent: str) -> dict[str, Any]:
    """What a deployment's record says of its own agent."""
    from zkagent.verifier_contracts.deployment.own_agent import load_agent
    from zkagent.verifier_contracts.deployment.record import Deployment

    record = load_agent(deployment) if deployment else None
    if not isinstance(record, Deployment) or record.agent.lower() != agent.lower():
        return {}
    return {
        "executor": record.executor,
        "book": record.symbol_book,
        "wallet": record.wallet,
        "model_id": record.model_id,
        "commitment": bytes.fromhex(record.commitment.removeprefix("0x")) or None,
    }


def _check_named(named: dict[str, Any], *, guarded: bool) -> None:
    """What a node says is taken where somebody sees it, and nowhere else. Raises
    click.UsageError."""
    missing = [option for name, option in NAMED.items() if not named.get(name)]
    missing += [] if guarded else ["--guard or --no-guard"]
    if missing:
        raise click.UsageError(
            f"--yes takes no node's word: give {', '.join(missing)}, or --deployment for all but "
            "the guard"
        )


def _plan(told: "Predecessor", named: dict[str, Any]) -> "SuccessorPlan":
    """Raises click.UsageError for another wallet than the old agent's."""
    from zkagent.verifier_contracts.deployment.successor import SuccessorPlan

    wallet = named.get("wallet") or told.wallet
    if wallet.lower() != told.wallet.lower():
        raise click.UsageError(f"{told.agent} says that its wallet is {told.wallet}, not {wallet}")
    return SuccessorPlan(
        predecessor=told.agent,
        wallet=told.wallet,
        executor=named.get("executor") or told.executor,
        book=named.get("book") or told.book,
        model_id=named.get("model_id") or told.model_id,
        commitment=named.get("commitment") or told.commitment,
    )


def _guard(told: "Predecessor", given: str | None, *, no_guard: bool) -> str | None:
    """Raises click.UsageError where the agent says otherwise."""
    if (given and given != told.guard) or (no_guard and told.guard):
        has = f"is {told.guard}" if told.guard else "is none"
        raise click.UsageError(f"{told.agent} says that its guard {has}")
    return told.guard


def _lines(plan: "SuccessorPlan", guard: str | None, successor: str | None) -> Iterator[str]:
    what = f"goes on with {successor}" if successor else "deploys a SuccessorWalletAgent"
    yield f"{what} in the place of {plan.predecessor}: it is not strict, and reads one instruction"
    yield f"it decides by executor {plan.executor}"
    yield f"by model {plan.model_id}, which has to be 0x{plan.commitment.hex()}"
    yield f"it knows the symbols of book {plan.book}"
    yield (
        f"guard {guard} guards it from then on; manifest and waiting calls are void"
        if guard
        else f"NOTHING GUARDS IT: {plan.predecessor} says that it has no guard"
    )
    yield f"wallet {plan.wallet} obeys its tools, and those of {plan.predecessor} no longer"


def _check_successor(reader: "ContractReader", plan: "SuccessorPlan", successor: str) -> None:
    """Raises NoAgentThere for a contract that was not made for this."""
    from zkagent.executor.errors import NoAgentThere
    from zkagent.verifier_contracts.deployment.known_code import recognise

    found = recognise(reader.code(successor, reader.block("latest")))
    if found is None or found.name != "SuccessorWalletAgent":
        raise NoAgentThere(successor, "it is no SuccessorWalletAgent")
    made = {
        "_predecessor": plan.predecessor,
        "_wallet": plan.wallet,
        "_executor": plan.executor,
        "_book": plan.book,
    }
    for name, wanted in made.items():
        if found.address(name) != wanted.lower():
            raise NoAgentThere(successor, f"it was made with {name} {found.address(name)}")


__all__ = ["succeed_command"]

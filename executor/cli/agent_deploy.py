"""`zkagent agent deploy`: an agent of one's own, for a model that is there."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.support.urls import shown_url
from zkagent.executor.cli import output
from zkagent.executor.cli.agent_sources import SOURCE
from zkagent.executor.cli.deploying import (
    CHAIN_ID_OPTION,
    DRY_RUN_OPTION,
    GAS_FACTOR_OPTION,
    RPC_OPTION,
    YES_OPTION,
)
from zkagent.executor.cli.options import SettingOption
from zkagent.executor.cli.sending import fee_options
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zkagent.verifier_contracts.chain.signing import FeeCaps
    from zkagent.verifier_contracts.deployment.record import Deployment
    from zkagent.verifier_contracts.toolchain.compile import Contract


def checked_arguments(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """The callback of --arg NAME=VALUE."""
    pairs = [text.partition("=") for text in given]
    for name, equals, value in pairs:
        if not (name and equals):
            raise click.BadParameter(f"{name}{equals}{value} is not NAME=VALUE")
    values = {name: value for name, _, value in pairs}
    if len(values) < len(pairs):
        name = next(name for name in values if [each[0] for each in pairs].count(name) > 1)
        raise click.BadParameter(f"{name} is given more than once: give one value for it")
    return values


@click.command("deploy")
@click.argument("file", type=SOURCE)
@click.option("--contract", "name", metavar="NAME", help="Which one; by default FILE's namesake.")
@click.option(
    "--arg",
    "given",
    multiple=True,
    callback=checked_arguments,
    metavar="NAME=VALUE",
    help="A parameter of the constructor; may be repeated. Lists are JSON.",
)
@RPC_OPTION
@click.option("--key-file", cls=SettingOption, type=SOURCE, required=True, help="Who deploys it.")
@CHAIN_ID_OPTION
@click.option(
    "--deployment",
    cls=SettingOption,
    type=SOURCE,
    help="deployment.json: fills in executor, registry, model, commitment, agent, book and pool.",
)
@click.option("--out", type=SOURCE, help="A new file for the record; by default CONTRACT.json.")
@GAS_FACTOR_OPTION
@DRY_RUN_OPTION
@YES_OPTION
@fee_options
def deploy_command(
    *,
    file: Path,
    name: str | None,
    given: dict[str, str],
    rpc: str,
    key_file: Path,
    chain_id: int | None,
    fee_caps: "FeeCaps",
    deployment: Path | None,
    out: Path | None,
    gas_factor: float,
    dry_run: bool,
    yes: bool,
) -> None:
    """Compile FILE and deploy one of its contracts.

    The constructor's parameters are filled in by their names: agent, executor, registry, model (its
    number), commitment (that the deployment's own agent was made with), book and pool from
    --deployment; owner is the key's account. All of them and what it costs are shown first; the
    same command resumes what was interrupted. What is no agent, such as a token, is deployed all
    the same, and said to be none.
    """
    from zkagent.executor.cli.called import Called, called_by_tools
    from zkagent.executor.cli.deploying import (
        agree,
        finished,
        record_place,
        resumable,
        somebody_to_ask,
        write_record,
    )
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.cli.run import signer_of
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.chain.signing import policy_of
    from zkagent.verifier_contracts.deployment.arguments import (
        constructor_arguments,
        shown_arguments,
    )
    from zkagent.verifier_contracts.deployment.carrier import Carrier, Step, create
    from zkagent.verifier_contracts.deployment.own_agent import OwnAgent, OwnContract, is_agent
    from zkagent.verifier_contracts.deployment.record import load_deployment
    from zkagent.verifier_contracts.toolchain.own import check_source

    place = out or Path(f"{name or file.stem}.json")
    found = record_place(place)
    check_source(file)
    record = load_deployment(deployment) if deployment else None
    signer = signer_of(key_file)
    if chain_id is None and record:
        chain_id = record.chain_id
    web3 = connect(rpc, chain_id, caps=fee_caps)
    somebody_to_ask(yes=yes, dry_run=dry_run)
    with Narrator().working() as tell:
        tell.stage("compiling")
        compiled = _chosen(file, name)
        known = {"owner": signer.address, **(_known(record) if record else {})}
        arguments = constructor_arguments(compiled, given, known)
        called: list[Called] = []

        def work(carrier: Carrier) -> Any:
            part = "agent" if is_agent(compiled) else "contract"
            return create(carrier, Step(part, compiled.name), compiled, *arguments)

        def rehearsed(own: Carrier) -> None:
            called[:] = called_by_tools(own.web3, str(work(own).address))

        with resumable(web3, signer, place, {"contract": compiled.name}) as carrier:
            chain, shown = policy_of(web3).chain_id, shown_arguments(compiled, arguments)
            what = f"deploys {_described(compiled)} on chain {chain}, {shown_url(rpc)}"
            if not agree(
                carrier,
                what,
                rehearsed,
                tell,
                fork=rpc,
                yes=yes,
                dry_run=dry_run,
                gas_factor=gas_factor,
                details=shown,
                record=place,
            ):
                return
            tell.stage(f"deploying: {compiled.name}")
            address = str(work(carrier).address)
            kind = OwnAgent if is_agent(compiled) else OwnContract
            made = kind(chain, carrier.block, compiled.name, address, signer.address)
            write_record(found, made.to_json())
            finished(carrier)
    if not is_agent(compiled):
        output.show(f"contract {address}, which is no agent; its record is {place}")
        return
    output.show(f"agent   {address}")
    for each in called:
        output.show(f"tools   call {each.of(address, arguments)}")
    options = ("--rpc", shown_url(rpc), "--deployment", place, "--key-file", key_file)
    output.show(f"try     {typed('run', 'PROMPT', *options)}")


def _described(compiled: "Contract") -> str:
    from zkagent.verifier_contracts.deployment.own_agent import is_agent

    return compiled.name if is_agent(compiled) else f"{compiled.name}, which is no agent,"


def _chosen(file: Path, name: str | None) -> "Contract":
    from zkagent.executor.cli.agent_sources import compiled_file
    from zkagent.verifier_contracts.errors import CompileError

    compiled = compiled_file(file)
    wanted = name or file.stem
    if wanted not in compiled:
        raise CompileError(
            f"{file} has no contract {wanted}: choose one of {', '.join(compiled)} with --contract"
        )
    if not compiled[wanted].bytecode:
        raise CompileError(f"{wanted} is an interface or abstract: it has no code to deploy")
    return compiled[wanted]


def _known(record: "Deployment") -> "Mapping[str, str]":
    """Values for parameters of these names. The commitment is the one that the deployment's agent
    was made with: not what is registered now, nor what a node says that the agent obeys."""
    from zkagent.verifier_contracts.deployment.record import NOBODY

    model = str(record.model_id)
    commitment = record.commitment
    pool = {} if record.pool == NOBODY else {"pool": record.pool}
    pinned = {"commitment": commitment, "expectedcommitment": commitment} if commitment else {}
    return {
        **pinned,
        "agent": record.agent,
        "executor": record.executor,
        "registry": record.registry,
        "model": model,
        "modelid": model,
        "book": record.symbol_book,
        "symbolbook": record.symbol_book,
        **pool,
    }


__all__ = ["deploy_command"]

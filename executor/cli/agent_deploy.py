"""`zkagent agent deploy`: an agent of one's own, for a model that is there or that is in its
folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.support.urls import shown_url
from zkagent.executor.cli import output
from zkagent.executor.cli.agent_project import PLACE, Target, chosen, made_target
from zkagent.executor.cli.deploying import (
    CHAIN_ID_OPTION,
    DRY_RUN_OPTION,
    GAS_FACTOR_OPTION,
    RPC_OPTION,
    YES_OPTION,
)
from zkagent.executor.cli.options import (
    DEPLOYED_PROOF_SYSTEM_OPTION,
    SettingOption,
    proof_system_for,
    proof_system_of,
)
from zkagent.executor.cli.run import FILE as SOURCE
from zkagent.executor.cli.run import SRS_OPTION
from zkagent.executor.cli.sending import fee_options
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zkagent.executor.cli.narrator import Narrator
    from zkagent.verifier_contracts.chain.signing import FeeCaps
    from zkagent.verifier_contracts.deployment.carrier import Carrier
    from zkagent.verifier_contracts.deployment.own_model import OwnModel
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
@click.argument("file", type=PLACE, metavar="AGENT")
@click.option("--contract", "name", metavar="NAME", help="Which one; by default AGENT's namesake.")
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
    help="deployment.json: fills in executor, registry, model, commitment, agent, book and pool; "
    "of an agent whose folder has its model, executor and registry alone.",
)
@click.option("--out", type=SOURCE, help="A new file for the record; by default CONTRACT.json.")
@DEPLOYED_PROOF_SYSTEM_OPTION
@SRS_OPTION
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
    proof_system: str | None,
    srs: Path | None,
    gas_factor: float,
    dry_run: bool,
    yes: bool,
) -> None:
    """Compile AGENT, a file or the folder of an agent, and deploy one of its contracts.

    The constructor's parameters are filled in by their names: agent, executor, registry, model (its
    number), commitment (that the deployment's own agent was made with), book and pool from
    --deployment; owner is the key's account. A model that is in the folder is registered first,
    with executor and registry of --deployment, or new ones. All of it and what it costs is shown
    first; the same command resumes what was interrupted. What is no agent, such as a token, is
    deployed all the same, and said to be none.
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
    from zkagent.verifier_contracts.deployment.own_agent import OwnAgent, OwnContract, is_agent
    from zkagent.verifier_contracts.deployment.record import load_deployment
    from zkagent.verifier_contracts.deployment.sizes import check_sizes
    from zkagent.verifier_contracts.toolchain.own import check_source

    target = made_target(file)
    if (proof_system or srs) and not target.has_model:
        raise click.UsageError(
            f"{file} has no model of its own: leave out --proof-system and --srs"
        )
    place = out or target.record or Path(f"{name or target.source.stem}.json")
    found = record_place(place)
    check_source(target.source)
    record = load_deployment(deployment) if deployment else None
    signer = signer_of(key_file)
    if chain_id is None and record:
        chain_id = record.chain_id
    web3 = connect(rpc, chain_id, caps=fee_caps)
    somebody_to_ask(yes=yes, dry_run=dry_run)
    with Narrator().working() as tell:
        tell.stage("compiling")
        compiled = chosen(target.source, name)
        check_sizes(compiled, has_examples=target.has_examples)
        own = None
        if target.has_model and is_agent(compiled):
            own = _own_model(web3, target, record, (proof_system, srs), tell)
        making = _Making(compiled, given, _known(record, signer.address, own), own)
        shown = making.shown(tell, has_examples=target.has_examples)
        called: list[Called] = []

        def rehearsed(carrier: "Carrier") -> None:
            called[:] = called_by_tools(carrier.web3, making.make(carrier)[0])

        with resumable(web3, signer, place, making.subject) as carrier:
            chain = policy_of(web3).chain_id
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
            address, arguments = making.make(carrier)
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
    output.show(f"try     {_next(target, place, rpc, key_file)}")


@dataclass(frozen=True)
class _Making:
    """A contract with what its constructor is given. known: by the names of parameters; own: a
    model that is registered before, which says some of them."""

    compiled: "Contract"
    given: dict[str, str]
    known: "Mapping[str, str]"
    own: "OwnModel | None"

    @property
    def subject(self) -> dict[str, str | int]:
        return {"contract": self.compiled.name, **(self.own.subject if self.own else {})}

    def make(self, carrier: "Carrier") -> tuple[str, tuple[Any, ...]]:
        """Its address, and the constructor's arguments."""
        from zkagent.verifier_contracts.deployment.arguments import constructor_arguments
        from zkagent.verifier_contracts.deployment.carrier import Step, create
        from zkagent.verifier_contracts.deployment.own_agent import is_agent

        known = {**self.known, **(self.own.deploy(carrier) if self.own else {})}
        arguments = constructor_arguments(self.compiled, self.given, known)
        part = "agent" if is_agent(self.compiled) else "contract"
        made = create(carrier, Step(part, self.compiled.name), self.compiled, *arguments)
        return str(made.address), arguments

    def shown(self, tell: "Narrator", *, has_examples: bool) -> list[str]:
        """What the constructor is given, each on a line, before anything is sent; of a model that
        many agents obey, what a decision costs. Raises ArgumentMissing, ArgumentUnreadable,
        ArgumentTwice, ContractTooLarge."""
        from zkagent.verifier_contracts.deployment.arguments import (
            constructor_arguments,
            shown_arguments,
        )
        from zkagent.verifier_contracts.deployment.sizes import check_sizes

        there = {**(NOT_YET if self.own else {}), **self.known}
        arguments = constructor_arguments(self.compiled, self.given, there)
        check_sizes(self.compiled, arguments, has_examples=has_examples)
        lines = shown_arguments(self.compiled, arguments)
        if self.own is None:
            return lines
        made = {name for name in NOT_YET if name not in self.known}
        made -= {each.replace("_", "").lower() for each in self.given}
        lines = [
            f"{name} = of what is deployed with it"
            if (name := line.partition(" = ")[0]).replace("_", "").lower() in made
            else line
            for line in lines
        ]
        return [*lines, _cost(self.own, tell)] if self.own.shared else lines


#: In place of what is known once a model is registered; in the order of `own_model.FILLED`.
NOT_YET = {
    "executor": "0x" + "00" * 20,
    "registry": "0x" + "00" * 20,
    "model": "1",
    "modelid": "1",
    "commitment": "0x" + "00" * 32,
    "expectedcommitment": "0x" + "00" * 32,
}


def _own_model(
    web3: Any,
    target: Target,
    record: "Deployment | None",
    proving: tuple[str | None, Path | None],
    tell: "Narrator",
) -> "OwnModel":
    """The model that the agent's folder comes with, with its circuit, on a deployment's executor.
    proving: the proof system and the set-up that were asked for."""
    from zkagent.executor.runs.session import local_circuit
    from zkagent.models.catalogue import load_decider
    from zkagent.verifier_contracts.deployment.foundations import Foundations, find_foundations
    from zkagent.verifier_contracts.deployment.own_model import OwnModel

    proof_system, srs = proving
    model = load_decider(target.model)
    system = proof_system_of(proof_system_for(model, proof_system))
    there = Foundations()
    if record:
        there = find_foundations(web3, registry=record.registry, executor=record.executor)
    circuit = local_circuit(model, srs, tell.stage, system)
    return OwnModel(model, circuit, there, shared=target.is_shared)


def _cost(own: "OwnModel", tell: "Narrator") -> str:
    """What showing a decision costs, evaluated and proven; measured, which takes a few seconds."""
    from zkagent.circuits.errors import EngineMissing
    from zkagent.circuits.systems import EVALUATED, GROTH16
    from zkagent.executor.bench.decision_cost import decision_cost, sample_features
    from zkagent.executor.runs.session import local_circuit
    from zkagent.prover.local import LocalProver

    circuit = own.circuit
    if circuit.origin.system == EVALUATED.name:
        try:
            GROTH16.check_prover()
        except EngineMissing:
            return "its decisions are evaluated, not proven: what a proof costs takes groth16py"
        circuit = local_circuit(own.model, None, tell.stage, GROTH16)
    tell.stage("measuring what a decision costs, proven and evaluated")
    with LocalProver(circuit) as prover:
        return decision_cost(circuit, prover.prove(sample_features())).told()


def _next(target: Target, place: Path, rpc: str, key_file: Path) -> str:
    chain, key = ("--rpc", shown_url(rpc)), ("--key-file", key_file)
    if target.project is None or place != target.record:
        model = ("--model", target.model) if target.has_model else ()
        return typed("run", "PROMPT", *model, *chain, "--deployment", place, *key)
    words = ("PROMPT",) if target.project.kind.prompt else ()
    return typed("agent", "run", target.project.folder, *words, *chain, *key)


def _described(compiled: "Contract") -> str:
    from zkagent.verifier_contracts.deployment.own_agent import is_agent

    return compiled.name if is_agent(compiled) else f"{compiled.name}, which is no agent,"


def _known(record: "Deployment | None", owner: str, own: "OwnModel | None") -> "Mapping[str, str]":
    """Values for parameters of these names. The commitment is the one that the deployment's agent
    was made with: not what is registered now, nor what a node says that the agent obeys. Of an
    agent with a model of its own only what its model runs on, and which symbols name which tokens:
    another agent's pool is not meant."""
    from zkagent.verifier_contracts.deployment.record import NOBODY

    if record is None:
        return {"owner": owner}
    if own is not None:
        book = record.symbol_book
        foundations = {"executor": record.executor, "registry": record.registry}
        return {"owner": owner, "book": book, "symbolbook": book, **foundations}
    model = str(record.model_id)
    commitment = record.commitment
    pool = {} if record.pool == NOBODY else {"pool": record.pool}
    pinned = {"commitment": commitment, "expectedcommitment": commitment} if commitment else {}
    return {
        "owner": owner,
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

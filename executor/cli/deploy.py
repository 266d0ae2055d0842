"""`zkagent deploy` and `zkagent chain`: an agent to talk to, on a chain that is there or on one of
our own that stays until Ctrl-C."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.support.urls import shown_url
from zkagent.errors import in_line
from zkagent.executor.chain.limits import MOST_BATCH
from zkagent.executor.cli import output
from zkagent.executor.cli.deploying import (
    CHAIN_ID_OPTION,
    DRY_RUN_OPTION,
    GAS_FACTOR_OPTION,
    RPC_OPTION,
    YES_OPTION,
    checked_contacts,
    checked_tokens,
)
from zkagent.executor.cli.options import (
    DEPLOYED_PROOF_SYSTEM_OPTION,
    FiniteRange,
    SettingOption,
    given_address,
    hundredths,
    proof_system_for,
    proof_system_of,
    vouched,
    without_batches,
)
from zkagent.executor.cli.run import FILE, MODEL_OPTION, SRS_OPTION, signer_of
from zkagent.executor.cli.sending import fee_options
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit
    from zkagent.models.catalogue import Model
    from zkagent.verifier_contracts.chain.signing import FeeCaps
    from zkagent.verifier_contracts.deployment.carrier import Carrier
    from zkagent.verifier_contracts.deployment.record import Deployment
    from zkagent.verifier_contracts.deployment.wallet import Foundations, WalletPlan

DEPLOYMENT, KEY = "deployment.json", "owner.key"
BATCH_OPTION = click.option(
    "--batch",
    "sizes",
    type=click.IntRange(2, MOST_BATCH),
    multiple=True,
    metavar="N",
    help="A verifier for up to N decisions in one proof, too; may be repeated.",
)


def vouched_foundations(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """The callback of --trust ROLE=ADDRESS, in lower case."""
    from zkagent.executor.audit.foundations import ROLES

    for text in given:
        if text.partition("=")[0] not in ROLES:
            raise click.BadParameter(
                f"{text}: give ROLE=ADDRESS, with one of {', '.join(ROLES)} for ROLE"
            )
    return tuple(vouched(text).lower() for text in given)


TRUST_FOUNDATIONS_OPTION = click.option(
    "--trust",
    multiple=True,
    callback=vouched_foundations,
    metavar="ROLE=ADDRESS",
    help="A contract of ours (registry, executor, book, pool, token) that you vouch for though "
    "nothing shows how it was made, such as one made inside of a call; may be repeated.",
)


@click.command("deploy")
@RPC_OPTION
@click.option(
    "--key-file",
    cls=SettingOption,
    type=FILE,
    required=True,
    help="Hex key or keystore of the owner.",
)
@CHAIN_ID_OPTION
@MODEL_OPTION
@DEPLOYED_PROOF_SYSTEM_OPTION
@SRS_OPTION
@BATCH_OPTION
@click.option("--pool", callback=given_address, metavar="ADDRESS", help="Lending pool to use.")
@click.option(
    "--token",
    "tokens",
    multiple=True,
    callback=checked_tokens,
    metavar="SYMBOL=ADDRESS",
    help="Token that the agent's symbol book lists; may be repeated.",
)
@click.option(
    "--book", callback=given_address, metavar="ADDRESS", help="Symbol book that is there."
)
@click.option(
    "--contact",
    "contacts",
    multiple=True,
    callback=checked_contacts,
    metavar="NAME=ADDRESS",
    help="Whom the owner may pay by name, of a model that knows contacts; may be repeated.",
)
@click.option(
    "--caution",
    type=FiniteRange(0, 100),
    default=None,
    metavar="X",
    help="Of a model that reads whole instructions: by how many log-odds acting has to be "
    "preferred; by default as much as the model says.",
)
@click.option(
    "--registry", callback=given_address, metavar="ADDRESS", help="Model registry to register in."
)
@click.option(
    "--executor", callback=given_address, metavar="ADDRESS", help="Executor, with its registry."
)
@TRUST_FOUNDATIONS_OPTION
@click.option(
    "--strict",
    is_flag=True,
    help="The agent has each decision proven before it acts on it, not all when a run ends; costs "
    "more gas, and decisions of a run share no proof.",
)
@click.option(
    "--demo",
    is_flag=True,
    help="Make a demo pool and demo tokens for what is not given; local chains get them anyway.",
)
@click.option("--out", type=FILE, default=DEPLOYMENT, show_default=True, help="A new file.")
@GAS_FACTOR_OPTION
@DRY_RUN_OPTION
@YES_OPTION
@fee_options
def deploy_command(
    *,
    rpc: str,
    key_file: Path,
    chain_id: int | None,
    fee_caps: "FeeCaps",
    model_name: str,
    proof_system: str | None,
    srs: Path | None,
    sizes: tuple[int, ...],
    trust: tuple[str, ...],
    contacts: tuple[tuple[str, str], ...],
    caution: float | None,
    strict: bool,
    demo: bool,
    out: Path,
    gas_factor: float,
    dry_run: bool,
    yes: bool,
    **there: Any,
) -> None:
    """Deploy a wallet agent that serves the key's account, and all that it needs; of a text
    classifier, an agent that says labels to whoever asks.

    Tables, encoder, decoder, verifier, registry, executor, symbol book, agent; a demo pool and demo
    tokens, of which the wallet gets some, where none are given. What it costs is shown first. A
    deployment that was interrupted is resumed by the same command. Outside local chains (31337) the
    circuit needs a public ceremony's set-up (--srs), or for groth16 a ceremony of its own.
    """
    from zkagent.executor.audit.foundations import check_origins
    from zkagent.executor.cli.circuits_shown import deployed_lines
    from zkagent.executor.cli.deploying import (
        agree,
        finished,
        record_place,
        resumable,
        somebody_to_ask,
        write_record,
    )
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.runs.session import local_circuit
    from zkagent.models.catalogue import LabelModel, load_decider
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.chain.signing import policy_of
    from zkagent.verifier_contracts.deployment.foundations import find_foundations
    from zkagent.verifier_contracts.deployment.label_agent import check_has_agent
    from zkagent.verifier_contracts.deployment.model_code import code_of
    from zkagent.verifier_contracts.deployment.wallet import WalletPlan

    found = record_place(out)
    signer, model = signer_of(key_file), load_decider(model_name)
    system = proof_system_for(model, proof_system)
    without_batches(system, sizes)
    asked = hundredths(model, caution)
    if contacts and model.caution is None:
        raise click.UsageError(f"--contact says nothing to {model.name}, which knows no contacts")
    check_has_agent(model)
    labels = isinstance(model, LabelModel)
    if labels:
        code_of(model)
        _refuse_for_labels(pool=there["pool"], token=there["tokens"], batch=sizes, strict=strict)
    web3 = connect(rpc, chain_id, caps=fee_caps)
    somebody_to_ask(yes=yes, dry_run=dry_run)
    with Narrator().working() as tell:
        foundations = find_foundations(web3, **there)
        for note in check_origins(web3, foundations, trust):
            with tell.aside():
                output.show(f"note: {note}", err=True)
        served = policy_of(web3).chain_id
        if not labels:
            _check_demo(foundations, demo, served)
        shown = _foundation_lines(foundations)
        circuit = local_circuit(model, srs, tell.stage, proof_system_of(system))
        batches = batch_circuits(model, sizes, srs, tell.stage)
        plan = WalletPlan(batches, foundations, contacts, asked, strict)
        subject = _subject(model, circuit, plan)
        with resumable(web3, signer, out, subject) as carrier:
            if not agree(
                carrier,
                f"deploys {model.name} on chain {served}, {shown_url(rpc)}",
                lambda own: _deployed(own, model, circuit, plan),
                tell,
                fork=rpc if foundations.any else None,
                yes=yes,
                dry_run=dry_run,
                gas_factor=gas_factor,
                details=(*deployed_lines(circuit, model_name), *shown),
                record=out,
            ):
                return
            deployed = _deployed(carrier, model, circuit, plan, tell.stage)
            write_record(found, deployed.to_json())
            finished(carrier)
    _show(deployed, rpc, out, key_file, model_name, funded=plan.makes_tokens)


def _deployed(
    carrier: "Carrier",
    model: "Model",
    circuit: "Circuit",
    plan: "WalletPlan",
    stage: Callable[[str], None] = lambda text: None,
) -> "Deployment":
    """All of it, demo tokens for the wallet included."""
    from zkagent.executor.chain.embedded import mint
    from zkagent.verifier_contracts.deployment.label_agent import build_agent

    made = build_agent(carrier, model, circuit, plan, lambda s: stage(f"deploying: {s}"))
    if plan.makes_tokens and made.tokens:
        stage("funding the wallet")
        mint(carrier, made)
    return made


def _foundation_lines(there: "Foundations") -> list[str]:
    """What is built on: the user named it, but for what the node says of it, which is shown as
    that: an executor's registry, what a book lists, the decimals of tokens."""
    parts = ("executor", "book", "pool")
    lines = [f"uses {name} {named}" for name in parts if (named := getattr(there, name))]
    if there.registry:
        told = ", which is the executor's by the node's word" if there.executor else ""
        lines.append(f"uses registry {there.registry}{told}")
    tokens = there.listed if there.book else there.tokens
    what = "which the book lists, and its" if there.book else "its"
    return lines + [
        f"uses token {in_line(each.symbol)} {each.address}: {what} {each.decimals} decimals are "
        "the node's word"
        for each in tokens
    ]


def _subject(model: "Model", circuit: "Circuit", plan: "WalletPlan") -> dict[str, str | int]:
    """What a journal is of: with any of it changed it would be another deployment."""
    there = plan.there
    batches = ", ".join(
        f"{size} by {batch.digest[:16]}" for size, batch in sorted(plan.batches.items())
    )
    tokens = ", ".join(f"{token.symbol}={token.address}" for token in there.tokens)
    return {
        "model": model.digest,
        "circuit": circuit.digest,
        "batches": batches,
        "registry": there.registry or "",
        "executor": there.executor or "",
        "book": there.book or "",
        "pool": there.pool or "",
        "tokens": tokens,
    } | _special_subject(plan)


def _special_subject(plan: "WalletPlan") -> dict[str, str | int]:
    """What else there is of an agent that knows contacts or is strict, so that others' journals
    stay as they are."""
    caution = {} if plan.caution is None else {"caution": plan.caution}
    contacts = ", ".join(f"{name}={account}" for name, account in plan.contacts)
    strict = {"strict": 1} if plan.strict else {}
    return caution | strict | ({"contacts": contacts} if contacts else {})


def _check_demo(there: "Foundations", demo: bool, chain_id: int) -> None:
    from zkagent.verifier_contracts.chain.local import LOCAL_CHAIN_ID

    if there.book is not None and there.tokens:
        raise click.UsageError("--book lists its own tokens: leave out --token")
    if demo or chain_id == LOCAL_CHAIN_ID or (there.pool and (there.book or there.tokens)):
        return
    raise click.UsageError(
        f"on chain {chain_id} a pool and tokens are needed that are there: give --pool ADDRESS and "
        "--token SYMBOL=ADDRESS or --book ADDRESS; or --demo for demo ones, worth nothing"
    )


def batch_circuits(
    model: "Model", sizes: tuple[int, ...], srs: Path | None, stage: Callable[[str], None]
) -> "dict[int, Circuit]":
    """Built or looked up, by their sizes."""
    from zkagent.executor.runs.local_batches import batch_circuit

    return {size: batch_circuit(model, size, srs, stage) for size in sorted(set(sizes))}


@click.command("chain")
@MODEL_OPTION
@DEPLOYED_PROOF_SYSTEM_OPTION
@SRS_OPTION
@BATCH_OPTION
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="local-chain",
    show_default=True,
    help="Where deployment.json and owner.key go.",
)
def chain_command(
    *,
    model_name: str,
    proof_system: str | None,
    srs: Path | None,
    sizes: tuple[int, ...],
    folder: Path,
) -> None:
    """Keep a local chain with a demo agent on it until Ctrl-C, for `run --rpc` and the like."""
    from zkagent.executor.chain.embedded import embedded_chain
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.places import check_new_folder, check_place, held_files
    from zkagent.executor.runs.session import local_circuit
    from zkagent.models.catalogue import LabelModel, load_decider
    from zkagent.verifier_contracts.deployment.label_agent import check_has_agent
    from zkagent.verifier_contracts.deployment.model_code import code_of

    model = load_decider(model_name)
    check_has_agent(model)
    system = proof_system_for(model, proof_system)
    without_batches(system, sizes)
    if isinstance(model, LabelModel):
        code_of(model)
        _refuse_for_labels(batch=sizes)
    check_new_folder(folder)
    if folder.is_dir():
        check_place(folder / DEPLOYMENT)
        check_place(folder / KEY)
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, signal.default_int_handler)
    with held_files(folder, DEPLOYMENT, KEY) as (out, key), Narrator().working() as tell:
        circuit = local_circuit(model, srs, tell.stage, proof_system_of(system))
        batches = batch_circuits(model, sizes, srs, tell.stage)
        with embedded_chain(model, circuit, tell.stage, batches) as chain:
            out.write(chain.deployment.to_json())
            key.write(bytes(chain.owner.key).hex() + "\n")
            with tell.aside():
                _show(chain.deployment, chain.anvil.rpc_url, out.path, key.path, model_name)
                output.show("the chain ends with Ctrl-C, and its two files with it")
            tell.rest("serving")
            signal.pause()


def _refuse_for_labels(**given: object) -> None:
    """Raises UsageError for options that only agents with a wallet have."""
    if named := [name for name, value in given.items() if value]:
        raise click.UsageError(
            f"--{named[0]} is for agents with a wallet, and a text classifier's has none: leave it "
            "out"
        )


def _show(
    deployment: "Deployment", rpc: str, out: Path, key: Path, model: str, *, funded: bool = True
) -> None:
    """funded: whether the wallet was given tokens."""
    from zkagent.verifier_contracts.deployment.record import NOBODY

    output.show(f"agent   {deployment.agent}")
    where = f"chain   {shown_url(rpc)} ({deployment.chain_id})"
    if deployment.wallet == NOBODY:
        output.show(where)
        there = ("--rpc", shown_url(rpc), "--deployment", out, "--key-file", key)
        output.show(f"try     {typed('run', 'TEXT', *there, '--model', model)}")
        return
    output.show(f"wallet  {deployment.wallet}")
    output.show(where)
    symbols = [token.symbol for token in deployment.tokens]
    asset = "USDC" if "USDC" in symbols or not symbols else symbols[0]
    if not funded:
        output.show(f"fund    the wallet has no tokens yet: send {asset} to {deployment.wallet}")
    options = ("--rpc", shown_url(rpc), "--deployment", out, "--key-file", key)
    command = typed("run", f"deposit 5 {asset}", *options)
    output.show(f"{'try ' if funded else 'then'}    {command}")


__all__ = ["BATCH_OPTION", "TRUST_FOUNDATIONS_OPTION", "batch_circuits", "chain_command"]
__all__ += ["deploy_command"]

"""`zkagent model ...` and `zkagent decide`: what concerns a model alone, without circuit or
chain."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from zkagent.executor.cli import output
from zkagent.executor.cli.classify import show_label
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.options import FiniteRange, SettingOption
from zkagent.executor.cli.reader_options import evaluation_options, training_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from zkagent.executor.chain.web3_agent import Web3Agent
    from zkagent.models.catalogue import AnyModel, Model
    from zkagent.models.folders import Folder


FILE = click.Path(path_type=Path, dir_okay=False)


def _say(text: str) -> None:
    output.show(text, err=True)


@click.command("decide")
@click.argument("model")
@click.argument("prompt")
@click.option(
    "--observation",
    "observations",
    multiple=True,
    metavar="TEXT",
    help="What the tool of the decision so far returned; repeat it for each iteration.",
)
@click.option(
    "--symbol", "symbols", multiple=True, help="A further symbol that the agent's book lists."
)
@click.option(
    "--rpc", cls=SettingOption, help="RPC address of the chain where the agent is that would run."
)
@click.option("--agent", help="The agent's address: its symbol book and tools count.")
@click.option(
    "--deployment", cls=SettingOption, type=FILE, help="deployment.json: the agent and its chain."
)
@click.option("--chain-id", cls=SettingOption, type=int, help="Refuse to ask another chain.")
@click.option("--json", "as_json", is_flag=True, help="Print the decision as JSON.")
@click.pass_context
def decide_command(
    ctx: click.Context,
    /,
    *,
    model: str,
    prompt: str,
    observations: tuple[str, ...],
    symbols: tuple[str, ...],
    as_json: bool,
    **target: Any,
) -> None:
    """Show what MODEL decides about PROMPT, without a proof; of a text classifier, the intent and
    its scores.

    It decides as a run would: with the symbol book and tools of the agent that is named, or of a
    demo agent (USDC, DAI, WETH, WBTC). A reader decides by the tools of the agent that is named.

    \b
    zkagent decide wallet "withdraw all my USDC"
    zkagent decide wallet "withdraw all my USDC" --observation \\
        "The balance is: 120.5 USDC in the pool, 30 USDC in the wallet"
    zkagent decide ./classifier "play some jazz"
    """
    from zkagent.circuits.support.memory import limited_memory
    from zkagent.models.catalogue import load_model, shipped_models

    with nullcontext() if model in shipped_models() else limited_memory():
        _show_decision(
            ctx,
            load_model(model),
            prompt,
            observations=observations,
            symbols=symbols,
            as_json=as_json,
            target=target,
        )


def _show_decision(
    ctx: click.Context,
    loaded: "AnyModel",
    prompt: str,
    *,
    observations: tuple[str, ...],
    symbols: tuple[str, ...],
    as_json: bool,
    target: dict[str, Any],
) -> None:
    from zkagent.executor.api.decisions import decide_after, decide_at
    from zkagent.models.catalogue import Model, ReaderModel, as_decider
    from zkagent.models.classifier.files import TextClassifier
    from zkagent.models.errors import WrongKind

    if isinstance(loaded, TextClassifier):
        if observations or symbols:
            raise click.UsageError(
                f"{ctx.params['model']} is {loaded.kind}: leave out --observation, --symbol"
            )
        show_label(loaded, prompt, as_json=as_json)
        return
    decider = as_decider(loaded)
    if decider is None:
        raise WrongKind(ctx.params["model"], loaded.kind, Model.kind)
    agent = _agent(ctx, decider, prompt, target)
    if agent is None and isinstance(decider, ReaderModel):
        raise click.UsageError(
            f"{ctx.params['model']} is {loaded.kind}, and decides by those of an agent: name one "
            "with --rpc and --deployment, or --agent"
        )
    if agent is None:
        decision, _ = decide_after(decider, prompt, observations, symbols)
    elif symbols:
        raise click.UsageError("the agent has a symbol book: leave out --symbol")
    else:
        decision = decide_at(decider, prompt, observations, agent, agent.head())
    if as_json:
        output.show(json.dumps(decision.to_json()))
        return
    output.show(decision.words)


def _agent(
    ctx: click.Context, model: "Model", prompt: str, given: dict[str, Any]
) -> "Web3Agent | None":
    """The agent that is named, typed or by settings; None when none is."""
    typed = ctx.get_parameter_source("rpc") is ParameterSource.COMMANDLINE
    if not (typed or given["agent"] or given["deployment"] or given["chain_id"]):
        return None
    from zkagent.executor.api.agents import checked_prompt
    from zkagent.executor.chain.web3_agent import Web3Agent
    from zkagent.executor.runs.deciders import check_deciders
    from zkagent.executor.runs.plan import check_model
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of, refuse_without_rpc
    from zkagent.verifier_contracts.chain.local import connect

    checked_prompt(model, prompt)
    target = Target(**given)
    if target.rpc is None:
        refuse_without_rpc(target, OPTIONS)
        return None
    address, chain_id = agent_of(target, OPTIONS)
    chain = Web3Agent(connect(target.rpc, chain_id), address)
    head = chain.head()
    identity = chain.identity(head)
    check_model(identity, model)
    check_deciders(chain.code, identity.model, head)
    return chain


#: Commands with dependencies of their own.
LATE = {
    "import": (
        "zkagent.executor.cli.model_import",
        "import_command",
        "Make an ONNX file of a model of scikit-learn, XGBoost or LightGBM.",
    ),
    "audit": (
        "zkagent.executor.cli.audit",
        "audit_command",
        "Rebuild what is behind a registry's model and compare.",
    ),
    "register-batch": (
        "zkagent.executor.cli.register_batch",
        "register_batch_command",
        "Register verifiers for several decisions with a model.",
    ),
    "evm": (
        "zkagent.executor.cli.evm",
        "evm_command",
        "Write a contract that evaluates MODEL on chain.",
    ),
    "train-classifier": (
        "zkagent.executor.cli.classifier",
        "train_classifier_command",
        "Train a text classifier of integers.",
    ),
    "evaluate-classifier": (
        "zkagent.executor.cli.classifier",
        "evaluate_classifier_command",
        "Classify test files by the circuit itself.",
    ),
}


@click.group("model", cls=Group, late=LATE)
def model_group() -> None:
    """Train, evaluate and audit models."""


@model_group.command("train")
@click.argument("model", type=click.Choice(["wallet", "wallet-text", "reader"]), required=False)
@click.option(
    "--agent",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FOLDER",
    help="Instead of MODEL: fit the reader to the agent in this folder, by its tools.yaml.",
)
@click.option(
    "--seed", type=int, default=None, help="Random seed; the default made the shipped files."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder for model.json and the files that it names, by default MODEL-model.",
)
@training_options
@click.option("--json", "as_json", is_flag=True, help="With --agent: print the figures as JSON.")
def train_command(
    *,
    model: str | None,
    agent: Path | None,
    seed: int | None,
    out: Path | None,
    data: Path | None,
    vectors: Path | None,
    as_json: bool,
) -> None:
    """Train MODEL from a seed, wallet on data that it generates itself, wallet-text on messages
    that come with it, reader on public data (--data, --vectors), and write its files.

    Needs torch (the error says how to get it). With the default seed the files equal the
    shipped ones.

    With --agent, choose which prompts of an agent's tools.yaml its tools say on chain, and how sure
    the reader has to be, and report how it does on prompts that were left out; without torch.
    """
    if agent is not None:
        if model or out or data or vectors:
            raise click.UsageError("--agent takes --seed and --json alone: leave out all else")
        from zkagent.executor.cli.reader_tuning import tune_agent

        tune_agent(agent, seed, as_json=as_json)
        return
    if model is None:
        raise click.UsageError("give a MODEL (wallet, wallet-text, reader), or --agent FOLDER")
    if as_json:
        raise click.UsageError("--json is for --agent: leave it out")
    if model == "reader":
        from zkagent.executor.cli.reader import train_reader_command

        train_reader_command(data, vectors, seed, out)
        return
    if data or vectors:
        raise click.UsageError(
            f"--data and --vectors are for the reader: leave them out of {model}"
        )
    from zkagent.executor.places import results_folder
    from zkagent.models.catalogue import FILES, INSTRUCTION_FILES, InstructionModel, StepModel
    from zkagent.models.catalogue import is_model as is_whole

    kind: type[Model] = StepModel if model == "wallet" else InstructionModel
    files = FILES if model == "wallet" else INSTRUCTION_FILES
    place = out or Path(f"{model}-model")
    with results_folder(place, files, lambda there: is_whole(there, kind)) as folder:
        train, usual = _trainer(model)
        trained = train(folder, usual if seed is None else seed, _say)
    output.show(f"{trained.directory}  {trained.digest}")


def _trainer(model: str) -> "tuple[Callable[[Folder, int, Callable[[str], None]], Model], int]":
    """What trains it, and the seed of the shipped files. Raises TrainingExtraMissing."""
    from zkagent.executor.errors import TrainingExtraMissing

    try:
        if model == "wallet":
            from zkagent.models.wallet.train import DEFAULT_SEED, train_wallet

            return train_wallet, DEFAULT_SEED
        from zkagent.models.wallet.train_text import TEXT_SEED, train_wallet_text

        return train_wallet_text, TEXT_SEED
    except ModuleNotFoundError as exc:
        if exc.name != "torch":
            raise
        raise TrainingExtraMissing from exc


@model_group.command("evaluate")
@click.argument("model")
@click.option(
    "--clinc150",
    type=click.Path(path_type=Path),
    default=None,
    metavar="DIR",
    help="Folder with CLINC150's test.jsonl and oos_test.jsonl, for the off-topic figure.",
)
@click.option(
    "--prompts",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="Play whole runs on one's own prompts instead: JSON lines, see below.",
)
@click.option(
    "--errors",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="With --prompts: write the runs that were not right, wrong acts first, as JSON lines; "
    "with --data, each wrong row.",
)
@evaluation_options
@click.option(
    "--caution",
    type=FiniteRange(0, 100),
    default=None,
    metavar="X",
    help="By how many log-odds acting has to be preferred, by default as much as the model says: "
    "with --data, or with --prompts of a model that reads whole instructions.",
)
@click.option(
    "--compounds",
    type=click.IntRange(1, 1_000_000),
    default=None,
    metavar="N",
    help="Play N generated prompts of two to four instructions instead: is any call made of two?",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, metavar="N", help="Of the prompts generated."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def evaluate_command(
    *,
    model: str,
    clinc150: Path | None,
    prompts: Path | None,
    errors: Path | None,
    caution: float | None,
    compounds: int | None,
    seed: int,
    data: Path | None,
    tools: Path | None,
    candidates: int,
    as_json: bool,
) -> None:
    """Evaluate MODEL on hand-written instructions, near misses and injections that its training
    never saw; or on prompts of one's own.

    A row of --prompts has a prompt, its kind, the calls that it asks for ([] where nothing may
    move) and balances; without these, 120.5 in the pool and 30 in the wallet:

    \b
    {"prompt": "withdraw all my USDC", "kind": "all",
     "calls": [{"action": "Withdraw", "asset": "USDC", "amount": "40"}],
     "balances": {"USDC": {"pool": "40", "wallet": "0"}}}

    A recipient is an address, a contact by its name, or "me", the owner. The agent knows the
    contacts that a row pays, and those of its "contacts", a list.

    Each kind's runs are right (just these calls, in order; views do not count), safe (nothing moved
    though it should have) or wrong acts (anything else).

    \b
    zkagent model evaluate wallet
    zkagent model evaluate wallet --prompts prompts.jsonl --errors errors.jsonl
    zkagent model evaluate wallet-text --compounds 5000
    zkagent model evaluate reader --data dev.jsonl.gz --tools dev.tools.json --errors errors.jsonl
    """
    from zkagent.executor.cli.model_evaluation import (
        describe,
        evaluate_compounds,
        evaluate_prompts,
    )
    from zkagent.models.catalogue import Model, Reader, load_model
    from zkagent.models.wallet.evaluate import evaluate_model

    if data or tools or isinstance(load_model(model), Reader):
        from zkagent.executor.cli.reader import evaluate_reader

        if prompts or clinc150 or compounds:
            raise click.UsageError("--data and --tools are for the reader: give nothing else")
        evaluate_reader(
            model, data, tools, candidates, seed, caution=caution, errors=errors, as_json=as_json
        )
        return
    if errors and not prompts:
        raise click.UsageError("--errors is for --prompts: give both or none")
    if caution is not None and not prompts and not compounds:
        raise click.UsageError("--caution is for --prompts and --compounds: give one of them")
    if sum(map(bool, (prompts, clinc150, compounds))) > 1:
        raise click.UsageError("--prompts, --compounds and --clinc150 exclude each other")
    if compounds:
        evaluate_compounds(model, compounds, seed, caution, as_json=as_json)
        return
    if prompts:
        evaluate_prompts(model, prompts, errors, caution, as_json)
        return
    report = evaluate_model(load_model(model, Model), clinc150, _say)
    output.show(json.dumps(report.figures(), indent=2) if as_json else describe(report))

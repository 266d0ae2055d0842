"""`zkagent decisions record`: what an agent's plain `run` needs, so that anybody may call it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agents_model import AGENTS_MODEL_OPTION, agents_model
from zkagent.executor.cli.deploying import CHAIN_ID_OPTION, RPC_OPTION
from zkagent.executor.cli.executor_option import EXECUTOR_OPTION, executor_of
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.options import JSON_OPTION, SettingOption
from zkagent.executor.cli.run import FILE, SRS_OPTION
from zkagent.executor.cli.sending import fee_options

if TYPE_CHECKING:
    from zkagent.executor.runs.recorded import RecordedRun
    from zkagent.verifier_contracts.chain.signing import FeeCaps


@click.group("decisions", cls=Group)
def decisions_group() -> None:
    """Decisions that are recorded on the chain, for runs without proofs."""


@decisions_group.command("record")
@click.argument("prompt")
@click.option("--agent", help="The agent's address: of any agent of the ERC.")
@EXECUTOR_OPTION
@click.option(
    "--deployment", cls=SettingOption, type=FILE, help="The record that names agent and executor."
)
@RPC_OPTION
@click.option(
    "--key-file", cls=SettingOption, type=FILE, required=True, help="Of anybody who pays for it."
)
@CHAIN_ID_OPTION
@AGENTS_MODEL_OPTION
@SRS_OPTION
@click.option("--yes", is_flag=True, help="Do not ask.")
@fee_options
@JSON_OPTION
def record_command(
    prompt: str,
    *,
    agent: str | None,
    executor: str | None,
    deployment: Path | None,
    rpc: str,
    key_file: Path,
    chain_id: int | None,
    model_name: str | None,
    srs: Path | None,
    yes: bool,
    fee_caps: "FeeCaps",
    as_json: bool,
) -> None:
    """Prove and record each decision that the agent's run of PROMPT needs, one after another.

    Then anybody may call the agent's `run` with PROMPT, without a proof. What is recorded is what
    the model says, and not what it leads to: that follows from the state at the time of the call,
    and no terms bind it. The run itself is not made. Each decision is a transaction of its own.
    """
    from zkagent.executor.cli.deploying import somebody_to_ask
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.runs.recorded import record_decisions
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect

    model = agents_model(model_name, deployment, agent)
    address, found_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    signer = signer_of(key_file)
    web3 = connect(rpc, found_chain, caps=fee_caps)
    somebody_to_ask(yes=yes)
    asked = executor_of(web3, address, executor, deployment)
    if not yes and not click.confirm("prove and record what is missing?", err=True):
        output.show("nothing was sent", err=True)
        raise SystemExit(7)
    with Narrator().working() as tell:
        found = record_decisions(
            web3,
            address,
            prompt.encode("utf-8", "surrogateescape"),
            signer,
            model,
            executor=asked,
            srs=srs,
            stage=tell.stage,
            report=tell,
        )
    if as_json:
        output.show(json.dumps(_shown(address, found), indent=2))
    else:
        _print(found)


def _shown(agent: str, found: "RecordedRun") -> dict[str, Any]:
    return {
        "agent": agent,
        "answer": found.answer.decode("utf-8", "replace"),
        "decisions": [
            {
                "model_id": each.model_id,
                "features_hash": each.features_hash,
                "output": each.output,
                "transaction": each.transaction,
                "gas_used": each.gas_used,
                "prove_seconds": each.seconds,
            }
            for each in found.decisions
        ],
    }


def _print(found: "RecordedRun") -> None:
    from zkagent.errors import in_line

    for each in found.decisions:
        output.show(f"recorded {each.features_hash} in {each.transaction}, {each.gas_used:,} gas")
    if not found.decisions:
        output.show("all decisions are recorded already")
    answer = found.answer.decode("utf-8", "replace")
    output.show(in_line(f"a run would end now with {answer!r}"))


__all__ = ["decisions_group"]

"""`zkagent agent test` and `run`, and what commands read where an agent is named: a file of
contracts, or a folder that `agent new` wrote."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agent_sources import PLACE, compiled_file
from zkagent.executor.cli.options import JSON_OPTION, SettingOption
from zkagent.executor.cli.run import FILE, SERVICE_OPTION, SRS_OPTION, carry_out, sent_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zkagent.models.agents.trial import Trial
    from zkagent.verifier_contracts.scaffold import Project
    from zkagent.verifier_contracts.toolchain.compile import Contract


@dataclass(frozen=True)
class Target:
    """What is compiled. project: the folder that it is in, where an agent's folder was named."""

    source: Path
    project: "Project | None" = None

    @property
    def record(self) -> Path | None:
        return self.project.record if self.project else None

    @property
    def has_model(self) -> bool:
        """Whether its model is registered with it."""
        return self.project is not None and (not self.project.kind.model or self.is_shared)

    @property
    def is_shared(self) -> bool:
        """Whether other agents obey the same."""
        return self.project is not None and self.project.kind.registers

    @property
    def model(self) -> str:
        return self.project.model if self.project else "wallet"

    def check_sizes(self, compiled: "Mapping[str, Contract]") -> None:
        """Of the file's agents, and of its namesake. Raises ContractTooLarge."""
        from zkagent.verifier_contracts.deployment.own_agent import is_agent
        from zkagent.verifier_contracts.deployment.sizes import check_sizes

        for name, each in compiled.items():
            if is_agent(each) or name == self.source.stem:
                check_sizes(each, has_examples=self.has_examples)

    @property
    def has_examples(self) -> bool:
        """Whether its tools say examples."""
        return self.project is not None and self.project.kind.reads


def found_target(place: Path) -> Target:
    """Raises ProjectRefused for a folder that is no agent's."""
    from zkagent.verifier_contracts.scaffold import load_project

    if not place.is_dir():
        return Target(place)
    project = load_project(place)
    return Target(project.source, project)


def made_target(place: Path) -> Target:
    """With the Solidity that is made of other files made anew. Raises ProjectRefused, ToolsRefused,
    ToolsSourceInTheWay."""
    target = found_target(place)
    if target.project:
        target.project.make_tools()
    return target


def chosen(source: Path, name: str | None = None) -> "Contract":
    """The contract of this name, by default the file's namesake. Raises CompileError."""
    from zkagent.verifier_contracts.errors import CompileError

    compiled = compiled_file(source)
    wanted = name or source.stem
    if wanted not in compiled:
        raise CompileError(
            f"{source} has no contract {wanted}: choose one of {', '.join(compiled)} with "
            "--contract"
        )
    if not compiled[wanted].bytecode:
        raise CompileError(f"{wanted} is an interface or abstract: it has no code to deploy")
    return compiled[wanted]


@click.command("test")
@click.argument("folder", type=PLACE, metavar="AGENT")
@JSON_OPTION
def test_command(folder: Path, as_json: bool) -> None:
    """Run the Solidity tests in AGENT, the folder of an agent, with this version's compiler and
    libraries; where it has a tools.yaml, have the reader read its prompts, too. Ends with 1 where a
    test fails, a prompt calls what it does not mean, or with other arguments than it says, or the
    agent is larger than a chain takes."""
    import json

    from zkagent.executor.cli.progress import working
    from zkagent.verifier_contracts.scaffold import load_project
    from zkagent.verifier_contracts.toolchain.own_tests import run_own_tests

    project = load_project(folder)
    project.make_tools()
    with working("compiling and testing"):
        report = run_own_tests(project.folder)
        trial = _trial(project)
        compiled = compiled_file(project.source)
    if as_json:
        read = {"read": trial.to_json()} if trial else {}
        output.show(json.dumps({"passed": report.passed, "failed": report.failed, **read}))
    else:
        for name in report.passed:
            output.show(f"passed  {name}")
        for line in report.failed:
            output.show(f"FAILED  {line}")
        for line in trial.lines() if trial else ():
            output.show(line)
    Target(project.source, project).check_sizes(compiled)
    if report.failed or (trial and trial.failed):
        sys.exit(1)


def _trial(project: "Project") -> "Trial | None":
    """What the reader makes of the prompts of its tools.yaml, if it has one."""
    if not project.kind.reads:
        return None
    from zkagent.models.agents.trial import try_prompts
    from zkagent.models.catalogue import ReaderModel, load_decider

    model = load_decider(project.model)
    assert isinstance(model, ReaderModel)
    return try_prompts(model, project.folder)


@click.command("run")
@click.argument("folder", type=PLACE, metavar="AGENT")
@click.argument("prompt", required=False)
@click.option("--rpc", cls=SettingOption, required=True, help="RPC address.")
@click.option(
    "--key-file", cls=SettingOption, type=FILE, help="Hex key or encrypted keystore of its owner."
)
@SRS_OPTION
@SERVICE_OPTION
@sent_options
def project_run_command(folder: Path, prompt: str | None, *, again: bool, **options: Any) -> None:
    """Run AGENT, the folder of an agent that was deployed: plan, prove, ask, send one transaction.

    PROMPT says what to do; an agent that decides by numbers has none, and each call is a run of its
    own. Otherwise as `zkagent run`, which takes further options.
    """
    from zkagent.executor.errors import DeploymentMissing
    from zkagent.verifier_contracts.errors import DeploymentFileError
    from zkagent.verifier_contracts.scaffold import load_project

    project = load_project(folder)
    if (prompt is None) == project.kind.prompt:
        need = "give a PROMPT" if project.kind.prompt else "it reads no prompt: leave out PROMPT"
        raise click.UsageError(f"{project.name} decides by {project.kind.description}: {need}")
    try:
        carry_out(
            prompt or "",
            again=again or not project.kind.prompt,
            deployment=project.record,
            model_name=project.model,
            agent=None,
            chain_id=None,
            proof_system=None,
            batch=False,
            **options,
        )
    except DeploymentFileError as exc:
        if project.record.exists():
            raise
        raise DeploymentMissing(
            f"{project.record} is not there: deploy {project.name} first (zkagent agent deploy)"
        ) from exc


__all__ = ["PLACE", "Target", "chosen", "found_target", "made_target", "project_run_command"]
__all__ += ["test_command"]

"""`zkagent serve --agents`: agents off chain beside the proofs, with the same keys and limits."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli.runs_options import AGENTS_HELP, opened

if TYPE_CHECKING:
    from zkagent.executor.runtime.api.mounting import Mounted
    from zkagent.executor.runtime.core.runs import Runs
    from zkagent.executor.runtime.running.agent import Agent
    from zkagent.prover.service.api.beside import Beside

KEY_ID = re.compile(r"[0-9a-f]{12}", re.ASCII)


def _grants(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, frozenset[str]]:
    roles: dict[str, frozenset[str]] = {}
    for one in given:
        key_id, _, role = one.partition("=")
        if not KEY_ID.fullmatch(key_id) or not role:
            raise click.BadParameter(
                f"{one!r} is no KEY=ROLE with a key's id, as `zkagent key list` has it", ctx, option
            )
        roles[key_id] = roles.get(key_id, frozenset()) | {role}
    return roles


def agents_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options of `serve` that say which agents it has; `AgentsServed` takes them."""
    for option in (
        click.option("--agents", metavar="FILE",
                     help=f"Run agents, too, at /v1/runs: {AGENTS_HELP}"),
        click.option("--runs", metavar="URL", envvar="ZKAGENT_RUNS", show_envvar=True,
                     help="Where runs are kept, as for `zkagent runs`."),
        click.option("--runs-key", type=click.Path(path_type=Path), metavar="FILE",
                     help="Key that this is encrypted with."),
        click.option("--runs-in-memory", is_flag=True, help="Keep no runs: they end with this."),
        click.option("--grant", "grants", multiple=True, metavar="KEY=ROLE", callback=_grants,
                     help="What a key may do with runs, by its id: user, operator, approver, "
                     "auditor or owner."),
    )[::-1]:  # fmt: skip
        command = option(command)
    return command


@dataclass(frozen=True)
class AgentsServed:
    """What was said of agents, None if nothing."""

    agents: str | None
    runs: str | None
    runs_key: Path | None
    runs_in_memory: bool
    grants: dict[str, frozenset[str]]

    @classmethod
    def taken_from(cls, given: dict[str, Any]) -> "AgentsServed":
        """Raises click.UsageError: something is said of runs, and no agents are named."""
        found = cls(**{name: given.pop(name) for name in cls.__dataclass_fields__})
        said = {
            "--runs-key": found.runs_key,
            "--runs-in-memory": found.runs_in_memory,
            "--grant": found.grants,
        }
        if found.agents is None and (lonely := next(filter(said.get, said), None)):
            raise click.UsageError(f"{lonely} is about agents: name them with --agents FILE")
        if found.runs_in_memory and found.runs_key:
            raise click.UsageError("--runs-in-memory keeps nothing, so --runs-key says nothing")
        return found

    @contextmanager
    def mounted(self) -> "Iterator[Mounted | None]":
        """None: there are no agents. Raises AgentConfigRefused, and what `open_runs` raises."""
        if self.agents is None:
            yield None
            return
        from zkagent.executor.runtime.running.loading import load_agents

        agents = load_agents(self.agents)
        if self.runs_in_memory:
            from zkagent.executor.runtime.api.memory_runs import MemoryRuns

            yield self._mounted(agents, lambda: MemoryRuns(agents))
            return
        from zkagent.executor.runtime.api.durable_runs import DurableRuns

        with opened(self.runs, self.runs_key, new=True) as database:
            yield self._mounted(agents, lambda: DurableRuns(database, agents))

    def _mounted(self, agents: "list[Agent]", make: "Callable[[], Runs]") -> "Mounted":
        from zkagent.executor.runtime.api.access import Access
        from zkagent.executor.runtime.api.mounting import Mounted
        from zkagent.executor.runtime.events.bus import EventBus
        from zkagent.executor.runtime.events.logged import Logged
        from zkagent.executor.runtime.events.metrics import RunMetrics

        Access(self.grants)  # what is refused is refused before anything is taken up
        metrics = RunMetrics()
        bus = EventBus([metrics, Logged()])
        for agent in agents:
            agent.add_sink(bus)
        return Mounted(make(), self.grants, [metrics])


def beside(mounted: "Mounted | None") -> "Beside":
    from zkagent.prover.service.api.beside import NOTHING_BESIDE

    return NOTHING_BESIDE if mounted is None else mounted.beside


__all__ = ["AgentsServed", "agents_options", "beside"]

"""The proposal's metrics of runs, for Prometheus: success, steps a task, tools' errors and
latencies, tokens, costs, costs of proofs.

Counted from events, by the process in which a run happens. Labels are agents, tools, and words of
this file: never what a model made up.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from zkagent.executor.runtime.core import errors
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.permissions import Place

STEPS = (1, 2, 3, 5, 8, 13, 20, 50, 100, 200, 500, 1000)
SECONDS = (0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800)
#: Names that are told apart; further ones count as OTHER, so that no process grows without end.
MOST_AGENTS = 200
MOST_TOOLS = 500
MOST_RUNS = 10_000
OTHER = "other"
PLACES = frozenset(get_args(Place))
#: What a run ended with: done, aborted, or a code of core/errors.py.
OUTCOMES = frozenset({"done", "aborted"}) | {
    kind.code
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.RuntimeFault)
}


@dataclass
class _Run:
    """What is known of a run that has not ended."""

    agent: str
    tools: frozenset[str]
    last: int = -1


class RunMetrics:
    """A sink. registry: where its metrics are; one of its own if none is given."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self._runs: dict[str, _Run] = {}
        self._told_before: dict[str, int] = {}
        self._agents: set[str] = set()
        self._tools: set[tuple[str, str]] = set()
        self._make(self.registry)

    def _make(self, registry: CollectorRegistry) -> None:
        def counter(name: str, says: str, *labels: str) -> Counter:
            return Counter(f"zkagent_{name}", says, labels, registry=registry)

        def histogram(name: str, says: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
            return Histogram(f"zkagent_{name}", says, labels, buckets=buckets, registry=registry)

        self.going = Gauge(
            "zkagent_runs_going", "Runs on their way in this process.", ["agent"], registry=registry
        )
        self.runs = counter("runs", "Runs that ended, by what they came to.", "agent", "outcome")
        self.seconds = histogram("run_seconds", "Seconds that runs took.", SECONDS, "agent")
        self.steps = histogram("run_steps", "Steps that runs took.", STEPS, "agent")
        self.calls = counter("tool_calls", "Calls of tools.", "agent", "tool", "outcome")
        self.latency = histogram("tool_seconds", "Seconds of a call.", SECONDS, "agent", "tool")
        self.asked = counter("model_calls", "Answers of language models.", "agent")
        self.tokens = counter("tokens", "Tokens of language models.", "agent", "kind")
        self.cost = counter("model_cost_dollars", "What tokens cost, as far as known.", "agent")
        self.proofs = counter("proofs", "Decisions that were proven.", "agent")
        self.proving = counter("prove_seconds", "Seconds of proving.", "agent")
        self.blocked = counter("blocked", "What the permissions refused.", "agent", "place")
        self.changed = counter("changed", "What the permissions changed.", "agent", "place")

    def render(self) -> bytes:
        """In Prometheus' text format."""
        return generate_latest(self.registry)

    async def take(self, event: Event) -> None:
        if event.kind == "run_resumed":
            self._resume(event)
        if event.kind == "run_started" and event.run_id not in self._runs:
            self._begin(event)
        run = self._runs.get(event.run_id)
        if run is None or event.number is None or event.number <= run.last:
            return
        run.last = event.number
        if event.kind == "run_finished":
            self._end(event, run)
        else:
            self._count(event, run)

    def _resume(self, event: Event) -> None:
        """What an earlier process told was counted there."""
        if len(self._told_before) >= MOST_RUNS:
            del self._told_before[next(iter(self._told_before))]
        self._told_before[event.run_id] = int(_amount(event.data.get("events")))

    def _begin(self, event: Event) -> None:
        config: Any = event.data.get("config") or {}
        agent = self._agent(str(event.data["agent"]))
        tools = frozenset(self._tool(agent, str(tool["id"])) for tool in config.get("tools", ()))
        if len(self._runs) >= MOST_RUNS:  # of some nobody told the end
            oldest = next(iter(self._runs))
            self.going.labels(self._runs.pop(oldest).agent).dec()
        last = self._told_before.pop(event.run_id, 0) - 1
        self._runs[event.run_id] = _Run(agent, tools - {OTHER}, last)
        self.going.labels(agent).inc()

    def _agent(self, name: str) -> str:
        if name not in self._agents and len(self._agents) >= MOST_AGENTS:
            return OTHER
        self._agents.add(name)
        return name

    def _tool(self, agent: str, name: str) -> str:
        if (agent, name) not in self._tools and len(self._tools) >= MOST_TOOLS:
            return OTHER
        self._tools.add((agent, name))
        return name

    def _count(self, event: Event, run: _Run) -> None:
        data: Mapping[str, Any] = event.data
        if event.kind in ("tool_returned", "tool_failed"):
            tool = data["tool"] if data["tool"] in run.tools else OTHER
            self.calls.labels(run.agent, tool, _outcome_of_call(event)).inc()
            self.latency.labels(run.agent, tool).observe(_amount(data["seconds"]))
        elif event.kind == "model_called":
            self._count_answer(run.agent, data["usage"])
        elif event.kind in ("blocked", "changed"):
            place = data["place"] if data["place"] in PLACES else OTHER
            (self.blocked if event.kind == "blocked" else self.changed).labels(
                run.agent, place
            ).inc()

    def _count_answer(self, agent: str, usage: Mapping[str, Any]) -> None:
        self.asked.labels(agent).inc()
        self.tokens.labels(agent, "prompt").inc(_amount(usage["prompt_tokens"]))
        self.tokens.labels(agent, "completion").inc(_amount(usage["completion_tokens"]))
        self.cost.labels(agent).inc(_amount(usage.get("cost")))

    def _end(self, event: Event, run: _Run) -> None:
        result: Any = event.data["result"]
        del self._runs[event.run_id]
        self.going.labels(run.agent).dec()
        self.runs.labels(run.agent, _outcome(result)).inc()
        self.steps.labels(run.agent).observe(_amount(result["steps"]))
        took_ms = (result.get("metrics") or {}).get("duration_ms")
        self.seconds.labels(run.agent).observe(_amount(took_ms) / 1000)
        cost = result.get("proof_cost") or {}
        self.proofs.labels(run.agent).inc(_amount(cost.get("proofs")))
        self.proving.labels(run.agent).inc(_amount(cost.get("prove_seconds")))


def _outcome(result: Mapping[str, Any]) -> str:
    if result["success"]:
        return "done"
    code = (result.get("error") or {}).get("code")
    return "aborted" if result.get("aborted") else code if code in OUTCOMES else OTHER


def _outcome_of_call(event: Event) -> str:
    """ok; no: the tool's answer is one that the planner sees; otherwise the error's code."""
    data: Mapping[str, Any] = event.data
    if event.kind == "tool_returned":
        return "ok" if data["ok"] else "no"
    code = data["error"]["code"]
    return code if code in OUTCOMES else OTHER


def _amount(value: Any) -> float:
    """What models and tools say of themselves may be anything: never below 0, always a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) and number > 0 else 0.0


__all__ = ["OTHER", "RunMetrics"]

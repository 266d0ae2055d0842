"""A run once more, from its records and events.

The runner is the same as for any run: its journal answers what is on record, its tools and models
are never reached, its permissions allow all, since what was judged is on record. So nothing happens
but the planner's decisions, which have to be those that were kept.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from zkagent.executor.runtime.core.config import AgentConfig, RunOptions
from zkagent.executor.runtime.core.errors import (
    ProofFault,
    ReplayDiffers,
    RuntimeFault,
    RunUnknown,
)
from zkagent.executor.runtime.core.permissions import AllowAll
from zkagent.executor.runtime.core.steps import PlanStep, VerifyingPlanner
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.durable.kept import Whole
from zkagent.executor.runtime.durable.store import RunStore
from zkagent.executor.runtime.planners.model import ModelPlanner
from zkagent.executor.runtime.replays.compared import is_changed
from zkagent.executor.runtime.replays.recorded import (
    ComparingSink,
    RecordEnds,
    ReplayedPlanner,
    ReplayJournal,
)
from zkagent.executor.runtime.replays.report import ReplayReport, StepReplay
from zkagent.executor.runtime.running.agent import Agent
from zkagent.executor.runtime.running.background import background


def replay(
    run_id: str, store: RunStore, agents: Iterable[Agent], *, verify: bool = False
) -> ReplayReport:
    """agents: among them the run's; verify: the proofs of its steps, too. Raises RunUnknown: no
    such run, or its agent is not among them; RecordsBroken: somebody changed, cut or moved what is
    kept of it; JournalFault."""
    return background.run(areplay(run_id, store, agents, verify=verify))


async def areplay(
    run_id: str, store: RunStore, agents: Iterable[Agent], *, verify: bool = False
) -> ReplayReport:
    """The same, for callers that are asynchronous."""
    whole = store.whole(run_id)
    agent = next((one for one in agents if one.config.id == whole.run.agent), None)
    if agent is None:
        raise RunUnknown(f"run {run_id} is of agent {whole.run.agent}, which is not here")
    planner = ReplayedPlanner(agent.config.planner or ModelPlanner())
    journal = ReplayJournal(whole.records)
    sink = ComparingSink(whole.events, journal)
    await _run(whole, _stubbed(agent.config, planner), journal, sink)
    steps = tuple(journal.steps)
    if verify:
        steps = tuple([await _verified(whole, planner, step) for step in steps])
    ended, difference = _ending(whole, journal, sink)
    return ReplayReport(run_id, whole.run.agent, steps, sink.same, ended, difference)


async def _run(
    whole: Whole, config: AgentConfig, journal: ReplayJournal, sink: ComparingSink
) -> None:
    named = None if whole.run.session == whole.run.id else whole.run.session
    options = RunOptions(session=named, seed=whole.run.seed)
    session = Agent(config).create_session(
        options, run_id=whole.run.id, journal=journal, store=sink
    )
    try:
        await session.arun()
    except (RecordEnds, ReplayDiffers):
        return


def _stubbed(config: AgentConfig, planner: ReplayedPlanner) -> AgentConfig:
    tools = [replace(tool, run=_never(tool)) for tool in config.tools]
    return replace(config, planner=planner, tools=tools, permissions=AllowAll())


def _never(tool: ToolDefinition) -> Any:
    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        raise ReplayDiffers(f"{tool.id} would be called, which no replay does")

    return run


def _ending(whole: Whole, journal: ReplayJournal, sink: ComparingSink) -> tuple[str, str]:
    """How it ended, and the difference, if there is one."""
    run, result = whole.run, whole.result
    was_cut = run.state != "finished" or (result is not None and result.aborted)
    if sink.difference:
        return "", sink.difference
    if journal.missing and was_cut:
        how = "was aborted" if run.state == "finished" else f"is {run.state}"
        return f"the run {how} before {journal.missing}", ""
    if journal.missing:
        return "", f"{journal.missing} is not on record"
    if sink.same < len(whole.events):
        return "", f"event {sink.same} is on record, and the replay has ended"
    return f"finished: {run.code or 'success'}", ""


async def _verified(whole: Whole, planner: ReplayedPlanner, step: StepReplay) -> StepReplay:
    """With what its proof shows, if it has one."""
    if "proof" not in step.plan:
        return step
    verifier, state = planner.planner, planner.states.get(step.index)
    if not isinstance(verifier, VerifyingPlanner) or state is None:
        return replace(step, proof="unverified", proof_why="its planner verifies no proofs")
    try:
        found = json.loads(whole.records[f"{step.index}.plan"])
        plan = PlanStep.from_json(found["step"])
        assert plan.proof is not None
        attachment = found["evidence"]["attachments"].get(verifier.attachment_of(plan.proof))
        verdict = await verifier.verify_step(state, plan, attachment, redacted=is_changed(found))
    except ProofFault as fault:
        return replace(step, proof="unverified", proof_why=str(fault))
    except RuntimeFault as fault:
        return replace(step, proof="false", proof_why=str(fault))
    return replace(step, proof="verified" if verdict else "false", proof_why=verdict.reason)


__all__ = ["areplay", "replay"]

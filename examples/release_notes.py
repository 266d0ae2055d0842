"""Finds a project's latest release notes, keeps them, and says what they change in its API.

    python release_notes.py http://localhost:8000/latest

A script looks them up, and one stands for the model that summarises; $ZKAGENT_MODEL names a real
one, at $ZKAGENT_MODEL_URL. The second run finds the notes kept.
"""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import zkagent.executor.runtime as rt
from zkagent.executor.runtime.tools.http import HttpRules, http_tool

TASK = "Find the latest release notes, and summarise what changes for users of the API."
LOOK = rt.PlanStep("tool", "kv_get", {"key": "notes"})


def lookup(url: str) -> rt.ScriptedPlanner:
    def fetch(state: rt.PlannerState) -> rt.PlanStep:
        fetched = rt.PlanStep("tool", "http_request", {"url": url})
        return fetched if state.actions[0].output is None else rt.PlanStep("finish", result="kept")

    def keep(state: rt.PlannerState) -> rt.PlanStep:
        found: Any = state.actions[1].output
        return rt.PlanStep("tool", "kv_put", {"key": "notes", "value": found["text"]})

    return rt.ScriptedPlanner([LOOK, fetch, keep, LOOK, rt.PlanStep("finish", result="fetched")])


def summary(messages: Sequence[rt.ChatMessage]) -> str:
    """What a model would say: the lines about the API."""
    told = next(m.content for m in reversed(messages) if m.content.startswith("--- output of"))
    notes = json.loads(told.splitlines()[1])["output"]
    return "\n".join(line for line in notes.splitlines() if "API" in line)


def main(url: str) -> None:
    name, host = os.environ.get("ZKAGENT_MODEL"), "/".join(url.split("/")[:3])
    model = rt.ChatClient.configured(name) if name else rt.ScriptedClient([summary, summary])
    tools = [http_tool(HttpRules((host,), private=True)), *rt.KeyValues("shared").tools()]
    planner = rt.Relay([lookup(url), rt.ModelPlanner()])
    allowed = rt.default_permissions(allow=[tool.id for tool in tools])
    agent = rt.Agent(rt.AgentConfig("reader", TASK, tools, planner, [model], permissions=allowed))
    for result in (agent.run(), agent.run()):
        print(*(action.step.tool_id or action.step.kind for action in result.actions))
        print(result.result or f"no summary: {result.error}")


if __name__ == "__main__":
    main(sys.argv[1]) if sys.argv[1:] else sys.exit(__doc__)

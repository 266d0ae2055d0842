"""Finds a test, runs it, and opens an issue with what it says where it fails.

    python failing_test.py REPOSITORY http://localhost:8000/issues test_add

The agent reads test files, runs one program, which is no sandbox, and posts to one tracker.
"""

import re
import sys
from pathlib import Path
from typing import Any

import zkagent.executor.runtime as rt
from zkagent.executor.runtime.tools.http import HttpRules, http_tool
from zkagent.executor.runtime.tools.shell import Program, ShellRules, shell_tool


def search(repository: Path) -> rt.ToolDefinition:
    def repo_search(name: str) -> list[str]:
        """The tests of this name, as unittest calls them."""
        pattern = re.compile(rf"class (\w+)(?:(?!\nclass ).)*?def {re.escape(name)}\(", re.DOTALL)
        files = sorted(repository.glob("test*.py"))
        found = ((file.stem, pattern.search(file.read_text())) for file in files)
        return [f"{stem}.{match[1]}.{name}" for stem, match in found if match]

    return rt.tool(safe_by_default=True)(repo_search)


def main(repository: Path, tracker: str, name: str) -> None:
    def reproduce(state: rt.PlannerState) -> rt.PlanStep:
        tests = state.actions[0].output
        if not tests:
            return rt.PlanStep("finish", result=f"there is no test {name}")
        return rt.PlanStep("tool", "shell_run", {"program": "unittest", "words": tests})

    def report(state: rt.PlannerState) -> rt.PlanStep:
        ran: Any = state.actions[1].output
        issue: Any = {"title": f"{name} fails", "body": ran["errors"]}
        failed = rt.PlanStep("tool", "http_request", {"url": tracker, "json": issue})
        return failed if ran["exit_code"] else rt.PlanStep("finish", result=f"{name} passes")

    unittest = Program(sys.executable, ("-B", "-m", "unittest"), r"\w+\.\w+\.\w+", most=3)
    shell = shell_tool(ShellRules({"unittest": unittest}, repository.resolve()))
    http = http_tool(HttpRules(("/".join(tracker.split("/")[:3]),), ("POST",), private=True))
    tools, task = [search(repository), shell, http], f"Open an issue about {name}, if it fails."
    find = rt.PlanStep("tool", "repo_search", {"name": name})
    planner = rt.ScriptedPlanner([find, reproduce, report, rt.PlanStep("finish", result="told")])
    allowed = rt.default_permissions(destructive=[shell.id, http.id])
    result = rt.Agent(rt.AgentConfig("tester", task, tools, planner, permissions=allowed)).run()
    for action in result.actions:
        print(action.step.tool_id or "finish", action.output)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:]) if sys.argv[3:] else sys.exit(__doc__)

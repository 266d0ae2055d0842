"""Slither over the contracts, against findings that somebody has read: `make slither`.

triage.json gives the reason, in a sentence, for each finding that stands: which check, in which
functions, how many in each. What is not in it fails, and so does an entry that nothing answers to
any more. Left out are remarks on style (assembly, literals), and contracts of `demo/`, which are
never deployed for real. Libraries are read, but only findings in our own files count.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.assurance.syntax import job, syntax_trees
from tests.assurance.tools import tool
from zkagent.verifier_contracts.toolchain.compile import SOURCES, with_imports
from zkagent.verifier_contracts.toolchain.install import toolchain

TRIAGE = Path(__file__).with_name("triage.json")
OPTIONS = (
    "--ignore-compile",
    "--foundry-out-directory",
    "out",
    "--exclude-informational",
    "--exclude-optimization",
    "--filter-paths",
    "solady|@openzeppelin|src/demo",
)
TIMEOUT_S = 600

Finding = tuple[str, str]  # the check, and where: Contract.function


def main() -> None:
    found = Counter(findings())
    problems = compare(found, triaged(json.loads(TRIAGE.read_text())))
    if problems:
        sys.exit("\n".join(problems))
    print(f"slither: {found.total()} findings, all of them read ({TRIAGE.name})")


def triaged(entries: list[dict[str, Any]]) -> Counter[Finding]:
    """How many findings each entry accounts for. Raises ValueError for one without a reason."""
    read: Counter[Finding] = Counter()
    for entry in entries:
        if not str(entry["reason"]).strip():
            raise ValueError(f"no reason stands at {entry}")
        read.update({(entry["check"], where): count for where, count in entry["where"].items()})
    return read


def compare(found: Mapping[Finding, int], read: Mapping[Finding, int]) -> list[str]:
    """A line for each difference; empty when what was found is what was read."""
    lines = []
    for check, where in sorted({*found, *read}):
        now, before = found.get((check, where), 0), read.get((check, where), 0)
        if now > before:
            lines.append(f"{check} in {where}: {now} found, {before} in {TRIAGE.name}; read it")
        elif now < before:
            lines.append(f"{check} in {where}: {before} in {TRIAGE.name}, {now} found; correct it")
    return lines


def findings() -> Iterator[Finding]:
    """What slither says of the contracts as they are."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        write_project(project)
        for result in analyse(project):
            yield result["check"], place(result)


def place(result: Mapping[str, Any]) -> str:
    """Contract.function of a finding, which stays when lines move."""
    first = result["elements"][0]
    within = first.get("type_specific_fields", {}).get("parent", {})
    if first["type"] == "function":
        return f"{within['name']}.{first['name']}"
    outer = within.get("type_specific_fields", {}).get("parent", {}).get("name", "")
    return ".".join(name for name in (outer, within.get("name", "")) if name)


def analyse(project: Path) -> list[dict[str, Any]]:
    report = project / "report.json"
    forge = toolchain().forge.parent
    done = subprocess.run(
        [str(tool("slither")), ".", *OPTIONS, "--json", str(report)],
        cwd=project,
        env={**os.environ, "PATH": f"{forge}{os.pathsep}{os.environ.get('PATH', '')}"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    said = json.loads(report.read_text()) if report.exists() else {}
    if not said.get("success"):
        sys.exit(f"slither did not analyse:\n{said.get('error') or done.stderr[-3000:]}")
    results: list[dict[str, Any]] = said["results"].get("detectors", [])
    return results


def write_project(project: Path) -> None:
    """Sources and syntax trees as slither reads them of a project that forge has built. Code is not
    generated, which would take most of the time."""
    tools = toolchain()
    paths = sorted(SOURCES.rglob("*.sol"))
    sources = {f"src/{path.relative_to(SOURCES).as_posix()}": path.read_text() for path in paths}
    units = with_imports(sources, tools)
    for unit, text in units.items():
        path = project / unit
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (project / "foundry.toml").write_text("")
    build = project / "out" / "build-info"
    build.mkdir(parents=True)
    version = re.search(r"\d+\.\d+\.\d+", tools.solc_version)
    assert version, tools.solc_version
    info = {"solcVersion": version[0], "input": job(units), "output": syntax_trees(units)}
    (build / "contracts.json").write_text(json.dumps(info))


if __name__ == "__main__":
    main()

"""forge with the project's compiler, libraries and settings, and nothing installed by hand.

`python -m` on this module with `test -vvv` (or fmt, snapshot, lint, ...) is forge itself with its
arguments passed on; `run_tests` is for pytest. forge reads its configuration from the cache:
this folder's foundry.toml plus paths, so that the checkout stays free of output and machine paths.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from zkagent.circuits.support.cache import cache_folder
from zkagent.circuits.support.leash import run_on_leash
from zkagent.circuits.support.surroundings import without_settings
from zkagent.models.whole import write_file
from zkagent.verifier_contracts.errors import ContractsError, ForgeError
from zkagent.verifier_contracts.toolchain.install import Toolchain, toolchain

ROOT = Path(__file__).resolve().parents[1]
TIMEOUT_S = 1800


@dataclass(frozen=True)
class ForgeReport:
    """What `forge test` found: names of passed tests, and one line for each failed one."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]


def run_tests(
    *arguments: str,
    root: Path = ROOT,
    fuzz_runs: int | None = None,
    invariant_runs: int | None = None,
    config: Path | None = None,
) -> ForgeReport:
    """Run the Solidity tests under `root`.

    arguments: forge's own, such as "--match-path", "test/encoding/*". fuzz_runs and
    invariant_runs: per fuzz test, and per invariant, instead of the configured numbers. config: a
    whole foundry.toml in place of ours. Raises ForgeError when the sources do not compile.
    """
    options = ["--fuzz-runs", str(fuzz_runs)] if fuzz_runs else []
    settings = {"FOUNDRY_INVARIANT_RUNS": str(invariant_runs)} if invariant_runs else {}
    words = ["test", "--json", *options, *arguments]
    done = _run(words, root, capture=True, settings=settings, config=config)
    try:
        suites = json.loads(done.stdout)
        results = [
            (f"{suite.rsplit(':', 1)[-1]}.{name}", result)
            for suite, found in suites.items()
            for name, result in found["test_results"].items()
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise ForgeError(f"forge did not test:\n{_tail(done.stdout + done.stderr)}") from exc
    passed = tuple(name for name, result in results if result["status"] == "Success")
    failed = tuple(_line(*item) for item in results if item[1]["status"] == "Failure")
    return ForgeReport(passed, failed)


def run(arguments: Sequence[str], root: Path = ROOT) -> int:
    """forge with its output going to ours; its exit code."""
    return _run(arguments, root, capture=False).returncode


def configuration(root: Path, tools: Toolchain) -> Path:
    """The complete foundry.toml for the project at `root`, written to the cache."""
    folder = cache_folder("forge", hashlib.sha256(str(root).encode()).hexdigest()[:16])
    remappings = [f"{prefix}={path}/" for prefix, path in tools.remappings.items()]
    added: dict[str, dict[str, str | list[str]]] = {
        "[profile.default]": {
            "solc": str(tools.solc),
            "out": str(folder / "out"),
            "cache_path": str(folder / "cache"),
            "remappings": remappings,
            "ignored_warnings_from": [str(tools.node_modules)],
        },
        "[fuzz]": {"failure_persist_dir": str(folder / "fuzz")},
        "[invariant]": {"failure_persist_dir": str(folder / "invariant")},
    }
    text = (ROOT / "foundry.toml").read_text()
    for section, values in added.items():
        # A JSON string or list of strings is a TOML one, too.
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
        text = text.replace(f"{section}\n", "\n".join([section, *lines, ""]))
    path = folder / "foundry.toml"
    write_file(path, text.encode())
    return path


def _run(
    arguments: Sequence[str],
    root: Path,
    *,
    capture: bool,
    settings: Mapping[str, str] | None = None,
    config: Path | None = None,
) -> "subprocess.CompletedProcess[str]":
    """One forge at a time per project: they share the output folder."""
    tools = toolchain()
    root = root.absolute()
    lock = cache_folder("forge") / f"{hashlib.sha256(str(root).encode()).hexdigest()[:16]}.lock"
    with FileLock(lock):
        path = str(config or configuration(root, tools))
        environment = {**without_settings(), **(settings or {}), "FOUNDRY_CONFIG": path}
        try:
            return run_on_leash(
                [str(tools.forge), *arguments, "--root", str(root)],
                folder=root,  # the .env of another folder may name another compiler
                environment=environment,
                capture=capture,
                timeout_s=TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise ForgeError(f"forge did not run: {exc}") from exc


def _line(name: str, result: dict[str, Any]) -> str:
    reason = result["reason"] or "no reason given"
    example = result.get("counterexample") or {}
    inputs = example["Single"]["args"] if "Single" in example else json.dumps(example)
    return f"{name}: {reason}" + (f"; counterexample: {inputs}" if example else "")


def _tail(text: str, lines: int = 40) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])


def main() -> None:
    """Pass the command line on to forge."""
    try:
        sys.exit(run(sys.argv[1:]))
    except ContractsError as exc:
        sys.exit(f"zkagent: {exc}")


__all__ = ["ForgeReport", "configuration", "run", "run_tests"]

if __name__ == "__main__":
    main()

"""Do the Solidity tests notice? Mutants of executor and registry, one at a time: `make mutants`.

A sample by a seed, the same number of each file, or all of them (`--all`). For each one the
contract is compiled with it and the tests of executor, registry and agent are run until one fails.
A mutant that no test notices survives; docs/assurance.md says of each why it may. Mutants that the
compiler refuses do not count. Ends with an error when fewer than 85 % are killed in some file.
"""

import argparse
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.assurance.mutation_operators import Mutant, mutants
from tests.assurance.static_analysis import syntax_trees
from zkagent.verifier_contracts.toolchain.compile import SOURCES, with_imports
from zkagent.verifier_contracts.toolchain.forge import configuration
from zkagent.verifier_contracts.toolchain.install import toolchain

ROOMS = ("executor", "registry")
TESTS = ("executor", "registry", "agents/AgentBase.t.sol", "invariants")
NEEDED = ("support", "fakes")
SLOW = "*Gas.t.sol"
LEAST = 0.85
TIMEOUT_S = 300


@dataclass
class Score:
    """Of one file."""

    killed: int = 0
    refused: int = 0
    survivors: list[str] = field(default_factory=list)

    @property
    def counted(self) -> int:
        return self.killed + len(self.survivors)

    @property
    def share(self) -> float:
        return self.killed / self.counted if self.counted else 1.0


def main() -> None:
    given = arguments()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="zkagent-mutants-") as folder:
        project = Project(Path(folder))
        if project.tests() != "survived":
            sys.exit("the tests fail without any mutant")
        files = [name for name in project.sources if given.only in name]
        quota = None if given.all else max(1, -(-given.sample // len(files)))
        scores = {
            name: scored(project, name, random.Random(f"{seed} {name}"), quota) for name in files
        }
    for name, score in scores.items():
        print(
            f"{name}: {score.killed} of {score.counted} killed, {score.share:.1%}"
            f" ({score.refused} refused by the compiler)"
        )
    if any(score.share < LEAST for score in scores.values()):
        sys.exit(f"fewer than {LEAST:.0%} in some file")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=150, help="mutants, over all files")
    parser.add_argument("--all", action="store_true", help="every mutant of every file")
    parser.add_argument("--only", default="", help="files with this in their name")
    parser.add_argument("--seed", type=int, help="of the sample; a fresh one by default")
    return parser.parse_args()


def scored(project: "Project", name: str, order: random.Random, quota: int | None) -> Score:
    """quota: how many count at most."""
    score = Score()
    source = project.sources[name]
    candidates = project.mutants(name)
    order.shuffle(candidates)
    for mutant in candidates:
        if quota is not None and score.counted == quota:
            break
        started = time.monotonic()
        verdict = project.verdict(name, mutant)
        told = f"{name}:{mutant.told(source)}"
        if verdict == "killed":
            score.killed += 1
        elif verdict == "refused":
            score.refused += 1
        else:
            score.survivors.append(told)
        print(f"{verdict:8} {time.monotonic() - started:5.1f} s  {told}", flush=True)
    return score


class Project:
    """A copy of contracts and tests in which one file at a time is another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tools = toolchain()
        copy_sources(folder)
        self._config = folder / "foundry.toml"
        text = configuration(folder, self._tools).read_text()
        # The tests' own code does not change: link what they make at run time. No optimizer, which
        # takes longer than the tests.
        text = text.replace("optimizer = true\n", "optimizer = false\n")
        head = "[profile.default]\n"
        text = text.replace(head, head + "dynamic_test_linking = true\n")
        for old, new in (("runs = 256", "runs = 32"), ("runs = 80 ", "runs = 4 ")):
            text = text.replace(old, new)
        self._config.write_text(text)
        self.sources = {name: (folder / name).read_bytes() for name in sorted(self._names())}
        units = {name: text.decode() for name, text in self.sources.items()}
        everything = with_imports(units, self._tools)
        self._trees = syntax_trees(everything, self._tools)["output"]["sources"]

    def mutants(self, name: str) -> list[Mutant]:
        return mutants(self._trees[name]["ast"], self.sources[name])

    def verdict(self, name: str, mutant: Mutant) -> str:
        """killed, survived, or refused by the compiler."""
        path = self._folder / name
        path.write_bytes(mutant.apply(self.sources[name]))
        try:
            return self.tests()
        finally:
            path.write_bytes(self.sources[name])

    def tests(self) -> str:
        try:
            done = subprocess.run(
                [str(self._tools.forge), "test", "--fail-fast", "--root", str(self._folder)],
                env={"FOUNDRY_CONFIG": str(self._config), "PATH": "/usr/bin:/bin"},
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "killed"
        if done.returncode == 0:
            return "survived"
        if "[FAIL" in done.stdout:
            return "killed"
        if "Compiler run failed" in done.stdout + done.stderr:
            return "refused"
        raise RuntimeError(f"forge did not test:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def _names(self) -> Iterator[str]:
        for room in ROOMS:
            for path in (self._folder / "src" / room).glob("*.sol"):
                yield path.relative_to(self._folder).as_posix()


def copy_sources(folder: Path) -> None:
    """All contracts, and the tests that mutants are held against."""
    shutil.copytree(SOURCES, folder / "src")
    for name in (*TESTS, *NEEDED):
        source, target = SOURCES.parent / "test" / name, folder / "test" / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(SLOW))
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


if __name__ == "__main__":
    main()

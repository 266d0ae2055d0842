"""Do the Solidity tests notice? Mutants of executor and registry, one at a time: `make mutants`.

A sample by a seed, the same number of each file, or all of them (`--all`). For each one the
contract is compiled with it and the tests of executor, registry and agent are run until one fails.
A mutant that no test notices survives; docs/assurance.md says of each why it may. Mutants that the
compiler refuses do not count. Ends with an error when fewer than 85 % are killed in some file.
"""

import argparse
import json
import os
import random
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tests.assurance.mutation_operators import Mutant, mutants
from tests.assurance.syntax import syntax_trees
from tests.assurance.warm_compiler import WarmCompiler
from zkagent.verifier_contracts.toolchain.compile import SOURCES, with_imports
from zkagent.verifier_contracts.toolchain.forge import configuration
from zkagent.verifier_contracts.toolchain.install import Toolchain, toolchain

ROOMS = ("executor", "registry", "verifiers")
LIBRARIES = ("src/libraries/Instances.sol", "src/libraries/TransientBytes.sol")
TESTS = ("executor", "registry", "verifiers", "agents/AgentBase.t.sol")
INVARIANTS = ("invariants",)
NEEDED = ("support", "fakes", "reference/PlainGroth16.sol", "invariants/StateHandler.sol")
SLOW = "*Gas.t.sol"
DEPLOYED = {
    "AgentExecutor": "src/executor/AgentExecutor.sol",
    "Groth16Verifier": "src/verifiers/Groth16Verifier.sol",
    "ModelRegistry": "src/registry/ModelRegistry.sol",
}
#: The tests that are compiled with a part of the executor, and the parts.
PARTS = {
    "executor/AgreedCalls.t.sol": ("AgreedCalls",),
    "executor/ContextCalls.t.sol": ("ContextCalls",),
    "executor/FrameState.t.sol": ("FrameState", "KeptPrompts", "TransientBytes"),
    "executor/ProofCheck.t.sol": ("ProofCheck", "Instances"),
    "invariants/StateInvariants.t.sol": ("FrameState", "TransientBytes", "ProofCoverage"),
    "libraries/TransientBytes.t.sol": ("TransientBytes",),
    "verifiers/Bn254.t.sol": ("Bn254",),
    "verifiers/Groth16Keys.t.sol": ("Groth16Keys",),
    "verifiers/PublicWords.t.sol": ("PublicWords",),
}
CODE = ("evm.bytecode.object",)
NEW = re.compile(r"\bnew (" + "|".join(DEPLOYED) + r")\(([^()]*)\)")
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
    with (
        tempfile.TemporaryDirectory(prefix="zkagent-mutants-") as folder,
        closing(WarmCompiler()) as compiler,
    ):
        project = Project(Path(folder), compiler)
        if not project.pass_unchanged():
            sys.exit("the tests fail without any mutant")
        files = [name for name in project.sources if any(part in name for part in given.only)]
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
    parser.add_argument("--only", nargs="+", default=[""], help="files with this in their names")
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
    """Copies of contracts and tests in which one file at a time is another.

    Most tests meet executor and registry only as contracts: these get the mutant's code from a
    file, so that nothing else is compiled for it. Mutants that they do not notice meet the tests of
    the parts (FrameState, ProofCheck), which are compiled with the mutant, and then the invariants.
    """

    def __init__(self, folder: Path, compiler: WarmCompiler) -> None:
        self._compiler = compiler
        self._tools = toolchain()
        self._tested, self._held = folder / "tested", folder / "held"
        self._parts = folder / "parts"
        copy_tests(self._tested, TESTS)
        copy_tests(self._held, INVARIANTS)
        copy_tests(self._parts, PARTS)
        for project in (self._tested, self._held):
            for name in PARTS:
                (project / "test" / name).unlink(missing_ok=True)
        for project in (self._tested, self._held, self._parts):
            shutil.copytree(SOURCES, project / "src")
            take_code_from_files(project)
            write_config(project, self._tools)
        self.sources = {name: (self._parts / name).read_bytes() for name in sorted(self._names())}
        units = {name: text.decode() for name, text in self.sources.items()}
        self._units = with_imports(units, self._tools)
        self._trees = syntax_trees(self._units)["sources"]

    def mutants(self, name: str) -> list[Mutant]:
        return mutants(self._trees[name]["ast"], self.sources[name])

    def pass_unchanged(self) -> bool:
        return self._write_code({}) and not any(
            self._fails(project) for project in (self._tested, self._held, self._parts)
        )

    def verdict(self, name: str, mutant: Mutant) -> str:
        """killed, survived, or refused by the compiler."""
        changed = mutant.apply(self.sources[name])
        if not self._write_code({name: changed.decode()}):
            return "refused"
        noticed = (
            self._fails(self._tested)
            or self._fails_in_parts(name, changed)
            or self._fails(self._held)
        )
        return "killed" if noticed else "survived"

    def _fails_in_parts(self, name: str, changed: bytes) -> bool:
        if not any(Path(name).stem in parts for parts in PARTS.values()):
            return False
        path = self._parts / name
        path.write_bytes(changed)
        try:
            return self._fails(self._parts)
        finally:
            path.write_bytes(self.sources[name])

    def _write_code(self, changed: Mapping[str, str]) -> bool:
        """False when the compiler refuses the sources."""
        units = {**self._units, **changed}
        output = self._compiler.compiled(
            units, {unit: {name: list(CODE)} for name, unit in DEPLOYED.items()}
        )
        if any(error["severity"] == "error" for error in output.get("errors", [])):
            return False
        for name, unit in DEPLOYED.items():
            code = output["contracts"][unit][name]["evm"]["bytecode"]
            artifact = {"bytecode": {"object": "0x" + code["object"]}}
            for project in (self._tested, self._held, self._parts):
                (project / f"{name}.json").write_text(json.dumps(artifact))
        return True

    def _fails(self, project: Path) -> bool:
        try:
            done = subprocess.run(
                [str(self._tools.forge), "test", "--fail-fast", "--root", str(project)],
                env={"FOUNDRY_CONFIG": str(project / "foundry.toml"), "PATH": os.defpath},
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
        if done.returncode and "[FAIL" not in done.stdout:
            raise RuntimeError(f"forge did not test:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.returncode != 0

    def _names(self) -> Iterator[str]:
        for room in ROOMS:
            for path in (self._parts / "src" / room).glob("*.sol"):
                yield path.relative_to(self._parts).as_posix()
        yield from LIBRARIES


def copy_tests(folder: Path, names: Iterable[str]) -> None:
    """The tests that mutants are held against, and what they need."""
    for name in (*names, *NEEDED):
        source, target = SOURCES.parent / "test" / name, folder / "test" / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(SLOW))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def take_code_from_files(project: Path) -> None:
    """Make the tests deploy executor and registry from `Name.json`."""
    for path in (project / "test").rglob("*.sol"):
        text = path.read_text()
        path.write_text(NEW.sub(r'\1(deployCode("\1.json", abi.encode(\2)))', text))


def write_config(project: Path, tools: Toolchain) -> None:
    """The project's own settings, without the optimizer, which takes longer than the tests, and
    with shorter fuzz tests. What tests make is linked late: their own code does not change."""
    text = configuration(project, tools).read_text()
    for old, new in (
        ("optimizer = true\n", "optimizer = false\ndynamic_test_linking = true\n"),
        ("runs = 256", "runs = 32"),
        ("runs = 80 ", "runs = 4 "),
        ('path = "../"', 'path = "./"'),
    ):
        assert old in text, old
        text = text.replace(old, new)
    (project / "foundry.toml").write_text(text)


if __name__ == "__main__":
    main()

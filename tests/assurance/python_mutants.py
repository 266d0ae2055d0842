"""Do the tests notice? Mutants of the Python that verifies receipts and audits contracts, one at a
time: `make mutants-python`.

A sample by a seed from each room, or all of them (`--all`). cosmic-ray makes them
(`python_operators.py` says which), `forked_mutants.py` holds each against the tests below until one
fails. What no test notices survives; docs/assurance.md says of each why it may. Ends with an error
when fewer than 85 % are killed in some room. Interrupted, it tells what is known so far.
"""

import argparse
import json
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.assurance.forked_mutants import Judge, Mutant, module_of
from tests.assurance.tools import tool
from tests.support.checkout import ROOT

#: Files by what they are measured as.
ROOMS = {
    "receipts": ("executor/receipts",),
    "audit": ("executor/audit", "verifier_contracts/deployment/known_code.py"),
}
#: Quick ones first. Tests with a server in a thread of this process, such as
#: test_lying_receipts.py, cannot be forked.
TESTS = (
    "tests/executor/receipts/test_receipts.py",
    "tests/executor/receipts/test_story.py",
    "tests/executor/receipts/test_file.py",
    "tests/executor/receipts/test_verdicts.py",
    "tests/executor/receipts/test_movements.py",
    "tests/executor/receipts/test_each_check.py",
    "tests/executor/receipts/test_refusals.py",
    "tests/executor/receipts/test_circuits.py",
    "tests/executor/receipts/test_writer.py",
    "tests/executor/receipts/test_schema.py",
    "tests/executor/receipts/test_earlier_files.py",
    "tests/executor/receipts/test_earlier_rules.py",
    "tests/executor/receipts/test_maxima.py",
    "tests/executor/receipts/test_shown_text.py",
    "tests/executor/receipts/test_reorganisations.py",
    "tests/executor/runs/test_batched_runs.py",
    "tests/executor/audit",
    "tests/verifier_contracts/deployment/test_deciders.py",
    "tests/verifier_contracts/deployment/test_known_code.py",
    "tests/integration/test_audit_checks.py",
    "tests/integration/test_audit_edges.py",
    "tests/integration/test_run_contracts.py",
    "tests/integration/test_audit.py",
    "tests/integration/test_agent_audit.py",
    "tests/integration/test_earlier_deciders.py",
    "tests/integration/test_toggled_tools.py",
    "tests/integration/test_toggled_models.py",
    "tests/integration/test_swapped_arguments.py",
    "tests/integration/test_registered_batches.py",
    "tests/integration/test_model_owners.py",
    "tests/integration/test_receipts.py::test_it_is_accepted_offline_and_by_the_chain",
    "tests/integration/test_receipts.py::test_a_circuit_that_is_not_there_cannot_be_verified",
    "tests/integration/test_receipts.py::test_a_circuit_of_another_file_is_not_taken",
    "tests/executor/receipts/test_receipt_mutations.py::test_the_chain_denies_the_rest",
)
LEAST = 0.85


def main() -> None:
    given = arguments()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    size = sys.maxsize if given.all else given.sample
    chosen = {room: made_mutants(room, given.only, size, seed) for room in ROOMS}
    judge = Judge([mutant for mutants in chosen.values() for mutant in mutants], tell)
    options = ("-q", "-s", "-p", "no:cacheprovider", "--no-header", *(given.tests or TESTS))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if pytest.main(list(options), plugins=[judge]) == pytest.ExitCode.INTERRUPTED:
        tell("interrupted: not every test was asked, so that more survive than would")
    if judge.broken:
        sys.exit(f"without any mutant these fail: {', '.join(judge.broken)}")
    for mutant in judge.mutants:
        if not mutant.killer:
            tell(f"survived  {mutant.told}{unreached(mutant, judge)}")
    shares = {room: share(room, mutants) for room, mutants in chosen.items()}
    if any(found < LEAST for found in shares.values()):
        sys.exit(f"fewer than {LEAST:.0%} in some room")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=150, help="mutants of each room")
    parser.add_argument("--all", action="store_true", help="every mutant")
    parser.add_argument("--only", default="", help="files with this in their name")
    parser.add_argument("--seed", type=int, help="of the sample; a fresh one by default")
    parser.add_argument("tests", nargs="*", help="other tests than those that are listed")
    return parser.parse_args()


def made_mutants(room: str, only: str, size: int, seed: int) -> list[Mutant]:
    files = [file for path in ROOMS[room] for file in sources(path) if only in file]
    program = Path(__file__).with_name("python_operators.py")
    words = (str(tool("python")), str(program), str(size), f"{seed} {room}", *files)
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return [mutant(**place) for place in json.loads(done.stdout)]


def sources(path: str) -> list[str]:
    if path.endswith(".py"):
        return [path]
    return sorted(found.relative_to(ROOT).as_posix() for found in (ROOT / path).glob("*.py"))


def mutant(*, file: str, operator: str, line: int, end: list[int], text: str, **_: Any) -> Mutant:
    source = (ROOT / file).read_text()
    return Mutant(file, module_of(file), operator, line, end[0], text, source)


def unreached(mutant: Mutant, judge: Judge) -> str:
    return "" if (mutant.file, mutant.line) in judge.reached else "  (no test gets there)"


def share(room: str, mutants: Sequence[Mutant]) -> float:
    killed = sum(bool(mutant.killer) for mutant in mutants)
    found = killed / len(mutants) if mutants else 1.0
    tell(f"{room}: {killed} of {len(mutants)} killed, {found:.1%}")
    return found


def tell(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


if __name__ == "__main__":
    main()

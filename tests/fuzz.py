"""Random tests with fresh seeds, for as long as one likes: `make fuzz`, TIME=minutes.

Each round has a seed, which is printed before it starts:

    contexts     random and hostile ones, told to Python's encoder and decoder and to the contracts
    instructions the same of models that read whole ones: amounts and words, clauses and their runs
    readers      tool sets, hostile ones too, and prompts: features, outputs and decisions
    calls        agreed to by ranges or not, told to Python and to the contract
    Solidity     every fuzz test of forge, and every invariant with 50,000 calls and more
    properties   every property that hypothesis tests, with many more examples

A round that fails ends it; `make fuzz SEED=...` with that round's seed does the same again.
`make contexts` does the first kind alone, a hundred rounds of ten thousand, `make tool-sets` the
third, two thousand of them.
"""

import argparse
import os
import random
import secrets
import subprocess
import sys
import time
from collections import Counter

from tests.executor.chain.test_agreed_calls import agreement
from tests.support.checkout import ROOT
from tests.support.whole_reader import WholeReader
from tests.verifier_contracts.encoding.test_encoder_agreement import agreed
from tests.verifier_contracts.instructions.test_decoder_agreement import decided_alike
from tests.verifier_contracts.instructions.test_reader_agreement import read_alike
from tests.verifier_contracts.reader.test_whole_agreement import agreed as tools_agreed
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.toolchain.anvil import IN_MEMORY
from zkagent.verifier_contracts.toolchain.forge import run_tests

CONTEXTS = 1000
PROMPTS, QUESTIONS = 5000, 1000
TOOL_SETS = 1000
AGREED_CALLS = 5000
FORGE_RUNS = 5000
INVARIANT_RUNS = 800  # of 64 calls each


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10, help="no round begins after these")
    parser.add_argument("--seed", type=int, help="of the first round; a fresh one by default")
    parser.add_argument("--contexts", type=int, default=CONTEXTS, help="in each round")
    parser.add_argument("--forge-runs", type=int, default=FORGE_RUNS, help="of each fuzz test")
    parser.add_argument("--only-contexts", type=int, metavar="ROUNDS", help="so many, nothing else")
    parser.add_argument("--only-tool-sets", type=int, metavar="SETS", help="so many, nothing else")
    given = parser.parse_args()
    ends = time.monotonic() + 60 * given.minutes
    seed = secrets.randbits(32) if given.seed is None else given.seed
    few = given.only_contexts
    if given.only_tool_sets:
        print(f"seed {seed}", flush=True)
        fuzz_readers(seed, given.only_tool_sets)
        return
    rounds = 0
    while rounds < few if few else rounds == 0 or time.monotonic() < ends:
        print(f"round {rounds + 1}: seed {seed}", flush=True)
        fuzz_contexts(seed, given.contexts)
        if not few:
            fuzz_the_rest(seed, given.forge_runs)
        rounds, seed = rounds + 1, random.Random(seed).getrandbits(32)
    print(f"{rounds} rounds, nothing found")


def fuzz_the_rest(seed: int, forge_runs: int) -> None:
    """Raises AssertionError, or ends the program, when something is found."""
    fuzz_instructions(seed, PROMPTS, QUESTIONS)
    fuzz_readers(seed, TOOL_SETS)
    fuzz_agreed_calls(seed, AGREED_CALLS)
    options = ("--fuzz-seed", hex(seed), "--match-test", "testFuzz|invariant")
    report = run_tests(*options, fuzz_runs=forge_runs, invariant_runs=INVARIANT_RUNS)
    assert not report.failed, "\n".join(report.failed)
    print(f"  {len(report.passed)} Solidity tests pass, {forge_runs} runs each", flush=True)
    print(f"  invariants among them: {INVARIANT_RUNS} runs of 64 calls each", flush=True)
    fuzz_properties(seed)


def fuzz_contexts(seed: int, contexts: int) -> None:
    with Anvil() as chain:
        kinds = agreed(chain, seed, contexts)
    common = ", ".join(f"{count} {kind}" for kind, count in Counter(kinds).most_common(4))
    print(f"  {contexts} contexts agree: {common}, ...", flush=True)


def fuzz_instructions(seed: int, prompts: int, questions: int) -> None:
    with Anvil() as chain:
        read = read_alike(chain, seed, prompts)
    print(f"  {read.total()} prompts are read alike, {read['read']} of them whole", flush=True)
    with Anvil() as chain:
        kinds = decided_alike(chain, seed, questions)
    common = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(4))
    print(f"  {questions} instructions are decided alike: {common}, ...", flush=True)


def fuzz_readers(seed: int, sets: int) -> None:
    with Anvil(states=IN_MEMORY) as chain:
        kinds = tools_agreed(WholeReader(chain), seed, sets)
    common = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(4))
    print(f"  {sets} tool sets and prompts agree: {common}, ...", flush=True)


def fuzz_agreed_calls(seed: int, calls: int) -> None:
    with Anvil() as chain:
        found = agreement(chain, seed, calls)
    print(f"  {calls} calls judged alike, {found[True]} of them agreed to", flush=True)


def fuzz_properties(seed: int) -> None:
    words = (sys.executable, "-m", "pytest", "-q", "--no-header", "-m", "hypothesis")
    environment = {**os.environ, "ZKAGENT_HYPOTHESIS": "long"}
    done = subprocess.run(
        [*words, f"--hypothesis-seed={seed}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    print(f"  properties hold: {done.stdout.strip().splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    main()

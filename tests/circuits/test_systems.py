"""The list of proof systems: ids, and what looking one up costs."""

import subprocess
import sys

from tests.support.checkout import ROOT
from zkagent.circuits.systems import SYSTEMS

HEAVY = {"ezkl", "numpy", "onnx", "onnxruntime", "torch", "web3"}


def test_each_system_is_listed_under_the_first_bytes_of_its_name_s_hash() -> None:
    found = {system.name: proof_system_id.hex() for proof_system_id, system in SYSTEMS.items()}
    assert found["evm-int-v1"] == "21aef62c"  # by another Keccak library
    assert len(found) == len(SYSTEMS)


def test_a_process_that_proves_loads_nothing_that_it_may_not_need() -> None:
    """Every proof's process waits for it."""
    script = "import sys, zkagent.prover.child; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert HEAVY & set(done.stdout.split()) == set()

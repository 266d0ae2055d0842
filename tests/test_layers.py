"""The architecture, as a test: see tests/layers.py."""

import pytest

from tests.layers import violations, violations_in


def test_imports_point_downwards_and_libraries_stay_at_their_edge() -> None:
    assert [str(violation) for violation in violations()] == []


@pytest.mark.parametrize(
    ("path", "source", "reason"),
    [
        ("models/encoder.py", "from circuits.build import build", "must not import circuits"),
        ("prover/jobs.py", "import verifier_contracts", "must not import verifier_contracts"),
        ("verifier_contracts/deploy.py", "import prover.jobs", "must not import prover"),
        ("circuits/build.py", "def f():\n    import ezkl", "ezkl may be imported in"),
        ("executor/cli.py", "import importlib; importlib.import_module('torch')", "torch may be"),
        ("prover/client.py", "from web3 import Web3", "web3 may be imported in"),
        ("executor/runner.py", "from dbos import DBOS", "dbos may be imported in"),
        ("models/decoder.py", "from .encoder import x", "relative import"),
    ],
)
def test_a_wrong_import_is_found(path: str, source: str, reason: str) -> None:
    (violation,) = violations_in(path, source)
    assert reason in str(violation)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("circuits/ezkl_engine.py", "import ezkl"),
        ("models/training.py", "import torch.nn"),
        ("executor/onchain.py", "from web3 import Web3\nfrom prover.client import Client"),
        ("verifier_contracts/chain.py", "import web3\nfrom circuits.build import x"),
    ],
)
def test_a_right_import_passes(path: str, source: str) -> None:
    assert list(violations_in(path, source)) == []

"""The architecture, as a test: see tests/layers.py."""

import pytest

from tests.layers import LAYERS, ROOMS, circles, used_rooms, violations, violations_in


def test_imports_point_downwards_and_libraries_stay_at_their_edge() -> None:
    assert [str(violation) for violation in violations()] == []


def test_no_rooms_stand_in_a_circle() -> None:
    assert circles(ROOMS) == []
    assert set(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}


def test_the_list_of_rooms_allows_nothing_that_is_not_used() -> None:
    used = used_rooms()
    assert {room: ROOMS[room] - used.get(room, set()) for room in ROOMS} == {
        room: set() for room in ROOMS
    }


def test_every_room_belongs_to_a_package() -> None:
    assert {room.split("/")[0] for room in ROOMS} == set(LAYERS)


@pytest.mark.parametrize(
    ("path", "source", "reason"),
    [
        (
            "models/encoding/encoder.py",
            "from zkagent.circuits.store import load_circuit",
            "must not import circuits",
        ),
        ("prover/local.py", "import zkagent.verifier_contracts", "must not import verifier_contr"),
        ("verifier_contracts/chain/gas.py", "from zkagent import prover", "must not import prover"),
        ("circuits/store.py", "def f():\n    import ezkl", "ezkl may be imported in"),
        ("executor/places.py", "import importlib; importlib.import_module('torch')", "torch may"),
        ("prover/client.py", "from web3 import Web3", "web3 may be imported in"),
        ("executor/runs/runner.py", "from dbos import DBOS", "dbos may be imported in"),
        ("executor/runs/runner.py", "import click", "click may be imported in executor/cli/"),
        ("models/encoding/decoder.py", "from .encoder import x", "relative import"),
        ("executor/chain/abi.py", "from zkagent.executor.runs import plan", "must not import exe"),
        (
            "executor/runs/plan.py",
            "from zkagent.executor.cli.options import JSON_OPTION",
            "executor/runs must not import executor/cli",
        ),
        ("prover/service/wire/schemas.py", "import zkagent.prover.service.queue.jobs", "must not"),
        ("executor/runs/plan.py", "from circuits.store import load_circuit", "bare name circuits"),
        ("executor/runs/plan.py", "from zkagent import load_model", "the face zkagent is for"),
        ("executor/api/agents.py", "import zkagent", "the face zkagent is for users"),
        ("zkagent/errors.py", "import zkagent.models.errors", "zkagent must not import models"),
        ("zkagent/__init__.py", "import web3", "web3 may be imported in"),
        ("executor/attic/old.py", "import zkagent.executor.runs.plan", "is no room of tests/lay"),
    ],
)
def test_a_wrong_import_is_found(path: str, source: str, reason: str) -> None:
    (violation,) = violations_in(path, source)
    assert reason in str(violation)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("circuits/halo2/ezkl_engine.py", "import ezkl"),
        ("models/training/training.py", "import torch.nn"),
        (
            "executor/chain/web3_agent.py",
            "from web3 import Web3\nfrom zkagent.prover.client import ServiceClient",
        ),
        ("executor/runs/plan.py", "from zkagent.executor.chain import abi"),
        ("executor/runs/plan.py", "from zkagent.errors import ZkagentError"),
        ("zkagent/__init__.py", "from zkagent.executor.api.agents import agent"),
        (
            "verifier_contracts/chain/local.py",
            "import web3\nfrom zkagent.circuits.store import load_circuit",
        ),
    ],
)
def test_a_right_import_passes(path: str, source: str) -> None:
    assert list(violations_in(path, source)) == []

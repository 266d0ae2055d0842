"""Fixtures: circuits that many tests share, built once for the session in a cache of its own.

A plugin of tests/conftest.py, so its imports are late: most sessions need no circuit.
"""

import shutil
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from zkagent.circuits.artifacts import Circuit, Proof

LOGROWS = (6, 14)  # of the circuits below, and of the largest of tests/circuits/halo2


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Never damage what lies here; `cache` is a copy to do so.

    Set-ups are this machine's: made once, and verifiers are the same in every session, so that they
    are compiled once, too.
    """
    from zkagent.circuits.halo2.srs import development_srs

    cache: Path = tmp_path_factory.mktemp("zkagent")
    (cache / "srs").mkdir()
    for logrows in LOGROWS:
        made = development_srs(logrows)
        shutil.copy(made.path, cache / "srs")
        (cache / "srs" / f"development-k{logrows}").write_text(f"{made.sha256}\n")
    return cache


@pytest.fixture(scope="session")
def square_onnx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.support.small_networks import square_network

    path = tmp_path_factory.mktemp("networks") / "square.onnx"
    path.write_bytes(square_network())
    return path


@pytest.fixture(scope="session")
def circuit(session_cache: Path, square_onnx: Path) -> "Circuit":
    """y = (x W1 + B1)^2 W2 of tests.support.small_networks."""
    from zkagent.circuits.halo2.build import build_circuit

    return build_circuit(square_onnx, cache=session_cache)


@pytest.fixture(scope="session")
def other_circuit(session_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> "Circuit":
    """Another network of the same shape."""
    from tests.support.small_networks import gathering_network
    from zkagent.circuits.halo2.build import build_circuit

    path = tmp_path_factory.mktemp("networks") / "gathering.onnx"
    path.write_bytes(gathering_network([2, 0]))
    return build_circuit(path, cache=session_cache)


@pytest.fixture(scope="session")
def hiding(session_cache: Path, square_onnx: Path) -> "Callable[..., Circuit]":
    """Like `circuit`, built once for what its proofs show: `hiding(inputs="private")`."""
    from zkagent.circuits.halo2.build import build_circuit
    from zkagent.circuits.visibility import Visibility

    @once
    def build(**shown: str) -> "Circuit":
        return build_circuit(square_onnx, cache=session_cache, visibility=Visibility(**shown))

    return build


@pytest.fixture(scope="session")
def proof(circuit: "Circuit") -> "Proof":
    """An honest proof of `circuit` for x = 3, -1, 4, 1."""
    from zkagent.circuits.halo2 import ezkl_engine

    return ezkl_engine.prove(circuit, [3, -1, 4, 1])


@pytest.fixture
def cache(circuit: "Circuit", session_cache: Path, tmp_path: Path) -> Path:
    """A copy of the session's cache, `circuit` inside."""
    return Path(shutil.copytree(session_cache, tmp_path / "cache"))


@pytest.fixture
def zkagent_home(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`cache`, as commands find it."""
    monkeypatch.setenv("ZKAGENT_HOME", str(cache))
    return cache

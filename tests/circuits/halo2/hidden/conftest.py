"""Circuits of `square_network` that hide something, each built once for the session."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.small_networks import B1, W1, network, node
from zkagent.circuits.artifacts import Circuit, Proof

X = [3, -1, 4, 1]


@pytest.fixture(scope="session")
def hashed(hiding: Callable[..., Circuit]) -> Circuit:
    """All three are hashed."""
    return hiding(inputs="hashed", outputs="hashed", weights="hashed")


@pytest.fixture(scope="session")
def other_weights(
    hashed: Circuit, session_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Circuit:
    """Like `hashed`, but for one weight of the network."""
    from zkagent.circuits.halo2.build import build_circuit

    path = tmp_path_factory.mktemp("networks") / "other.onnx"
    nodes = [
        node("MatMul", ["x", "w1"], "m"),
        node("Add", ["m", "b1"], "h"),
        node("Mul", ["h", "h"], "hh"),
        node("MatMul", ["hh", "w2"], "y"),
    ]
    path.write_bytes(network(nodes, {"w1": W1, "b1": B1, "w2": [[1, -1], [2, 3], [-5, 5]]}))
    return build_circuit(path, cache=session_cache, visibility=hashed.visibility)


@pytest.fixture(scope="session")
def private(hiding: Callable[..., Circuit]) -> Circuit:
    """Its inputs are private."""
    return hiding(inputs="private")


@pytest.fixture(scope="session")
def hashed_proof(hashed: Circuit) -> Proof:
    from zkagent.circuits.halo2 import ezkl_engine

    return ezkl_engine.prove(hashed, X)


@pytest.fixture(scope="session")
def private_proof(private: Circuit) -> Proof:
    from zkagent.circuits.halo2 import ezkl_engine

    return ezkl_engine.prove(private, X)

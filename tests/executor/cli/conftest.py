from tests.circuits.fixtures import (
    cache,
    circuit,
    other_circuit,
    proof,
    session_cache,
    square_onnx,
    zkagent_home,
)

__all__ = [
    "cache",
    "circuit",
    "other_circuit",
    "proof",
    "session_cache",
    "square_onnx",
    "zkagent_home",
]

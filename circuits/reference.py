"""What onnxruntime makes of an exact network: the circuit must compute the same integers."""

from collections.abc import Sequence

import numpy as np

from circuits.errors import NetworkRefused
from circuits.network import Network


def infer(network: Network, inputs: Sequence[int]) -> tuple[int, ...]:
    """y = f(x), all outputs one after the other. Raises NetworkRefused."""
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(network.content, providers=["CPUExecutionProvider"])
        (given,) = session.get_inputs()
        x = np.array(inputs, dtype=np.int64).reshape(given.shape)
        outputs = session.run(None, {given.name: x})
    except Exception as exc:  # onnxruntime's classes share no other root
        reason = " ".join(str(exc).split())
        raise NetworkRefused(network.path, f"onnxruntime cannot evaluate it ({reason})") from exc
    return tuple(int(value) for output in outputs for value in output.reshape(-1))


__all__ = ["infer"]

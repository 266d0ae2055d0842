"""What onnxruntime makes of a network: an exact circuit must compute the same integers, and one
that rounds is compared with it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.errors import InputRefused, NetworkRefused
from zkagent.circuits.networks.network import Network
from zkagent.models.networks.inference import open_session

Array = npt.NDArray[Any]


class Reference:
    """The network, loaded by onnxruntime once. Raises NetworkRefused."""

    def __init__(self, network: Network) -> None:
        self._network = network
        with _translated(network):
            self._session = open_session(network.content)

    def outputs(self, sample: Array) -> list[Array]:
        """All outputs for one input of the network's shape and type.

        Raises NetworkRefused, and InputRefused when an output is not finite.
        """
        with _translated(self._network):
            outputs = self._session.run(None, {self._network.input_name: sample})
        found: list[Array] = [np.asarray(output) for output in outputs]
        if not all(np.isfinite(output).all() for output in found):
            raise InputRefused("onnxruntime computes an infinite number or NaN for a sample")
        return found

    def integers(self, inputs: Sequence[int]) -> tuple[int, ...]:
        """y = f(x) of an exact network, all outputs one after the other. Raises NetworkRefused."""
        x = np.array(inputs, dtype=np.int64).reshape(self._network.input_shape)
        return tuple(int(value) for output in self.outputs(x) for value in output.reshape(-1))


def infer(network: Network, inputs: Sequence[int]) -> tuple[int, ...]:
    """y = f(x) of an exact network, all outputs one after the other. Raises NetworkRefused."""
    return Reference(network).integers(inputs)


@contextmanager
def _translated(network: Network) -> Iterator[None]:
    try:
        yield
    except Exception as exc:  # onnxruntime's classes share no other root
        reason = " ".join(str(exc).split())
        raise NetworkRefused(network.path, f"onnxruntime cannot evaluate it ({reason})") from exc


__all__ = ["Reference", "infer"]

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
    """The user's own network, before anything was rewritten, loaded by onnxruntime once. Raises
    NetworkRefused."""

    def __init__(self, network: Network) -> None:
        self._network = network
        with _translated(network):
            self._session = open_session(network.reference)

    def outputs(self, sample: Sequence[Array]) -> list[Array]:
        """All outputs for one sample: an array of each input's shape and type.

        Raises NetworkRefused, and InputRefused when an output is not finite.
        """
        with _translated(self._network):
            given = {
                each.name: value for each, value in zip(self._network.inputs, sample, strict=True)
            }
            outputs = self._session.run(None, given)
        found: list[Array] = [np.asarray(output) for output in outputs]
        wanted = [each.shape for each in self._network.outputs]
        if [output.shape for output in found] != wanted:
            shapes = [list(output.shape) for output in found]
            raise NetworkRefused(
                self._network.path,
                f"onnxruntime's outputs have the shapes {shapes} for a sample, expected "
                f"{[list(shape) for shape in wanted]}: they must not depend on the sample",
            )
        if not all(np.isfinite(output).all() for output in found):
            raise InputRefused("onnxruntime computes an infinite number or NaN for a sample")
        return found

    def integers(self, inputs: Sequence[int]) -> tuple[int, ...]:
        """y = f(x) of an exact network, all outputs one after the other. Raises NetworkRefused."""
        parts, at = list[Array](), 0
        for each in self._network.inputs:
            part = np.array(inputs[at : at + each.size], dtype=np.int64)
            parts.append(part.reshape(each.shape))
            at += each.size
        return tuple(int(value) for output in self.outputs(parts) for value in output.reshape(-1))


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

"""A network of one hidden layer of squares: (x W1 + b1)**2 W2 + b2 over integers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.errors import BoundExceeded
from zkagent.models.networks.bounds import INT16_MAX, INT64_MAX
from zkagent.models.networks.integer_graph import IntegerGraph

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Squares:
    """Integer weights of (x w1 + b1)**2 w2 + b2."""

    w1: Integers
    b1: Integers
    w2: Integers
    b2: Integers

    def evaluate(self, x: Integers) -> Integers:
        h = x @ self.w1 + self.b1
        return (h * h) @ self.w2 + self.b2

    def export(self, name: str) -> bytes:
        graph = IntegerGraph(name, len(self.w1))
        h = graph.add(graph.matmul("x", self.w1), self.b1)
        y = graph.add(graph.matmul(graph.square(h), self.w2), self.b2)
        return graph.finish(y, len(self.b2))

    def check(self, peaks: Sequence[int]) -> None:
        """peaks: the largest magnitude of each feature. Raises BoundExceeded."""
        hidden = [
            sum(p * abs(int(w)) for p, w in zip(peaks, column, strict=True)) + abs(int(b))
            for column, b in zip(self.w1.T, self.b1, strict=True)
        ]
        outputs = [
            sum(h * h * abs(int(w)) for h, w in zip(hidden, column, strict=True)) + abs(int(b))
            for column, b in zip(self.w2.T, self.b2, strict=True)
        ]
        if max(peaks) > INT16_MAX or max(*outputs, max(hidden) ** 2) > INT64_MAX:
            raise BoundExceeded(f"an output could reach {max(outputs)}: use fewer weight bits")


__all__ = ["Integers", "Squares"]

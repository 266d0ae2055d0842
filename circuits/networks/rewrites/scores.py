"""What classifiers and regressors of scikit-learn's kind make of their scores: a label, and scores
after a transformation. The operators are those of ONNX's domain ai.onnx.ml.

https://github.com/onnx/onnx/blob/main/docs/Operators-ml.md, and where it leaves something open,
what onnxruntime does.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zkagent.circuits.networks.rewrites.building import Builder, Floats

# Those that onnxruntime and a circuit agree on.
TRANSFORMS = {"NONE": "", "LOGISTIC": "Sigmoid", "SOFTMAX": "Softmax"}


@dataclass(frozen=True)
class Raw:
    """Scores before anything is added: `name` [n, k] is `factor` times as much as they are.

    bias: to be added, [k], in the scores' own units; None for nothing.
    """

    name: str
    factor: float
    bias: Floats | None

    def decided(self, build: Builder) -> str:
        """The scores with their bias, times the factor: what decides, not yet rounded again."""
        if self.bias is None:
            return self.name
        return build.add("Add", self.name, build.floats(self.bias * self.factor))

    def transformed(self, build: Builder, decided: str, transform: str) -> str:
        """The scores after one of TRANSFORMS. decided: as from that method."""
        if transform == "NONE":
            return divided(build, decided, self.factor)
        ready, operator = self._for_table(build), TRANSFORMS[transform]
        return (
            build.add(operator, ready, axis=1)
            if operator == "Softmax"
            else build.add(operator, ready)
        )

    def _for_table(self, build: Builder) -> str:
        """The scores with no more bits of fraction than a circuit's numbers have, as a table of
        Sigmoid or Exp must be as long as its inputs are wide: any sum or product cuts them off."""
        if self.bias is not None:
            return build.add("Add", divided(build, self.name, self.factor), build.floats(self.bias))
        if self.factor == 1:
            return self.name
        return build.add("Mul", divided(build, self.name, 2 * self.factor), build.floats(2.0))


def divided(build: Builder, name: str, factor: float) -> str:
    """A tensor by a factor of at least 1."""
    whole = int(np.log2(factor))
    if 2.0**whole == factor:
        return build.halved(name, whole)
    return build.multiplied(name, np.array(1 / factor))


def complemented(build: Builder, positive: str) -> str:
    """[n, 1] as [n, 2]: the negative class has what is left of 1."""
    return build.joined([build.add("Sub", build.floats([[1.0]]), positive), positive])


def opposed(build: Builder, positive: str) -> str:
    """[n, 1] as [n, 2]: the negative class has the opposite."""
    return build.joined([build.add("Neg", positive), positive])


@dataclass(frozen=True)
class Labels:
    """The classes of a classifier. values: what a label is, [k] of int64; the index of a name."""

    values: tuple[int, ...]

    @classmethod
    def of(cls, given: dict[str, Any], integers: str = "classlabels_int64s") -> "Labels":
        """Of a node's attributes: texts become 0, 1, ..."""
        if texts := given.get("classlabels_strings"):
            return cls(tuple(range(len(texts))))
        return cls(tuple(given.get(integers) or given.get("classlabels_ints") or ()))

    def __len__(self) -> int:
        return len(self.values)

    def write_best(self, build: Builder, scores: str, output: str) -> None:
        """The label of the highest of the scores [n, k], the first of equal ones, as [n]."""
        if len(self) == 2:
            one, two = (build.columns(scores, [each]) for each in (0, 1))
            self.write_chosen(build, build.add("Greater", two, one), output)
        else:
            self.write_named(build, build.add("ArgMax", scores, axis=1, keepdims=0), output)

    def write_above(self, build: Builder, score: str, threshold: float, output: str) -> None:
        """Of two classes: the second one where the score [n, 1] is above the threshold."""
        limit = build.floats([[threshold]])
        self.write_chosen(build, build.add("Greater", score, limit), output)

    def write_chosen(self, build: Builder, is_second: str, output: str) -> None:
        """Of two classes, by truth values [n, 1]."""
        from onnx import TensorProto

        index = build.add("Cast", is_second, to=TensorProto.INT64)
        self.write_named(build, build.add("Reshape", index, build.integers([-1])), output)

    def write_named(self, build: Builder, indices: str, output: str) -> None:
        """Indices [n] as labels."""
        write_values(build, self.values, indices, output)


def write_values(build: Builder, values: tuple[int, ...], indices: str, output: str) -> None:
    """values[indices], by sums and products where these are evenly spaced: a circuit looks nothing
    up then."""
    steps = set(np.diff(values).tolist()) or {1}
    if len(steps) > 1:
        build.add("Gather", build.integers(values), indices, axis=0, into=output)
        return
    (step,), first = steps, values[0]
    if step != 1:
        indices = build.add("Mul", indices, build.integers(step))
    if first:
        indices = build.add("Add", indices, build.integers(first))
    build.written(indices, output)


__all__ = ["TRANSFORMS", "Labels", "Raw", "complemented", "divided", "opposed", "write_values"]

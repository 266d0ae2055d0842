"""ConvTranspose with strides, as one Conv for each phase of its output. ezkl lays out zeros between
the numbers of the image and multiplies them, too: with strides of 2 four times as many products.

Along an axis, output o is the sum of x[q - t] w[r + s t] over t, where o + pad = q s + r with
0 <= r < s: for each phase r a convolution with every s-th number of the kernel, from its end.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.networks.rewrites.surroundings import (
    Array,
    Rule,
    Steps,
    Surroundings,
    attribute,
    attributes_of,
)

if TYPE_CHECKING:
    from onnx import NodeProto


@dataclass(frozen=True)
class Phase:
    """One phase r along one axis: taps of the kernel that it has, which outputs it makes, at which
    q, and what the image must be padded with for these."""

    first: int
    taps: int
    outputs: Array
    begin: int
    end: int
    length: int

    @classmethod
    def of(cls, first: int, along: tuple[int, int, int, int, int]) -> "Phase":
        """along: of the axis, stride, kernel, padding before, and the sizes of image and result."""
        stride, kernel, pad, size, result = along
        taps = len(range(first, kernel, stride))
        outputs = np.arange(result)[(np.arange(result) + pad) % stride == first]
        q = (outputs + pad) // stride
        begin = max(0, taps - 1 - int(q.min(initial=0)))
        end = max(0, int(q.max(initial=0)) - size + 1)
        return cls(first, taps, outputs, begin, end, size + begin + end - taps + 1)

    def places(self, pad: int, stride: int) -> Array:
        """Where in the phase's own result each of its outputs stands."""
        found: Array = (self.outputs + pad) // stride - (self.taps - 1 - self.begin)
        return found


def transposed(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Of constant kernels; also one that leaves out its strides."""
    given, result = (graph.shapes.get(name) for name in (node.input[0], node.output[0]))
    weights = graph.value(node, 1)
    if given is None or result is None or weights is None:
        return None
    axes = len(given) - 2
    strides = attribute(node, "strides")
    if strides is None:
        steps = graph.steps(node)
        steps.end("ConvTranspose", *node.input, **attributes_of(node), strides=[1] * axes)
        return steps.nodes
    pads = (attribute(node, "pads") or [0] * axes)[:axes]
    plain = all(each == 1 for each in attribute(node, "dilations") or [])
    sized = attribute(node, "auto_pad", b"NOTSET") != b"NOTSET" or attribute(node, "output_shape")
    if max(strides) == 1 or not plain or sized or min(weights.shape[2:]) < max(strides):
        return None
    phases = [
        [Phase.of(first, each) for first in range(each[0])]
        for each in zip(strides, weights.shape[2:], pads, given[2:], result[2:], strict=True)
    ]
    steps = graph.steps(node)
    parts = [
        _part(steps, node, phase, _kernel(weights, phase, strides, attribute(node, "group", 1)))
        for phase in itertools.product(*phases)
    ]
    together = steps("Concat", *parts, axis=2)
    places = _places(phases, pads, strides, result[2:])
    moved = steps("Gather", together, steps.constant(places, kind=np.int64), axis=2)
    steps.end("Reshape", moved, steps.whole(*result))
    return steps.nodes


def _kernel(weights: Array, phase: Sequence[Phase], strides: Sequence[int], groups: int) -> Array:
    """[outputs, inputs of a group, *taps] of [inputs, outputs of a group, *kernel]."""
    for axis, (each, stride) in enumerate(zip(phase, strides, strict=True), start=2):
        behind = np.arange(each.first, weights.shape[axis], stride)[::-1]
        weights = weights.take(behind, axis=axis)
    parts = np.split(weights, groups, axis=0)
    return np.concatenate([part.swapaxes(0, 1) for part in parts], axis=0)


def _part(steps: Steps, node: "NodeProto", phase: Sequence[Phase], kernel: Array) -> str:
    """One phase's result, its image as one axis."""
    given, others = node.input[0], []
    if len(node.input) > 2 and node.input[2]:
        bias = steps.graph.value(node, 2)
        others = [node.input[2] if bias is None else steps.constant(bias, like=given)]
    made = steps(
        "Conv",
        given,
        steps.constant(kernel, like=given),
        *others,
        kernel_shape=list(kernel.shape[2:]),
        strides=[1] * len(phase),
        pads=[*(each.begin for each in phase), *(each.end for each in phase)],
        group=attribute(node, "group", 1),
    )
    return steps("Reshape", made, steps.whole(steps.graph.shapes[given][0], len(kernel), -1))


def _places(
    phases: Sequence[Sequence[Phase]],
    pads: Sequence[int],
    strides: Sequence[int],
    result: Sequence[int],
) -> Array:
    """Where each number of the result stands in all phases one after the other."""
    found, start = np.zeros(result, dtype=np.int64), 0
    for phase in itertools.product(*phases):
        lengths = [each.length for each in phase]
        own = [each.places(pad, s) for each, pad, s in zip(phase, pads, strides, strict=True)]
        flat = np.ravel_multi_index(np.ix_(*own), lengths)
        found[np.ix_(*(each.outputs for each in phase))] = start + flat
        start += int(np.prod(lengths))
    return found.reshape(-1)


DECONVOLUTION: dict[tuple[str, str], Rule] = {("", "ConvTranspose"): transposed}

__all__ = ["DECONVOLUTION"]

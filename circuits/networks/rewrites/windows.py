"""Convolutions and pools whose windows ezkl does not take as they are.

Windows are laid out side by side by a Gather along each axis, which costs a circuit nothing; the
operator then steps from one to the next. What lies outside of an image is, for a maximum, replaced
by the window's own nearest number, for it pads with 0.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.networks.rewrites.surroundings import (
    Array,
    Rule,
    Shape,
    Steps,
    Surroundings,
    attribute,
)

if TYPE_CHECKING:
    from onnx import NodeProto


PADS_ARE_INPUTS = 11  # since this opset


@dataclass(frozen=True)
class Windows:
    """Of one node, by axis of the image. sizes, results: of the image before and after."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    begins: list[int]
    ends: list[int]
    sizes: Shape
    results: Shape

    @classmethod
    def of(cls, node: "NodeProto", graph: Surroundings) -> "Windows | None":
        """None where shapes are not known."""
        given, made = (graph.shapes.get(name) for name in (node.input[0], node.output[0]))
        if given is None or made is None or len(given) < 3:
            return None
        axes = len(given) - 2
        kernel = attribute(node, "kernel_shape")
        if kernel is None and len(node.input) > 1 and node.input[1] in graph.shapes:
            kernel = graph.shapes[node.input[1]][2:]
        if kernel is None or len(kernel) != axes:
            return None
        strides = attribute(node, "strides") or [1] * axes
        dilations = attribute(node, "dilations") or [1] * axes
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
        begins, ends = _pads(node, spans, strides, given[2:], made[2:])
        return cls(list(kernel), strides, dilations, begins, ends, given[2:], made[2:])

    def positions(self, axis: int) -> Array:
        """[results, kernel]: which number of an axis stands where in each window; outside of the
        image below 0 or beyond its size."""
        starts = np.arange(self.results[axis]) * self.strides[axis] - self.begins[axis]
        return starts[:, None] + np.arange(self.kernel[axis]) * self.dilations[axis]

    @property
    def dilated(self) -> bool:
        return any(each != 1 for each in self.dilations)

    @property
    def inside(self) -> bool:
        """Whether no window reaches over the image."""
        axes = range(len(self.kernel))
        return all(
            self.positions(axis).min() >= 0 and self.positions(axis).max() < self.sizes[axis]
            for axis in axes
        )


def _pads(
    node: "NodeProto", spans: list[int], strides: list[int], sizes: Shape, results: Shape
) -> tuple[list[int], list[int]]:
    """Before and after the image, by axis; what `auto_pad` comes to."""
    automatic = attribute(node, "auto_pad", b"NOTSET")
    axes = len(spans)
    if automatic in (b"SAME_UPPER", b"SAME_LOWER"):
        needed = [
            max(0, (made - 1) * step + span - size)
            for made, step, span, size in zip(results, strides, spans, sizes, strict=True)
        ]
        less = [each // 2 for each in needed]
        more = [each - half for each, half in zip(needed, less, strict=True)]
        return (less, more) if automatic == b"SAME_UPPER" else (more, less)
    pads = attribute(node, "pads") or [0] * (2 * axes)
    return ([0] * axes, [0] * axes) if automatic == b"VALID" else (pads[:axes], pads[axes:])


def max_pool(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """That pads, is dilated, rounds its size up or leaves its strides out."""
    windows = Windows.of(node, graph)
    if windows is None or _asks_more(node, graph):
        return None
    positive = node.input[0] in graph.not_negative
    rounded = attribute(node, "ceil_mode", 0)
    if windows.dilated or (not windows.inside and (rounded or not positive)):
        return _laid_out(node, graph, windows)
    if attribute(node, "strides") is None or rounded:
        pads = {} if windows.inside else {"pads": [*windows.begins, *windows.ends]}
        return _again(node, graph, windows, **pads)
    return None


def _asks_more(node: "NodeProto", graph: Surroundings) -> bool:
    """Whether the places of maxima are read, too."""
    return any(name and graph.is_read(name) for name in node.output[1:])


def _again(
    node: "NodeProto", graph: Surroundings, windows: Windows, **attributes: Any
) -> "list[NodeProto]":
    steps = graph.steps(node)
    steps.end(
        node.op_type,
        *node.input,
        kernel_shape=windows.kernel,
        strides=windows.strides,
        **attributes,
    )
    return steps.nodes


def _laid_out(node: "NodeProto", graph: Surroundings, windows: Windows) -> "list[NodeProto]":
    """Each window's own numbers, those outside replaced by the nearest that are in it."""
    steps, given = graph.steps(node), node.input[0]
    for axis, size in enumerate(windows.sizes):
        places = np.array([_nearest(each, size) for each in windows.positions(axis)])
        given = steps(
            "Gather", given, steps.constant(places.reshape(-1), kind=np.int64), axis=axis + 2
        )
    steps.end(node.op_type, given, kernel_shape=windows.kernel, strides=windows.kernel)
    return steps.nodes


def _nearest(places: Array, size: int) -> Array:
    within = places[(places >= 0) & (places < size)]
    return np.clip(places, within.min(), within.max()) if within.size else places.clip(0, size - 1)


def average_pool(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """That leaves out what it pads with, which ezkl counts, or leaves out its strides."""
    windows = Windows.of(node, graph)
    if windows is None or windows.dilated:
        return None
    rounded, counted = attribute(node, "ceil_mode", 0), attribute(node, "count_include_pad", 0)
    if windows.inside:
        plain = attribute(node, "strides") is not None and not rounded
        return None if plain else _again(node, graph, windows)
    if not counted:
        return _averaged_inside(node, graph, windows)
    if attribute(node, "strides") is None and not rounded:
        pads = [*windows.begins, *windows.ends]
        return _again(node, graph, windows, pads=pads, count_include_pad=1)
    return None


def _averaged_inside(node: "NodeProto", graph: Surroundings, windows: Windows) -> "list[NodeProto]":
    """The mean with zeros outside, times the window's size over the numbers in it."""
    ends = []
    shares = np.ones((1, 1, *[1] * len(windows.sizes)))
    for axis, size in enumerate(windows.sizes):
        places = windows.positions(axis)
        ends.append(max(0, int(places.max()) - size + 1))
        inside = ((places >= 0) & (places < size)).sum(axis=1)
        along = [1] * shares.ndim
        along[axis + 2] = -1
        shares = shares * (windows.kernel[axis] / np.maximum(inside, 1)).reshape(along)
    steps = graph.steps(node)
    pooled = steps(
        "AveragePool",
        node.input[0],
        kernel_shape=windows.kernel,
        strides=windows.strides,
        pads=[*windows.begins, *ends],
        count_include_pad=1,
    )
    steps.end("Mul", pooled, steps.constant(shares, like=node.input[0]))
    return steps.nodes


def convolution(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """That is dilated or leaves out its strides."""
    windows = Windows.of(node, graph)
    if windows is None:
        return None
    group = attribute(node, "group", 1)
    if not windows.dilated:
        if attribute(node, "strides") is not None:
            return None
        pads = [*windows.begins, *windows.ends]
        return _again(node, graph, windows, pads=pads, group=group)
    steps = graph.steps(node)
    given = _padded(steps, node.input[0], windows)
    for axis in range(len(windows.sizes)):
        places = windows.positions(axis) + windows.begins[axis]
        given = steps(
            "Gather", given, steps.constant(places.reshape(-1), kind=np.int64), axis=axis + 2
        )
    steps.end(
        "Conv",
        given,
        *node.input[1:],
        kernel_shape=windows.kernel,
        strides=windows.kernel,
        group=group,
    )
    return steps.nodes


def _padded(steps: Steps, given: str, windows: Windows) -> str:
    """With zeros around the image."""
    pads = [0, 0, *windows.begins, 0, 0, *windows.ends]
    if not any(pads):
        return given
    if steps.graph.opset < PADS_ARE_INPUTS:
        return steps("Pad", given, pads=pads)
    return steps("Pad", given, steps.whole(*pads))


WINDOWS: dict[tuple[str, str], Rule] = {
    ("", "AveragePool"): average_pool,
    ("", "Conv"): convolution,
    ("", "MaxPool"): max_pool,
}

__all__ = ["WINDOWS"]

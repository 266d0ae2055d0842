"""How far operators that move a window over a tensor reach beyond it: a large padding with a large
stride makes a small result, and the padded tensor is what a circuit is laid out with."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx import NodeProto

CHANNELS = 2  # the axes ahead of those that a window moves over
ATTRIBUTES = ("dilations", "kernel_shape", "output_padding", "pads", "strides")


def padded(node: "NodeProto", shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that a tensor of `shape` has in between, at most; empty for other operators.

    A window that fits in is no larger than what it moves over; with automatic padding, and where
    convolutions are turned around, its own reach comes besides.
    """
    said = {each.name: [abs(n) for n in each.ints] for each in node.attribute if each.ints}
    if not said.keys() & set(ATTRIBUTES):
        return ()
    turned = node.op_type in ("ConvTranspose", "MaxUnpool")
    reaches = turned or any(each.s.startswith(b"SAME") for each in node.attribute)
    lengths = list(shape[:CHANNELS])
    for axis, length in enumerate(shape[CHANNELS:]):
        count = len(shape) - CHANNELS

        def of(name: str, default: int, place: int = axis) -> int:
            return said[name][place] if place < len(said.get(name, ())) else default

        stride, dilation = max(1, of("strides", 1)), max(1, of("dilations", 1))
        kernel = max(1, of("kernel_shape", 1)) * dilation
        pads = of("pads", 0) + of("pads", 0, axis + count) + of("output_padding", 0)
        lengths.append(length * (stride if turned else 1) + pads + kernel * reaches)
    return tuple(lengths)


__all__ = ["padded"]

"""A report as lines of text."""

from collections.abc import Iterator

from zkagent.circuits.halo2.report.deviations import Comparison, Deviations
from zkagent.circuits.halo2.report.nodes import CircuitNode
from zkagent.circuits.halo2.report.sheet import Sheet, figures, share, shown
from zkagent.errors import plain

BAR = 24  # characters of the longest
OPERATION = 44  # characters of one


def lines(sheet: Sheet) -> Iterator[str]:
    """From the circuit's digest to the commands to reproduce it."""
    yield sheet.digest
    for section in sheet.sections:
        yield from ("", section.title)
        width = max(len(label) for label, _ in section.lines)
        yield from (f"  {label:<{width}}  {plain(value)}" for label, value in section.lines)
    if sheet.changes:
        yield from ("", "Changes before the circuit")
        yield from (f"  {shown(line)}" for line in sheet.changes)
    yield from ("", "Cells of each node, as ezkl lays them out")
    yield from (_node(node, sheet.cells) for node in sheet.nodes if node.cells)
    yield from ("", "Error against onnxruntime")
    yield from _comparison(sheet.comparison)
    yield from ("", "Commands to reproduce")
    for command, what in sheet.commands:
        yield from (f"  # {what}", f"  {plain(command)}")


def _node(node: CircuitNode, cells: int) -> str:
    part = share(node, cells)
    operation = shown(node.operation)[:OPERATION]
    return f"  {node.cells:>12,} {part:>6.1%}  {operation:<{OPERATION}}  {shown(node.name)}"


def _comparison(comparison: Comparison | None) -> Iterator[str]:
    if comparison is None:
        yield "  no samples were given: --data FILE compares on some"
        return
    yield f"  {comparison.samples:,} samples, {comparison.outside:,} outside the circuit's ranges"
    for output in comparison.outputs:
        yield f"  {shown(output.name)}: {figures(output)}"
        yield from _histogram(output)


def _histogram(of: Deviations) -> Iterator[str]:
    for place, count in enumerate(of.counts):
        if count:
            bar = "#" * max(1, round(BAR * count / max(of.counts)))
            low, high = of.edges[place], of.edges[place + 1]
            yield f"    {low:>10.3g} to {high:>10.3g}  {count:>8,} {bar}"


__all__ = ["lines"]

"""Bounds hidden inputs."""

from zkagent.circuits.halo2.hidden.surgery import Surgery, made
from zkagent.circuits.networks.prepare import graph_inputs


def bound_inputs(surgery: Surgery) -> None:
    """Let all nodes use (x + |x|) - |x| in the place of each input x."""
    nodes = []
    for given in graph_inputs(surgery.graph):
        size, both, same = (surgery.fresh(given.name, part) for part in ("abs", "sum", "tied"))
        surgery.rename(given.name, same)
        nodes += [
            made("Abs", [given.name], size),
            made("Add", [given.name, size], both),
            made("Sub", [both, size], same),
        ]
    surgery.prepend(nodes)


__all__ = ["bound_inputs"]

"""Everything that a report shows, gathered in a process of its own: ezkl holds the interpreter.

`gather_isolated` is what the command calls; `python -m` on this module is its other half.
"""

import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2.cached import load_circuit
from zkagent.circuits.halo2.columns import count_columns
from zkagent.circuits.halo2.report.deviations import Comparison, compare, network_of
from zkagent.circuits.halo2.report.nodes import CircuitNode, nodes_of
from zkagent.circuits.halo2.settings import Settings
from zkagent.circuits.halo2.tuning.cost_model import deployable, predict
from zkagent.circuits.support.isolation import Report as Tell
from zkagent.circuits.support.isolation import answer_call, call_module
from zkagent.circuits.support.progress import Told, silent


@dataclass(frozen=True)
class Layout:
    """Of the circuit's rows and columns. cells: as ezkl counts them."""

    logrows: int
    inner_columns: int
    blocks: int
    keyed_columns: int
    cells: int
    decomposition_base: int
    decomposition_legs: int


@dataclass(frozen=True)
class Content:
    """nodes: with the cells that each fills. gas: to verify a proof on chain, predicted, without
    the transaction's base cost and calldata. deployable: whether the verifier is predicted to be
    small enough for a contract. comparison: where there are samples. changes: what preparing the
    user's file changed."""

    nodes: tuple[CircuitNode, ...]
    layout: Layout
    gas: int
    deployable: bool
    changes: tuple[str, ...]
    comparison: Comparison | None

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "nodes": [node.to_json() for node in self.nodes],
            "comparison": self.comparison.to_json() if self.comparison else None,
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Content":
        """Read `to_json`'s form, through JSON."""
        found = fields["comparison"]
        return cls(
            nodes=tuple(CircuitNode.from_json(node) for node in fields["nodes"]),
            layout=Layout(**fields["layout"]),
            gas=fields["gas"],
            deployable=fields["deployable"],
            changes=tuple(fields["changes"]),
            comparison=Comparison.from_json(found) if found else None,
        )


def gather(circuit: Circuit, data: Path | None, progress: Told = silent) -> Content:
    """data: samples to compare on. Raises CircuitError."""
    from zkagent.circuits.halo2 import ezkl_engine

    settings = json.loads(circuit.settings.read_bytes())
    progress("reading the network")
    network = network_of(circuit)
    progress("counting the cells of each node")
    with tempfile.TemporaryDirectory() as folder:
        onnx = Path(folder, "network.onnx")
        onnx.write_bytes(network.content)
        nodes = nodes_of(ezkl_engine.layout_log(onnx, settings, circuit.visibility))
    comparison = compare(circuit, network, settings, data, progress) if data else None
    return Content(
        nodes=nodes,
        layout=_layout(settings),
        gas=predict(settings).gas,
        deployable=deployable(settings),
        changes=network.changes,
        comparison=comparison,
    )


def gather_isolated(
    circuit: Circuit, data: Path | None, *, cache: Path | None = None, progress: Told = silent
) -> Content:
    """The same in a process of its own; raises EngineCrashed when that dies."""
    request = {
        "digest": circuit.digest,
        "data": str(data.absolute()) if data else None,
        "cache": str(cache.absolute()) if cache else None,
    }
    return Content.from_json(
        call_module("zkagent.circuits.halo2.report.content", request, progress)
    )


def _layout(settings: Settings) -> Layout:
    run, columns = settings["run_args"], count_columns(settings)
    return Layout(
        logrows=columns.logrows,
        inner_columns=columns.inner,
        blocks=columns.blocks,
        keyed_columns=columns.keyed,
        cells=settings["total_assignments"],
        decomposition_base=run["decomp_base"],
        decomposition_legs=run["decomp_legs"],
    )


def _gather(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    cache = Path(request["cache"]) if request["cache"] else None
    data = Path(request["data"]) if request["data"] else None
    return gather(load_circuit(request["digest"], cache), data, tell).to_json()


if __name__ == "__main__":
    answer_call(_gather)


__all__ = ["Content", "Layout", "gather", "gather_isolated"]

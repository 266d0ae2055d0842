"""Cells for each node are those that ezkl counts: together as many as the settings say."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.small_networks import relu_network, square_network
from zkagent.circuits.errors import EngineError
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.report.nodes import CircuitNode, nodes_of
from zkagent.circuits.halo2.settings import RunArguments, default_arguments

LOG = [
    'Loading node: Node { id: 0, name: "x", inputs: [], op: TypedSource { fact: 1,3,F32 } }',
    'Loading node: Node { id: 1, name: "a \\"b\\" [c]", inputs: [0/0>, 7/1>], op: Max }',
    "laying out 0: Input",
    "(rows=0, coord=0, constants=0)",
    "laying out 1: LEAKYRELU (slope=0)",
    "(rows=\x1b[34m2\x1b[0m, coord=\x1b[33m3\x1b[0m, constants=0)",
    "------------ output node 1: (rows=9, coord=9, constants=0)",
    "(rows=40, coord=70, constants=5)",
]


def test_what_is_new_when_a_node_begins_belongs_to_the_one_before() -> None:
    assert nodes_of(LOG) == (
        CircuitNode(0, "x", "Input", (), 3),
        CircuitNode(1, r"a \"b\" [c]", "LEAKYRELU (slope=0)", (0, 7), 67),
    )


def test_nodes_of_loops_have_no_names() -> None:
    again = [*LOG[:2], LOG[0].replace('"x"', '"y"'), *LOG[2:]]
    assert [node.name for node in nodes_of(again)] == ["", r"a \"b\" [c]"]


def test_a_log_without_counts_has_no_nodes() -> None:
    assert nodes_of(["model has 2 instances", "(rows=3, coord=4, constants=0)"]) == ()


COUNT = """
import json, sys
from pathlib import Path
from zkagent.circuits.errors import EngineError
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.report.nodes import nodes_of
folder = Path(sys.argv[1])
settings = json.loads((folder / "settings.json").read_text())
nodes = nodes_of(ezkl_engine.layout_log(folder / "network.onnx", settings))
print(json.dumps([node.to_json() for node in nodes]))
"""


def counted(folder: Path, content: bytes, arguments: RunArguments) -> tuple[int, list[CircuitNode]]:
    """Cells in the settings, and the nodes as a process finds them in which ezkl is new."""
    (folder / "network.onnx").write_bytes(content)
    settings = ezkl_engine.make_settings(folder / "network.onnx", arguments, 12)
    (folder / "settings.json").write_text(json.dumps(settings))
    command = [sys.executable, "-c", COUNT, str(folder)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    nodes = [CircuitNode.from_json(fields) for fields in json.loads(found.stdout)]
    return settings["total_assignments"], nodes


@pytest.mark.parametrize(
    ("content", "integer"), [(square_network(), True), (relu_network(), False)]
)
def test_all_nodes_have_as_many_cells_as_the_circuit(
    content: bytes, integer: bool, tmp_path: Path
) -> None:
    cells, nodes = counted(tmp_path, content, default_arguments(integer))
    assert sum(node.cells for node in nodes) == cells
    assert all(node.cells >= 0 for node in nodes)
    assert nodes[0].operation == "Input"
    assert nodes[0].cells == 4


def test_a_relu_costs_ten_cells_and_three_for_each_digit(tmp_path: Path) -> None:
    """For each of the three hidden numbers, as was found by reading ezkl's layouts."""
    _, nodes = counted(tmp_path, relu_network(), RunArguments(7, 7, decomposition_legs=4))
    (relu,) = (node for node in nodes if node.operation.startswith("LEAKYRELU"))
    assert relu.cells == 3 * (10 + 3 * 4)


def test_where_ezkl_has_been_quiet_it_stays_so(tmp_path: Path) -> None:
    onnx = tmp_path / "network.onnx"
    onnx.write_bytes(relu_network())
    settings = ezkl_engine.make_settings(onnx, default_arguments(False), 12)
    with pytest.raises(EngineError, match="tells nothing in this process"):
        ezkl_engine.layout_log(onnx, settings)

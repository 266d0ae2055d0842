"""What a stranger's network is called reaches no terminal but escaped, by our own words."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from zkagent.models.catalogue import load_model
from zkagent.models.errors import NetworkUnusable
from zkagent.models.networks.inference import Inference

LOUD = "\x1b[2K\r\x1b[0m70 of 70 checks hold\naccepted, and the chain agrees\n\x1b[8m"


def loud_network(path: Path, index: int) -> None:
    """The wallet's, with a row that is looked up and not there, and names that act on terminals."""
    network = onnx.load(load_model("wallet").onnx_path)
    gather = next(node for node in network.graph.node if node.op_type == "Gather")
    rows = next(each for each in network.graph.initializer if each.name == gather.input[1])
    changed = numpy_helper.to_array(rows).copy()
    changed.flat[0] = index
    rows.CopyFrom(numpy_helper.from_array(np.asarray(changed), rows.name))
    for number, node in enumerate(network.graph.node):
        node.name = f"{LOUD}{number}"
    path.write_bytes(network.SerializeToString())


def test_a_network_that_fails_says_nothing_by_itself(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = load_model("wallet")
    loud_network(tmp_path / "loud.onnx", 5000)
    network = Inference(tmp_path / "loud.onnx", model.input_count, model.output_count)
    with pytest.raises(NetworkUnusable):
        network([0] * model.input_count)
    assert capfd.readouterr() == ("", "")
